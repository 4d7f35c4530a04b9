"""The index entries of memories: words, statistics, sequences and ticks. All of a memory's are put in together and
taken out together, and all can be made anew from the memories themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import apsw

from memfort.model.item import Item
from memfort.store.port import Progress, TermsOf
from memfort.store.sqlite.connection import rows, scalar
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import Row, columns, is_indexed, is_intact, item_of, row_of, unpack_terms
from memfort.store.sqlite.told import number_for
from memfort.trace.keys import Keys


def numbered(keys: Keys, terms: Mapping[str, int]) -> dict[int, int]:
    return {keys.term(term): frequency for term, frequency in sorted(terms.items())}


@dataclass(frozen=True, slots=True)
class Words:
    """What a memory is found by, in numbers: all its words, and those of the statement alone if it may be told."""

    own: Mapping[int, int]
    told: Mapping[int, int]


def words(keys: Keys, terms: Mapping[str, int], told: Mapping[str, int]) -> Words:
    return Words(numbered(keys, terms), numbered(keys, told))


def put_in(connection: apsw.Connection, no: int, shelf: int, item: Item, words: Words, *, next: int = 1) -> None:
    """Enter a memory on its shelf. `next` is where its author's sequence there goes on at least."""
    live, length = int(is_indexed(item)), sum(words.own.values())
    connection.execute(QUERIES["grow_shelf"], (shelf, live, live * length, item.created_tick))
    connection.execute(QUERIES["grow_number"], (shelf, item.author.key, item.kind, next, live))
    if not live:
        return
    rack = scalar(connection, QUERIES["rack"], (shelf,))
    postings = [(rack, term, shelf, no, frequency, length) for term, frequency in words.own.items()]
    connection.executemany(QUERIES["add_posting"], postings)
    if item.expires_tick is not None:
        connection.execute(QUERIES["add_fading"], (no, shelf, item.expires_tick))
    for person in dict.fromkeys(item.subjects):
        _enter_about(connection, person, no, item, words.told)


def _enter_about(connection: apsw.Connection, person: str, no: int, item: Item, told: Mapping[int, int]) -> None:
    length, with_others = sum(told.values()), 0
    if length:
        space = scalar(connection, QUERIES["space_no"], (item.space.id,))
        with_others = number_for(connection, person, space, item)
        postings = [(person, term, with_others, no, frequency, length) for term, frequency in told.items()]
        connection.executemany(QUERIES["add_told"], postings)
        connection.execute(QUERIES["grow_told_shelf"], (with_others, 1, length))
    connection.execute(QUERIES["add_about"], (person, item.id, no, with_others, length, item.expires_at))


def take_out(connection: apsw.Connection, row: Row) -> None:
    """Take an intact memory out. Its place in its author's sequence stays taken, and so does its tick."""
    no, shelf, indexed, length = row[0], row[3], row[10], row[11]
    if not indexed:
        return
    item, terms = item_of(row), unpack_terms(row[14])
    rack = scalar(connection, QUERIES["rack"], (shelf,))
    connection.executemany(QUERIES["drop_posting"], [(rack, term, shelf, no) for term in terms])
    connection.execute(QUERIES["drop_fading"], (no,))
    connection.execute(QUERIES["grow_shelf"], (shelf, -1, -length, 0))
    connection.execute(QUERIES["grow_number"], (shelf, item.author.key, item.kind, 1, -1))
    for person in dict.fromkeys(item.subjects):
        for with_others, told in rows(connection, QUERIES["drop_about"], (person, item.id, no)):
            if told:
                # The words of the statement are among all its words; those that are not were never entered.
                connection.executemany(QUERIES["drop_told"], [(person, term, with_others, no) for term in terms])
                connection.execute(QUERIES["grow_told_shelf"], (with_others, -1, -told))


def take_out_damaged(connection: apsw.Connection, keys: Keys, numbers: Iterable[int]) -> None:
    """Take damaged memories out. Their rows cannot be trusted to say where their entries are: look at all."""
    for no in numbers:
        for query in ("drop_postings_of_item", "drop_fading", "unindex_item"):
            connection.execute(QUERIES[query], (no,))
        connection.execute("delete from about where item = ?", (no,))
        connection.execute("delete from told where item = ?", (no,))
    connection.execute(QUERIES["recount_shelves"])
    connection.execute(QUERIES["recount_told_shelves"])
    connection.execute(QUERIES["clear_live"])
    for sequence, live in tally(connection, keys).live.items():
        connection.execute(QUERIES["grow_number"], (*sequence, 1, live))


@dataclass(frozen=True, slots=True)
class Tally:
    """What the counters of the index must say, counted from the memories."""

    live: Counter[tuple[int, bytes, str]] = field(default_factory=Counter)  # by shelf, author and kind
    fading: set[tuple[int, int, int]] = field(default_factory=set)  # memory, shelf, tick
    ticks: dict[int, int] = field(default_factory=dict)  # by shelf, at least
    about: set[tuple[str, str, int, int | None]] = field(default_factory=set)  # person, id, number, end


def tally(connection: apsw.Connection, keys: Keys) -> Tally:
    counted = Tally()
    for row in all_rows(connection):
        if not is_intact(keys, row):
            continue
        no, shelf, item = row[0], row[3], item_of(row)
        counted.ticks[shelf] = max(counted.ticks.get(shelf, 0), item.created_tick)
        if is_indexed(item):
            counted.live[shelf, item.author.key, item.kind.value] += 1
            counted.about.update((person, item.id, no, item.expires_at) for person in item.subjects)
            counted.fading.update([] if item.expires_tick is None else [(no, shelf, item.expires_tick)])
    return counted


def rebuild(
    connection: apsw.Connection, keys: Keys, terms_of: TermsOf, told_terms_of: TermsOf, progress: Progress | None
) -> int:
    """Write every index entry anew, from the memories themselves; says how many those are."""
    total = int(scalar(connection, QUERIES["count_items"]))
    for table in ("posting", "fading", "about", "told"):
        connection.execute(f"delete from {table}")  # noqa: S608  # names of our own
    for table in ("shelf", "told_shelf"):
        connection.execute(f"update {table} set count = 0, length = 0")  # noqa: S608
    connection.execute(QUERIES["clear_live"])
    for done, row in enumerate(list(all_rows(connection)), start=1):
        if is_intact(keys, row):
            item = item_of(row)
            is_live = is_indexed(item)
            found = words(keys, terms_of(item) if is_live else {}, told_terms_of(item) if is_live else {})
            _put_in_again(connection, keys, row, item, found)
        else:
            connection.execute(QUERIES["unindex_item"], (row[0],))
        if progress is not None and (done % 256 == 0 or done == total):
            progress(done, total)
    return total


def _put_in_again(connection: apsw.Connection, keys: Keys, row: Row, item: Item, words: Words) -> None:
    no, space, shelf, value = row[0], row[1], row[3], row[9]
    connection.execute(QUERIES["change_item"], columns(keys, item, space, shelf, value, words.own))
    put_in(connection, no, shelf, item, words, next=item.number + 1)


def all_rows(connection: apsw.Connection) -> Iterator[Row]:
    return map(row_of, rows(connection, QUERIES["all_items"]))
