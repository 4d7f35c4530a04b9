"""Finding memories: the index, by id, in listings, by person, by lineage."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from memfort.errors import CorruptMemory
from memfort.model.item import Item, Kind, conversation_of, is_in_force
from memfort.model.moment import Moment
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import (
    Filter,
    FoundItems,
    Position,
    QueuedTurn,
    ReadContext,
    Store,
    found_items_by_parts,
    read_context_by_parts,
)
from memfort.store.port.values.records import order_of_queued
from memfort.store.sql import records
from memfort.store.sql.answers.base import VERY_LATE, SqlAnswers
from memfort.store.sql.damage import index_damaged
from memfort.store.sql.index import disclosed
from memfort.store.sql.rows import Row, is_intact, item_of, row_of, text_of

if TYPE_CHECKING:
    from memfort.store.port.values.columns import Columns
    from memfort.store.sql.index.cached import CachedIndexes


class MemoryAnswers(SqlAnswers):
    """The part of `memfort.store.port.Memories` that finds memories."""

    _cached_indexes: CachedIndexes | None = None  # once somebody recalls

    def columns(self, sight: Sight, now: Moment, tag: bytes = b"", length: int | None = None) -> list[Columns]:
        with self._translate_errors(), self.reading():
            connection, version = self._connection, self._connections.version()
            partition_groups = [
                *self._visible(sight).partition_groups,
                *disclosed.partition_groups(connection, self.keys, sight, version),
            ]
            if (cached := self._cached_indexes) is None:
                from memfort.store.sql.index.cached import CachedIndexes  # it needs numpy, and only a recall needs it

                cached = self._cached_indexes = CachedIndexes(self.keys)
            is_writing = self._connections.is_writing
            found = [
                cached.columns(connection, partition_group, now, tag, length, is_writing=is_writing)
                for partition_group in partition_groups
            ]
        return [columns for columns in found if columns.count]

    def unembedded(self, sight: Sight, tag: bytes, length: int | None = None) -> list[int]:
        with self._translate_errors(), self.reading():
            seen = self._visible(sight)
            groups = self._array(partition_group.no for partition_group in seen.partition_groups)
            asked = (groups, self._array(seen.partitions), tag, length)
            return [no for (no,) in self._connection.rows("unembedded", *asked)]

    def unjudged(self, sight: Sight) -> list[int]:
        with self._translate_errors(), self.reading():
            seen = self._visible(sight)
            groups = self._array(partition_group.no for partition_group in seen.partition_groups)
            asked = (groups, self._array(seen.partitions))
            return [no for (no,) in self._connection.rows("unjudged", *asked)]

    def positions(self, sight: Sight, handles: Sequence[int]) -> dict[int, Position]:
        with self._translate_errors():
            partitions = self._visible(sight).partitions
            also = disclosed.numbers(self._connection, self.keys, sight, handles, self._connections.version())
            found = self._connection.rows("positions", self._array(handles))
        return {
            no: Position(Moment(at), text_of(id), space)
            for no, partition, at, id, space in found
            if partition in partitions or no in also
        }

    def items_by_handle(self, sight: Sight, handles: Sequence[int]) -> dict[int, Item]:
        rows = self._intact_rows("items_by_no", self._array(handles))
        return {row[0]: item for row in rows if sight.admits(item := item_of(row))}

    def found_items(self, sight: Sight, handles: Sequence[int], beside: int) -> FoundItems:
        return found_items_by_parts(cast(Store, self), sight, handles, beside)

    def items(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        visible = self._visible(sight).partitions
        rows = [
            row for row in self._rows("items_by_id", self._space_numbers(sight), self._array(ids)) if row[3] in visible
        ]
        for row in rows:
            self._is_intact_or_told(row, visible)
        if sight.names_anyone:
            rows += self._intact_rows("items_disclosed_by_id", self._array(ids))
        elif sight.about:
            rows += self._intact_rows("items_disclosed", self._array(sorted(sight.about)), self._array(ids))
        return self._sort_admitted(sight, {row[0]: row for row in rows}.values())

    def items_with_values(self, sight: Sight, values: Sequence[bytes]) -> list[Item]:
        asked = [(space, value) for space in self._spaces_by_number(sight) for value in values]
        return self._sort_admitted(sight, self._intact_rows("items_by_values", self._array(asked))) if asked else []

    def _is_intact_or_told(self, row: Row, visible: frozenset[int]) -> bool:
        """Whether a memory is intact. One that is not is an error for those who could see it, and nothing to others."""
        if is_intact(self.keys, row):
            return True
        if row[3] not in visible:
            return False
        raise CorruptMemory(f"the stored bytes of `{row[2]}` are damaged, so it is not shown; erase or restore it")

    def about(self, sight: Sight, persons: Sequence[str], filter: Filter, limit: int, now: Moment) -> list[Item]:
        with self._translate_errors(), self.reading():
            disclosed.check_listed(self._connection, persons)
            where = disclosed.disclosed_partition_numbers(
                self._connection, self.keys, sight, self._connections.version()
            )
            seen = self._visible(sight).partitions
            asked = (
                self._array(sorted(set(persons))),
                self._array(seen),
                self._array(sorted(sight.about)),
                self._array(where),
            )
            stored = map(row_of, self._connection.each("items_about", *asked))
            items = (item_of(row) for row in stored if self._is_intact_or_told(row, seen))
            return list(islice((one for one in items if sight.admits(one) and filter.admits(one, now)), limit))

    def handles_about(self, sight: Sight, persons: Sequence[str]) -> list[int]:
        asked = (self._array(persons), self._array(self._visible(sight).partitions))
        with self._translate_errors():
            return [no for (no,) in self._connection.rows("items_about_in_sight", *asked)]

    def page(self, sight: Sight, filter: Filter, after: Position | None, limit: int, now: Moment) -> list[Item]:
        with self._translate_errors(), self.reading():
            seen = self._visible(sight)
            asked: list[tuple[str, int, tuple[Any, ...]]]
            if sight.whole:  # by space, so that nothing is passed over that is in no partition any more
                asked = [("items_by_age", space, ()) for space in self._spaces_by_number(sight)]
            else:
                of = (self._array(sorted(filter.statuses)),)  # the few that wait are found without reading all others
                asked = [("items_of_group_by_age", group.no, of) for group in seen.partition_groups]
            streams = [self._newest_first(sight, query, no, of, seen.partitions, after) for query, no, of in asked]
            found: list[Item] = []
            for _, item in heapq.merge(*streams, key=lambda pair: pair[0]):
                if len(found) >= limit:
                    break
                if filter.admits(item, now):
                    found.append(item)
            return found

    def turns(
        self,
        sight: Sight,
        space: Space,
        conversation: str,
        limit: int,
        *,
        before: str | None = None,
        after: str | None = None,
        ended: bool = False,
    ) -> list[Item]:
        number = self._space_in_sight(self._write, sight, space)
        if number is None:
            return []
        query, place = ("turns_before", before) if after is None else ("turns_after", after)
        with self._translate_errors(), self.reading():
            seen = self._visible(sight).partitions
            stored = map(row_of, self._connection.each(query, number, conversation, place))
            items = (item_of(row) for row in stored if row[3] in seen and is_intact(self.keys, row))
            turns = (
                item
                for item in items
                if conversation_of(item) == conversation and sight.admits(item) and (ended or is_in_force(item))
            )
            found = list(islice(turns, limit))
        return found[::-1] if after is None else found

    def turns_around(
        self, sight: Sight, turns: Sequence[Item], before: int, after: int
    ) -> list[tuple[list[Item], list[Item]]]:
        found: list[tuple[list[Item], list[Item]]] = [([], []) for _ in turns]
        numbers = {id: no for no, id in self._spaces_by_number(sight).items()}
        asked = [
            (place, numbers[turn.space.id], said, turn.id)
            for place, turn in enumerate(turns)
            if turn.space.id in numbers and (said := conversation_of(turn)) is not None
        ]
        if not asked:
            return found
        with self._translate_errors(), self.reading():
            partitions = self._array(self._visible(sight).partitions)
            stored = self._connection.rows("turns_around", self._array(asked), partitions, before, after)
        for place, is_after, *row in stored:
            turn, said = row_of(tuple(row)), conversation_of(turns[place])
            if not is_intact(self.keys, turn) or conversation_of(item := item_of(turn)) != said:
                continue
            if sight.admits(item) and is_in_force(item):
                found[place][is_after].append(item)
        return found

    def turns_with_values(self, sight: Sight, space: Space, values: Sequence[bytes]) -> dict[bytes, Item]:
        number = self._space_in_sight(self._write, sight, space)
        if number is None or not values:
            return {}
        wanted = self._array([value.hex() for value in values])
        rows = sorted(self._intact_rows("items_by_values_in_any_state", number, wanted), reverse=True)
        items = [(row[9], item_of(row)) for row in rows]
        return {value: item for value, item in items if item.kind is Kind.SHORT_TERM and sight.admits(item)}

    def _newest_first(
        self,
        sight: Sight,
        query: str,
        no: int,
        of: tuple[Any, ...],
        partitions: frozenset[int],
        after: Position | None,
    ) -> Iterator[tuple[tuple[int, str, bytes], Item]]:
        start = (VERY_LATE, "") if after is None else (after.created_at, after.id)
        for row in map(row_of, self._connection.each(query, no, *start, *of)):
            if not is_intact(self.keys, row):
                continue
            if row[3] not in partitions:
                if sight.whole:
                    raise index_damaged(f"`{row[2]}` is in no partition of the index")
                continue
            if not sight.admits(item := item_of(row)):
                continue
            place = (-item.created_at_us, item.id, item.space.id)
            if after is None or place > (-after.created_at, after.id, after.space):
                yield place, item

    def ids_with_prefix(self, sight: Sight, prefix: str, limit: int) -> list[str]:
        found: set[str] = set()
        for space in self._spaces_by_number(sight):
            rows = self._intact_rows("items_by_id_prefix", space, prefix)
            found |= {row[2] for row in rows if row[2].startswith(prefix) and sight.admits(item_of(row))}
        return sorted(found)[:limit]

    def derived(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        wanted = (self._space_numbers(sight), self._array(ids))
        made = self._sort_admitted(sight, self._intact_rows("items_derived", *wanted))
        copies = map(item_of, self._intact_rows("items_promoted", *wanted)) if sight.whole else ()
        return [*made, *sorted(copies, key=lambda item: (item.id, item.space.id))]

    def derived_not_in_force(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        rows = self._intact_rows("items_derived_not_in_force", self._space_numbers(sight), self._array(ids))
        return [item for item in self._sort_admitted(sight, rows) if not is_in_force(item)]

    def origins(self, sight: Sight, item: Item) -> list[tuple[Space, str]]:
        number = self._space_in_sight(self._write, sight, item.space)
        if number is None or not sight.whole:
            return []
        with self._translate_errors():
            found = self._connection.rows("origins", number, item.id)
        return [(records.read_space(coordinates), id) for coordinates, id in found]

    def count_entries(self, sight: Sight, ids: Sequence[str]) -> int:
        if not sight.whole:
            return 0
        with self._translate_errors():
            asked = (self._space_numbers(sight), self._array(ids))
            return int(self._connection.scalar("count_entries_of_items", *asked))

    def phases(self, sight: Sight) -> Mapping[bytes, tuple[Phase, ...]]:
        with self._translate_errors():
            numbers = self._spaces_by_number(sight)
            found = self._connection.rows("phases_in", self._array(numbers))
        phases: dict[bytes, tuple[Phase, ...]] = {}
        for number, _, record, _ in records.filter_sealed(self.keys, "phase", found):
            space = numbers[number]
            phases[space] = (*phases.get(space, ()), records.read_phase(record))
        return phases

    def queued_turns(self, sight: Sight, ids: Sequence[str] | None = None) -> list[QueuedTurn]:
        with self._translate_errors(), self.reading():
            if ids is None:
                found = self._connection.rows("queued_turns_in", self._space_numbers(sight))
            else:
                found = self._connection.rows("queued_turns_by_id", self._space_numbers(sight), self._array(ids))
            rows = records.filter_sealed(self.keys, "queued_turn", found)
            queued = [records.read_queued_turn(row) for row in rows]
            turns = self._array([one.turn for one in queued])
            stored = self._intact_rows("items_by_id", self._space_numbers(sight), turns)
            seen = {(item.space.id, item.id) for item in self._sort_admitted(sight, stored)}
        return sorted((one for one in queued if one.place in seen), key=order_of_queued)

    def sources(self, sight: Sight) -> list[Source]:
        with self._translate_errors():
            found = self._connection.rows("sources_in", self._space_numbers(sight))
        sources = [records.read_source(row[2]) for row in records.filter_sealed(self.keys, "source", found)]
        return sorted(sources, key=lambda one: (one.imported_at_us, one.id))

    def overdue(self, sight: Sight, now: Moment, limit: int | None = None) -> list[Item]:
        with self._translate_errors(), self.reading():
            if now < self._cache_until_written(sight, "overdue from", lambda: self._first_overdue(sight)):
                return []  # as nearly always, and every read asks
            # Damaged ones stay overdue for ever, so they are passed over before the limit and not after.
            stored = map(
                row_of, self._connection.each("items_overdue", self._array(seen.space.id for seen in sight.spaces), now)
            )
            due = (row for row in stored if is_intact(self.keys, row) and sight.admits(item_of(row)))
            found = list(islice(due, limit))
        return self._sort_admitted(sight, found)

    def _first_overdue(self, sight: Sight) -> float:
        """From when on anything in these spaces has expired and is to be swept."""
        first = self._connection.scalar("first_overdue", self._array(seen.space.id for seen in sight.spaces))
        if first is None:
            return math.inf
        return first if isinstance(first, int) else 0  # what is no time any more is looked at, and fails its seal

    def read_context(self, sight: Sight, now: Moment, limit: int | None = None) -> ReadContext:
        return read_context_by_parts(cast(Store, self), sight, now, limit)
