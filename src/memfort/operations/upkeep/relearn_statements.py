"""Make statements again from their turns, with the rules as they are today.

Only what rules made and nobody has touched since is replaced or taken back. What a person corrected, ended, rejected,
reviewed or built upon stays, and so does whatever was said in the same words: it is not proposed a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.capture.extraction import CONTEXT_TURNS, Action, Proposal, SpokenTurn
from memfort.engine.default_place import statement_space
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.language.normal_form import normal_text
from memfort.model.audience import learned_of
from memfort.model.decision import OutcomeState, Verdict
from memfort.model.item import Authority, Item, Kind, Origin, Status, is_in_force, is_live
from memfort.model.occurred import Composed, Evidence
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.admit.batch import write_batch
from memfort.operations.admit.come_back import refusal_to_come_back
from memfort.operations.admit.write import rehearse
from memfort.operations.capture.conversation import is_summary
from memfort.operations.capture.speakers import Speaker
from memfort.operations.capture.statements import rules_extractor, statement_candidate, statement_text
from memfort.operations.extraction.question import speaker_of
from memfort.operations.upkeep.relearn_note import times_relearned, with_note
from memfort.policy.admission import Placement
from memfort.policy.gates.conflict import ConflictRule
from memfort.policy.sight import maintenance_sight


class Remade(Struct):
    """How many statements of some turns were made again, or would be."""

    turns: int = 0
    added: int = 0
    reworded: int = 0
    ended: int = 0
    back: int = 0
    refused: int = 0
    kept: int = 0  # statements that today's rules would not make, and that people have touched


class TurnPlan(Struct):
    """What today's rules make of one turn, compared with the statements that there are."""

    turn: Item
    added: list[Placement] = field(default_factory=list)
    reworded: list[tuple[Item, Placement]] = field(default_factory=list)
    ended: list[Item] = field(default_factory=list)
    corrects: set[str] = field(default_factory=set)  # the reworded ones that still correct something
    touched: int = 0

    @property
    def spaces(self) -> list[Space]:
        new = [one.space for one in (*self.added, *(placement for _, placement in self.reworded))]
        return [self.turn.space, *new, *(item.space for item in (*self.ended, *(old for old, _ in self.reworded)))]

    def __bool__(self) -> bool:
        return bool(self.added or self.reworded or self.ended)


def plan_turn(view: View, turn: Item) -> TurnPlan:
    """What is to be done with the statements of a turn. Endings are never proposed from old words: nothing that was
    said elsewhere ends by a turn that is read again."""
    plan, speaker = TurnPlan(turn), speaker_of(view, turn)
    before = _before(view, turn)
    old, taken = _sorted_statements(view, turn, before, plan)
    left = {id(item): item for item in old}
    for proposal in _proposed(view, turn, before):
        placement = _placement(view, turn, before, proposal, speaker, [*old, *taken])
        if placement is None:
            continue
        text = normal_text(placement.candidate.text)
        same = next((item for item in (*old, *taken) if normal_text(item.text) == text), None)
        if same is not None:
            left.pop(id(same), None)
        elif not any(_overlap(item, proposal.quote) for item in taken):
            first = next((item for item in left.values() if _overlap(item, proposal.quote)), None)
            if first is not None:
                del left[id(first)]
                plan.reworded.append((first, replace(placement, space=first.space)))
                plan.corrects |= {first.id} if proposal.action is Action.UPDATE else set()
            elif proposal.target is None or not proposal.target.is_only_an_end:
                plan.added.append(placement)
    plan.ended = list(left.values())
    return plan


def _before(view: View, turn: Item) -> list[Item]:
    assert turn.conversation is not None
    seen, limit = view.decision_view.sight, CONTEXT_TURNS
    return list(view.store.turns(seen, turn.space, turn.conversation, limit, before=turn.id))


def _proposed(view: View, turn: Item, before: Sequence[Item]) -> Iterator[Proposal]:
    found = rules_extractor(view.policy)([_spoken(turn)], [_spoken(one) for one in before]).proposals
    return (one for one in found if one.action in {Action.ADD, Action.UPDATE} and one.kind is Kind.SEMANTIC)


def _spoken(turn: Item) -> SpokenTurn:
    return SpokenTurn(turn.text, turn.origin, turn.observed_at_us or turn.created_at_us)


def stated_by_rules(view: View, turn: Item) -> list[str]:
    """The statements that today's rules take from a turn."""
    found, speaker = _proposed(view, turn, _before(view, turn)), speaker_of(view, turn)
    return [statement_text(view.policy, one, speaker) for one in found if one.composed is None]


