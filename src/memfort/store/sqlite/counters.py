"""What a write counts with: the heads of chains, the stamps of racks, the ticks of shelves, authors' sequences.

Each is read once and written down when the write ends, instead of at every step. It stays known for the next write as
long as nobody else has written. Whatever else reads these tables in the middle of a write has them written down first:
`Connections.current` sees to it, and only `Connections.uncounted` does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import apsw

from memfort.model.actor import Standpoint
from memfort.model.directory import Facts
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import seal
from memfort.trace.event import GENESIS, ChainId
from memfort.trace.keys import Keys

NEVER = 2**62
_MOST_KEPT = 65_536
_MOST_MARKS = 65_536  # of a rack; so many numbers fill some megabytes
_MOST_VALUES = 65_536
_WORTH_READING = 64  # of its marks or values, for each time that somebody has looked for one
_NO_SEAL = b""

_Name = tuple[Any, ...]  # the kind of counter, and which of them


class Head(NamedTuple):
    """The end of a chain."""

    no: int
    length: int
    hash: bytes
    keys: Keys | None  # that it is sealed with; `None`: somebody else put it there, and nobody seals it again


class Counters:
    """Those that were read before, with what has happened since. A part of a write that is taken back takes its steps
    back here too."""

    def __init__(self) -> None:
        self.facts: dict[Standpoint, Facts] = {}  # what the directory says in this write
        self._known: dict[_Name, Any] = {}
        self._unwritten: set[_Name] = set()
        self._marks: dict[int, set[int]] = {}  # by rack: those it has, and some that it had
        self._looked: dict[int, int] = {}  # by rack: how often somebody has looked for a mark
        self._values: dict[int, set[bytes]] = {}  # by space: those that its memories have, and some that they had
        self._sought: dict[int, int] = {}  # by space: how often somebody has looked for a value
        self._before: list[dict[_Name, tuple[Any, bool]]] = []  # for each open part, what its steps have replaced

    # -- what is counted ---------------------------------------------------------------------------------------------

    def head(self, connection: apsw.Connection, keys: Keys, chain: ChainId) -> Head:
        """The end of a chain, which is made if it is not there yet."""
        name = ("chain", chain.kind, chain.key)
        known: Head | None = self._known.get(name)
        return self._note(name, _head(connection, keys, chain)) if known is None else known

    def set_head(self, chain: ChainId, head: Head) -> None:
        self._put(("chain", chain.kind, chain.key), head)

    def next_stamp(self, connection: apsw.Connection, rack: int) -> int:
        stamp = self._stamp(connection, rack) + 1
        self._put(("rack", rack), stamp)
        return stamp

    def _stamp(self, connection: apsw.Connection, rack: int) -> int:
        name = ("rack", rack)
        known = self._known.get(name)
        return int(self._note(name, _one(connection, "stamp", rack)) if known is None else known)

    def tick(self, connection: apsw.Connection, shelf: int) -> int:
        name = ("shelf", shelf)
        known = self._known.get(name)
        return int(self._note(name, _one(connection, "tick", shelf)) if known is None else known)

    def reach_tick(self, connection: apsw.Connection, shelf: int, tick: int) -> None:
        """A tick never goes back: what came into force and went has been there."""
        if tick > self.tick(connection, shelf):
            self._put(("shelf", shelf), tick)

    def next_number(self, connection: apsw.Connection, shelf: int, author: bytes, kind: str) -> int:
        return self._sequence(connection, shelf, author, kind)[0]

    def grow_number(
        self, connection: apsw.Connection, shelf: int, author: bytes, kind: str, next: int, live: int
    ) -> None:
        """An author's sequence goes on to `next` at least, and `live` more of it are in force."""
        known = self._sequence(connection, shelf, author, kind)
        self._put(("number", shelf, author, kind), (max(known[0], next), known[1] + live))

    def _sequence(self, connection: apsw.Connection, shelf: int, author: bytes, kind: str) -> tuple[int, int]:
        name = ("number", shelf, author, kind)
        known: tuple[int, int] | None = self._known.get(name)
        if known is None:
            known = self._note(name, connection.execute(QUERIES["number"], name[1:]).fetchone() or (1, 0))
        return known

    # -- what is known to be nothing, so that nobody has to look each time --------------------------------------------

    def next_to_fade(self, connection: apsw.Connection, shelf: int) -> int:
        """The tick by which something on a shelf fades; `NEVER` if nothing does."""
        name = ("fading", shelf)
        known = self._known.get(name)
        if known is None:
            found = _one(connection, "next_to_fade", shelf)
            known = self._note(name, NEVER if found is None else found)
        return int(known)

    def will_fade(self, shelf: int, tick: int) -> None:
        if tick < self._known.get(("fading", shelf), 0):
            self._note(("fading", shelf), tick)

    def forget_fading(self, shelf: int) -> None:
        self._known.pop(("fading", shelf), None)

    def has_bars(self, connection: apsw.Connection, space: int) -> bool:
        """Whether anything at all was rejected in a space."""
        name = ("bars", space)
        known = self._known.get(name)
        return bool(self._note(name, _one(connection, "has_bars", space)) if known is None else known)

    def forget_bars(self, space: int) -> None:
        self._known.pop(("bars", space), None)

    def knows_marks(self, rack: int) -> bool:
        """Whether the marks of a rack have been read."""
        return rack in self._marks

    def may_have(self, connection: apsw.Connection, rack: int, marks: Sequence[int]) -> bool:
        """Whether a rack can have one of the marks. Nearly always it has none, and who writes a lot asks each time."""
        known = self._marks.get(rack)
        if known is None and (known := self._read_marks(connection, rack)) is None:
            return True
        return not known.isdisjoint(marks)

    def put_marks(self, rack: int, marks: Sequence[int]) -> None:
        """A rack has these too. That some are taken out again, or back, is not followed: they are looked for then."""
        if (known := self._marks.get(rack)) is not None:
            known.update(marks)

    def _read_marks(self, connection: apsw.Connection, rack: int) -> set[int] | None:
        """All marks of a rack, once it has been asked for so often that reading them pays."""
        looked = self._looked[rack] = self._looked.get(rack, 0) + 1
        stamp = self._stamp(connection, rack)
        if stamp > min(_MOST_MARKS, looked * _WORTH_READING):
            return None
        if sum(map(len, self._marks.values())) > _MOST_MARKS:
            self._marks = {}
        found: list[Any] = connection.execute(QUERIES["marks_of_rack"], (rack,)).fetchall()
        self._marks[rack] = {mark for (mark,) in found}
        return self._marks[rack]

    def may_have_value(self, connection: apsw.Connection, space: int, value: bytes) -> bool:
        """Whether a memory of a space can have a value. Nearly always none has, as with marks."""
        known = self._values.get(space)
        if known is None and (known := self._read_values(connection, space)) is None:
            return True
        return value in known

    def put_value(self, space: int, value: bytes) -> None:
        """A memory of a space has this one too."""
        if (known := self._values.get(space)) is not None:
            known.add(value)

    def _read_values(self, connection: apsw.Connection, space: int) -> set[bytes] | None:
        """All values of a space, once reading them pays. How many there are shows only when they are read, so that is
        tried at the first, second, fourth, eighth … look."""
        sought = self._sought[space] = self._sought.get(space, 0) + 1
        if sought & (sought - 1):
            return None
        limit = min(_MOST_VALUES, sought * _WORTH_READING)
        found: list[Any] = connection.execute(QUERIES["values_of_space"], (space, limit + 1)).fetchall()
        if len(found) > limit:
            return None
        if sum(map(len, self._values.values())) > _MOST_VALUES:
            self._values = {}
        self._values[space] = {value for (value,) in found}
        return self._values[space]

    # -- the life of a write -----------------------------------------------------------------------------------------

    def write_down(self, connection: apsw.Connection) -> None:
        """Let the tables say what is counted here."""
        if not self._unwritten:
            return
        for name in sorted(self._unwritten):
            self._save(name)
            query, row = _WRITTEN_BY[name[0]]
            connection.execute(QUERIES[query], row(name, self._known[name]))
        self._unwritten = set()  # last: what could not be written down is still to be

    def settle(self, connection: apsw.Connection) -> None:
        """Leave it to the tables alone, for somebody who changes them."""
        self.write_down(connection)
        self._forget_known()

    def start_part(self) -> None:
        self._before.append({})

    def end_part(self) -> None:
        replaced = self._before.pop()
        if self._before:
            for name, before in replaced.items():
                self._before[-1].setdefault(name, before)

    def take_back_part(self) -> None:
        self.facts = {}
        for name, (value, is_unwritten) in self._before.pop().items():
            if value is None:
                self._known.pop(name, None)
            else:
                self._known[name] = value
            (self._unwritten.add if is_unwritten else self._unwritten.discard)(name)

    def committed(self) -> None:
        if len(self._known) + len(self.facts) > _MOST_KEPT:
            self.forget()

    def forget(self) -> None:
        """The write is taken back, or somebody else has written."""
        self._forget_known()
        self._unwritten, self._before = set(), []

    def _forget_known(self) -> None:
        self.facts, self._known = {}, {}
        self._marks, self._looked, self._values, self._sought = {}, {}, {}, {}

    def _note(self, name: _Name, value: Any) -> Any:
        self._save(name)
        self._known[name] = value
        return value

    def _put(self, name: _Name, value: Any) -> None:
        self._save(name)
        self._known[name] = value
        self._unwritten.add(name)

    def _save(self, name: _Name) -> None:
        if self._before and name not in self._before[-1]:
            self._before[-1][name] = (self._known.get(name), name in self._unwritten)


