"""Looking a store's structures over, and putting right what can be put right. Shows nobody any contents."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from memfort.model.moment import Moment
from memfort.store.sqlite import index, people, records
from memfort.store.sqlite.connection import rows, scalar
from memfort.store.sqlite.counters import Counters
from memfort.store.sqlite.files import StoreFiles
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import Row, is_intact, text_of
from memfort.trace.keys import Keys

Problem = tuple[str, str]
# The other rows that carry a seal: how they are read, and what one of them is called.
_RECORDS = {
    "phase": ("all_phases", "phase {1} of space {0}"),
    "policy": ("all_policies", "the policy `{0}`"),
    "bar": ("all_bars", "a rejected value of space {0}"),
    "source": ("all_sources", "the record of the import `{1}`"),
    "erasure": ("erasures", "the record of the erasure `{0}`"),
    "person": ("all_people", "the person `{0}`"),
    "relation": ("all_relations", "the relation `{0}`"),
}


def permissions(files: StoreFiles) -> Iterator[Problem]:
    for path in (files.database, files.key, files.wal):
        if path.exists() and path.stat().st_mode & 0o077:
            yield "permissions", f"`{path}` can be read by others; run `chmod 600 {path}`"


def structure(connection: apsw.Connection, keys: Keys) -> Iterator[Problem]:
    """Everything that is not as it should be: pages, seals, statistics, index entries, counters."""
    for (answer,) in connection.execute("pragma integrity_check"):
        if answer != "ok":
            yield "pages", str(answer)
    damaged, counted = _looked_over(connection, keys)
    yield from _seals(connection, keys, damaged)
    yield from _entries(connection, keys)
    yield from _told(connection)
    if not people.is_indexed(connection, keys):
        yield "index", "not everybody can be found by their names; run `memfort reindex`"
    if not any(row[10] for row in damaged):  # until they are quarantined, damaged ones count
        yield from _counters(connection, counted)


def _looked_over(connection: apsw.Connection, keys: Keys) -> tuple[list[Row], index.Tally]:
    """Every memory's row that does not match its seal, and what the others add up to."""
    damaged, counted = [], index.Tally()
    for row in index.all_rows(connection):
        if is_intact(keys, row):
            counted.add(row)
        else:
            damaged.append(row)
    return damaged, counted


def _entries(connection: apsw.Connection, keys: Keys) -> Iterator[Problem]:
    """By what memories are found."""
    if strangers := scalar(connection, QUERIES["entries_of_strangers"]):
        yield "index", f"{strangers} index entries belong to no memory; run `memfort reindex`"
    for (id,) in connection.execute(QUERIES["not_indexed"]):
        yield "index", f"`{text_of(id)}` is not in the index; run `memfort reindex`"
    marks = index.Rows()
    for row in connection.execute(QUERIES["all_entries"]):
        if not index.is_sealed(keys, row):
            yield "index", f"the index entry {row[1]} of rack {row[0]} does not match its seal; run `memfort reindex`"
        else:
            for mark in index.marks_of_row(row):
                marks.add(mark)
    if index.Rows(connection.execute(QUERIES["all_marks"])) != marks:
        yield "index", "the marks by which news is recognised are off; run `memfort reindex`"


def _told(connection: apsw.Connection) -> Iterator[Problem]:
    """The index of what may be told of people."""
    if strangers := scalar(connection, QUERIES["told_of_strangers"]):
        yield "index", f"{strangers} index entries about people belong to no memory; run `memfort reindex`"
    if missing := scalar(connection, QUERIES["not_told"]):
        yield "index", f"{missing} memories about people cannot be found by them; run `memfort reindex`"


def _counters(connection: apsw.Connection, counted: index.Tally) -> Iterator[Problem]:
    """The counters that budgets and lifetimes go by. One that is too high cannot be told from what was erased."""
    live = {(shelf, author, kind): live for shelf, author, kind, _, live in rows(connection, QUERIES["all_numbers"])}
    if {sequence: count for sequence, count in live.items() if count} != counted.live:
        yield "index", "the numbers of memories in force are off; run `memfort reindex`"
    if set(rows(connection, QUERIES["all_fading"])) != counted.fading:
        yield "index", "the list of memories that end at a tick is off; run `memfort reindex`"
    if index.Rows(connection.execute(QUERIES["all_about"])) != counted.about:
        yield "index", "the list of memories about people is off; run `memfort reindex`"
    if any(tick < counted.ticks.get(no, 0) for no, tick in rows(connection, QUERIES["shelf_ticks"])):
        yield "index", "a tick has gone back; run `memfort reindex`"


def unsound(connection: apsw.Connection, keys: Keys) -> list[Row]:
    """Every memory's row that does not match its seal."""
    return [row for row in index.all_rows(connection) if not is_intact(keys, row)]


def quarantine(connection: apsw.Connection, keys: Keys, counters: Counters, now: Moment) -> None:
    """Take damaged memories out of the index and note their names."""
    damaged = unsound(connection, keys)
    connection.executemany(QUERIES["quarantine"], [(row[0], row[2], now) for row in damaged])
    index.take_out_damaged(connection, keys, counters, [row[0] for row in damaged])


def _seals(connection: apsw.Connection, keys: Keys, damaged: list[Row]) -> Iterator[Problem]:
    for row in damaged:
        yield "damaged", f"the stored bytes of `{row[2]}` no longer match their seal; it is not served"
    for table, (query, what) in _RECORDS.items():
        for one in rows(connection, QUERIES[query]):
            if not records.is_sealed(keys, table, one):
                yield "damaged", f"{what.format(*one)} does not match its seal; it is not used; restore it from a copy"