def is_readable(turn: Item, view: View) -> bool:
    """Whether a turn is there to be read again, word for word."""
    return turn.conversation is not None and is_live(turn, view.now) and not is_summary(turn)


# -- the statements that there are ------------------------------------------------------------------------------------


def _sorted_statements(view: View, turn: Item, before: Sequence[Item], plan: TurnPlan) -> tuple[list[Item], list[Item]]:
    """Those that rules made and nobody has touched, and all others that were made from the turn, in whatever state."""
    made = [
        item
        for item in view.store.derived(maintenance_sight([turn.space]), [turn.id])
        if item.evidence is not None and item.evidence.turn == turn.id
    ]
    old = [item for item in made if _is_rules_own(view, item, turn, {one.id for one in before})]
    taken = [item for item in made if item not in old]
    plan.touched = sum(is_in_force(item) and not is_made_by_rules(item) for item in taken)
    return old, taken


def is_made_by_rules(item: Item) -> bool:
    """Whether the rules took a statement from a turn, and neither a person nor a model has changed it."""
    if item.kind is not Kind.SEMANTIC or item.evidence is None or "extractor" in item.provenance:
        return False
    is_copy = item.promoted_from is not None or bool(item.derived_from)
    return not is_copy and not item.approvals and item.version == _untouched_version(item)


def _untouched_version(item: Item) -> int:
    """The version of a memory that was only used, judged by the encoder, and relearned."""
    is_judged = item.judgement is not None and item.judgement.model is not None
    return 1 + item.uses + is_judged + times_relearned(item)


def _is_rules_own(view: View, item: Item, turn: Item, before: set[str]) -> bool:
    if not is_made_by_rules(item) or not is_live(item, view.now) or item.author.key != turn.author.key:
        return False
    assert item.evidence is not None
    rests_on = item.evidence.composed
    if rests_on is not None and rests_on.turn not in before:
        return False  # the other turn that it rests on cannot be read
    there = maintenance_sight([item.space])
    if item.supersedes is not None:
        earlier = view.store.items(there, [item.supersedes])
        if any(one.evidence is not None and one.evidence.turn == turn.id for one in earlier):
            return False  # a rest of a statement, or a correction of it
    return not view.store.derived(there, [item.id])  # nothing was built upon it


def _overlap(item: Item, quote: str) -> bool:
    """Whether a statement was taken from these words, or from a part of them."""
    if item.evidence is None:
        return False
    said, words = normal_text(item.evidence.words), normal_text(quote)
    return bool(said and words) and (said in words or words in said)


# -- a proposal as a candidate ----------------------------------------------------------------------------------------


def _placement(
    view: View, turn: Item, before: Sequence[Item], proposal: Proposal, speaker: Speaker, made: Sequence[Item]
) -> Placement | None:
    evidence = _evidence(turn, before, proposal)
    if evidence is None:
        return None
    try:
        candidate = statement_candidate(
            view.policy,
            proposal,
            speaker,
            origin=turn.origin,
            observed_at=turn.observed_at_us or turn.created_at_us,
            conversation=turn.conversation,
            evidence=evidence,
            source=turn.source,
        )
    except InvalidInput:
        return None
    is_imported = turn.source is not None
    return Placement(
        candidate,
        _space(view, turn, speaker, candidate, made),
        has_speaker=True,
        on_record=speaker.is_believed and (speaker.origin is not Origin.USER or speaker.person is not None),
        at_most=Authority.AI_INFERRED if is_imported else speaker.at_most,
        quotes=turn,
        learned=learned_of(turn),
        is_imported=is_imported,
        is_made_again=True,
        said_at=turn.observed_at_us if is_imported else None,
    )


def _evidence(turn: Item, before: Sequence[Item], proposal: Proposal) -> Evidence | None:
    if proposal.composed is None:
        return Evidence(turn.id, proposal.quote)
    if not -len(before) <= proposal.composed.turn < 0:
        return None
    other = before[proposal.composed.turn]
    if other.space != turn.space:
        return None
    return Evidence(turn.id, proposal.quote, Composed(proposal.composed.way, other.id, proposal.composed.words))


def _space(view: View, turn: Item, speaker: Speaker, candidate: object, made: Sequence[Item]) -> Space:
    """Where the other statements of the turn are; where there is none, as when it is observed. It is never wider."""
    spaces = {item.space for item in made}
    if len(spaces) == 1:
        return spaces.pop()
    return turn.space if not speaker.is_caller else statement_space(view, candidate)  # type: ignore[arg-type]


