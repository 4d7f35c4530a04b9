"""The numbers of spaces, partitions and partition groups by their names. Such a row is never dropped or renamed but to
mend a damaged index, so a number that has been committed holds until then; one of a write that is
still open may be taken back and given to something else."""

from __future__ import annotations

from collections.abc import Hashable

_MOST_KEPT = 65_536


class Numbers:
    """Those that writes have committed or looked up before, so that a write asks for each only once."""

    def __init__(self) -> None:
        self.known: dict[Hashable, tuple[int, ...]] = {}

    def settle(self, found: dict[Hashable, tuple[int, ...]]) -> None:
        """These are committed."""
        if len(self.known) + len(found) > _MOST_KEPT:
            self.known.clear()
        self.known.update(found)

    def forget(self) -> None:
        """Another process has written the index anew."""
        self.known.clear()


class OpenNumbers:
    """The same for one write, with those that it has found or made itself."""

    def __init__(self, settled: Numbers) -> None:
        self._settled = settled
        self._known = settled.known
        self._open: dict[Hashable, tuple[int, ...]] = {}
        self._absent: set[Hashable] = set()

    def find(self, name: Hashable) -> tuple[int, ...] | None:
        """For whoever writes. Others have a view of their own, in which the row may not be there."""
        return self._known.get(name) or self._open.get(name)

    def is_absent(self, space: bytes) -> bool:
        """Whether this write has looked for a space, and there was none."""
        return space in self._absent

    def note_absent(self, space: bytes) -> None:
        """Nobody else can make it under the locks of this write; one that it does not lock, it sees as it was."""
        self._absent.add(space)

    def note(self, name: Hashable, found: tuple[int, ...]) -> tuple[int, ...]:
        self._absent.discard(name)
        self._open[name] = found
        return found

    def settle(self) -> None:
        """The write is committed."""
        if self._open:
            self._settled.settle(self._open)

    def take_back(self) -> None:
        """The write, or a part of it, is taken back."""
        self._open = {}