def _head_row(name: _Name, head: Head) -> tuple[Any, ...]:
    no, length, hash, keys = head
    return no, length, hash, head_seal(keys, ChainId(*name[1:]), length, hash) if keys else _NO_SEAL


def _sequence_row(name: _Name, sequence: tuple[int, int]) -> tuple[Any, ...]:
    return *name[1:], *sequence


def _count_row(name: _Name, count: int) -> tuple[Any, ...]:
    return name[1], count


# By what statement each kind of counter is written down, and what it binds.
_WRITTEN_BY: dict[str, tuple[str, Callable[[_Name, Any], tuple[Any, ...]]]] = {
    "chain": ("grow_chain", _head_row),
    "rack": ("set_stamp", _count_row),
    "shelf": ("set_tick", _count_row),
    "number": ("set_number", _sequence_row),
}


def head_seal(keys: Keys, chain: ChainId, length: int, hash: bytes) -> bytes:
    return seal(keys, "chain", chain.kind, chain.key, length, hash)


def _head(connection: apsw.Connection, keys: Keys, chain: ChainId) -> Head:
    found: list[Any] = connection.execute(QUERIES["chain"], (chain.kind, chain.key)).fetchall()
    for no, length, hash, mark in found:
        return Head(no, length, hash, keys if mark == head_seal(keys, chain, length, hash) else None)
    added: list[Any] = connection.execute(QUERIES["add_chain"], (chain.kind, chain.key, GENESIS)).fetchall()
    return Head(added[0][0], 0, GENESIS, keys)


def _one(connection: apsw.Connection, query: str, of: int) -> Any:
    return connection.execute(QUERIES[query], (of,)).fetchall()[0][0]
