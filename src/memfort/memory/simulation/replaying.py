"""Replaying: what the record tells of one write. What was decided on it, and what its author said.

Pure but for what it is given. The store holds memories as the policy of then made them; to have them decided again,
what was asked for is told apart from what that policy added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memfort.errors import InvalidInput
from memfort.memory.guessing import has_passed, shown_type
from memfort.memory.observing import SUMMARY_TAG
from memfort.model.actor import Actor
from memfort.model.decision import Verdict
from memfort.model.item import MAX_IMPORTANCE, Candidate, Item, Kind, Status
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.policy.admit import earliest
from memfort.policy.authority import ON_RECORD
from memfort.policy.retention import expiry, lifetime_ticks
from memfort.policy.settings import Policy

WRITES = frozenset({"remember", "edit"})
_MERGED = "conflict_merge"  # not an importance of its own: that of a memory with the same words


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a policy makes of one write."""

    verdict: Verdict
    reason: Reason  # of the verdict; or why it was in force no longer, if a rule ended it
    status: Status | None  # as reviews left it; `None`: it is not kept
    expires_at: Moment | None = None
    ticks: int | None = None  # how many memories may come into force beside it


@dataclass(frozen=True, slots=True)
class Entry:
    """One write: the memory it made, who made it and how, when, and what was decided then."""

    item: Item
    actor: Actor
    at: Moment
    policy: Policy  # that was in force then
    was: Ruling
    is_edit: bool = False  # new words for one that waited
    is_copy: bool = False  # promoted from another space
    is_imported: bool = False
    brings_tick: bool = False  # it had a tick where it was exported, and kept it

    @property
    def is_captured(self) -> bool:
        """Whether it was taken from a conversation. Nobody named a type then, and the policy has one for it."""
        named = any(reason.startswith("event:") for reason in self.item.importance_reasons)
        return named and not self.is_copy and not self.is_imported

    @property
    def is_on_record(self) -> bool:
        """Whether its author could not have claimed its origin, and it was recorded all the same."""
        return self.item.authority_reason.startswith(ON_RECORD)

    @property
    def is_summary(self) -> bool:
        """Whether it is what was left of turns that had left the window: no statement, but what came of a limit."""
        return self.is_captured and self.item.kind is Kind.SHORT_TERM and SUMMARY_TAG in self.item.importance_reasons


def note(
    rulings: dict[str, Ruling], item: Item, action: str, decision: str, reason: str, after: Mapping[str, Any]
) -> None:
    """Bring the ruling on a memory up to date by one event about it."""
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
        case "supersede":
            _end(rulings, item, Reason.SUPERSEDED, Status.SUPERSEDED)
        case "evict" | "expire" | "retire_phase" | "promote" if not _is_swept(after):
            _end(rulings, item, Reason(reason), None)


def _end(rulings: dict[str, Ruling], item: Item, reason: Reason, status: Status | None) -> None:
    rulings[item.id] = replace(rulings[item.id], verdict=Verdict.ALLOWED, reason=reason, status=status)


def _is_swept(after: Mapping[str, Any]) -> bool:
    """Whether it ended by the wall clock, which its `expires_at` tells already."""
    return after["deleted_at"] is not None and after["deleted_at"] == after["expires_at"]


def ticks_of(item: Item) -> int | None:
    return item.expires_tick if item.expires_tick is None else item.expires_tick - item.created_tick


def candidate_of_then(entry: Entry, items: Mapping[str, Item]) -> Candidate:
    """The statement as its author gave it, as far as can be told: what is exactly as the policy of then would have
    made it was not asked for."""
    item, old = entry.item, entry.policy
    rule = old.types.get(item.type)
    of_its_type = not entry.is_captured and rule is not None and rule.event_type is item.event_type
    added = {"source": item.origin.value, "timestamp": item.created_at}
    given = Candidate(
        text=item.text,
        kind=item.kind,
        type=None if item.type in {old.default_type, _shown_type(item, old)} else item.type,
        key=item.key,
        tags=item.tags,
        origin=item.origin,
        source=item.source,
        observed_at=item.observed_at,
        sensitivity=item.sensitivity,
        readers=item.readers,
        confidence=item.confidence,
        importance=item.importance if rule is None else _asked_importance(item, rule.importance),
        importance_reasons=tuple(reason for reason in item.importance_reasons if reason != _MERGED),
        status=_asked_status(entry),
        derived_from=item.derived_from,
        event_type=None if of_its_type else item.event_type,
        is_correction=item.is_correction,
        subjects=item.subjects,
        stated_by=item.stated_by,
        learned_in=item.learned_in,
        portable=item.portable,
        captured=entry.is_captured,
        provenance={name: value for name, value in item.provenance.items() if value != added.get(name)},
        meta=item.meta,
    )
    return given.filled(**_asked_lifetime(entry, given, items))


