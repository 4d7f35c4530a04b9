"""The numbers of spaces: small, given once, and the same for every process. Every other number begins with one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from uuid import UUID

from memfort.store.postgres.statements import DIRECTORY

_MOST_KEPT = 262_144
AT_ONCE = 64  # set aside for a process at a time; those that it does not use are never used


class SpaceNumbers:
    """Those that this process has seen committed, and some that it may give out."""

    def __init__(self, set_aside: Callable[[int], int]) -> None:
        """`set_aside` sets so many numbers aside and gives the last of them."""
        self._set_aside = set_aside
        self._lock = threading.Lock()
        self._taking = threading.Lock()
        self._spaces: dict[int, UUID] = {0: DIRECTORY}
        self._free: list[int] = []

    def space(self, no: int) -> UUID | None:
        return self._spaces.get(no)

    def note(self, found: Mapping[int, UUID]) -> None:
        with self._lock:
            if len(self._spaces) > _MOST_KEPT:
                self._spaces = {0: DIRECTORY}
            self._spaces.update(found)

    def prepare(self) -> None:
        """Set numbers aside before a write begins: one that needs a second connection in its middle could wait for ever
        where a pooler has few and writers hold them all."""
        if len(self._free) < AT_ONCE:
            with self._taking:
                if len(self._free) < AT_ONCE:
                    self._fill()

    def take(self) -> int:
        """A number for a new space. It waits for nobody who sets more aside, as long as there is one."""
        while True:
            with suppress(IndexError):
                return self._free.pop()
            with self._taking:
                if not self._free:
                    self._fill()

    def _fill(self) -> None:
        last = self._set_aside(AT_ONCE)
        self._free += range(last, last - AT_ONCE, -1)
