"""The index entries of memories: words, change keys, sequences and ticks. All of a memory's are put in together and
taken out together, and all can be made anew from the memories themselves."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from memfort.model.audience import audience_of
from memfort.model.item import Item, is_in_force, parents_of
from memfort.model.space import Space
from memfort.store.port import ANALYZER, Entry, EntryOf, Progress
from memfort.store.port.values.change_keys import stored_key_numbers
from memfort.store.sql.connection import Connection
from memfort.store.sql.damage import index_damaged, required_number
from memfort.store.sql.index import disclosed, partitions
from memfort.store.sql.index.disclosed import disclosed_partition_for, group_of_person
from memfort.store.sql.index.partitions import Expected, Place
from memfort.store.sql.rows import Row, columns, is_intact, item_of, readers_text, row_of
from memfort.store.sql.writing.counters import Counters
from memfort.store.sql.writing.numbers import OpenNumbers
from memfort.trail.keys import Keys

_GONE_KEPT = 1024  # of a partition group: how many changes back one can still follow without reading it all
_MOST_OFTEN = 0xFFFF
_AT_ONCE = 1000
_NOTHING = Entry({})
_CLEARED_BY = (
    "clear_entries",
    "clear_removed_entries",
    "clear_change_keys",
    "clear_tick_expiries",
    "clear_subjects",
    "clear_lineage",
)
_NUMBERS = struct.Struct("<16q")
_NEVER = -(2**63)
Reach = Callable[[Collection[str]], None]  # takes the locks of persons
NO_GROUP = 0  # in place of a partition group: of a damaged memory that is in none any more


class Entered(NamedTuple):
    """An entry in its place, which is yet to be put down."""

    partition_group: int
    stamp: int
    no: int
    partition: int
    expires_at: int | None
    entry: Entry
    change_keys: list[int]


def space_number(connection: Connection, numbers: OpenNumbers, space: Space) -> int:
    """The number of a space, which is made if it is not there yet."""
    if (known := numbers.find(space.id)) is not None:
        return known[0]
    found = connection.scalar("space_no", space.id)
    if found is None:
        if connection.scalar("any_lost_space", connection.array([space.id])):
            raise index_damaged("a space is missing from the index")
        found = connection.add("add_space", space.id, json.dumps(space.to_dict(), ensure_ascii=False))
    return numbers.note(space.id, (int(found),))[0]


def place_of(connection: Connection, keys: Keys, numbers: OpenNumbers, item: Item) -> Place:
    """The partition and the partition group of an item in its space, which are made if they are not there yet."""
    name = _name(item)
    known = numbers.find(name)
    if known is None:
        space = space_number(connection, numbers, item.space)
        known = numbers.note(name, partitions.place(connection, keys, space, *name[1:]))
    return Place(*known)


def has_place(numbers: OpenNumbers, item: Item) -> bool:
    """Whether the partition of an item is known to be there."""
    return numbers.find(_name(item)) is not None


def _name(item: Item) -> tuple[bytes, str, str]:
    return item.space.id, readers_text(item.readers), audience_of(item).text


def with_change_keys(connection: Connection, partition_group: int, change_keys: Sequence[int], limit: int) -> list[int]:
    """The memories in a partition group that have one of the change keys, the latest of them."""
    if not change_keys:
        return []
    asked = connection.number_array(change_keys)
    found = connection.rows("items_with_change_keys", partition_group, asked, _AT_ONCE)
    if len(found) == _AT_ONCE:
        found = connection.rows("latest_items_with_change_keys", partition_group, asked, limit)
    return sorted({no for (no,) in found}, reverse=True)[:limit]


# -- putting in and taking out ---------------------------------------------------------------------------------------


def put_in(
    connection: Connection,
    keys: Keys,
    counters: Counters,
    no: int,
    place: Place,
    stamp: int,
    item: Item,
    entry: Entry | None,
    disclosed: Entry | None,
) -> list[Entered]:
    """Count a memory where it stands; gives what is to be entered of it. `stamp` was taken for its entry, which it has
    if it is in force."""
    live = is_in_force(item)
    counters.reach_tick(connection, place.partition, item.created_tick)
    counters.grow_number(connection, place.partition, item.author.key, item.kind, item.number + 1, int(live))
    if not live:
        return []
    entered = [
        _entered(
            keys,
            counters,
            place.space,
            place.partition_group,
            stamp,
            no,
            place.partition,
            item.expires_at_us,
            entry or _NOTHING,
        )
    ]
    if item.expires_tick is not None:
        connection.run("add_tick_expiry", no, place.partition, item.expires_tick)
        counters.will_fade(place.partition, item.expires_tick)
    for person in dict.fromkeys(item.subjects):
        partition, own_stamp = 0, 0
        partition_group = group_of_person(connection, person)
        counters.count_memories(connection, partition_group, 1)
        if disclosed is not None:
            partition = disclosed_partition_for(connection, keys, person, partition_group, place.space, item)
            own_stamp = counters.next_stamp(connection, partition_group, 1)
            entered.append(
                _entered(
                    keys,
                    counters,
                    place.space,
                    partition_group,
                    own_stamp,
                    no,
                    partition,
                    item.expires_at_us,
                    disclosed,
                )
            )
        connection.run("add_subject", person, item.id, no, partition, own_stamp, item.expires_at_us)
    return entered


def _entered(
    keys: Keys,
    counters: Counters,
    space: int,
    partition_group: int,
    stamp: int,
    no: int,
    partition: int,
    expires_at: int | None,
    entry: Entry,
) -> Entered:
    """An entry with its change keys, which are known to be in the partition group of the space from now on."""
    change_keys = [] if entry.change_keys is None else sorted(stored_key_numbers(keys, entry.change_keys))
    if change_keys:
        counters.put_change_keys(space, partition_group, change_keys)
    return Entered(partition_group, stamp, no, partition, expires_at, entry, change_keys)


def enter(connection: Connection, keys: Keys, entered: Sequence[Entered]) -> None:
    """Put entries and their change keys down."""
    if not entered:
        return
    rows = [_row(keys, one) for one in entered]
    sealed = [(*row, entry_seal(keys, row)) for row in rows]
    connection.many("add_entry", sealed)
    connection.many(
        "add_change_key", [(one.partition_group, key, one.no) for one in entered for key in one.change_keys]
    )


def _row(keys: Keys, one: Entered) -> tuple[Any, ...]:
    partition_group, stamp, no, partition, expires_at, entry, change_keys = one
    numbered = dict(zip(keys.terms(entry.terms), entry.terms.values(), strict=True))
    terms = sorted(numbered)
    counts = [often if (often := numbered[term]) < _MOST_OFTEN else _MOST_OFTEN for term in terms]
    return (
        partition_group,
        stamp,
        no,
        partition,
        entry.length,
        expires_at,
        _pack(terms),
        struct.pack(f"<{len(counts)}H", *counts),
        keys.term(entry.speaker) if entry.speaker else 0,
        entry.day,
        int(entry.in_talk),
        keys.term(entry.name) if entry.name else 0,
        keys.term(entry.turn) if entry.turn else 0,
        keys.term(entry.may_replace) if entry.may_replace else 0,
        entry.traits,
        entry.vector,
        _pack(change_keys),
    )


def take_out(connection: Connection, counters: Counters, rows: Iterable[Row], reach: Reach) -> None:
    """Take intact memories out. Their places in their authors' sequences stay taken, and so do their ticks. `reach` is
    told whom they were about."""
    leaving: dict[int, list[tuple[int, int]]] = {}  # by partition group: the stamp and the number of each memory
    about: list[tuple[str, str, int]] = []  # person, id, number
    fading: list[int] = []
    groups: dict[int, int] = {}
    live: Counter[tuple[int, bytes, str]] = Counter()  # by partition, author and kind
    for row in rows:
        no, partition, stamp = row[0], row[3], row[10]
        if not stamp:
            continue
        item = item_of(row)
        if partition not in groups:
            groups[partition] = _group_of_partition(connection, partition)
        leaving.setdefault(groups[partition], []).append((stamp, no))
        live[partition, item.author.key, item.kind] += 1
        about += [(person, item.id, no) for person in dict.fromkeys(item.subjects)]
        if item.expires_tick is not None:
            fading.append(no)
            counters.forget_fading(partition)
    for sequence, count in live.items():
        counters.grow_number(connection, *sequence, 1, -count)
    if fading:
        connection.run("drop_tick_expiries", connection.number_array(fading))
    for group, entries in leaving.items():
        _leave(connection, counters, group, entries)
    if about:
        reach({person for person, _, _ in about})
        _leave_people(connection, counters, about)


def _leave_people(connection: Connection, counters: Counters, about: Sequence[tuple[str, str, int]]) -> None:
    """Take memories out of the lists of those about people, and out of what may be disclosed of these."""
    dropped: dict[str, list[tuple[int, int]]] = {}  # by person: the stamp and the number of each memory
    for person, no, stamp in connection.rows_of_many("drop_subject", about):
        dropped.setdefault(person, []).append((stamp, no))
    groups = dict(connection.rows("partition_groups_of_people", connection.array(dropped)))
    for person, memories in dropped.items():
        group = groups[person] if person in groups else group_of_person(connection, person)
        counters.count_memories(connection, group, -len(memories))
        if disclosed := sorted(one for one in memories if one[0]):
            _leave(connection, counters, group, disclosed)


def _group_of_partition(connection: Connection, partition: int) -> int:
    return required_number(connection, "partition_group", partition, what="a partition of the index")


def _leave(
    connection: Connection, counters: Counters, partition_group: int, entries: Sequence[tuple[int, int]]
) -> None:
    """Take entries out of a partition group, each by its stamp and the number of its memory. Who has a copy of the
    group follows the last removals by their stamps."""
    dropped = connection.rows("drop_entries", partition_group, connection.number_array([stamp for stamp, _ in entries]))
    connection.many(
        "drop_change_key", [(partition_group, key, no) for no, change_keys in dropped for key in _unpack(change_keys)]
    )
    last = counters.next_stamps(connection, partition_group, len(entries), -len(dropped))
    since = last - last % _GONE_KEPT - _GONE_KEPT  # the removals before are not followed any more
    first = last - len(entries) + 1
    removed = [(partition_group, now, no) for now, (_, no) in enumerate(entries, first) if now > since]
    connection.many("add_removed_entry", removed)
    if since + _GONE_KEPT >= first:
        connection.run("drop_removed_entries", partition_group, since)
        connection.run("set_followable_since", partition_group, since)


def take_out_damaged(
    connection: Connection, keys: Keys, counters: Counters, numbers: Iterable[int], reach: Reach
) -> None:
    """Take damaged memories out. Their rows cannot be trusted to say where their entries are: look at all."""
    for no in numbers:
        for partition_group, stamp in connection.rows("entries_of_item", no):
            _leave(connection, counters, partition_group, [(stamp, no)])
        connection.run("drop_tick_expiry", no)
        for (person,) in connection.rows("drop_subjects_of_item", no):
            reach([person])
            counters.count_memories(connection, group_of_person(connection, person), -1)
        connection.run("unindex_item", no)
    counters.settle(connection)
    connection.run("clear_author_counts")
    for sequence, live in tally(connection, keys).live.items():
        counters.grow_number(connection, *sequence, 1, live)


# -- all of it -------------------------------------------------------------------------------------------------------


class Rows:
    """A set of rows as one number, to be compared with another: of a large store, two whole sets would fill the memory.
    The key of the digest is thrown away, so nobody can find rows that add up to the same."""

    _KEY = os.urandom(32)

    def __init__(self, all: Iterable[tuple[Any, ...]] = ()) -> None:
        self._count, self._total = 0, 0
        for row in all:
            self.add(row)

    def add(self, row: tuple[Any, ...]) -> None:
        digest = hashlib.blake2b(repr(row).encode(), key=self._KEY, digest_size=16).digest()
        self._count, self._total = self._count + 1, self._total + int.from_bytes(digest, "big")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and (self._count, self._total) == (other._count, other._total)

    __hash__ = None  # type: ignore[assignment]  # it grows


class Tally(Struct, frozen=True):
    """What the counters of the index must say, counted from the memories."""

    live: Counter[tuple[int, bytes, str]] = field(default_factory=Counter)  # by partition, author and kind
    fading: set[tuple[int, int, int]] = field(default_factory=set)  # memory, partition, tick
    ticks: dict[int, int] = field(default_factory=dict)  # by partition, at least
    about: Rows = field(default_factory=Rows)  # person, id, number, end
    made_from: Rows = field(default_factory=Rows)  # space, parent, number
    places: Expected = field(default_factory=Expected)

    def add(self, row: Row) -> None:
        """Count an intact memory."""
        no, space, partition, item = row[0], row[1], row[3], item_of(row)
        self.places.add(space, partition, item)
        for parent in parents_of(item):
            self.made_from.add((space, parent, no))
        self.ticks[partition] = max(self.ticks.get(partition, 0), item.created_tick)
        if not is_in_force(item):
            return
        self.live[partition, item.author.key, str(item.kind)] += 1
        for person in dict.fromkeys(item.subjects):
            self.about.add((person, item.id, no, item.expires_at_us))
        if item.expires_tick is not None:
            self.fading.add((no, partition, item.expires_tick))


def tally(connection: Connection, keys: Keys) -> Tally:
    counted = Tally()
    for row in all_rows(connection):
        if is_intact(keys, row):
            counted.add(row)
    return counted


def rebuild(
    connection: Connection,
    keys: Keys,
    counters: Counters,
    entry_of: EntryOf,
    disclosed_entry_of: EntryOf,
    progress: Progress | None,
) -> int:
    """Write every index entry anew, from the memories themselves; says how many those are."""
    total = int(connection.scalar("count_items"))
    counters.settle(connection)
    last = int(connection.scalar("last_stamp"))
    for query in _CLEARED_BY:
        connection.run(query)
    partitions.restore(connection, keys, _expected(connection, keys))
    disclosed.restore(connection, keys)
    connection.run("restart_partition_groups", last + 1)  # nobody can follow: whoever has a copy reads it all again
    connection.run("clear_author_counts")
    for done, row in enumerate(all_rows(connection), start=1):
        if is_intact(keys, row):
            _put_in_again(connection, keys, counters, row, entry_of, disclosed_entry_of)
        else:
            _leave_out(connection, counters, row[0])
        if progress is not None and (done % 256 == 0 or done == total):
            progress(done, total)
    connection.run("set_meta", "words", ANALYZER)
    connection.run("set_meta", "rebuilt", last + 1)
    return total


def _put_in_again(
    connection: Connection, keys: Keys, counters: Counters, row: Row, entry_of: EntryOf, disclosed_entry_of: EntryOf
) -> None:
    no, space, value, item = row[0], row[1], row[9], item_of(row)
    place = partitions.place(connection, keys, space, *_name(item)[1:])
    stamp = counters.next_stamp(connection, place.partition_group, 1) if is_in_force(item) else 0
    known = columns(keys, item, space, place.partition, value, stamp, row[11])
    connection.run("change_item", *known, place.partition_group)
    counters.count_memories(connection, place.partition_group, 1)
    connection.many("add_lineage", [(space, parent, no) for parent in parents_of(item)])
    found = (entry_of(item), disclosed_entry_of(item)) if stamp else (None, None)
    enter(connection, keys, put_in(connection, keys, counters, no, place, stamp, item, *found))


def _leave_out(connection: Connection, counters: Counters, no: int) -> None:
    """A damaged memory stays where it says it is, and is in no index."""
    connection.run("unindex_item", no)
    group = connection.scalar("group_of_item", no)
    if connection.row("group_counts", group) is None:
        connection.run("set_group_of_item", no, NO_GROUP)
    else:
        counters.count_memories(connection, group, 1)


def _expected(connection: Connection, keys: Keys) -> Expected:
    """The spaces and partitions that the memories say there are."""
    expected = Expected()
    for row in all_rows(connection):
        if is_intact(keys, row):
            expected.add(row[1], row[3], item_of(row))
    return expected


def all_rows(connection: Connection) -> Iterator[Row]:
    """Every memory's row, however many there are; the one at hand may be changed."""
    after = 0
    while page := connection.rows("items_after", after, _AT_ONCE):
        yield from map(row_of, page)
        after = page[-1][0]


def is_sealed(keys: Keys, row: tuple[Any, ...]) -> bool:
    """Whether an entry says what this store wrote."""
    try:
        return bool(row[-1] == entry_seal(keys, row[:-1]))
    except (struct.error, TypeError):
        return False  # what is no number or no bytes any more


def entry_seal(keys: Keys, row: tuple[Any, ...]) -> bytes:
    """The seal of an entry. A recall checks those that it reads for the first time, so it is made of bytes as they
    are."""
    group, stamp, no, partition, length, expires_at, terms, counts, *numbered, vector, keyed = row
    ends = _NEVER if expires_at is None else expires_at
    numbers = (group, stamp, no, partition, length, ends, *numbered)
    said = _NUMBERS.pack(*numbers, len(terms), len(counts), len(vector)) + terms + counts + vector + keyed
    return keys.seal("entry", said)


def change_keys_of_row(row: tuple[Any, ...]) -> Iterator[tuple[int, int, int]]:
    """The change keys that an entry speaks of, as they are listed."""
    partition_group, _, no, *_, change_keys, _ = row
    return ((partition_group, key, no) for key in set(_unpack(change_keys)))


def _pack(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}q", *numbers)


def _unpack(blob: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(blob) // 8}q", blob)
