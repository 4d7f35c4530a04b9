"""A phase: a section of a space's history. The first begins by itself, the next when a caller starts it with a
reason."""

from __future__ import annotations

from functools import lru_cache

from memfort.errors import InvalidInput
from memfort.model.item import FIRST_PHASE
from memfort.model.moment import Microseconds, OptionalInstant
from memfort.model.value import Value


class Phase(Value, frozen=True):
    index: int  # its place among the phases of its space, from 1
    reason: str
    started_tick: int  # of the space
    name: str | None = None
    started_at_us: Microseconds | None = None  # `None` for the first, which begins with the first memory

    started_at = OptionalInstant()

    @property
    def id(self) -> str:
        return _id(self.index)


@lru_cache(maxsize=256)  # computed once: every recalled memory is compared with it
def _id(index: int) -> str:
    return f"phase-{index}"


AUTO = "auto"
FIRST = Phase(1, AUTO, 0)


def phase_index(id: str) -> int:
    """The place of a phase by its id, as a memory carries it."""
    return int(id.removeprefix("phase-"))


assert FIRST.id == FIRST_PHASE


def find_phase(phases: list[Phase], id: str, field: str) -> Phase:
    """The phase `id` among these. An unknown phase is an error, not an empty answer."""
    for phase in phases:
        if phase.id == id:
            return phase
    names = ", ".join(sorted({phase.id for phase in phases}, key=phase_index))
    raise InvalidInput(field, f"there is no phase `{id}` here", f"use one of {names}")
