"""The tables of a store, as they are copied: how the rows of each are read, what they are in the copy, and how they are
written there.

A row is copied as it is but for the numbers in it, and for its seal, which is over these numbers. So stamps, ticks,
sequences, chains and embeddings go on where they were, and nothing is worked out anew. A table stands after those whose
numbers its rows name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct

from memfort.model.item import conversation_of
from memfort.model.serialize.record import item_of_record
from memfort.store.sql import people
from memfort.store.sql.connection import Connection
from memfort.store.sql.copying.numbers import Numbers, StoreNumbers
from memfort.store.sql.index import partitions
from memfort.store.sql.index.entries import all_rows, entry_seal
from memfort.store.sql.pages import ROWS_PER_PAGE, pages
from memfort.store.sql.records import with_seal
from memfort.store.sql.rows import columns, item_of, text_of
from memfort.trail.event import GENESIS
from memfort.trail.keys import Keys

Row = tuple[Any, ...]
Read = Callable[[Connection], Iterable[Row]]
Translate = Callable[[Keys, Numbers, Row], Row]
Write = Callable[[Connection, StoreNumbers, Sequence[Row]], None]
_META = ("words", "rebuilt", "policy", "phases", "directory")


class Table(Struct, frozen=True):
    """One table, or what of several is copied together."""

    name: str
    read: Read  # rows without numbers of their own
    translate: Translate  # a row of the source, as it is in the copy
    write: Write


# -- reading ---------------------------------------------------------------------------------------------------------


def _all(query: str) -> Read:
    return lambda connection: map(tuple, connection.each(query))


def _paged(query: str, key_columns: int = 1) -> Read:
    first = ("",) * key_columns

    def read(connection: Connection) -> Iterator[Row]:
        return pages(
            lambda last: connection.rows(query, *(last[:key_columns] if last else first), last is None, ROWS_PER_PAGE)
        )

    return read


def _spaces(connection: Connection) -> Iterator[Row]:
    return ((bytes(id), text) for _, id, text in connection.each("all_spaces"))


def _groups(connection: Connection) -> Iterator[Row]:
    return (tuple(row[1:]) for row in sorted(connection.rows("all_partition_groups")))


def _partitions(connection: Connection) -> Iterator[Row]:
    ticks = dict(connection.rows("partition_ticks"))
    return ((*row[1:-1], ticks[row[0]]) for row in connection.rows("all_partitions"))


def _items(connection: Connection) -> Iterator[Row]:
    return (row[1:] for row in all_rows(connection))


def _disclosed_partitions(connection: Connection) -> Iterator[Row]:
    return (tuple(row[1:-1]) for row in connection.rows("all_disclosed_partitions"))


def _lineage(connection: Connection) -> Iterator[Row]:
    return ((space, text_of(parent), child) for space, parent, child, _ in connection.each("all_lineage"))


def _chains(connection: Connection) -> Iterator[Row]:
    return (tuple(row[1:]) for row in connection.rows("all_chains"))


def _events(connection: Connection) -> Iterator[Row]:
    chains = connection.rows("all_chains")
    return chain.from_iterable(((no, *row) for row in connection.each("events", no, 0)) for no, *_ in chains)


def _checkpoints(connection: Connection) -> Iterator[Row]:
    for no, *_ in connection.rows("all_chains"):
        last = 0
        while page := connection.rows("checkpoints_after", no, last, ROWS_PER_PAGE):
            yield from ((no, *row) for row in page)
            last = page[-1][0]


def _meta(connection: Connection) -> Iterator[Row]:
    found = ((name, connection.scalar("get_meta", name)) for name in _META)
    return (row for row in found if row[1] is not None)


# -- what a row is in the copy ---------------------------------------------------------------------------------------


def _as_it_is(_keys: Keys, _numbers: Numbers, row: Row) -> Row:
    return row


def _in_space(at: int = 0, *, sealed: str | None = None) -> Translate:
    """The row names a space in this place; sealed rows end with their seal."""

    def translate(keys: Keys, numbers: Numbers, row: Row) -> Row:
        moved = (*row[:at], numbers.spaces[row[at]], *row[at + 1 :])
        return moved if sealed is None else with_seal(keys, sealed, *moved[:-1])

    return translate


def _group(_: Keys, numbers: Numbers, row: Row) -> Row:
    space, *others = row
    return (None if space is None else numbers.spaces[space], *others)


def _partition(_: Keys, numbers: Numbers, row: Row) -> Row:
    space, readers, audience, group, tick = row
    return numbers.spaces[space], readers, audience, numbers.groups[group], tick


def _partition_reader(_: Keys, numbers: Numbers, row: Row) -> Row:
    space, reader, partition, next_reader, next_partition = row
    after = None if next_partition is None else numbers.partitions[next_partition]
    return numbers.spaces[space], reader, numbers.partitions[partition], next_reader, after


def _item(keys: Keys, numbers: Numbers, row: Row) -> Row:
    space, _, partition, *_, value, stamp, record, _ = row
    item = item_of((0, *row))  # its number is not asked for
    moved = numbers.spaces[space], numbers.partitions[partition]
    *known, _, seal = columns(keys, item, *moved, value, stamp, record)
    return (*known, record, seal)


def _entry(keys: Keys, numbers: Numbers, row: Row) -> Row:
    group, stamp, item, partition, *others, _ = row
    named = numbers.disclosed if numbers.source.is_of_person(group) else numbers.partitions
    moved = (numbers.groups[group], stamp, numbers.items[item], named[partition], *others)
    return (*moved, entry_seal(keys, moved))


def _change_key(_: Keys, numbers: Numbers, row: Row) -> Row:
    group, change_key, item = row
    return numbers.groups[group], change_key, numbers.items[item]


def _tick_expiry(_: Keys, numbers: Numbers, row: Row) -> Row:
    item, partition, tick = row
    return numbers.items[item], numbers.partitions[partition], tick


def _disclosed_partition(_: Keys, numbers: Numbers, row: Row) -> Row:
    person, space, readers, audience, group = row
    return person, numbers.spaces[space], readers, audience, numbers.groups[group]


def _subject(_: Keys, numbers: Numbers, row: Row) -> Row:
    person, id, item, partition, stamp, expires_at = row
    return person, id, numbers.items[item], numbers.disclosed[partition], stamp, expires_at


def _made_from(_: Keys, numbers: Numbers, row: Row) -> Row:
    space, parent, child = row
    return numbers.spaces[space], parent, numbers.items[child]


def _author_sequence(_: Keys, numbers: Numbers, row: Row) -> Row:
    partition, *others = row
    return (numbers.partitions[partition], *others)


def _in_chain(_: Keys, numbers: Numbers, row: Row) -> Row:
    chain, *others = row
    return (numbers.chains[chain], *others)


# -- writing ---------------------------------------------------------------------------------------------------------


def _put(query: str) -> Write:
    return lambda connection, _, rows: connection.many(query, rows)


def _put_spaces(connection: Connection, _: StoreNumbers, rows: Sequence[Row]) -> None:
    for row in rows:
        connection.add("add_space", *row)


def _put_groups(connection: Connection, _: StoreNumbers, rows: Sequence[Row]) -> None:
    for space, readers, person, stamp, *counts in rows:
        if person is None:
            no = connection.add("add_partition_group", space, readers)
        else:
            no = connection.add("add_partition_group_of_person", person)
        connection.run("set_group_counts", no, stamp, *counts)
        connection.run("set_followable_since", no, stamp)  # what was removed before is not copied


def _put_partitions(connection: Connection, numbers: StoreNumbers, rows: Sequence[Row]) -> None:
    for space, readers, audience, group, tick in rows:
        no = int(connection.scalar("next_partition", space))
        partitions.add(connection, numbers.keys, partitions.Partition(no, space, readers, audience, group))
        connection.run("set_tick", no, tick)


def _put_partition_readers(connection: Connection, _: StoreNumbers, rows: Sequence[Row]) -> None:
    for row in rows:
        connection.run("add_partition_reader", *row)


def _put_items(connection: Connection, numbers: StoreNumbers, rows: Sequence[Row]) -> None:
    connection.many("add_item", [_with_place(numbers, row) for row in rows])


def _with_place(numbers: StoreNumbers, row: Row) -> Row:
    *known, record, seal = row
    conversation = conversation_of(item_of_record(record))
    return (*known, record.decode(), seal, numbers.groups_of_partitions[row[2]], conversation)


def _put_disclosed_partitions(connection: Connection, numbers: StoreNumbers, rows: Sequence[Row]) -> None:
    for row in rows:
        no = int(connection.scalar("next_disclosed_partition", row[0]))
        connection.run("add_disclosed_partition", *with_seal(numbers.keys, "disclosed_partition", no, *row))


def _put_people(connection: Connection, _: StoreNumbers, rows: Sequence[Row]) -> None:
    connection.many("put_person", rows)
    people.put_names(connection, rows)


def _put_access_keys(connection: Connection, _: StoreNumbers, rows: Sequence[Row]) -> None:
    connection.many("put_access_key", [row[1:] for row in rows])
    connection.many("touch_access_key", [(id, last_used) for last_used, id, *_ in rows if last_used is not None])


def _put_chains(connection: Connection, _: StoreNumbers, rows: Sequence[Row]) -> None:
    for kind, key, *head in rows:
        connection.run("set_chain_head", connection.add("add_chain", kind, key, GENESIS), *head)


TABLES = (
    Table("spaces", _spaces, _as_it_is, _put_spaces),
    Table("partition groups", _groups, _group, _put_groups),
    Table("partitions", _partitions, _partition, _put_partitions),
    Table("partition readers", _all("all_partition_readers"), _partition_reader, _put_partition_readers),
    Table("people", _all("all_people"), _in_space(1, sealed="person"), _put_people),
    Table("person sequences", _all("all_person_sequences"), _in_space(), _put("grow_person_sequence")),
    Table("relations", _all("all_relations"), _in_space(1, sealed="relation"), _put("put_relation")),
    Table("memories", _items, _item, _put_items),
    Table("disclosed partitions", _disclosed_partitions, _disclosed_partition, _put_disclosed_partitions),
    Table("index entries", _all("all_entries"), _entry, _put("add_entry")),
    Table("change keys", _all("all_change_keys"), _change_key, _put("add_change_key")),
    Table("tick expiries", _all("all_tick_expiries"), _tick_expiry, _put("add_tick_expiry")),
    Table("subjects", _all("all_subject_rows"), _subject, _put("add_subject")),
    Table("lineage", _lineage, _made_from, _put("add_lineage")),
    Table("author sequences", _all("all_author_sequences"), _author_sequence, _put("set_author_sequence")),
    Table("phases", _all("all_phases"), _in_space(sealed="phase"), _put("put_phase")),
    Table("policies", _all("all_policies"), _as_it_is, _put("put_policy")),
    Table("rejected values", _all("all_rejected_values"), _in_space(sealed="rejected"), _put("put_rejected_value")),
    Table("ended values", _all("all_ended_values"), _in_space(sealed="ended"), _put("put_ended_value")),
    Table("agents", _paged("agents_after"), _as_it_is, _put("put_agent")),
    Table("chats", _paged("chats_after"), _as_it_is, _put("put_chat")),
    Table("members", _paged("members_after", 4), _as_it_is, _put("put_member")),
    Table("shares", _paged("shares_after"), _as_it_is, _put("put_share")),
    Table("API keys", _all("access_keys"), _as_it_is, _put_access_keys),
    Table("replies", _all("all_replies"), _as_it_is, _put("put_reply")),
    Table("names in replies", _all("all_reply_names"), _as_it_is, _put("put_reply_name")),
    Table("imports", _all("all_sources"), _in_space(sealed="source"), _put("put_source")),
    Table("queued turns", _all("all_queued_turns"), _in_space(sealed="queued_turn"), _put("put_queued_turn")),
    Table("erasures", _all("erasures"), _as_it_is, _put("put_erasure")),
    Table("chains", _chains, _as_it_is, _put_chains),
    Table("events", _events, _in_chain, _put("add_event")),
    Table("checkpoints", _checkpoints, _in_chain, _put("add_checkpoint")),
    Table("settings", _meta, _as_it_is, _put("set_meta")),
)
