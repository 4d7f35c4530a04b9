"""A write is atomic for every reader, with any number of writers."""

from __future__ import annotations

import threading

import pytest
from msgspec.structs import replace

from memfort.model.item import (
    EVERYONE,
    Authority,
    Kind,
)
from memfort.model.people.actor import ActorKind, Standpoint
from memfort.model.people.directory import Principal, Share, Trust
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.model.space import Coordinate, Level
from memfort.store.port import (
    Change,
    DropShare,
    Erase,
    PutMember,
    PutPhase,
    PutPolicy,
    PutRejectedValue,
    PutShare,
    PutSource,
    RejectedValue,
    Store,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import (
    everything,
    listed,
    texts,
    verified,
)
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    HOME,
    NEXT_DOOR,
    NOW,
    event_of,
    inserted,
    memory,
    put,
    sight_on,
    updated,
    value_of,
)
from memfort.testing.conformance.threads import in_another_thread, run_concurrently, write_then_fail
from memfort.trail.event import chain_of_space


class Atomicity(Claims):
    """A store commits changes and events together or not at all."""

    @pytest.mark.parametrize(
        "last",
        [
            pytest.param(inserted(memory(text="there already")), id="insert-twice"),
            pytest.param(updated(memory(text="nowhere", number=99)), id="update-missing"),
            pytest.param(Erase(HOME, "mem_missing"), id="erase-missing"),
            pytest.param(Erase(NEXT_DOOR, memory().id), id="erase-next-door"),
        ],
    )
    def test_one_failing_change_rolls_back_all_changes_and_events(self, store: Store, last: Change) -> None:
        put(store, memory(text="there already"))
        before = everything(store)
        fresh = memory(text="half way", number=2, created_tick=1, expires_tick=2)
        share = Share("shr_1", HOME, Principal(ActorKind.USER, "bob"), ALICE, NOW)
        changes: list[Change] = [
            inserted(fresh, origin=(NEXT_DOOR, "mem_there")),
            updated(memory(text="changed")),
            PutShare(share),
            PutSource(Source("src_1", NEXT_DOOR, "paper", None, "00", NOW, {})),
            PutRejectedValue(RejectedValue(HOME, EVERYONE, value_of("x"), Authority.USER_ASSERTED)),
            PutPhase(HOME, Phase(2, "new ways", 1)),
            PutPolicy("p1", 'name = "one"'),
            PutMember(Coordinate(Level.PROJECT, "apollo"), Principal(ActorKind.USER, "bob"), Trust.OWNER),
        ]
        with pytest.raises(ValueError, match="space"):
            store.apply([*changes, last], [event_of(fresh)])
        assert everything(store) == before
        store.apply(changes, [event_of(fresh)])
        assert everything(store) != before

    def test_changes_and_events_are_kept_together(self, store: Store) -> None:
        item = memory()
        put(store, item)
        (link,) = store.links(chain_of_space(HOME))
        assert store.items(sight_on(HOME), [item.id]) == [item]
        assert item.id.encode() in link.body

    def test_an_error_rolls_the_write_back(self, store: Store) -> None:
        put(store, memory(text="before"))
        before = everything(store)

        def half_way() -> None:
            put(store, memory(text="half way", number=2))
            assert texts(listed(store, sight_on(HOME))) == ["before", "half way"]

        write_then_fail(store, half_way)
        assert everything(store) == before
        with store.writing():
            put(store, memory(text="half way", number=2))
        assert texts(listed(store, sight_on(HOME))) == ["before", "half way"]

    def test_a_nested_write_commits_with_the_outer_one(self, store: Store) -> None:
        def inner() -> None:
            with store.writing():
                put(store, memory())

        write_then_fail(store, inner)
        assert listed(store, sight_on(HOME)) == []
        with store.writing(), store.writing():
            put(store, memory())
        assert len(listed(store, sight_on(HOME))) == 1

    def test_a_failed_nested_write_is_rolled_back_alone(self, store: Store) -> None:
        with store.writing():
            put(store, memory(text="first"))
            with pytest.raises(ValueError, match="space"):
                put(store, memory(text="second", number=2), memory(text="first"))
            put(store, memory(text="third", number=3))
        assert texts(listed(store, sight_on(HOME))) == ["first", "third"]
        assert [link.number for link in store.links(chain_of_space(HOME))] == [1, 2]

    def test_a_rolled_back_space_number_is_not_given_to_another_space(self, store: Store) -> None:
        def fail() -> None:
            with store.writing():
                put(store, memory(NEXT_DOOR, "of next door"))
                put(store, memory(HOME, "of home"), memory(HOME, "of home"))

        with pytest.raises(ValueError, match="space"):
            fail()
        with store.writing():
            with pytest.raises(ValueError, match="space"):
                put(store, memory(NEXT_DOOR, "of next door"), memory(NEXT_DOOR, "of next door"))
            put(store, memory(HOME, "of home"))
            put(store, memory(NEXT_DOOR, "later", number=2))
        put(store, memory(NEXT_DOOR, "last", number=3), memory(HOME, "at home", number=2))
        assert texts(listed(store, sight_on(HOME))) == ["at home", "of home"]
        assert texts(listed(store, sight_on(NEXT_DOOR))) == ["last", "later"]
        assert list(store.checkup()) == []

    def test_a_write_is_visible_to_others_only_after_it_commits(self, store: Store) -> None:
        with store.writing():
            put(store, memory())
            assert in_another_thread(lambda: listed(store, sight_on(HOME))) == []
            assert in_another_thread(lambda: list(store.links(chain_of_space(HOME)))) == []
        assert len(in_another_thread(lambda: listed(store, sight_on(HOME)))) == 1

    def test_reading_is_one_snapshot(self, store: Store) -> None:
        share = Share("shr_1", HOME, Principal(ActorKind.USER, "bob"), ALICE, NOW)
        put(store, memory(text="before"))
        store.apply([PutShare(share)], [])
        asked = Standpoint(BOB, (Coordinate(Level.USER, "bob"),))
        with store.reading():
            assert (texts(listed(store, sight_on(HOME))), store.facts(asked).shared) == (["before"], (HOME,))
            in_another_thread(lambda: store.apply([DropShare("shr_1"), Erase(HOME, memory().id)], []))
            with store.reading():
                assert (texts(listed(store, sight_on(HOME))), store.facts(asked).shared) == (["before"], (HOME,))
        assert (texts(listed(store, sight_on(HOME))), store.facts(asked).shared) == ([], ())

    def test_no_update_is_lost_between_writers(self, store: Store) -> None:
        put(store, memory())
        id, writers, times = memory().id, 4, 12

        def count_up() -> None:
            for _ in range(times):
                with store.writing():
                    (now,) = store.items(sight_on(HOME), [id])
                    after = replace(now, version=now.version + 1)
                    store.apply([updated(after)], [event_of(after)])

        run_concurrently([count_up] * writers)
        (item,) = store.items(sight_on(HOME), [id])
        assert item.version == 1 + writers * times
        assert [link.number for link in store.links(chain_of_space(HOME))] == list(range(1, 2 + writers * times))
        assert verified(store, chain_of_space(HOME))

    def test_numbers_taken_by_many_writers_are_all_different(self, store: Store) -> None:
        def remember() -> None:
            for _ in range(10):
                with store.writing():
                    number = store.next_number(sight_on(HOME), HOME, EVERYONE, ALICE.key, Kind.SEMANTIC)
                    put(store, memory(number=number))

        run_concurrently([remember] * 4)
        assert sorted(item.number for item in listed(store, sight_on(HOME))) == list(range(1, 41))

    def test_readers_see_whole_writes_only(self, store: Store) -> None:
        first, second = memory(text="first"), memory(text="second", number=2)
        put(store, first, second)
        done = threading.Event()

        def write() -> None:
            for version in range(2, 30):
                store.apply([updated(replace(one, version=version)) for one in (first, second)], [])
            done.set()

        def read() -> None:
            while not done.is_set():
                with store.reading():
                    (one,) = store.items(sight_on(HOME), [first.id])
                    (other,) = store.items(sight_on(HOME), [second.id])
                assert one.version == other.version

        run_concurrently([write, read, read])
