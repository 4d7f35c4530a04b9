"""The trail and upkeep, as far as they are the same on every engine."""

from __future__ import annotations

from collections.abc import Iterator

from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import Erasure, QueuedTurn
from memfort.store.port.values.records import order_of_queued
from memfort.store.sql import records, trail
from memfort.store.sql.answers.base import SqlAnswers
from memfort.store.sql.damage import index_damaged, memory_missing
from memfort.store.sql.pages import ROWS_PER_PAGE, pages
from memfort.store.sql.rows import Row, is_intact, row_of
from memfort.trail.checkpoint import Checkpoint
from memfort.trail.event import ChainId, Link

_LEASE = "lease "  # before the names of leases among the settings
_BEFORE_ALL = -(2**63)  # the least number that a column holds


class UpkeepAnswers(SqlAnswers):
    """`memfort.store.port.Trail`, and the part of `Upkeep` that looks at rows."""

    def spaces(self, user: str | None = None) -> Iterator[Space]:
        with self._translate_errors():
            asked = ("spaces_after",) if user is None else ("spaces_of_user_after", user)
            if self._connection.scalar("spaces_without_row") is not None:
                raise index_damaged("a space is missing from the index")
            rows = pages(
                lambda last: self._connection.rows(*asked, last[0] if last else b"", last is None, ROWS_PER_PAGE)
            )
        return (records.read_space(coordinates, id) for id, coordinates in rows)

    def records(self, sight: Sight) -> Iterator[tuple[str, bytes]]:
        for space in self._spaces_by_number(sight) if sight.whole else ():
            after: str | bytes = ""
            while page := self._rows("items_of_space", space, after, ROWS_PER_PAGE):
                yield from ((row[2], row[11]) for row in page if is_intact(self.keys, row))
                after = page[-1][2]

    def damaged(self, sight: Sight) -> list[str]:
        seen = self._visible(sight)
        groups = self._array(group.no for group in seen.partition_groups)
        if any(counted != there for _, counted, there in self._connection.rows("count_items_of_groups", groups)):
            raise memory_missing()
        if sight.whole:  # those too whose damage has torn them from their partition
            rows = self._rows("items_in_spaces", self._space_numbers(sight))
        else:
            rows = [row for row in self._rows("items_of_groups", groups) if row[3] in seen.partitions]
        return sorted(row[2] for row in rows if not is_intact(self.keys, row))

    def quarantined(self, sight: Sight) -> list[str]:
        return list(self._cache_until_written(sight, "quarantined", lambda: self._quarantined(sight)))

    def _quarantined(self, sight: Sight) -> list[str]:
        rows = self._rows("items_in_quarantine")
        if not rows:  # as nearly always
            return []
        numbers, visible = self._spaces_by_number(sight), self._visible(sight)
        groups = {group.no for group in visible.partition_groups}

        def is_here(row: Row) -> bool:
            group = self._connection.scalar("group_of_item", row[0])
            return group in groups and row[3] in visible.partitions

        seen = [row for row in rows if (row[1] in numbers if sight.whole else is_here(row))]
        return sorted(row[2] for row in seen if not is_intact(self.keys, row))

    def all_damaged(self) -> Iterator[str]:
        with self._translate_errors():
            rows = pages(lambda last: self._connection.rows("items_after", last[0] if last else 0, ROWS_PER_PAGE))
        found = map(row_of, rows)
        return (row[2] for row in found if not is_intact(self.keys, row))

    def erasures(self) -> Iterator[Erasure]:
        with self._translate_errors():
            rows = pages(
                lambda last: self._connection.rows(
                    "erasures_after", *((last[1], last[0]) if last else (_BEFORE_ALL, "")), ROWS_PER_PAGE
                )
            )
        return (records.read_erasure(row[3]) for row in rows if records.is_sealed(self.keys, "erasure", row))

    def due_turns(self, now: Moment, limit: int, *, is_imported: bool = False) -> list[QueuedTurn]:
        with self._translate_errors():
            rows = self._connection.rows("due_turns", now, limit, is_imported)
        return [records.read_queued_turn(row) for row in records.filter_sealed(self.keys, "queued_turn", rows)]

    def waiting_turns(self, first: QueuedTurn, limit: int) -> list[QueuedTurn]:
        with self._translate_errors():
            rows = self._connection.rows("waiting_turns", first.space.id, first.queued_at, limit)
        found = map(records.read_queued_turn, records.filter_sealed(self.keys, "queued_turn", rows))
        return sorted(found, key=order_of_queued)

    def count_queued_turns(self) -> tuple[int, int]:
        with self._translate_errors():
            ((waiting, given_up),) = self._connection.rows("count_queued_turns")
        return waiting, given_up

    def count_leases(self, beginning: str) -> int:
        with self._translate_errors():
            low, high = _named(beginning)
            return int(self._connection.scalar("count_leases", low, high, self._connection.scalar("server_seconds")))

    def chains(self) -> Iterator[tuple[ChainId, int, bytes]]:
        with self._translate_errors():
            rows = pages(
                lambda last: self._connection.rows(
                    "chains_after", *(last[1:3] if last else ("", b"")), last is None, ROWS_PER_PAGE
                )
            )
        return (trail.chain_state(self.keys, row) for row in rows)

    def links(self, chain: ChainId, after: int = 0) -> Iterator[Link]:
        with self._translate_errors():
            yield from trail.links(self._connection, chain, after)

    def checkpoints(self, chain: ChainId, after: int = 0) -> Iterator[Checkpoint]:
        with self._translate_errors():
            return trail.checkpoints(self._connection, chain, after)


def lease_name(name: str) -> str:
    """The name of a lease among the settings."""
    return _LEASE + name


def _named(beginning: str) -> tuple[str, str]:
    """Between which names those lie that begin so."""
    return lease_name(beginning), lease_name(beginning) + chr(0x10FFFF)
