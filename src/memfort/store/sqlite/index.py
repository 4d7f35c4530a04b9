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
from memfort.trace.keys import Keys


def numbered(keys: Keys, terms: Mapping[str, int]) -> dict[int, int]:
    return {keys.term(term): frequency for term, frequency in sorted(terms.items())}


def put_in(
    connection: apsw.Connection, no: int, shelf: int, item: Item, terms: Mapping[int, int], *, next: int = 1
) -> None:
    """Enter a memory on its shelf. `next` is where its author's sequence there goes on at least."""
    live, length = int(is_indexed(item)), sum(terms.values())
    connection.execute(QUERIES["grow_shelf"], (shelf, live, live * length, item.created_tick))
    connection.execute(QUERIES["grow_number"], (shelf, item.author.key, item.kind, next, live))
    if not live:
        return
    postings = [(shelf, term, no, frequency, length) for term, frequency in terms.items()]
    connection.executemany(QUERIES["add_posting"], postings)
    if item.expires_tick is not None:
        connection.execute(QUERIES["add_fading"], (no, shelf, item.expires_tick))


def take_out(connection: apsw.Connection, row: Row) -> None:
    """Take an intact memory out. Its place in its author's sequence stays taken, and so does its tick."""
    no, shelf, indexed, length = row[0], row[3], row[10], row[11]
    if not indexed:
        return
    item = item_of(row)
    connection.executemany(QUERIES["drop_posting"], [(shelf, term, no) for term in unpack_terms(row[14])])
    connection.execute(QUERIES["drop_fading"], (no,))
    connection.execute(QUERIES["grow_shelf"], (shelf, -1, -length, 0))
    connection.execute(QUERIES["grow_number"], (shelf, item.author.key, item.kind, 1, -1))


def take_out_damaged(connection: apsw.Connection, keys: Keys, numbers: Iterable[int]) -> None:
    """Take damaged memories out. Their rows cannot be trusted to say where their entries are: look at all."""
    for no in numbers:
        for query in ("drop_postings_of_item", "drop_fading", "unindex_item"):
            connection.execute(QUERIES[query], (no,))
    connection.execute(QUERIES["recount_shelves"])
    connection.execute(QUERIES["clear_live"])
    for sequence, live in tally(connection, keys).live.items():
        connection.execute(QUERIES["grow_number"], (*sequence, 1, live))


@dataclass(frozen=True, slots=True)
class Tally:
    """What the counters of the index must say, counted from the memories."""

    live: Counter[tuple[int, bytes, str]] = field(default_factory=Counter)  # by shelf, author and kind
    fading: set[tuple[int, int, int]] = field(default_factory=set)  # memory, shelf, tick
    ticks: dict[int, int] = field(default_factory=dict)  # by shelf, at least


def tally(connection: apsw.Connection, keys: Keys) -> Tally:
    counted = Tally()
    for row in all_rows(connection):
        if not is_intact(keys, row):
            continue
        no, shelf, item = row[0], row[3], item_of(row)
        counted.ticks[shelf] = max(counted.ticks.get(shelf, 0), item.created_tick)
        if is_indexed(item):
            counted.live[shelf, item.author.key, item.kind.value] += 1
            counted.fading.update([] if item.expires_tick is None else [(no, shelf, item.expires_tick)])
    return counted


def rebuild(connection: apsw.Connection, keys: Keys, terms_of: TermsOf, progress: Progress | None) -> int:
    """Write every index entry anew, from the memories themselves; says how many those are."""
    total = int(scalar(connection, QUERIES["count_items"]))
    connection.execute("delete from posting")
    connection.execute("delete from fading")
    connection.execute("update shelf set count = 0, length = 0")
    connection.execute(QUERIES["clear_live"])
    for done, row in enumerate(list(all_rows(connection)), start=1):
        if is_intact(keys, row):
            _put_in_again(connection, keys, row, terms_of)
        else:
            connection.execute(QUERIES["unindex_item"], (row[0],))
        if progress is not None and (done % 256 == 0 or done == total):
            progress(done, total)
    return total


def _put_in_again(connection: apsw.Connection, keys: Keys, row: Row, terms_of: TermsOf) -> None:
    no, space, shelf, value, item = row[0], row[1], row[3], row[9], item_of(row)
    terms = numbered(keys, terms_of(item)) if is_indexed(item) else {}
    connection.execute(QUERIES["change_item"], columns(keys, item, space, shelf, value, terms))
    put_in(connection, no, shelf, item, terms, next=item.number + 1)


def all_rows(connection: apsw.Connection) -> Iterator[Row]:
    return map(row_of, rows(connection, QUERIES["all_items"]))
