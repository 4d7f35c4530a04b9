"""What all answers of an SQL store stand on: connections, the numbers of spaces and partitions, and memories' rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from memfort.model.audience import Audience
from memfort.model.item import Item, Readers
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.sql.connection import Connection
from memfort.store.sql.index.visibility import Visible, cache_until_written, visible
from memfort.store.sql.rows import Row, is_intact, item_of, readers_text, row_of
from memfort.store.sql.transactions import Transactions
from memfort.store.sql.writing.write import Write
from memfort.trail.keys import Keys

VERY_LATE = 2**62
_Made = TypeVar("_Made")


class SqlAnswers:
    """A store's keys and connections, and how to get from a sight to rows."""

    keys: Keys
    _connections: Transactions

    def reading(self) -> AbstractContextManager[None]:
        return self._connections.reading()

    def _translate_errors(self) -> AbstractContextManager[None]:
        return self._connections.translate_errors()

    def _array(self, values: Iterable[Any]) -> Any:
        return self._without_counters.array(values)

    @property
    def _connection(self) -> Connection:
        return self._connections.current()

    @property
    def _without_counters(self) -> Connection:
        """The same for a statement that reads no stamp, no tick, no sequence, no chain and no entry."""
        return self._connections.without_counters()

    @property
    def _write(self) -> Write | None:
        """The write that this thread is in the middle of, if it is in one."""
        return self._connections.current_write()

    def _visible(self, sight: Sight) -> Visible:
        with self._translate_errors():
            return visible(self._connection, self.keys, sight, self._connections.version())

    def _cache_until_written(self, sight: Sight, name: str, make: Callable[[], _Made]) -> _Made:
        with self._translate_errors():
            return cache_until_written(self._connection, sight, name, make, self._connections.version())

    def _space_in_sight(self, write: Write | None, sight: Sight, space: Space) -> int | None:
        if sight.seen(space) is None:
            return None
        found = self._find_space(write, space.id)
        return None if found is None else found[0]

    def _partition_in_sight(
        self, write: Write | None, sight: Sight, space: Space, readers: Readers, audience: Audience
    ) -> int | None:
        seen = sight.seen(space)
        if seen is None or not sight.admits_partition(seen, readers, audience):
            return None
        return self._partition_number(write, space, readers, audience)

    def _partition_number(self, write: Write | None, space: Space, readers: Readers, audience: Audience) -> int | None:
        place = (space.id, readers_text(readers), audience.text)
        found = self._find_numbers(write, place, "partition_at", *place)
        return None if found is None else found[1]

    def _find_numbers(self, write: Write | None, name: Hashable, query: str, *values: Any) -> tuple[int, ...] | None:
        """The numbers that a query gives to a name, if there are any. Whoever writes asks for each only once."""
        if write is None:
            found: tuple[int, ...] | None = self._without_counters.row(query, *values)
            return found
        if (known := write.numbers.find(name)) is not None:
            return known
        found = write.connection.row(query, *values)
        return None if found is None else write.numbers.note(name, found)

    def _find_space(self, write: Write | None, id: bytes) -> tuple[int, ...] | None:
        """The number of a space, if it is there. A write looks only once for one that is not: whoever makes it notes
        its number."""
        if write is not None and write.numbers.is_absent(id):
            return None
        found = self._find_numbers(write, id, "space_no", id)
        if found is None and write is not None:
            write.numbers.note_absent(id)
        return found

    def _space_numbers(self, sight: Sight) -> Any:
        return self._array(self._spaces_by_number(sight))

    def _spaces_by_number(self, sight: Sight) -> dict[int, bytes]:
        write = self._write
        found = {id: self._find_space(write, id) for id in sight.by_id}
        return {number[0]: id for id, number in found.items() if number is not None}

    def _rows(self, query: str, *values: Any) -> list[Row]:
        with self._translate_errors():
            return [row_of(row) for row in self._without_counters.rows(query, *values)]

    def _intact_rows(self, query: str, *values: Any) -> list[Row]:
        return [row for row in self._rows(query, *values) if is_intact(self.keys, row)]

    def _sort_admitted(self, sight: Sight, rows: Iterable[Row]) -> list[Item]:
        """The memories in these rows that the sight admits, by id and then in the order of recall."""
        places = {seen.space.id: place for place, seen in enumerate(sight.spaces)}
        found = [item for row in rows if sight.admits(item := item_of(row))]
        return sorted(found, key=lambda item: (item.id, places.get(item.space.id, len(places)), item.space.id))
