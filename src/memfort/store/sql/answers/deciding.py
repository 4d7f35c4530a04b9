"""What decisions about statements depend on: rivals, numbers, ticks and budgets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar, cast

from memfort.model.audience import PLAIN, Audience, audience_from_text
from memfort.model.item import EVERYONE, Authority, ChangeKeys, Item, Kind, Readers
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import MOST_ALIKE, RejectedValue, Statement, Store, WriteContext, contexts_by_parts
from memfort.store.port.values.change_keys import updatable_key_numbers
from memfort.store.port.values.records import order_of_rejected
from memfort.store.sql import records
from memfort.store.sql.answers.base import VERY_LATE, SqlAnswers
from memfort.store.sql.index import entries
from memfort.store.sql.index.partitions import Place, readers_of
from memfort.store.sql.rows import is_intact, item_of, readers_text, row_of
from memfort.store.sql.writing.write import Write

_A_FEW = 16
_Answer = TypeVar("_Answer")


class DecisionAnswers(SqlAnswers):
    """The part of `memfort.store.port.Memories` that decisions depend on."""

    def write_contexts(self, sight: Sight, statements: Sequence[Statement]) -> list[WriteContext]:
        with self._translate_errors(), self.reading():
            if (write := self._write) is not None:
                self._read_states(write, sight, statements)
            if len(statements) == 1:
                return contexts_by_parts(cast(Store, self), sight, statements)
            rivals = self._rivals_of_all(sight, statements)
            rejected = self._rejected_values_of_all(sight, statements)
            answers = _Answers(cast(Store, self), sight)
            return [
                WriteContext(
                    rivals=rivals(one),
                    alike=[] if one.change_keys is None else self._alike(sight, one),
                    rejected=rejected(one),
                    next_number=answers.next_number(one),
                    tick=(tick := answers.tick(one)),
                    due_by_tick=answers.due_by_tick(one, tick + one.ticks),
                    counts=answers.counts(one),
                    authored_count=answers.authored_count(one),
                )
                for one in statements
            ]

    def _read_states(self, write: Write, sight: Sight, statements: Sequence[Statement]) -> None:
        """Read what the write counts these statements with: a question for each partition and author."""
        for one in statements:
            if sight.seen(one.space) is not None:
                place = (one.space.id, readers_text(one.readers), one.audience.text)
                found = self._find_numbers(write, place, "partition_at", *place)
                if found is not None:
                    write.counters.read_state(
                        write.connection, self.keys, Place(*found), one.author.key, one.kind, one.space.id
                    )

    def _alike(self, sight: Sight, one: Statement) -> list[Item]:
        assert one.change_keys is not None
        return self.with_change_keys(sight, one.space, one.readers, one.change_keys, MOST_ALIKE)

    def _rivals_of_all(self, sight: Sight, statements: Sequence[Statement]) -> Callable[[Statement], list[Item]]:
        """The rivals of each statement, found with one query."""
        write = self._write
        asked: dict[tuple[bytes, bytes], tuple[int, bytes]] = {}  # the number of the space, and the value
        for one in statements:
            number = self._space_in_sight(write, sight, one.space)
            if number is None or one.value is None or not sight.admits_readers(one.readers):
                continue
            if write is None or write.counters.may_have_value(write.connection, number, one.value):
                asked[one.space.id, one.value] = (number, one.value)
        rows = self._intact_rows("items_by_values", self._array(asked.values())) if asked else []
        found: defaultdict[tuple[bytes, bytes], list[Item]] = defaultdict(list)
        values = {(row[1], row[2]): row[9] for row in rows}
        numbers = {number: space for (space, _), (number, _) in asked.items()}
        for row in rows:
            found[numbers[row[1]], values[row[1], row[2]]].append(item_of(row))

        def rivals(one: Statement) -> list[Item]:
            here = found.get((one.space.id, one.value), ()) if one.value is not None else ()
            own = [item for item in here if item.readers == one.readers and sight.admits(item)]
            return sorted(own, key=lambda item: item.id)

        return rivals

    def _rejected_values_of_all(
        self, sight: Sight, statements: Sequence[Statement]
    ) -> Callable[[Statement], list[RejectedValue]]:
        """The rejected values of each statement, found with one query."""
        found: defaultdict[tuple[bytes, bytes], list[RejectedValue]] = defaultdict(list)
        asked = {(one.space, wording): None for one in statements for wording in one.wordings}
        for one in self._rejected_among(sight, list(asked)):
            found[one.space.id, one.value].append(one)

        def rejected(one: Statement) -> list[RejectedValue]:
            there = (each for wording in one.wordings for each in found.get((one.space.id, wording), ()))
            known = (each for each in there if one.readers.are_among(each.readers))
            return sorted(known, key=order_of_rejected) if found else []

        return rejected

    def _rejected_among(self, sight: Sight, asked: Sequence[tuple[Space, bytes]]) -> list[RejectedValue]:
        """Of pairs of a space and a value, those that were rejected for readers among whom the asker is."""
        write = self._write
        spaces: dict[int, Space] = {}
        for space in {space.id: space for space, _ in asked}.values():
            number = self._space_in_sight(write, sight, space)
            if number is not None and (write is None or write.counters.has_rejected_values(write.connection, number)):
                spaces[number] = space
        if not spaces:
            return []
        numbers = {space.id: number for number, space in spaces.items()}
        pairs = [(numbers[space.id], value) for space, value in asked if space.id in numbers]
        rows = self._without_counters.rows("rejected_values_among", self._array(pairs))
        found = [
            RejectedValue(spaces[number], readers_of(readers), value, Authority(authority))
            for number, readers, value, authority, _ in records.filter_sealed(self.keys, "rejected", rows)
        ]
        rows = self._without_counters.rows("ended_values_among", self._array(pairs))
        for row in records.filter_sealed(self.keys, "ended", rows):
            number, readers, value, audience, authority, ended_at, _ = row
            named = (spaces[number], readers_of(readers), value, Authority(authority))
            found.append(RejectedValue(*named, ended_at, audience_from_text(audience)))
        return [one for one in found if one.is_known_to(sight)]

    def rejected_values(
        self, sight: Sight, space: Space, readers: Readers, values: Sequence[bytes]
    ) -> list[RejectedValue]:
        with self._translate_errors():
            found = self._rejected_among(sight, [(space, value) for value in values])
        return sorted((one for one in found if readers.are_among(one.readers)), key=order_of_rejected)

    def with_change_keys(
        self, sight: Sight, space: Space, readers: Readers, change_keys: ChangeKeys, limit: int
    ) -> list[Item]:
        if sight.seen(space) is None or not sight.admits_readers(readers):
            return []
        with self._translate_errors():
            write, place = self._write, (space.id, readers_text(readers))
            partition_group = self._find_numbers(write, place, "partition_group_at", *place)
            if partition_group is None:
                return []
            asked = updatable_key_numbers(self.keys, change_keys)
            if write is not None:
                number = self._space_in_sight(write, sight, space)
                assert number is not None
                known = write.counters.knows_change_keys(number, partition_group[0])
                connection = write.connection if known else write.flushed()
                if not write.counters.may_have(connection, number, partition_group[0], asked):
                    return []
            found = entries.with_change_keys(self._connection, partition_group[0], asked, limit)
        return self._sort_admitted(sight, self._intact_rows("items_by_no", self._array(found))) if found else []

    def rivals(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> list[Item]:
        write = self._write
        number = self._space_in_sight(write, sight, space)
        if number is None or not sight.admits_readers(readers):
            return []
        if write is not None and not write.counters.may_have_value(write.connection, number, value):
            return []
        alike = self._intact_rows("items_by_value", number, value)
        return [item for item in self._sort_admitted(sight, alike) if item.readers == readers] if alike else []

    def rejected_value(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> RejectedValue | None:
        write = self._write
        number = self._space_in_sight(write, sight, space)
        if number is None or not sight.admits_readers(readers):
            return None
        if write is not None and not write.counters.has_rejected_values(write.connection, number):
            return None
        place = (number, readers_text(readers), value)
        found = [(*place, *row) for row in self._without_counters.rows("rejected_value", *place)]
        for *_, authority, _ in records.filter_sealed(self.keys, "rejected", found):
            return RejectedValue(space, readers, value, Authority(authority))
        return None

    def next_number(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kind: Kind, audience: Audience = PLAIN
    ) -> int:
        write = self._write
        partition = None if sight.seen(space) is None else self._partition_number(write, space, readers, audience)
        if partition is None:
            return 1
        if write is not None:
            return write.counters.next_number(write.connection, partition, author, kind)
        found = self._connection.scalar("author_sequence", partition, author, kind)
        return 1 if found is None else int(found)

    def tick(self, sight: Sight, space: Space, readers: Readers = EVERYONE, audience: Audience = PLAIN) -> int:
        write = self._write
        partition = self._partition_in_sight(write, sight, space, readers, audience)
        if partition is None:
            return 0
        if write is not None:
            return write.counters.tick(write.connection, partition)
        return int(self._connection.scalar("tick", partition))

    def due_by_tick(
        self, sight: Sight, space: Space, readers: Readers, tick: int, audience: Audience = PLAIN
    ) -> list[Item]:
        write = self._write
        partition = self._partition_in_sight(write, sight, space, readers, audience)
        if partition is None:
            return []
        if write is not None and write.counters.next_to_fade(write.connection, partition) > tick:
            return []
        return self._sort_admitted(sight, self._intact_rows("items_expired_by_tick", partition, tick))

    def count_by_kind(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, audience: Audience = PLAIN
    ) -> Mapping[Kind, int]:
        partition = self._partition_in_sight(self._write, sight, space, readers, audience)
        return {Kind(kind): live for kind, live in self._connection.rows("count_by_kind", partition, author)}

    def authored_count(self, author: Actor) -> int:
        if (write := self._write) is not None:
            write.reach_author(author.key)
        with self._translate_errors():
            found = self._connection.rows("count_of_author", author.key)
        return sum(live for readers, live in found if readers_of(readers).admits(author))

    def author_spaces(self, author: Actor) -> list[Space]:
        with self._translate_errors():
            found = self._connection.rows("spaces_of_author", author.key)
        read = {coordinates for coordinates, readers in found if readers_of(readers).admits(author)}
        return sorted(map(records.read_space, read), key=lambda space: space.id)

    def least_important(
        self,
        sight: Sight,
        space: Space,
        readers: Readers,
        author: bytes,
        kinds: Sequence[Kind],
        count: int,
        *,
        oldest: bool = False,
        before: Moment | None = None,
        audience: Audience = PLAIN,
    ) -> list[Item]:
        partition = self._partition_in_sight(self._write, sight, space, readers, audience)
        asked = (partition, oldest, VERY_LATE if before is None else before)
        with self._translate_errors():
            stored = map(row_of, self._connection.each("items_by_importance", *asked))
            items = (item_of(row) for row in stored if is_intact(self.keys, row))
            own = (item for item in items if item.author.key == author and item.kind in kinds and sight.admits(item))
            return list(islice(own, count))

    def eviction_candidates(
        self, sight: Sight, author: Actor, *, oldest: bool = False, before: Moment | None = None
    ) -> Iterator[Item]:
        asked = (author.key, oldest, VERY_LATE if before is None else before, author.id)
        with self._translate_errors():
            numbers = [no for (no,) in self._connection.rows("items_of_author", *asked)]
        for start in range(0, len(numbers), _A_FEW):
            few = numbers[start : start + _A_FEW]
            found = {row[0]: item_of(row) for row in self._intact_rows("items_by_no", self._array(few))}
            for item in (found[no] for no in few if no in found):
                lasts = item.author.key == author.key and item.kind is not Kind.SHORT_TERM
                if lasts and sight.seen(item.space) is not None and sight.admits(item):
                    yield item


class _Answers:
    """Answers about the partitions of statements: each question is put to the store once, however many ask it."""

    def __init__(self, store: Store, sight: Sight) -> None:
        self._store, self._sight = store, sight
        self._known: dict[Any, Any] = {}

    def next_number(self, one: Statement) -> int:
        place, author = (one.space, one.readers), one.author.key
        asked = (*place, author, one.kind, one.audience)
        return self._once(("number", asked), lambda: self._store.next_number(self._sight, *asked))

    def tick(self, one: Statement) -> int:
        asked = (one.space, one.readers, one.audience)
        return self._once(("tick", asked), lambda: self._store.tick(self._sight, *asked))

    def due_by_tick(self, one: Statement, tick: int) -> list[Item]:
        asked = (one.space, one.readers, tick, one.audience)
        return self._once(("due_by_tick", asked), lambda: self._store.due_by_tick(self._sight, *asked))

    def counts(self, one: Statement) -> Mapping[Kind, int]:
        asked = (one.space, one.readers, one.author.key, one.audience)
        if not one.wants_counts:
            return {}
        return self._once(("counts", asked), lambda: self._store.count_by_kind(self._sight, *asked))

    def authored_count(self, one: Statement) -> int:
        if not one.wants_counts:
            return 0
        return self._once(("authored_count", one.author), lambda: self._store.authored_count(one.author))

    def _once(self, question: Any, ask: Callable[[], _Answer]) -> _Answer:
        if question not in self._known:
            self._known[question] = ask()
        return cast(_Answer, self._known[question])
