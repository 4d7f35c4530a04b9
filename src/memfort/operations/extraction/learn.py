"""Write what a checked reply proposes: each statement as a candidate that passes every gate, with the authority of a
guess, in the name of whoever observed its turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.capture.model import PROMPT_VERSION, Checked, ModelAction, RefusedReason
from memfort.capture.model.check import all_stems, find_quote, unsaid_words
from memfort.engine.default_place import home_of, statement_space
from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput
from memfort.language.fold import fold
from memfort.language.normal_form import normal_text
from memfort.language.sensitivity import stricter
from memfort.model.audience import learned_of
from memfort.model.decision import Outcome
from memfort.model.item import Authority, Candidate, Item, Kind, Origin, Sensitivity, Status, is_live
from memfort.model.occurred import Evidence
from memfort.model.reason import Reason
from memfort.model.space import Level, Space
from memfort.operations.admit.batch import write_batch
from memfort.operations.admit.infer_type import type_from_text
from memfort.operations.capture.speakers import Speaker
from memfort.operations.capture.targets import retract
from memfort.operations.extraction.question import Prepared, speaker_of
from memfort.operations.extraction.queue import queued_now
from memfort.policy.admission import Placement, may_replace
from memfort.policy.sight import maintenance_sight
from memfort.store.port import DropQueuedTurn, QueuedTurn

_LASTING = frozenset({Kind.SEMANTIC, Kind.PROFILE})


class Learned(Struct):
    """What became of a reply."""

    read: int = 0  # turns
    outcomes: list[Outcome] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def kept(self) -> int:
        return sum(one.stored for one in self.outcomes)


def learn(tx: Transaction, prepared: Prepared, checked: Sequence[Checked], refused: Mapping[str, int]) -> Learned:
    """Write the statements of a reply and take its turns out of the queue, in one commit. A turn that is not in the
    queue any more, or was taken up again since, is not this reply's: whoever took it up writes it, once."""
    claimed = {one.place: one for one in prepared.queued}
    still = {one.place for one in queued_now(tx, prepared.queued) if claimed.get(one.place) == one}
    turns = {item.id: item for item in tx.decision_view.items([one.turn for one in prepared.queued])}
    found = Learned(len(still), [], Counter(refused))
    for one in checked:
        queued = prepared.queued[one.turn]
        turn = turns.get(queued.turn)
        if queued.place not in still or turn is None:
            continue
        answer = _learn_one(tx, prepared, queued, turn, one)
        if isinstance(answer, Outcome):
            found.outcomes.append(answer)
        else:
            found.refused[answer.value] += 1
    if still:
        _finish(tx, prepared, still, found)
    return found


def _finish(tx: Transaction, prepared: Prepared, still: set[tuple[bytes, str]], found: Learned) -> None:
    done = [one for one in prepared.queued if one.place in still]
    detail = {
        "turns": [one.turn for one in done],
        "kept": [one.item.id for one in found.outcomes if one.item is not None and one.stored],
        "refused": dict(sorted(found.refused.items())),
        "prompt": PROMPT_VERSION,
    }
    event = tx.actor_event("extract", "allowed", Reason.READ_BY_MODEL, detail)
    tx.apply([DropQueuedTurn(one.space, one.turn) for one in done], [event])


def _learn_one(
    tx: Transaction, prepared: Prepared, queued: QueuedTurn, turn: Item, checked: Checked
) -> Outcome | RefusedReason:
    target = _target(tx, prepared, checked)
    refusal = _refusal(turn, checked, target)
    if refusal is not None:
        return refusal
    try:
        placement = _placement(tx, prepared, queued, turn, checked)
    except InvalidInput:
        return RefusedReason.MALFORMED
    if target is not None and not _may_change(tx, placement, target):
        return RefusedReason.NOT_YOURS_TO_END
    if target is not None and checked.action is ModelAction.RETRACT:
        return _retract(tx, turn, target)
    if _is_known(tx, turn, checked.quote):
        return RefusedReason.ALREADY_KNOWN
    return _write(tx, prepared, placement, target)


def _write(tx: Transaction, prepared: Prepared, placement: Placement, target: Item | None) -> Outcome | RefusedReason:
    level = _level_of_copied(tx, prepared, placement, target)
    if level is None:
        return RefusedReason.WORDS_OF_A_MEMORY
    placement = placement.of(_at_least(placement.candidate, level))
    (outcome,) = write_batch(tx, [placement if target is None else _as_update(tx, placement, target)])
    return outcome


def _refusal(turn: Item, checked: Checked, target: Item | None) -> RefusedReason | None:
    if find_quote(turn.text, checked.quote) is None:  # it was redacted meanwhile
        return RefusedReason.QUOTE_NOT_FOUND
    if checked.action is ModelAction.DUPLICATE:
        return RefusedReason.ALREADY_KNOWN
    is_missing = checked.action is not ModelAction.ADD and target is None
    return RefusedReason.NO_SUCH_TARGET if is_missing else None


def _retract(tx: Transaction, turn: Item, target: Item) -> Outcome | RefusedReason:
    """End a memory that does not hold any more. What somebody said themselves is not ended by a guess."""
    if not may_replace(Authority.AI_INFERRED, target, tx.policy):
        return RefusedReason.OUTWEIGHED
    return retract(tx, target, turn)


