"""What a write counts with: the heads of chains, the stamps of partition groups, the ticks of partitions, authors'
sequences.

Each is read once, under the locks of the write, and written down when the write ends, instead of at every step. The
next write reads it again: another process may have written in between. Whatever else reads these tables in the
middle of a write has them written down first: `Transactions.current` sees to it, and only
`Transactions.without_counters` does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memfort.store.sql.connection import Connection
from memfort.store.sql.damage import index_damaged, required_number
from memfort.store.sql.rows import seal
from memfort.store.sql.writing.known import Known, KnownOfSpace
from memfort.trail.event import GENESIS, ChainId
from memfort.trail.keys import Keys

if TYPE_CHECKING:  # partitions are counted here
    from memfort.store.sql.index.partitions import Place

NEVER = 2**62
_MOST_CHANGE_KEYS = 65_536  # of a partition group; so many numbers fill some megabytes
_MOST_VALUES = 65_536
_WORTH_READING = 64  # of its change keys or values, for each time that somebody has looked for one
_NO_SEAL = b""

_Name = tuple[Any, ...]  # the kind of counter, and which of them


class Head(NamedTuple):
    """The end of a chain."""

    no: int
    length: int
    hash: bytes
    keys: Keys | None  # that it is sealed with; `None`: somebody else put it there, and nobody seals it again


class GroupCounts(NamedTuple):
    """What a partition group counts: its changes, its entries, and the memories in it or about its person."""

    stamp: int
    entries: int
    memories: int


class Counters:
    """Those that one write has read, with what has happened since. A part of it that is taken back takes its steps back
    here too."""

    def __init__(self, known: Known) -> None:
        self._known: dict[_Name, Any] = {}
        self._unwritten: set[_Name] = set()
        self._known_before = known
        self._spaces: dict[int, KnownOfSpace] = {}
        self._versions: dict[int, int] = {}  # of spaces, as they were read
        self._before: list[dict[_Name, tuple[Any, bool]]] = []  # for each open part, what its steps have replaced

    # -- what is counted ---------------------------------------------------------------------------------------------

    def head(self, connection: Connection, keys: Keys, chain: ChainId) -> Head:
        """The end of a chain, which is made if it is not there yet."""
        name = ("chain", chain.kind, chain.key)
        known: Head | None = self._known.get(name)
        return self._note(name, _head(connection, keys, chain)) if known is None else known

    def set_head(self, chain: ChainId, head: Head) -> None:
        self._put(("chain", chain.kind, chain.key), head)

    def next_stamp(self, connection: Connection, partition_group: int, entries: int) -> int:
        """The stamp of a change that brings a partition group so many entries more, or fewer."""
        return self.next_stamps(connection, partition_group, 1, entries)

    def coming_stamp(self, connection: Connection, partition_group: int) -> int:
        """The stamp that the next change of a partition group will have."""
        return self._group(connection, partition_group).stamp + 1

    def next_stamps(self, connection: Connection, partition_group: int, changes: int, entries: int) -> int:
        """The last of the stamps of so many changes, which together bring a partition group so many entries more."""
        known = self._group(connection, partition_group)
        changed = GroupCounts(known.stamp + changes, known.entries + entries, known.memories)
        self._put(("partition_group", partition_group), changed)
        return changed.stamp

    def count_memories(self, connection: Connection, partition_group: int, more: int) -> None:
        """A partition group has so many memories more, or fewer."""
        known = self._group(connection, partition_group)
        changed = GroupCounts(known.stamp, known.entries, known.memories + more)
        self._put(("partition_group", partition_group), changed)

    def _group(self, connection: Connection, partition_group: int) -> GroupCounts:
        name = ("partition_group", partition_group)
        known: GroupCounts | None = self._known.get(name)
        if known is None:
            found = connection.row("group_counts", partition_group)
            if found is None or any(type(one) is not int for one in found):
                raise index_damaged("a partition group of the index is missing or damaged")
            known = self._note(name, GroupCounts(*found))
        return known

    def tick(self, connection: Connection, partition: int) -> int:
        name = ("partition", partition)
        known: int | None = self._known.get(name)
        if known is None:
            known = required_number(connection, "tick", partition, what="the tick of a partition")
            self._note(name, known)
        return known

    def reach_tick(self, connection: Connection, partition: int, tick: int) -> None:
        """A tick never goes back: what came into force and went has been there."""
        if tick > self.tick(connection, partition):
            self._put(("partition", partition), tick)

    def next_number(self, connection: Connection, partition: int, author: bytes, kind: str) -> int:
        return self._sequence(connection, partition, author, kind)[0]

    def grow_number(
        self, connection: Connection, partition: int, author: bytes, kind: str, next: int, live: int
    ) -> None:
        """An author's sequence goes on to `next` at least, and `live` more of it are in force."""
        known = self._sequence(connection, partition, author, kind)
        self._put(("number", partition, author, kind), (max(known[0], next), known[1] + live))

    def _sequence(self, connection: Connection, partition: int, author: bytes, kind: str) -> tuple[int, int]:
        name = ("number", partition, author, kind)
        known: tuple[int, int] | None = self._known.get(name)
        if known is None:
            known = self._note(name, connection.row("author_sequence", *name[1:]) or (1, 0))
        return known

    def read_state(
        self, connection: Connection, keys: Keys, place: Place, author: bytes, kind: str, space: bytes
    ) -> None:
        """Read at once all that a statement of an author is counted with, unless that was read before."""
        if ("number", place.partition, author, kind) in self._known:
            return
        versions, groups, ticks, fading, rejected, numbers, chains = connection.together(
            ("version_of_space", (place.space,)),
            ("group_counts", (place.partition_group,)),
            ("tick", (place.partition,)),
            ("next_tick_expiry", (place.partition,)),
            ("has_rejected_values", (place.space,)),
            ("author_sequence", (place.partition, author, kind)),
            ("chain", ("space", space)),
        )
        if not versions or not groups or not ticks or {int} != set(map(type, (*versions, *groups, *ticks))):
            return  # who needs it says what is damaged
        version, tick = versions[0], ticks[0]
        if place.space not in self._spaces:
            self._spaces[place.space] = self._known_before.take(place.space, version)
            self._versions[place.space] = version
        read: list[tuple[_Name, Any]] = [
            (("partition_group", place.partition_group), GroupCounts(*groups)),
            (("partition", place.partition), tick),
            (("fading", place.partition), NEVER if fading[0] is None else fading[0]),
            (("rejected_values", place.space), rejected[0]),
            (("number", place.partition, author, kind), numbers or (1, 0)),
        ]
        if chains is not None:
            read.append((("chain", "space", space), _head_of_row(keys, ChainId("space", space), chains)))
        for name, value in read:
            if name not in self._known:
                self._note(name, value)

    # -- what is known to be nothing, so that nobody has to look each time --------------------------------------------

    def next_to_fade(self, connection: Connection, partition: int) -> int:
        """The tick by which something on a partition fades; `NEVER` if nothing does."""
        name = ("fading", partition)
        known = self._known.get(name)
        if known is None:
            found = connection.scalar("next_tick_expiry", partition)
            known = self._note(name, NEVER if found is None else found)
        return int(known)

    def will_fade(self, partition: int, tick: int) -> None:
        if tick < self._known.get(("fading", partition), 0):
            self._note(("fading", partition), tick)

    def forget_fading(self, partition: int) -> None:
        self._known.pop(("fading", partition), None)

    def has_rejected_values(self, connection: Connection, space: int) -> bool:
        """Whether anything at all was rejected in a space."""
        name = ("rejected_values", space)
        known = self._known.get(name)
        return bool(self._note(name, connection.scalar("has_rejected_values", space)) if known is None else known)

    def forget_rejected_values(self, space: int) -> None:
        self._known.pop(("rejected_values", space), None)

    def knows_change_keys(self, space: int, partition_group: int) -> bool:
        """Whether the change keys of a partition group have been read."""
        return partition_group in self._of_space(space).change_keys

    def may_have(self, connection: Connection, space: int, partition_group: int, change_keys: Sequence[int]) -> bool:
        """Whether a partition group of a space can have one of the change keys. Nearly always it has none, and who
        writes a lot asks each time."""
        known = self._of_space(space).change_keys.get(partition_group)
        if known is None and (known := self._read_change_keys(connection, space, partition_group)) is None:
            return True
        return not known.isdisjoint(change_keys)

    def put_change_keys(self, space: int, partition_group: int, change_keys: Sequence[int]) -> None:
        """A partition group has these too. That some are taken out again, or back, is not followed: they are looked
        for then."""
        if (known := self._of_space(space).change_keys.get(partition_group)) is not None:
            known.update(change_keys)

    def _read_change_keys(self, connection: Connection, space: int, partition_group: int) -> set[int] | None:
        """All change keys of a partition group, once it has been asked for so often that reading them pays."""
        known = self._of_space(space)
        looked = known.looked[partition_group] = known.looked.get(partition_group, 0) + 1
        stamp = self._group(connection, partition_group).stamp
        if stamp > min(_MOST_CHANGE_KEYS, looked * _WORTH_READING):
            return None
        found: list[Any] = connection.rows("change_keys_of_partition_group", partition_group)
        read = known.change_keys[partition_group] = {key for (key,) in found}
        return read

    def may_have_value(self, connection: Connection, space: int, value: bytes) -> bool:
        """Whether a memory of a space can have a value. Nearly always none has, as with change keys."""
        known = self._of_space(space).values
        if known is None and (known := self._read_values(connection, space)) is None:
            return True
        return value in known

    def put_value(self, space: int, value: bytes) -> None:
        """A memory of a space has this one too."""
        if (known := self._of_space(space).values) is not None:
            known.add(value)

    def _read_values(self, connection: Connection, space: int) -> set[bytes] | None:
        """All values of a space, once reading them pays. How many there are shows only when they are read, so that is
        tried at the first, second, fourth, eighth … look."""
        known = self._of_space(space)
        known.sought += 1
        if known.sought & (known.sought - 1):
            return None
        limit = min(_MOST_VALUES, known.sought * _WORTH_READING)
        found: list[Any] = connection.rows("values_of_space", space, limit + 1)
        if len(found) > limit:
            return None
        known.values = {value for (value,) in found}
        return known.values

    def _of_space(self, space: int) -> KnownOfSpace:
        """What is known of a space; of one whose version this write has not read, only what it has found itself."""
        known = self._spaces.get(space)
        if known is None:
            known = self._spaces[space] = KnownOfSpace()
        return known

    # -- the life of a write -----------------------------------------------------------------------------------------

    def write_down(self, connection: Connection) -> None:
        """Let the tables say what is counted here."""
        if not self._unwritten:
            return
        for name in sorted(self._unwritten):
            self._save(name)
            query, row = _WRITTEN_BY[name[0]]
            connection.run(query, *row(name, self._known[name]))
        self._unwritten = set()  # last: what could not be written down is still to be

    def settle(self, connection: Connection) -> None:
        """Leave it to the tables alone, for somebody who changes them."""
        self.write_down(connection)
        self._known = {}
        self._spaces, self._versions = {}, {}

    def committed(self) -> None:
        """Keep what is known of the spaces that this write has moved on to their next versions."""
        for space, version in self._versions.items():
            self._known_before.put(space, version + 1, self._spaces[space])

    def start_part(self) -> None:
        self._before.append({})

    def end_part(self) -> None:
        replaced = self._before.pop()
        if self._before:
            for name, before in replaced.items():
                self._before[-1].setdefault(name, before)

    def take_back_part(self) -> None:
        for name, (value, is_unwritten) in self._before.pop().items():
            if value is None:
                self._known.pop(name, None)
            else:
                self._known[name] = value
            (self._unwritten.add if is_unwritten else self._unwritten.discard)(name)

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


