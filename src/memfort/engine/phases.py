"""The phases of a space that the policy still keeps. Shared by reads of an earlier phase and the verbs on phases."""

from __future__ import annotations

from collections.abc import Mapping

from memfort.engine.engine import Engine
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.phase import FIRST, Phase, phase_index
from memfort.model.sight import Sight
from memfort.model.space import Space


def known_phases(engine: Engine, sight: Sight, space: Space) -> list[Phase]:
    """The phases of a space in sight, the oldest first."""
    later = engine.store.phases(sight.narrowed([space])).get(space.id, ())
    kept = [FIRST, *later] if not later or later[0].index == FIRST.index + 1 else list(later)
    limit = engine.policy.phase.max_phases
    return kept if limit is None else kept[-limit:]


def find_phase(there: list[Phase], id: str, field: str) -> Phase:
    """The phase `id`. An unknown phase is an error, not an empty answer."""
    for phase in there:
        if phase.id == id:
            return phase
    names = ", ".join(sorted({phase.id for phase in there}, key=phase_index))
    raise InvalidInput(field, f"there is no phase `{id}` here", f"use one of {names}")


def view_of_space(view: View, given: Mapping[str, str] | None) -> tuple[View, Space]:
    """The view narrowed to the space that a caller names, which must be in sight."""
    space = view.space_of(given)
    if view.sight.seen(space) is None:
        raise NotFound("space", str(space))
    return view.within(space), space
