"""What a write counts with is read once and written down once, and is never wrong: not after a failure, not in the
middle of a write, not beside others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from memfort.errors import StoreBroken, StoreError
from memfort.model.item import EVERYONE, Authority, ChangeKeys, Kind
from memfort.model.people.actor import ActorKind, Standpoint
from memfort.model.people.directory import Principal, Share
from memfort.model.space import Coordinate, Level
from memfort.store.port import DropShare, PutRejectedValue, PutShare, RejectedValue
from memfort.store.sqlite import SqliteStore
from memfort.testing.conformance import ALICE, BOB, HOME, NOW, found, listed, memory, put, sight_on, texts, value_of
from memfort.testing.conformance.inspection import verified
from memfort.trail.event import chain_of_space

SEEN = sight_on(HOME)
AT_BOB = Standpoint(BOB, (Coordinate(Level.USER, "bob"),))
SHARE = Share("shr_1", HOME, Principal(ActorKind.USER, "bob"), ALICE, NOW)
STATEMENTS_OF_ONE = 4  # the memory, its entry in the index, its mark, its event


@pytest.fixture
def store(store: SqliteStore) -> SqliteStore:
    put(store, memory(text="first", created_tick=1))
    return store


@pytest.fixture
def other(store: SqliteStore, path: Path) -> Iterator[SqliteStore]:
    """A second store on the same file, which counts for itself."""
    made = SqliteStore(path, ballast_bytes=0, wait_seconds=5)
    yield made
    made.close()


def counted(store: SqliteStore) -> tuple[int, int, int]:
    """The next number on the partition, its tick, and the length of its trail."""
    number = store.next_number(SEEN, HOME, EVERYONE, ALICE.key, Kind.SEMANTIC)
    return number, store.tick(SEEN, HOME), len(list(store.links(chain_of_space(HOME))))


def write(store: SqliteStore, number: int, text: str = "more") -> None:
    put(store, memory(text=f"{text} {number}", number=number, created_tick=number))


def statements(store: SqliteStore, work: Callable[[], object]) -> int:
    seen: list[str] = []
    writer = store._connections.writer_outside_transaction().raw
    writer.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: seen.append(event["sql"]))
    try:
        work()
    finally:
        writer.trace_v2(0, None)
    return len(seen)


def test_one_more_memory_in_a_write_costs_a_few_statements(store: SqliteStore) -> None:
    def many(first: int, count: int) -> Callable[[], object]:
        def work() -> None:
            with store.writing():
                for number in range(first, first + count):
                    assert store.next_number(SEEN, HOME, EVERYONE, ALICE.key, Kind.SEMANTIC) == number
                    assert store.tick(SEEN, HOME) == number - 1
                    assert store.rejected_value(SEEN, HOME, EVERYONE, b"never") is None
                    assert store.due_by_tick(SEEN, HOME, EVERYONE, number) == []
                    write(store, number)

        return work

    few, more = statements(store, many(2, 10)), statements(store, many(12, 110))
    assert (more - few) / 100 <= STATEMENTS_OF_ONE
    assert counted(store) == (122, 121, 121)
    assert verified(store, chain_of_space(HOME))
    assert list(store.checkup()) == []


def test_reads_inside_a_write_see_its_counters(store: SqliteStore) -> None:
    with store.writing():
        write(store, 2)
        assert counted(store) == (3, 2, 2)
        assert store.count_by_kind(SEEN, HOME, EVERYONE, ALICE.key) == {Kind.SEMANTIC: 2}
        assert sorted(found(store, SEEN, "more")) == ["more 2"]
        assert verified(store, chain_of_space(HOME))
        write(store, 3)
        assert store.authored_count(ALICE) == 3
    assert counted(store) == (4, 3, 3)
    assert list(store.checkup()) == []


def test_counters_of_a_rolled_back_part_are_rolled_back(store: SqliteStore) -> None:
    def part() -> None:
        with store.writing():
            write(store, 3)
            assert store.authored_count(ALICE) == 3  # written down, and taken back all the same
            write(store, 4)
            raise InterruptedError

    with store.writing():
        write(store, 2)
        with pytest.raises(InterruptedError):
            part()
        assert counted(store) == (3, 2, 2)
        write(store, 3)
    assert counted(store) == (4, 3, 3)
    assert verified(store, chain_of_space(HOME))
    assert list(store.checkup()) == []


def test_a_write_that_failed_has_counted_nothing(store: SqliteStore) -> None:
    def fail() -> None:
        with store.writing():
            write(store, 2)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fail()
    assert counted(store) == (2, 1, 1)
    write(store, 2)
    assert counted(store) == (3, 2, 2)
    assert verified(store, chain_of_space(HOME))
    assert list(store.checkup()) == []


def test_a_memory_that_is_there_already_counts_for_nothing_and_spoils_nothing(store: SqliteStore) -> None:
    with store.writing():
        write(store, 2)
        with pytest.raises(ValueError, match="already"):
            write(store, 2)
        write(store, 3)
    assert texts(listed(store, SEEN)) == ["first", "more 2", "more 3"]
    assert counted(store) == (4, 3, 3)
    assert verified(store, chain_of_space(HOME))
    assert list(store.checkup()) == []


def test_a_write_continues_from_the_counters_of_other_writers(store: SqliteStore, other: SqliteStore) -> None:
    for number in range(2, 12):
        write((store, other)[number % 2], number)
    assert counted(store) == counted(other) == (12, 11, 11)
    assert verified(store, chain_of_space(HOME))
    assert list(store.checkup()) == []


def test_a_part_that_fails_half_way_costs_the_whole_write(store: SqliteStore, path: Path) -> None:
    put(store, memory(text="about alice", number=2, created_tick=2, subjects=("@alice",)))  # its partition is known
    with apsw.Connection(str(path)) as stranger:
        stranger.execute("drop table subject")

    def go_on_regardless() -> None:
        with store.writing():
            store.apply([], [])
            with pytest.raises(StoreBroken):
                put(store, memory(text="more 3", number=3, created_tick=3, subjects=("@alice",)))
            with pytest.raises(StoreError, match="half-way"):
                store.apply([], [])

    with pytest.raises(StoreError, match="half-way"):
        go_on_regardless()
    assert texts(listed(store, SEEN)) == ["about alice", "first"]
    with store.writing():  # the next one is not held to it
        pass


def test_a_failing_flush_rolls_back_the_whole_write(store: SqliteStore, path: Path) -> None:
    with apsw.Connection(str(path)) as stranger:
        stranger.execute("drop table change_key")

    def go_on_regardless() -> None:
        with store.writing():
            write(store, 2)
            with pytest.raises(StoreBroken):
                found(store, SEEN, "more")  # it is looked for, so it is put down
            with pytest.raises(StoreError, match="half-way"):
                write(store, 3)

    with pytest.raises(StoreError, match="half-way"):
        go_on_regardless()
    with pytest.raises(StoreBroken):  # at the end at the latest
        write(store, 2)
    assert texts(listed(store, SEEN)) == ["first"]
    assert counted(store) == (2, 1, 1)


def test_buffered_writes_are_visible_to_reads(store: SqliteStore) -> None:
    with store.writing():
        for number in range(2, 252):  # more than is held back at once
            write(store, number)
            if number % 60 == 0:
                assert len(found(store, SEEN, "more")) == number - 1
        assert len(list(store.links(chain_of_space(HOME)))) == 251
    assert counted(store) == (252, 251, 251)
    assert verified(store, chain_of_space(HOME))
    assert list(store.checkup()) == []


def test_a_value_that_another_writes_has_a_rival_in_the_next_write(store: SqliteStore, other: SqliteStore) -> None:
    def rivals(text: str) -> list[str]:
        with store.writing():
            return texts(store.rivals(SEEN, HOME, EVERYONE, value_of(text)))

    assert (rivals("first"), rivals("more 2"), rivals("more 3")) == (["first"], [], [])
    write(other, 2)
    assert (rivals("first"), rivals("more 2"), rivals("more 3")) == (["first"], ["more 2"], [])
    write(store, 3)
    assert rivals("more 3") == ["more 3"]


def test_rivals_are_found_however_many_values_there_are(store: SqliteStore) -> None:
    with store.writing():
        for number in range(2, 402):
            assert store.rivals(SEEN, HOME, EVERYONE, value_of(f"more {number}")) == []
            write(store, number)
            assert texts(store.rivals(SEEN, HOME, EVERYONE, value_of(f"more {number}"))) == [f"more {number}"]


def test_a_bar_that_another_sets_is_seen_by_the_next_write(store: SqliteStore, other: SqliteStore) -> None:
    def rejected_value() -> RejectedValue | None:
        with store.writing():
            return store.rejected_value(SEEN, HOME, EVERYONE, value_of("tea"))

    assert rejected_value() is None
    other.apply([PutRejectedValue(RejectedValue(HOME, EVERYONE, value_of("tea"), Authority.SYSTEM_IMPOSED))], [])
    assert rejected_value() is not None


def test_a_bar_is_seen_in_the_write_that_sets_it(store: SqliteStore) -> None:
    with store.writing():
        assert store.rejected_value(SEEN, HOME, EVERYONE, value_of("tea")) is None
        store.apply([PutRejectedValue(RejectedValue(HOME, EVERYONE, value_of("tea"), Authority.SYSTEM_IMPOSED))], [])
        assert store.rejected_value(SEEN, HOME, EVERYONE, value_of("tea")) is not None


def test_memories_due_by_tick_are_found_however_late_they_were_put(store: SqliteStore) -> None:
    with store.writing():
        assert store.due_by_tick(SEEN, HOME, EVERYONE, 9) == []
        put(store, memory(text="soon gone", number=2, created_tick=2, expires_tick=5))
        assert store.due_by_tick(SEEN, HOME, EVERYONE, 4) == []
        assert texts(store.due_by_tick(SEEN, HOME, EVERYONE, 5)) == ["soon gone"]


def test_a_share_is_known_to_writes_as_long_as_it_lasts(store: SqliteStore, other: SqliteStore) -> None:
    def shared(by: SqliteStore) -> int:
        with by.writing():
            return len(by.facts(AT_BOB).shared)

    assert shared(store) == 0
    other.apply([PutShare(SHARE)], [])
    assert shared(store) == 1
    with store.writing():
        store.apply([DropShare(SHARE.id)], [])
        assert len(store.facts(AT_BOB).shared) == 0
    assert shared(other) == 0


def test_a_rolled_back_share_was_never_known(store: SqliteStore) -> None:
    def part() -> None:
        with store.writing():
            store.apply([PutShare(SHARE)], [])
            assert len(store.facts(AT_BOB).shared) == 1
            raise InterruptedError

    with store.writing():
        assert len(store.facts(AT_BOB).shared) == 0
        with pytest.raises(InterruptedError):
            part()
        assert len(store.facts(AT_BOB).shared) == 0


def with_change_keys(store: SqliteStore, text: str) -> list[str]:
    return texts(store.with_change_keys(SEEN, HOME, EVERYONE, ChangeKeys(tuple(text.split())), 9))


def test_a_mark_is_found_by_the_write_that_makes_it_and_by_those_after_it(store: SqliteStore) -> None:
    with store.writing():
        assert (with_change_keys(store, "more 2"), with_change_keys(store, "first")) == ([], ["first"])
        write(store, 2)
        assert with_change_keys(store, "more 2") == ["more 2"]
    with store.writing():
        assert [with_change_keys(store, text) for text in ("first", "more 2", "more 3")] == [["first"], ["more 2"], []]


def test_a_rolled_back_change_key_can_be_made_again(store: SqliteStore) -> None:
    def part() -> None:
        with store.writing():
            write(store, 2)
            assert with_change_keys(store, "more 2") == ["more 2"]
            raise InterruptedError

    with store.writing():
        assert with_change_keys(store, "more 2") == []
        with pytest.raises(InterruptedError):
            part()
        assert with_change_keys(store, "more 2") == []
        write(store, 2)
        assert with_change_keys(store, "more 2") == ["more 2"]


def test_a_mark_that_another_makes_is_found_by_the_next_write(store: SqliteStore, other: SqliteStore) -> None:
    with store.writing():
        assert with_change_keys(store, "more 2") == []
    write(other, 2)
    with store.writing():
        assert with_change_keys(store, "more 2") == ["more 2"]


def test_looking_for_change_keys_that_are_not_there_costs_no_statement_in_the_end(store: SqliteStore) -> None:
    def look() -> None:
        with store.writing():
            for number in range(100):
                assert with_change_keys(store, f"nothing {number}") == []
            assert with_change_keys(store, "first") == ["first"]

    assert statements(store, look) < 10