def _group_row(name: _Name, counts: GroupCounts) -> tuple[Any, ...]:
    return name[1], *counts


def _count_row(name: _Name, count: int) -> tuple[Any, ...]:
    return name[1], count


# By what statement each kind of counter is written down, and what it binds.
_WRITTEN_BY: dict[str, tuple[str, Callable[[_Name, Any], tuple[Any, ...]]]] = {
    "chain": ("set_chain_head", _head_row),
    "partition_group": ("set_group_counts", _group_row),
    "partition": ("set_tick", _count_row),
    "number": ("set_author_sequence", _sequence_row),
}


def head_seal(keys: Keys, chain: ChainId, length: int, hash: bytes) -> bytes:
    return seal(keys, "chain", chain.kind, chain.key, length, hash)


def _head(connection: Connection, keys: Keys, chain: ChainId) -> Head:
    found: list[Any] = connection.rows("chain", chain.kind, chain.key)
    for row in found:
        return _head_of_row(keys, chain, row)
    return Head(connection.add("add_chain", chain.kind, chain.key, GENESIS), 0, GENESIS, keys)


def _head_of_row(keys: Keys, chain: ChainId, row: Sequence[Any]) -> Head:
    no, length, hash, found = row
    return Head(no, length, hash, keys if found == head_seal(keys, chain, length, hash) else None)
