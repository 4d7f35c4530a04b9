"""The index entries of memories: words, marks, sequences and ticks. All of a memory's are put in together and taken out
together, and all can be made anew from the memories themselves."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import apsw

from memfort.model.hearing import label_of
from memfort.model.item import Item, is_in_force
from memfort.model.space import Space
from memfort.store.marks import own_numbers
from memfort.store.port import ANALYZER, Entry, EntryOf, Progress
from memfort.store.sqlite.connection import rows, scalar
from memfort.store.sqlite.counters import Counters
from memfort.store.sqlite.numbers import Numbers
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import Row, columns, is_intact, item_of, readers_text, row_of, seal
from memfort.store.sqlite.told import told_shelf_for
from memfort.trace.keys import Keys

_GONE_KEPT = 1024  # of a rack: how many changes back one can still follow without reading it all
_MOST_OFTEN = 0xFFFF
_AT_ONCE = 1000
_NOTHING = Entry({})


class Place(NamedTuple):
    """Where a memory stands, in numbers."""

    space: int
    shelf: int
    rack: int


class Entered(NamedTuple):
    """An entry in its place, which is yet to be put down."""

    rack: int
    stamp: int
    no: int
    shelf: int
    expires_at: int | None
    entry: Entry
    marks: list[int]


def space_number(connection: apsw.Connection, numbers: Numbers, space: Space) -> int:
    """The number of a space, which is made if it is not there yet."""
    if (known := numbers.find(space.id)) is not None:
        return known[0]
    found = scalar(connection, QUERIES["space_no"], (space.id,))
    if found is None:
        found = _added(connection, "add_space", space.id, json.dumps(space.as_dict(), ensure_ascii=False))
    return numbers.note(space.id, (int(found),))[0]


def place_of(connection: apsw.Connection, numbers: Numbers, item: Item) -> Place:
    """The shelf and the rack of an item in its space, which are made if they are not there yet."""
    name = _name(item)
    known = numbers.find(name)
    if known is None:
        known = numbers.note(name, _place(connection, space_number(connection, numbers, item.space), *name[1:]))
    return Place(*known)


def has_place(numbers: Numbers, item: Item) -> bool:
    """Whether the shelf of an item is known to be there."""
    return numbers.find(_name(item)) is not None


def _name(item: Item) -> tuple[bytes, str, str]:
    return item.space.id, readers_text(item.readers), label_of(item).text


def _place(connection: apsw.Connection, space: int, readers: str, label: str) -> Place:
    for shelf, rack in rows(connection, QUERIES["shelf_no"], (space, readers, label)):
        return Place(space, shelf, rack)
    found = scalar(connection, QUERIES["rack_no"], (space, readers))
    rack = _added(connection, "add_rack", space, readers) if found is None else int(found)
    return Place(space, _added(connection, "add_shelf", space, readers, label, rack), rack)


def marked(connection: apsw.Connection, rack: int, marks: Sequence[int], limit: int) -> list[int]:
    """The memories in a rack that have one of the marks, the latest of them."""
    if not marks:
        return []
    asked = apsw.carray(array("q", marks))
    found = rows(connection, QUERIES["marked"], (rack, asked, _AT_ONCE))
    if len(found) == _AT_ONCE:
        found = rows(connection, QUERIES["latest_marked"], (rack, asked, limit))
    return sorted({no for (no,) in found}, reverse=True)[:limit]


# -- putting in and taking out ---------------------------------------------------------------------------------------


def put_in(
    connection: apsw.Connection, keys: Keys, counters: Counters, no: int, place: Place, stamp: int, item: Item,
    entry: Entry | None, told: Entry | None,
) -> list[Entered]:  # fmt: skip
    """Count a memory where it stands; gives what is to be entered of it. `stamp` was taken for its entry, which it has
    if it is in force."""
    live = is_in_force(item)
    counters.reach_tick(connection, place.shelf, item.created_tick)
    counters.grow_number(connection, place.shelf, item.author.key, item.kind, item.number + 1, int(live))
    if not live:
        return []
    entered = [_entered(keys, counters, place.rack, stamp, no, place.shelf, item.expires_at, entry or _NOTHING)]
    if item.expires_tick is not None:
        connection.execute(QUERIES["add_fading"], (no, place.shelf, item.expires_tick))
        counters.will_fade(place.shelf, item.expires_tick)
    for person in dict.fromkeys(item.subjects):
        shelf, own_stamp = 0, 0
        if told is not None:
            shelf, rack = told_shelf_for(connection, person, place.space, item)
            own_stamp = counters.next_stamp(connection, rack)
            entered.append(_entered(keys, counters, rack, own_stamp, no, shelf, item.expires_at, told))
        connection.execute(QUERIES["add_about"], (person, item.id, no, shelf, own_stamp, item.expires_at))
    return entered


def _entered(
    keys: Keys, counters: Counters, rack: int, stamp: int, no: int, shelf: int, expires_at: int | None, entry: Entry
) -> Entered:
    """An entry with its marks, which are known to be in the rack from now on."""
    marks = [] if entry.marks is None else sorted(own_numbers(keys, entry.marks))
    if marks:
        counters.put_marks(rack, marks)
    return Entered(rack, stamp, no, shelf, expires_at, entry, marks)


def enter(connection: apsw.Connection, keys: Keys, entered: Sequence[Entered]) -> None:
    """Put entries and their marks down."""
    if not entered:
        return
    rows = [_row(keys, one) for one in entered]
    sealed = [(*row, seal(keys, "entry", *row)) for row in rows]
    connection.executemany(QUERIES["add_entry"], sealed)
    connection.executemany(QUERIES["add_mark"], [(one.rack, mark, one.no) for one in entered for mark in one.marks])


def _row(keys: Keys, one: Entered) -> tuple[Any, ...]:
    rack, stamp, no, shelf, expires_at, entry, marks = one
    numbered = dict(zip(keys.terms(entry.terms), entry.terms.values(), strict=True))
    terms = sorted(numbered)
    counts = [often if (often := numbered[term]) < _MOST_OFTEN else _MOST_OFTEN for term in terms]
    return (
        rack, stamp, no, shelf, entry.length, expires_at, _pack(terms), struct.pack(f"<{len(counts)}H", *counts),
        keys.term(entry.speaker) if entry.speaker else 0, entry.day, int(entry.in_talk), entry.traits, entry.vector,
        _pack(marks),
    )  # fmt: skip


def take_out(connection: apsw.Connection, counters: Counters, row: Row) -> None:
    """Take an intact memory out. Its place in its author's sequence stays taken, and so does its tick."""
    no, shelf, stamp = row[0], row[3], row[10]
    if not stamp:
        return
    item = item_of(row)
    _leave(connection, counters, int(scalar(connection, QUERIES["rack"], (shelf,))), stamp, no)
    if item.expires_tick is not None:
        connection.execute(QUERIES["drop_fading"], (no,))
        counters.forget_fading(shelf)
    counters.grow_number(connection, shelf, item.author.key, item.kind, 1, -1)
    for person in dict.fromkeys(item.subjects):
        for (told,) in rows(connection, QUERIES["drop_about"], (person, item.id, no)):
            if told:
                _leave(connection, counters, int(scalar(connection, QUERIES["rack_of_person"], (person,))), told, no)


