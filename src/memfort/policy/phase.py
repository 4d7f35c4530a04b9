"""Phases: which memories belong to the present, and what changed from one phase to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from memfort.model.item import Item, Kind, Status
from memfort.model.phase import Phase, phase_index
from memfort.model.value import Value
from memfort.policy.settings.policy import Policy


class PhaseChange(Value, frozen=True):
    """What became of one memory, by its value, between two phases."""

    kind: str  # replaced, added or deleted, in the order they are listed
    item: Item  # its present state; for a deleted one, its last state
    replaces: Item | None = None


def in_phase(item: Item, current: Phase, policy: Policy) -> bool:
    """Whether a memory can be recalled in the present phase of its space: it belongs to that phase, or the policy shows
    history, or it is a profile fact and the policy keeps those."""
    rule = policy.phase
    if not rule.enabled or rule.shows_history or item.phase == current.id:
        return True
    return rule.keep_profile and item.kind is Kind.PROFILE


def changes_between(
    items: Iterable[Item], value_of: Callable[[Item], bytes], earlier: int, later: int
) -> list[PhaseChange]:
    """What changed from the end of one phase to the end of a later one. A memory lasts through the phases after its
    own until it ends; one with the same value in a later phase replaces it."""
    known = list(items)
    before, after = _in_force_at(known, value_of, earlier), _in_force_at(known, value_of, later)
    replaced = [
        PhaseChange("replaced", after[value], before[value])
        for value in after
        if value in before and before[value].id != after[value].id
    ]
    added = [PhaseChange("added", after[value]) for value in after if value not in before]
    deleted = [PhaseChange("deleted", before[value]) for value in before if value not in after]
    return [*_sort_changes(replaced), *_sort_changes(added), *_sort_changes(deleted)]


def is_retired(item: Item, current: Phase, policy: Policy) -> bool:
    """Whether a memory's phase is older than the policy keeps. A profile fact that outlives its phase in recall does so
    here too."""
    limit = policy.phase.max_phases
    if limit is None or (policy.phase.keep_profile and item.kind is Kind.PROFILE):
        return False
    return phase_index(item.phase) <= current.index - limit


def _in_force_at(items: Iterable[Item], value_of: Callable[[Item], bytes], end: int) -> Mapping[bytes, Item]:
    """The memories in force at the end of a phase, the latest of each value."""
    found: dict[bytes, Item] = {}
    for item in sorted(items, key=lambda one: (phase_index(one.phase), one.created_at_us, one.number, one.id)):
        if phase_index(item.phase) <= end and outlived(item, end):
            found[value_of(item)] = item
    return found


def outlived(item: Item, end: int) -> bool:
    if item.in_force_at_us is None:
        return False
    ended = item.status is not Status.APPROVED or item.deleted_at_us is not None
    return not ended or (item.ended_phase is not None and phase_index(item.ended_phase) > end)


def _sort_changes(changes: Iterable[PhaseChange]) -> list[PhaseChange]:
    return sorted(changes, key=lambda change: (-change.item.importance, change.item.created_at_us, change.item.id))
