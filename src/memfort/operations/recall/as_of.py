"""What was known at an earlier moment or phase: memories that were in force then and have not been forgotten since."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memfort.engine.engine import ALL_STATES
from memfort.engine.view import View
from memfort.model.item import Item, Readers, Status, is_expired
from memfort.model.moment import Moment
from memfort.model.phase import Phase, find_phase, phase_index
from memfort.operations.requests import AsOf
from memfort.policy.phase import in_phase, outlived
from memfort.store.port import Entry, Filter
from memfort.store.port.values.columns import Columns, columns_of


def known_as_of(view: View, as_of: AsOf) -> list[Item]:
    """The memories in sight that were in force then. Those that were replaced since are shown only to actors who could
    change them, as everywhere."""
    phases = {seen.space.id: view.phases_of(seen.space) for seen in view.sight.spaces}
    if as_of.phase is not None:
        index = find_phase([phase for all in phases.values() for phase in all], as_of.phase, "as_of").index
        ended = {space: _find_phase(all, as_of.phase) for space, all in phases.items()}
        return [item for item in _was_visible(view, ended) if outlived(item, index)]
    begun = {space: _begun_by(all, as_of.moment) for space, all in phases.items()}
    return [item for item in _was_visible(view, begun) if _was_in_force(item, as_of.moment)]


def columns_as_of(view: View, items: Sequence[Item]) -> list[Columns]:
    """The index of the memories of that time, one partition per reader list. The position of an item is its handle."""
    apart: dict[tuple[int, bytes, Readers], list[tuple[int, Entry]]] = defaultdict(list)
    for position, item in enumerate(items):
        layer = view.sight.by_id[item.space.id].layer
        apart[layer, item.space.id, item.readers].append((position, view.engine.embedding.entry_as_of(item)))
    number, tag = view.store.keys.term, view.engine.embedding.tag
    return [columns_of(layer, entries, number, tag) for (layer, _, _), entries in apart.items()]


def about_as_of(items: Sequence[Item], persons: Sequence[str]) -> list[int]:
    """The positions of the items that are about any of the persons."""
    return [position for position, item in enumerate(items) if not set(persons).isdisjoint(item.subjects)]


def _remembered_phases(view: View) -> list[Item]:
    read_only = view.sight.narrowed([seen.space for seen in view.sight.spaces if not seen.writable])
    found = [*view.engine.all_items(view.sight.writable, ALL_STATES), *view.engine.all_items(read_only, Filter())]
    return [item for item in found if item.deleted_at_us is None and not is_expired(item, view.now)]


def _find_phase(phases: list[Phase], id: str) -> Phase | None:
    return next((phase for phase in phases if phase.id == id), None)


def _begun_by(phases: list[Phase], at: Moment) -> Phase:
    return next(
        (phase for phase in reversed(phases) if phase.started_at_us is None or phase.started_at_us <= at), phases[0]
    )


def _was_visible(view: View, phases: Mapping[bytes, Phase | None]) -> list[Item]:
    """What a recall in these phases would have seen. A space without such a phase had nothing."""
    found = []
    for item in _remembered_phases(view):
        phase = phases[item.space.id]
        if phase is not None and phase_index(item.phase) <= phase.index and in_phase(item, phase, view.policy):
            found.append(item)
    return found


def _was_in_force(item: Item, at: Moment) -> bool:
    if item.in_force_at_us is None or item.in_force_at_us > at:
        return False
    return item.status is Status.APPROVED or (item.status is Status.SUPERSEDED and item.updated_at_us > at)