def _leave(connection: apsw.Connection, counters: Counters, rack: int, stamp: int, no: int) -> None:
    for (marks,) in rows(connection, QUERIES["drop_entry"], (rack, stamp)):
        connection.executemany(QUERIES["drop_mark"], [(rack, mark, no) for mark in _unpack(marks)])
    now = counters.next_stamp(connection, rack)
    connection.execute(QUERIES["add_gone"], (rack, now, no))
    if now % _GONE_KEPT == 0:
        connection.execute(QUERIES["forget_gone"], (rack, now - _GONE_KEPT))
        connection.execute(QUERIES["set_since"], (rack, now - _GONE_KEPT))


def take_out_damaged(connection: apsw.Connection, keys: Keys, counters: Counters, numbers: Iterable[int]) -> None:
    """Take damaged memories out. Their rows cannot be trusted to say where their entries are: look at all."""
    for no in numbers:
        for rack, stamp in rows(connection, QUERIES["entries_of_item"], (no,)):
            _leave(connection, counters, rack, stamp, no)
        connection.execute(QUERIES["drop_fading"], (no,))
        connection.execute("delete from about where item = ?", (no,))
        connection.execute(QUERIES["unindex_item"], (no,))
    counters.settle(connection)
    connection.execute(QUERIES["clear_live"])
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


