"""One recorded write: the ruling on it, and the statement as its author gave it.

A store holds memories as the policy of that time made them. To have them decided again, the fields that the author
asked for are separated from those that the policy filled in. Nothing here reads a store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort.errors import InvalidInput
from memfort.model.decision import Verdict
from memfort.model.item import MAX_IMPORTANCE, Candidate, Item, Kind, Status
from memfort.model.moment import Microseconds, Moment, OptionalInstant
from memfort.model.people.actor import Actor
from memfort.model.reason import Reason
from memfort.model.value import Value
from memfort.operations.admit.infer_type import type_from_text
from memfort.operations.capture.conversation import SUMMARY_TAG
from memfort.policy.admission import earliest
from memfort.policy.authority import ON_RECORD
from memfort.policy.gates.retention import lifetime_ticks, limits_of
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import GuessedLifetime

WRITES = frozenset({"remember", "edit"})
_MERGED = "conflict_merge"  # not an importance of its own: that of a memory with the same words


class Ruling(Value, frozen=True):
    """What became of one write under a policy."""

    verdict: Verdict
    reason: Reason  # of the verdict; or why the memory ended, if a rule ended it
    status: Status | None  # after reviews; `None`: it is not kept
    expires_at_us: Microseconds | None = None
    ticks: int | None = None  # how many memories may come into force beside it

    expires_at = OptionalInstant()


class RecordedWrite(Struct, frozen=True):
    """One write on record: the memory it made, who made it and how, when, and the ruling of that time."""

    item: Item
    actor: Actor
    at: Moment
    policy: Policy  # that was in force then
    ruling: Ruling
    is_edit: bool = False  # new words for a pending memory
    is_copy: bool = False  # promoted from another space
    is_imported: bool = False
    brings_tick: bool = False  # it kept the tick that it had where it was exported

    @property
    def is_captured(self) -> bool:
        """Whether it was taken from a conversation. Then no type was given, and the policy has one for it."""
        named = any(reason.startswith("event:") for reason in self.item.importance_reasons)
        return (named or self.item.evidence is not None) and not self.is_copy and not self.is_imported

    @property
    def is_on_record(self) -> bool:
        """Whether its author could not have claimed its origin, and it was recorded all the same."""
        return self.item.authority_reason.startswith(ON_RECORD)

    @property
    def is_summary(self) -> bool:
        """Whether it is the summary of turns that left the window: no statement, but the effect of a limit."""
        return self.is_captured and self.item.kind is Kind.SHORT_TERM and SUMMARY_TAG in self.item.importance_reasons


def update_rulings(
    rulings: dict[str, Ruling], item: Item, action: str, decision: str, reason: str, after: Mapping[str, Any]
) -> None:
    """Update the ruling on a memory by one event about it."""
    if action not in WRITES and item.id not in rulings:
        return  # the write is not on record
    match action:
        case "remember" | "edit":
            waits = item.promoted_from is not None and (decision, reason) == ("pending", Reason.ASKED_FOR)
            why = Reason.PROMOTION_WAITS if waits else Reason(reason)
            rulings[item.id] = Ruling(
                Verdict(decision), why, Status(after["status"]), after["expires_at"], ticks_of(item)
            )
        case "approve" | "reject":
            rulings[item.id] = replace(rulings[item.id], status=Status(after["status"]))
        case "apply_policy":
            rulings[item.id] = replace(rulings[item.id], expires_at_us=after["expires_at"])
        case "supersede":
            _end(rulings, item, Reason.SUPERSEDED, Status.SUPERSEDED)
        case "evict" | "expire" | "retire_phase" | "promote" if not _is_swept(after):
            _end(rulings, item, Reason(reason), None)


def _end(rulings: dict[str, Ruling], item: Item, reason: Reason, status: Status | None) -> None:
    rulings[item.id] = replace(rulings[item.id], verdict=Verdict.ALLOWED, reason=reason, status=status)


def _is_swept(after: Mapping[str, Any]) -> bool:
    """Whether it ended by the wall clock, which its `expires_at` says already."""
    return after["deleted_at"] is not None and after["deleted_at"] == after["expires_at"]


def ticks_of(item: Item) -> int | None:
    return item.expires_tick if item.expires_tick is None else item.expires_tick - item.created_tick


def original_candidate(written: RecordedWrite, items: Mapping[str, Item]) -> Candidate:
    """The statement as its author gave it, as far as is known: a field that is exactly as the policy of that time would
    have filled it in counts as not given."""
    item, old = written.item, written.policy
    rule = old.types.get(item.type)
    of_its_type = not written.is_captured and rule is not None and rule.event_type is item.event_type
    added = {"source": item.origin.value, "timestamp": item.created_at_us}
    is_inferred = item.type == _inferred_type(item, old) and not _ends_by_type(item, old)
    given = Candidate(
        text=item.text,
        kind=item.kind,
        type=None if is_inferred or item.type == old.default_type else item.type,
        key=item.key,
        tags=item.tags,
        origin=item.origin,
        source=item.source,
        observed_at=item.observed_at_us,
        sensitivity=item.sensitivity,
        judgement=item.judgement,
        readers=item.readers,
        confidence=item.confidence,
        importance=item.importance if rule is None else _requested_importance(item, rule.importance),
        importance_reasons=tuple(reason for reason in item.importance_reasons if reason != _MERGED),
        status=_requested_status(written),
        derived_from=item.derived_from,
        event_type=None if of_its_type else item.event_type,
        is_correction=item.is_correction,
        subjects=item.subjects,
        stated_by=item.stated_by,
        learned_in=item.learned_in,
        learned_kind=item.learned_kind,
        learned_with=item.learned_with,
        portable=item.portable,
        captured=written.is_captured,
        type_inferred=is_inferred or written.is_captured,
        conversation=item.conversation,
        evidence=item.evidence,
        occurred=item.occurred,
        provenance={name: value for name, value in item.provenance.items() if value != added.get(name)},
        meta=item.meta,
    )
    return given.filled(**_requested_lifetime(written, given, items))


def as_correction(candidate: Candidate, item: Item, known: Item, target: Item, ticks_left: int | None) -> Candidate:
    """A correction of `target`. What the recorded correction `item` shares with the memory it corrected, `known`, it
    inherited, so the replayed one inherits it from `target`."""
    taken = _inherited_fields(item, known, target, ("type", "type_inferred", "event_type", "expires_at"))
    ticks = ticks_left if _fades_with(item, known) else candidate.ttl_ticks
    return candidate.filled(**taken, ttl_ticks=ticks)


def as_edit(candidate: Candidate, item: Item, known: Item, target: Item) -> Candidate:
    """The same for an edit of a pending memory, which also inherits the importance."""
    return candidate.filled(
        **_inherited_fields(item, known, target, ("type", "type_inferred", "event_type", "expires_at", "importance"))
    )


def _inherited_fields(item: Item, known: Item, target: Item, names: Sequence[str]) -> dict[str, Any]:
    return {name: _field(target, name) for name in names if _field(item, name) == _field(known, name)}


def _field(item: Item, name: str) -> Any:
    """A field of a candidate as a memory has it: the lifetime of an inferred type makes it fade."""
    return item.fades_at_us is not None if name == "type_inferred" else getattr(item, name)


def _fades_with(item: Item, target: Item) -> bool:
    """Whether a correction ends at the tick at which the corrected memory would have ended, or at the next one."""
    own, other = ticks_of(item), ticks_of(target)
    if own is None or other is None:
        return own == other
    if not item.created_tick or not target.created_tick:  # one of the two is pending, and has all its ticks left
        return own <= other
    return item.expires_tick == max(item.created_tick + 1, target.created_tick + other)


def with_type(candidate: Candidate, written: RecordedWrite, policy: Policy) -> Candidate:
    """A statement without a type, with the type that a policy gives it; one from a conversation gets its importance
    from the policy too."""
    item, type = written.item, candidate.type
    if candidate.captured:
        type = policy.type_for(item.event_type)
        added = sum(not reason.startswith("event:") for reason in candidate.importance_reasons)
        importance = min(policy.types[type].importance + added, MAX_IMPORTANCE)
        return candidate.filled(type=type, type_inferred=True, importance=importance)
    if type is None and item.type != written.policy.default_type:
        type = _inferred_type(item, policy)
    return candidate.filled(type=type, type_inferred=candidate.type is None and type is not None)


def _inferred_type(item: Item, policy: Policy) -> str | None:
    """The type that a policy infers from the words of a statement, if it does so."""
    if not policy.infer_types or item.kind is not Kind.SEMANTIC:
        return None
    return type_from_text(policy, item.text)


def _ends_by_type(item: Item, policy: Policy) -> bool:
    """Whether the lifetime of its type ends a memory that would fade if the type had been inferred: it was named."""
    rule = policy.types.get(item.type)
    has_lifetime = rule is not None and rule.lifetime_seconds is not None
    ends = item.expires_at_us is not None and item.fades_at_us is None
    return has_lifetime and ends and policy.retention.guessed is GuessedLifetime.FADE


def _requested_importance(item: Item, of_type: float) -> float | None:
    if _MERGED in item.importance_reasons and of_type <= item.importance:
        return None
    return None if item.importance == of_type else item.importance


def _requested_status(written: RecordedWrite) -> Status | None:
    ruling = written.ruling
    if written.is_edit:
        return Status.APPROVED
    if ruling.reason not in {Reason.ASKED_FOR, Reason.PROMOTION_WAITS}:
        return None
    return Status.APPROVED if ruling.status is Status.SUPERSEDED else ruling.status


def _requested_lifetime(written: RecordedWrite, given: Candidate, items: Mapping[str, Item]) -> dict[str, Any]:
    """The limits that the author asked for, without those of the policy."""
    item, old, ruling = written.item, written.policy, written.ruling
    sources = [items[id] for id in item.derived_from if id in items]
    try:
        ends = limits_of(given, item.type, item.event_type, old, written.at).expires_at
        # A statement outlives the turn it was taken from.
        ends = earliest(ends, [source for source in sources if source.kind is not Kind.SHORT_TERM])
    except (InvalidInput, KeyError):  # the policy that stands in has no such type
        ends = None
    asked = {} if ends == ruling.expires_at_us or ruling.expires_at_us is None else {"expires_at": ruling.expires_at_us}
    ticks = {} if lifetime_ticks(given, item.event_type, old) == ruling.ticks else {"ttl_ticks": ruling.ticks}
    return {**asked, **ticks}