# -- carrying it out --------------------------------------------------------------------------------------------------


def rehearse_plan(view: View, plan: TurnPlan, found: Remade) -> None:
    """Count what a plan would do."""
    found.turns += 1
    found.kept += plan.touched
    for placement in plan.added:
        found.added += _would_be_kept(view, placement, found)
    going = list(plan.ended)
    for old, placement in plan.reworded:
        is_kept = _would_be_kept(view, placement, found)
        found.reworded += is_kept
        going += [old] if is_kept and old.id not in plan.corrects else []
    found.ended += len(plan.ended)
    found.back += sum(len(_ended_by(view, old)) for old in going)


def _would_be_kept(view: View, placement: Placement, found: Remade) -> bool:
    decision = rehearse(view, placement)
    is_kept = decision.verdict is Verdict.ALLOWED and decision.reason is not Reason.DUPLICATE
    found.refused += decision.verdict is Verdict.DENIED
    return is_kept


def carry_out(tx: Transaction, plan: TurnPlan, found: Remade, trace: str) -> None:
    """Write what a plan says. What a gate refuses or lets wait replaces nothing."""
    found.turns += 1
    found.kept += plan.touched
    for old, placement in plan.reworded:
        finish = partial(_in_place_of, old=old, trace=trace)
        (outcome,) = write_batch(tx, [replace(placement, finish=finish)])
        found.refused += outcome.state is OutcomeState.REFUSED
        if outcome.state is OutcomeState.IN_FORCE and outcome.item is not None and outcome.stored:
            found.reworded += 1
            _end(tx, old, trace, outcome.item.id)
            found.back += 0 if old.id in plan.corrects else _bring_back(tx, old, trace)
    for old in plan.ended:
        _end(tx, old, trace, None)
        found.ended += 1
        found.back += _bring_back(tx, old, trace)
    for placement in plan.added:
        (outcome,) = write_batch(tx, [replace(placement, finish=partial(with_note, trace=trace))])
        found.added += outcome.stored and outcome.state is OutcomeState.IN_FORCE
        found.refused += outcome.state is OutcomeState.REFUSED


def _in_place_of(item: Item, old: Item, trace: str) -> Item:
    return with_note(replace(item, replaces=tuple(dict.fromkeys((*item.replaces, old.id)))), trace)


def _end(tx: Transaction, old: Item, trace: str, successor: str | None) -> None:
    """End a statement that today's rules would not make. It is superseded, and can be restored."""
    (now,) = tx.store.items(maintenance_sight([old.space]), [old.id])
    if not is_in_force(now):
        return  # the new statement has replaced it by the rules for conflicts
    after = tx.next_version(
        now,
        status=Status.SUPERSEDED,
        status_reason=Reason.RELEARNED.value,
        superseded_by=successor,
        ended_phase=tx.engine.phase_of(now.space).id,
    )
    after, system = with_note(after, trace, now), tx.as_system()
    by = successor or (now.evidence.turn if now.evidence is not None else now.id)
    rule = ConflictRule.CORRECTION.value
    system.apply([system.update(after)], [system.event("supersede", after, Reason.RELEARNED, by=by, rule=rule)])


def _ended_by(view: View, old: Item) -> list[Item]:
    """What a statement had replaced, and what would come back without it."""
    there = maintenance_sight([old.space])
    ids = list(dict.fromkeys([*old.replaces, *([] if old.supersedes is None else [old.supersedes])]))
    found = view.store.items(there, ids) if ids else []
    return [
        one
        for one in found
        if one.superseded_by == old.id
        and one.status is Status.SUPERSEDED
        and one.deleted_at_us is None
        and refusal_to_come_back(view.with_sight(there), one) is None
    ]


def _bring_back(tx: Transaction, old: Item, trace: str) -> int:
    """Bring back what only a mistake of the rules had ended."""
    found, system = _ended_by(tx, old), tx.as_system()
    for one in found:
        after = tx.next_version(
            one,
            status=Status.APPROVED,
            status_reason=Reason.BACK_IN_FORCE.value,
            superseded_by=None,
            ended_phase=None,
        )
        after = with_note(after, trace, one)
        system.apply([system.update(after)], [system.event("relearn", after, Reason.BACK_IN_FORCE, by=old.id)])
    return len(found)