@dataclass(frozen=True, slots=True)
class Tally:
    """What the counters of the index must say, counted from the memories."""

    live: Counter[tuple[int, bytes, str]] = field(default_factory=Counter)  # by shelf, author and kind
    fading: set[tuple[int, int, int]] = field(default_factory=set)  # memory, shelf, tick
    ticks: dict[int, int] = field(default_factory=dict)  # by shelf, at least
    about: Rows = field(default_factory=Rows)  # person, id, number, end

    def add(self, row: Row) -> None:
        """Count an intact memory."""
        no, shelf, item = row[0], row[3], item_of(row)
        self.ticks[shelf] = max(self.ticks.get(shelf, 0), item.created_tick)
        if not is_in_force(item):
            return
        self.live[shelf, item.author.key, str(item.kind)] += 1
        for person in dict.fromkeys(item.subjects):
            self.about.add((person, item.id, no, item.expires_at))
        if item.expires_tick is not None:
            self.fading.add((no, shelf, item.expires_tick))


def tally(connection: apsw.Connection, keys: Keys) -> Tally:
    counted = Tally()
    for row in all_rows(connection):
        if is_intact(keys, row):
            counted.add(row)
    return counted


def rebuild(
    connection: apsw.Connection, keys: Keys, counters: Counters, entry_of: EntryOf, told_entry_of: EntryOf,
    progress: Progress | None,
) -> int:  # fmt: skip
    """Write every index entry anew, from the memories themselves; says how many those are."""
    total = int(scalar(connection, QUERIES["count_items"]))
    counters.settle(connection)
    for table in ("entry", "gone", "mark", "fading", "about"):
        connection.execute(f"delete from {table}")  # noqa: S608  # names of our own
    connection.execute(QUERIES["start_over"])  # nobody can follow: whoever has a copy reads it all again
    connection.execute(QUERIES["clear_live"])
    for done, row in enumerate(all_rows(connection), start=1):
        if is_intact(keys, row):
            _put_in_again(connection, keys, counters, row, entry_of, told_entry_of)
        else:
            connection.execute(QUERIES["unindex_item"], (row[0],))
        if progress is not None and (done % 256 == 0 or done == total):
            progress(done, total)
    connection.execute(QUERIES["set_meta"], ("words", ANALYZER))
    return total


def _put_in_again(
    connection: apsw.Connection, keys: Keys, counters: Counters, row: Row, entry_of: EntryOf, told_entry_of: EntryOf
) -> None:
    no, space, shelf, value, item = row[0], row[1], row[3], row[9], item_of(row)
    place = Place(space, shelf, int(scalar(connection, QUERIES["rack"], (shelf,))))
    stamp = counters.next_stamp(connection, place.rack) if is_in_force(item) else 0
    connection.execute(QUERIES["change_item"], columns(keys, item, space, shelf, value, stamp, row[11]))
    found = (entry_of(item), told_entry_of(item)) if stamp else (None, None)
    enter(connection, keys, put_in(connection, keys, counters, no, place, stamp, item, *found))


def all_rows(connection: apsw.Connection) -> Iterator[Row]:
    """Every memory's row, however many there are; the one at hand may be changed."""
    after = 0
    while page := rows(connection, QUERIES["items_after"], (after, _AT_ONCE)):
        yield from map(row_of, page)
        after = page[-1][0]


def is_sealed(keys: Keys, row: tuple[Any, ...]) -> bool:
    """Whether an entry says what this store wrote."""
    return bool(row[-1] == seal(keys, "entry", *row[:-1]))


def marks_of_row(row: tuple[Any, ...]) -> Iterator[tuple[int, int, int]]:
    """The marks that an entry speaks of, as they are listed."""
    rack, _, no, *_, marks, _ = row
    return ((rack, mark, no) for mark in set(_unpack(marks)))


def _added(connection: apsw.Connection, query: str, *values: Any) -> int:
    return int(rows(connection, QUERIES[query], values)[0][0])


def _pack(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}q", *numbers)


def _unpack(blob: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(blob) // 8}q", blob)
