"""A phase: a stretch of a space's history. The first begins by itself, the next when somebody says so and why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from memfort.model.item import FIRST_PHASE
from memfort.model.moment import Moment


@dataclass(frozen=True, slots=True)
class Phase:
    index: int  # its place among the phases of its space, from 1
    reason: str
    started_at: int  # tick of the space
    name: str | None = None
    began: Moment | None = None  # on the wall clock; `None` for the first, which begins with the first memory

    @property
    def id(self) -> str:
        return _id(self.index)


@lru_cache(maxsize=256)  # every memory that is recalled is asked whether it is of this phase
def _id(index: int) -> str:
    return f"phase-{index}"


AUTO = "auto"
FIRST = Phase(1, AUTO, 0)


def phase_index(id: str) -> int:
    """The place of a phase by its id, as a memory carries it."""
    return int(id.removeprefix("phase-"))


assert FIRST.id == FIRST_PHASE
