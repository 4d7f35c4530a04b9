"""Looking a store's structures over, and putting right what can be put right. Shows nobody any contents."""

from __future__ import annotations

from collections.abc import Iterator

from memfort.model.moment import Moment
from memfort.store.sql import people, records
from memfort.store.sql.connection import Connection
from memfort.store.sql.damage import RESTORE
from memfort.store.sql.index import entries as index
from memfort.store.sql.index import partitions
from memfort.store.sql.index.entries import Reach
from memfort.store.sql.rows import Row, is_intact, text_of
from memfort.store.sql.writing.counters import Counters
from memfort.trail.keys import Keys

Problem = tuple[str, str]
# The other rows that carry a seal: how they are read, and what one of them is called.
_RECORDS = {
    "phase": ("all_phases", "phase {1} of space {0}"),
    "policy": ("all_policies", "the policy `{0}`"),
    "rejected": ("all_rejected_values", "a rejected value of space {0}"),
    "ended": ("all_ended_values", "an ended value of space {0}"),
    "access_key": ("all_access_keys", "the API key `{0}`"),
    "source": ("all_sources", "the record of the import `{1}`"),
    "queued_turn": ("all_queued_turns", "the queued turn `{1}`"),
    "erasure": ("erasures", "the record of the erasure `{0}`"),
    "person": ("all_people", "the person `{0}`"),
    "relation": ("all_relations", "the relation `{0}`"),
}


def structure(connection: Connection, keys: Keys) -> Iterator[Problem]:
    """Everything that is not as it should be: seals, statistics, index entries, counters."""
    damaged, counted = _check_rows(connection, keys)
    yield from _seals(connection, keys, damaged)
    for query in ("directory_version", "phases_begun"):
        if type(connection.scalar(query)) is not int:
            yield "damaged", f"the version of the directory is damaged; {RESTORE}"
    for problem in partitions.problems(connection, keys, counted.places):
        yield "index", f"{problem}; run `store.reindex()`"
    yield from _entries(connection, keys)
    yield from _groups(connection)
    yield from _disclosed(connection, keys)
    if not people.is_indexed(connection, keys):
        yield "index", "not everybody can be found by their names; run `store.reindex()`"
    if not any(row[10] for row in damaged):  # until they are quarantined, damaged ones count
        yield from _counters(connection, counted, {row[0] for row in damaged})


def _check_rows(connection: Connection, keys: Keys) -> tuple[list[Row], index.Tally]:
    """Every memory's row that does not match its seal, and what the others add up to."""
    damaged, counted = [], index.Tally()
    for row in index.all_rows(connection):
        if is_intact(keys, row):
            counted.add(row)
        else:
            damaged.append(row)
    return damaged, counted


def _entries(connection: Connection, keys: Keys) -> Iterator[Problem]:
    """By what memories are found."""
    if strangers := connection.scalar("entries_without_memory"):
        yield "index", f"{strangers} index entries belong to no memory; run `store.reindex()`"
    for (id,) in connection.each("items_without_entry"):
        yield "index", f"`{text_of(id)}` is not in the index; run `store.reindex()`"
    change_keys = index.Rows()
    for row in connection.each("all_entries"):
        if not index.is_sealed(keys, row):
            yield (
                "index",
                f"the index entry {row[1]} of partition group {row[0]} does not match its seal; run `store.reindex()`",
            )
        else:
            for key in index.change_keys_of_row(row):
                change_keys.add(key)
    if index.Rows(connection.each("all_change_keys")) != change_keys:
        yield "index", "the change keys are off; run `store.reindex()`"


def _groups(connection: Connection) -> Iterator[Problem]:
    """What partition groups count. A stamp that is too high may be right: nobody has to be there any more."""
    for no, stamp, entries, memories, last, there, inside in connection.rows("all_group_counts"):
        if (entries, memories) != (there, inside) or stamp < (last or 0):
            yield "index", f"the counts of partition group {no} are off; run `store.reindex()`"


def _disclosed(connection: Connection, keys: Keys) -> Iterator[Problem]:
    """The index of what may be disclosed to people."""
    groups = {no: person for no, _, _, person in connection.rows("partition_groups")}
    rows = connection.rows("all_disclosed_partitions")
    if damaged := sum(not partitions.is_disclosed_sealed(keys, row) or groups.get(row[5]) != row[1] for row in rows):
        yield "index", f"{damaged} partitions of what may be disclosed are damaged; run `store.reindex()`"
    if connection.scalar("any_undisclosable", None):
        yield "index", "a partition of what may be disclosed is missing; run `store.reindex()`"
    if strangers := connection.scalar("disclosed_entries_without_memory"):
        yield "index", f"{strangers} index entries about people belong to no memory; run `store.reindex()`"
    if missing := connection.scalar("disclosed_without_entry"):
        yield "index", f"{missing} memories about people cannot be found by them; run `store.reindex()`"


def _counters(connection: Connection, counted: index.Tally, damaged: set[int]) -> Iterator[Problem]:
    """The counters that budgets and lifetimes use. A tick that is too high may be right: memories were erased."""
    live = {
        (partition, author, kind): live for partition, author, kind, _, live in connection.rows("all_author_sequences")
    }
    if {sequence: count for sequence, count in live.items() if count} != counted.live:
        yield "index", "the numbers of memories in force are off; run `store.reindex()`"
    if set(connection.rows("all_tick_expiries")) != counted.fading:
        yield "index", "the list of memories that end at a tick is off; run `store.reindex()`"
    if index.Rows(connection.each("all_subjects")) != counted.about:
        yield "index", "the list of memories about people is off; run `store.reindex()`"
    lineage = (row[:3] for row in connection.each("all_lineage") if row[3] and row[2] not in damaged)
    if index.Rows((space, text_of(parent), child) for space, parent, child in lineage) != counted.made_from:
        yield "index", "the list of what memories were made from is off; run `store.reindex()`"
    if any(tick < counted.ticks.get(no, 0) for no, tick in connection.rows("partition_ticks")):
        yield "index", "a tick has gone back; run `store.reindex()`"


def all_damaged(connection: Connection, keys: Keys) -> list[Row]:
    """Every memory's row that does not match its seal."""
    return [row for row in index.all_rows(connection) if not is_intact(keys, row)]


def quarantine(connection: Connection, keys: Keys, counters: Counters, now: Moment, reach: Reach) -> None:
    """Take damaged memories out of the index and note their names."""
    damaged = all_damaged(connection, keys)
    connection.many("quarantine", [(row[0], row[2], now) for row in damaged])
    index.take_out_damaged(connection, keys, counters, [row[0] for row in damaged], reach)


def _seals(connection: Connection, keys: Keys, damaged: list[Row]) -> Iterator[Problem]:
    for row in damaged:
        yield "damaged", f"the stored bytes of `{row[2]}` no longer match their seal; it is not served"
    for table, (query, what) in _RECORDS.items():
        for one in connection.rows(query):
            if not records.is_sealed(keys, table, one):
                yield "damaged", f"{what.format(*one)} does not match its seal; it is not used; restore it from a copy"