def _as_update(tx: Transaction, placement: Placement, target: Item) -> Placement:
    """A statement that replaces a memory. What somebody said themselves is not replaced by a guess: there the statement
    waits, and takes its place when it is approved."""
    candidate = placement.candidate.filled(is_correction=True)
    if not may_replace(Authority.AI_INFERRED, target, tx.policy):
        candidate = candidate.filled(status=Status.PENDING)
    return replace(placement, candidate=candidate, supersedes=target)


def _target(tx: Transaction, prepared: Prepared, checked: Checked) -> Item | None:
    """The memory that an update or a retraction names, if the caller still sees it and it is in force."""
    if checked.target is None:
        return None
    sent = prepared.memories[checked.target]
    found = tx.within(sent.space).items([sent.id])
    return next((item for item in found if is_live(item, tx.now) and item.kind in _LASTING), None)


def _may_change(tx: Transaction, placement: Placement, target: Item) -> bool:
    """Whether the caller could end the memory itself: in the same space, for the same readers, and said by the same
    person. Words of a file end only what came from a file."""
    is_same_place = target.space == placement.space and target.readers == placement.candidate.readers
    is_same_speaker = target.stated_by in {None, placement.candidate.stated_by}
    is_beaten = placement.is_imported and target.source is None
    return is_same_place and is_same_speaker and not is_beaten and tx.may_end(target)


def _is_known(tx: Transaction, turn: Item, quote: str) -> bool:
    """Whether a statement was made from the same words of the turn already, in whatever state it is now: by the rules,
    or by an earlier reply."""
    made = tx.store.derived(maintenance_sight([turn.space]), [turn.id])
    seen = tx.decision_view.sight
    words = normal_text(quote)
    for item in made:
        if item.evidence is None or not seen.admits(item):
            continue
        said = normal_text(item.evidence.words)
        if said and words and (said in words or words in said):
            return True
    return False


def _level_of_copied(
    tx: Transaction, prepared: Prepared, placement: Placement, target: Item | None
) -> Sensitivity | None:
    """The strictest level of the memories whose words a statement has, though nobody said them. `None`: it may not have
    them. A memory may be repeated in what takes its place, and in the own space of the user it belongs to: anybody else
    who reads the statement might not be allowed to read the memory."""
    level, unsaid = Sensitivity.PUBLIC, unsaid_words(placement.candidate.text, prepared.sent)
    is_own = tx.actor.user is not None and placement.space == Space.of({Level.USER: tx.actor.user})
    for memory in prepared.memories:
        if unsaid.isdisjoint(all_stems(memory.text)):
            continue
        has_same_readers = memory.space == placement.space and memory.readers == placement.candidate.readers
        is_target = target is not None and (target.space, target.id) == (memory.space, memory.id)
        if not has_same_readers or not (is_target or is_own):
            return None
        level = stricter(level, memory.sensitivity)
    return level


def _at_least(candidate: Candidate, level: Sensitivity) -> Candidate:
    if level is Sensitivity.PUBLIC:
        return candidate
    return candidate.filled(sensitivity=stricter(level, candidate.sensitivity or level))


def _placement(tx: Transaction, prepared: Prepared, queued: QueuedTurn, turn: Item, checked: Checked) -> Placement:
    """A statement as a candidate, and where it is for: where the rules would have put it."""
    speaker = speaker_of(tx, turn)
    candidate = Candidate(
        text=_with_name(checked.text, speaker),
        type=checked.type if checked.type in tx.policy.types else _inferred_type(tx, checked.text),
        origin=Origin.AI,
        observed_at=turn.observed_at_us or turn.created_at_us,
        confidence=checked.confidence,
        sensitivity=checked.sensitivity,
        portable=checked.portable,
        subjects=(speaker.person,) if checked.is_about_speaker and speaker.person is not None else (),
        stated_by=speaker.person,
        conversation=turn.conversation,
        evidence=Evidence(turn.id, checked.quote),
        occurred=checked.occurred,
        captured=True,
        source=turn.source,
        provenance={"extractor": tx.engine.extractor_name, "prompt": PROMPT_VERSION},
    )
    space = turn.space if queued.is_named or not speaker.is_caller else _own_space(tx, prepared, candidate)
    is_imported = turn.source is not None
    return Placement(
        candidate,
        space,
        has_speaker=True,
        at_most=Authority.AI_INFERRED,
        quotes=turn,
        learned=learned_of(turn),
        is_imported=is_imported,
        said_at=turn.observed_at_us if is_imported else None,
    )


def _own_space(tx: Transaction, prepared: Prepared, candidate: Candidate) -> Space:
    """Where a statement of the caller's own person goes. One in other words than they were said stays in their home if
    the model has read memories of it: the words may be a memory in disguise."""
    space = statement_space(tx, candidate)
    has_read_others = any(memory.space != space for memory in prepared.memories)
    is_reworded = bool(unsaid_words(candidate.text, prepared.sent))
    return home_of(tx.standpoint, tx.policy) if has_read_others and is_reworded else space


def _inferred_type(tx: Transaction, text: str) -> str | None:
    return type_from_text(tx.policy, text) if tx.policy.infer_types else None


def _with_name(text: str, speaker: Speaker) -> str:
    """The statement, with the name of a speaker who is another than the caller."""
    return text if speaker.name is None or fold(speaker.name) in fold(text) else f"{speaker.name}: {text}"
