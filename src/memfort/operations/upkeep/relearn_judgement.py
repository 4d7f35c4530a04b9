"""Judge sensitivity, subjects and portability again by the rules as they are today.

Only what rules judged changes. What a person stated has no judgement and stays; what the encoder judged stays; what an
agent or a file may have labelled, and what inherits from another memory, is only ever raised.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.language.sensitivity import stricter
from memfort.model.audience import learned_of
from memfort.model.item import Candidate, Item, Kind, Origin, Status, is_expired, waits_for_judgement
from memfort.model.people.actor import ActorKind
from memfort.model.reason import Reason
from memfort.operations.admit.enrich import enrich
from memfort.operations.admit.repartition import is_moved, with_place
from memfort.operations.admit.ticks import expire_by_tick
from memfort.operations.people.edits import PeopleEdits
from memfort.operations.upkeep.relearn_note import TAKEN_BACK, with_note
from memfort.operations.upkeep.relearn_statements import is_made_by_rules, is_readable, stated_by_rules
from memfort.policy.admission import Placement
from memfort.policy.sight import maintenance_sight

_KEPT = frozenset({Status.APPROVED, Status.PENDING})


class Rejudged(Struct):
    """How many memories were judged again, or would be, and what changed."""

    judged: int = 0
    raised: int = 0
    lowered: int = 0
    subjects: int = 0
    portable: int = 0


def judge_again(view: View, item: Item) -> tuple[Item, PeopleEdits] | None:
    """The memory as today's rules judge it, and the people that it mentions first; `None` if it stays as it is."""
    if item.status not in _KEPT or item.deleted_at_us is not None or is_expired(item, view.now):
        return None
    if TAKEN_BACK in item.provenance:
        return None  # somebody wanted it as it is
    is_statement = is_made_by_rules(item)
    turn = _turn_of(view, item)
    if not is_statement and (item.judgement is None or item.judgement.model is not None):
        return None
    if item.evidence is not None and turn is None:
        return None  # what was said beside it is gone, and counted then
    placement, edits = enrich(view, _as_said(view, item, turn, is_statement=is_statement))
    known = placement.candidate
    after = item
    if known.sensitivity is not None and _is_otherwise(item, known):
        level = known.sensitivity if _may_lower(item) else stricter(known.sensitivity, item.sensitivity)
        if level is not item.sensitivity or level is known.sensitivity:
            after = replace(after, sensitivity=level, judgement=known.judgement)
    if is_statement:
        after = replace(after, subjects=known.subjects, portable=known.portable is not False)
    if after == item:
        return None
    return replace(after, version=item.version + 1), edits


def _is_otherwise(item: Item, known: Candidate) -> bool:
    """Whether rules judged it, and today's judge it otherwise. What waits for an encoder, and would again, waits: a run
    in a process that has none must not release it."""
    was, now = item.judgement, known.judgement
    if was is None or was.model is not None:
        return False
    return now is None or not (was.waits and now.waits and was.category == now.category)


def _turn_of(view: View, item: Item) -> Item | None:
    if item.evidence is None:
        return None
    places = dict.fromkeys([item.space, *(one.space for one in view.sight.spaces)])
    found = view.decision_view.with_sight(view.decision_view.sight.narrowed(list(places))).items([item.evidence.turn])
    return next((one for one in found if is_readable(one, view)), None)


def _as_said(view: View, item: Item, turn: Item | None, *, is_statement: bool) -> Placement:
    """The memory as the statement that it was when it was made, with nothing that rules added to it."""
    is_turn = item.kind is Kind.SHORT_TERM and item.conversation is not None
    candidate = Candidate(
        text=item.text,
        kind=item.kind,
        type=item.type,
        key=item.key,
        origin=item.origin,
        source=item.source,
        observed_at=item.observed_at_us,
        readers=item.readers,
        event_type=item.event_type,
        subjects=() if is_statement else item.subjects,
        portable=None if is_statement else item.portable,
        stated_by=item.stated_by,
        conversation=item.conversation,
        evidence=item.evidence,
        occurred=item.occurred,
        captured=is_turn or item.evidence is not None,
    )
    states = stated_by_rules(view, item) if is_turn and is_readable(item, view) else ()
    return Placement(
        candidate, item.space, has_speaker=True, quotes=turn, learned=learned_of(item), states=tuple(states)
    )


def _may_lower(item: Item) -> bool:
    """Whether rules alone judged it: nobody can have labelled it, and it takes nothing over from another memory."""
    is_own = item.derived_from == () and item.supersedes is None and item.promoted_from is None
    is_said = item.origin is Origin.USER and item.source is None and "extractor" not in item.provenance
    is_captured = item.evidence is not None or (item.kind is Kind.SHORT_TERM and item.conversation is not None)
    return is_own and is_said and (is_captured or item.author.kind is ActorKind.USER)


def count(before: Item, after: Item, found: Rejudged) -> None:
    found.judged += 1
    if after.sensitivity is not before.sensitivity:
        is_raised = stricter(after.sensitivity, before.sensitivity) is after.sensitivity
        found.raised += is_raised
        found.lowered += not is_raised
    found.subjects += after.subjects != before.subjects
    found.portable += after.portable != before.portable


def write_down(tx: Transaction, items: Sequence[Item], found: Rejudged, trace: str) -> None:
    """Judge these again and write down what has changed. A memory in another partition keeps its id and its words."""
    for item in items:
        judged = judge_again(tx, item)
        if judged is None:
            continue
        after, edits = judged
        count(item, after, found)
        edits.apply(tx)
        after = with_note(with_place(tx, item, after), trace, item)
        system = tx.as_system()
        detail = {"from": item.sensitivity.value, "to": after.sensitivity.value}
        system.apply([system.update(after)], [system.event("relearn", after, Reason.RELEARNED, **detail)], traced=False)
        if waits_for_judgement(after):
            tx.engine.classifier.on_unjudged(after)
        if is_moved(item, after) and after.status is Status.APPROVED:
            expire_by_tick(tx.with_sight(maintenance_sight([item.space])), after)
