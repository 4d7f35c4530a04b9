"""Which values and change keys the memories of a space have, so that whoever writes need not look each time for what is
nearly never there.

It outlives a write: it is true as long as the space has the version that the write left it with, which the next one
reads under the lock.
"""

from __future__ import annotations

from msgspec import Struct, field

_MOST_KEPT = 262_144  # values and change keys of all spaces; they fill some ten megabytes


class KnownOfSpace(Struct):
    """Those that the memories of a space have, and some that they had."""

    values: set[bytes] | None = None
    sought: int = 0  # how often somebody has looked for a value
    change_keys: dict[int, set[int]] = field(default_factory=dict)  # by partition group
    looked: dict[int, int] = field(default_factory=dict)  # by partition group: how often somebody has looked for one

    @property
    def size(self) -> int:
        return 1 + len(self.values or ()) + sum(map(len, self.change_keys.values()))


class Known:
    """What the writes of this process know of spaces."""

    def __init__(self) -> None:
        self._of_spaces: dict[int, tuple[int, KnownOfSpace]] = {}
        self._size = 0

    def take(self, space: int, version: int) -> KnownOfSpace:
        """What is known of a space at this version, for the one write that has its lock."""
        found = self._of_spaces.pop(space, None)
        if found is None:
            return KnownOfSpace()
        self._size -= found[1].size
        return found[1] if found[0] == version else KnownOfSpace()

    def put(self, space: int, version: int, known: KnownOfSpace) -> None:
        """What is known of it at the version that this write has left it with."""
        if self._size + known.size > _MOST_KEPT:
            self._of_spaces, self._size = {}, 0
        self._of_spaces[space] = (version, known)
        self._size += known.size