def as_wording(candidate: Candidate, item: Item, known: Item, target: Item, ticks_left: int | None) -> Candidate:
    """A correction of `target`. Whatever the one that was made shares with the memory it corrected, as that is `known`,
    it took from there, and so it takes it from the target."""
    taken = _taken_over(item, known, target, ("type", "event_type", "expires_at"))
    ticks = ticks_left if _fades_with(item, known) else candidate.ttl_ticks
    return candidate.filled(**taken, ttl_ticks=ticks)


def as_edit(candidate: Candidate, item: Item, known: Item, target: Item) -> Candidate:
    """The same of other words for a memory that waits, which weigh as much."""
    return candidate.filled(**_taken_over(item, known, target, ("type", "event_type", "expires_at", "importance")))


def _taken_over(item: Item, known: Item, target: Item, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(target, name) for name in names if getattr(item, name) == getattr(known, name)}


def _fades_with(item: Item, target: Item) -> bool:
    """Whether a new wording ends at the tick that the old one would have ended at, or as soon after it as can be."""
    own, other = ticks_of(item), ticks_of(target)
    if own is None or other is None:
        return own == other
    if not item.created_tick or not target.created_tick:  # one of the two waits, and has all its ticks before it
        return own <= other
    return item.expires_tick == max(item.created_tick + 1, target.created_tick + other)


def as_told(candidate: Candidate, entry: Entry, policy: Policy) -> Candidate:
    """What nobody named a type for, with the one that a policy gives it; what went by in a conversation with its weight
    there too."""
    item, type = entry.item, candidate.type
    if candidate.captured:
        type = policy.type_for(item.event_type)
        added = sum(not reason.startswith("event:") for reason in candidate.importance_reasons)
        return candidate.filled(type=type, importance=min(policy.types[type].importance + added, MAX_IMPORTANCE))
    if type is None and item.type != entry.policy.default_type:
        type = _shown_type(item, policy)
    return candidate.filled(type=type)


def _shown_type(item: Item, policy: Policy) -> str | None:
    """The type that a statement's words show, if a policy asks them."""
    if not policy.infer_types or item.kind is not Kind.SEMANTIC:
        return None
    shown = shown_type(policy, item.text)
    return None if has_passed(policy, shown, item.text, item.observed_at, item.created_at) else shown


def _asked_importance(item: Item, of_type: float) -> float | None:
    if _MERGED in item.importance_reasons and of_type <= item.importance:
        return None
    return None if item.importance == of_type else item.importance


def _asked_status(entry: Entry) -> Status | None:
    was = entry.was
    if entry.is_edit:
        return Status.APPROVED
    if was.reason not in {Reason.ASKED_FOR, Reason.PROMOTION_WAITS}:
        return None
    return Status.APPROVED if was.status is Status.SUPERSEDED else was.status


def _asked_lifetime(entry: Entry, given: Candidate, items: Mapping[str, Item]) -> dict[str, Any]:
    """The limits that were asked for, and not the policy's."""
    item, old, was = entry.item, entry.policy, entry.was
    sources = [items[id] for id in item.derived_from if id in items]
    try:
        ends = expiry(given, item.type, item.event_type, old, entry.at)
        # What was said outlives the turn it was said in.
        ends = earliest(ends, [source for source in sources if source.kind is not Kind.SHORT_TERM])
    except (InvalidInput, KeyError):  # the policy that stands in has no such type
        ends = None
    asked = {} if ends == was.expires_at or was.expires_at is None else {"expires_at": was.expires_at}
    ticks = {} if lifetime_ticks(given, item.event_type, old) == was.ticks else {"ttl_ticks": was.ticks}
    return {**asked, **ticks}
