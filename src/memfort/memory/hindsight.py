"""Recall as of an earlier moment or phase: what was in force then and has not been forgotten, or ended, since."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memfort.memory.engine import ALL_STATES, Engine
from memfort.memory.phasing import find_phase, known
from memfort.model.item import Item, Readers, Status, is_expired
from memfort.model.moment import Moment, to_moment
from memfort.model.phase import Phase, phase_index
from memfort.model.sight import Sight
from memfort.policy.phase import in_phase, lasted_past
from memfort.store.columns import Columns, columns_of
from memfort.store.port import Entry, Filter


def known_then(engine: Engine, sight: Sight, as_of: object, now: Moment) -> list[Item]:
    """The memories in sight that were in force then. What has given way since is shown only to those who could change
    it, as everywhere."""
    there = {seen.space.id: known(engine, sight, seen.space) for seen in sight.spaces}
    if isinstance(as_of, str) and as_of.startswith("phase-"):
        index = find_phase([phase for phases in there.values() for phase in phases], as_of, "as_of").index
        ended = {space: _named(phases, as_of) for space, phases in there.items()}
        return [item for item in _in_phases(engine, sight, ended, now) if lasted_past(item, index)]
    at = to_moment(as_of, "as_of")  # type: ignore[arg-type]  # anything else is refused there
    begun = {space: _begun_by(phases, at) for space, phases in there.items()}
    return [item for item in _in_phases(engine, sight, begun, now) if _was_in_force(item, at)]


def columns_then(engine: Engine, sight: Sight, items: Sequence[Item]) -> list[Columns]:
    """The index of what was known then, each reader list apart; the places of the items are their handles."""
    apart: dict[tuple[int, bytes, Readers], list[tuple[int, Entry]]] = defaultdict(list)
    for place, item in enumerate(items):
        layer = sight.by_id[item.space.id].layer
        apart[layer, item.space.id, item.readers].append((place, engine.meaning.entry_as_then(item)))
    number, mark = engine.store.keys.term, engine.meaning.mark
    return [columns_of(layer, entries, number, mark) for (layer, _, _), entries in apart.items()]


def about_then(items: Sequence[Item], persons: Sequence[str]) -> list[int]:
    """The places of those that are about any of the persons."""
    return [place for place, item in enumerate(items) if not set(persons).isdisjoint(item.subjects)]


def _remaining(engine: Engine, sight: Sight, now: Moment) -> list[Item]:
    mine = sight.writable
    rest = sight.narrowed([seen.space for seen in sight.spaces if not seen.writable])
    found = [*engine.everything(mine, ALL_STATES), *engine.everything(rest, Filter())]
    return [item for item in found if item.deleted_at is None and not is_expired(item, now)]


def _named(phases: list[Phase], id: str) -> Phase | None:
    return next((phase for phase in phases if phase.id == id), None)


def _begun_by(phases: list[Phase], at: Moment) -> Phase:
    return next((phase for phase in reversed(phases) if phase.began is None or phase.began <= at), phases[0])


def _in_phases(engine: Engine, sight: Sight, phases: Mapping[bytes, Phase | None], now: Moment) -> list[Item]:
    """What a recall in these phases would have seen. Where there is no such phase there is nothing."""
    found = []
    for item in _remaining(engine, sight, now):
        phase = phases[item.space.id]
        if phase is not None and phase_index(item.phase) <= phase.index and in_phase(item, phase, engine.policy):
            found.append(item)
    return found


def _was_in_force(item: Item, at: Moment) -> bool:
    if item.in_force_at is None or item.in_force_at > at:
        return False
    return item.status is Status.APPROVED or (item.status is Status.SUPERSEDED and item.updated_at > at)
