"""The counters of a partition: ticks, memories due by tick, memories in force per author, and the least important."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from memfort.model.item import EVERYONE, Kind, Readers, Status, memory_id
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import Erase, Reindex, Store
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import counted, texts
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    HOME,
    NEXT_DOOR,
    NOW,
    entry_of,
    memory,
    put,
    sight_on,
    updated,
)

FOR_ALICE = Readers.of(users=["alice"])
FOR_BOB = Readers.of(users=["bob"])
ALICE_HELPED = Actor(ActorKind.AGENT, "alice")  # the same name, but another actor
REINDEX = Reindex(entry_of)
NOTHING: tuple[int, list[str], dict[Kind, int], list[str]] = (0, [], {}, [])


class Counters(Claims):
    """A store counts each partition separately, and reveals no count of what a sight may not see."""

    def test_counters_are_per_partition(self, store: Store) -> None:
        put(store, memory(text="tea", created_tick=3, expires_tick=4))
        before = counted(store, sight_on(HOME), HOME)
        assert before == (3, ["tea"], {Kind.SEMANTIC: 1}, ["tea"])
        put(store, memory(NEXT_DOOR, "jam", created_tick=9, expires_tick=10))
        put(store, memory(text="ink", created_tick=7, expires_tick=8, readers=FOR_ALICE))
        put(store, memory(text="rum", created_tick=8, expires_tick=9, readers=FOR_BOB))
        assert counted(store, sight_on(HOME), HOME) == before
        assert counted(store, sight_on(HOME), HOME, FOR_ALICE) == (7, ["ink"], {Kind.SEMANTIC: 1}, ["ink"])

    def test_memories_out_of_sight_are_not_counted(self, store: Store) -> None:
        put(store, memory(text="tea", created_tick=3, expires_tick=4))
        put(store, memory(text="rum", created_tick=8, expires_tick=9, readers=FOR_BOB))
        assert counted(store, sight_on(NEXT_DOOR), HOME) == NOTHING
        assert counted(store, sight_on(HOME), NEXT_DOOR) == NOTHING
        assert counted(store, sight_on(HOME), HOME, FOR_BOB) == NOTHING
        assert counted(store, sight_on(HOME), HOME, author=BOB) == (3, ["tea"], {}, [])
        assert counted(store, sight_on(HOME, actor=BOB), HOME, FOR_BOB) == (8, ["rum"], {Kind.SEMANTIC: 1}, ["rum"])
        assert counted(store, sight_on(HOME, whole=True), HOME, FOR_BOB)[0] == 8

    def test_a_tick_never_goes_back(self, store: Store) -> None:
        first, last = memory(text="first", created_tick=1), memory(text="last", number=2, created_tick=2)
        put(store, first, last)
        store.apply([updated(replace(first, deleted_at_us=NOW, version=2)), Erase(HOME, last.id), REINDEX], [])
        assert store.tick(sight_on(HOME), HOME) == 2

    def test_a_memory_that_was_ever_in_force_advances_the_tick(self, store: Store) -> None:
        put(store, memory(status=Status.SUPERSEDED, created_tick=4))
        assert store.tick(sight_on(HOME), HOME) == 4
        waiting = memory(text="waiting", number=2, status=Status.PENDING)
        put(store, waiting)
        assert store.tick(sight_on(HOME), HOME) == 4
        store.apply([updated(replace(waiting, status=Status.APPROVED, created_tick=5, version=2))], [])
        assert store.tick(sight_on(HOME), HOME) == 5

    def test_a_memory_fades_exactly_at_its_tick(self, store: Store) -> None:
        put(store, memory(text="fades", expires_tick=5), memory(text="stays", number=2))
        seen = [texts(store.due_by_tick(sight_on(HOME), HOME, EVERYONE, tick)) for tick in (0, 4, 5, 6)]
        assert seen == [[], [], ["fades"], ["fades"]]

    def test_due_memories_come_in_the_order_of_ids(self, store: Store) -> None:
        items = [memory(number=number, expires_tick=9 - number) for number in range(1, 8)]
        put(store, *items)
        found = [item.id for item in store.due_by_tick(sight_on(HOME), HOME, EVERYONE, 9)]
        assert found == sorted(item.id for item in items)

    @pytest.mark.parametrize(
        "end",
        [
            {"deleted_at_us": NOW},
            {"status": Status.SUPERSEDED},
            {"status": Status.REJECTED},
            {"status": Status.PENDING},
        ],
    )
    def test_only_memories_in_force_count(self, store: Store, end: dict[str, Any]) -> None:
        item = memory(text="tea", created_tick=1, expires_tick=2)
        there = (1, ["tea"], {Kind.SEMANTIC: 1}, ["tea"])
        gone = (1, *NOTHING[1:])
        put(store, item)
        seen = [counted(store, sight_on(HOME), HOME)]
        for change in (updated(replace(item, version=2, **end)), REINDEX, updated(replace(item, version=3)), REINDEX):
            store.apply([change], [])
            seen.append(counted(store, sight_on(HOME), HOME))
        store.apply([Erase(HOME, item.id)], [])
        assert seen == [there, gone, gone, there, there]
        assert counted(store, sight_on(HOME), HOME) == gone
        assert store.authored_count(ALICE) == 0

    def test_a_memory_never_in_force_does_not_count(self, store: Store) -> None:
        put(store, memory(status=Status.PENDING, expires_tick=1), memory(text="tea", number=2))
        assert counted(store, sight_on(HOME), HOME) == (0, [], {Kind.SEMANTIC: 1}, ["tea"])
        store.apply([Erase(HOME, memory().id)], [])
        assert counted(store, sight_on(HOME), HOME) == (0, [], {Kind.SEMANTIC: 1}, ["tea"])

    def test_changing_the_reader_list_moves_the_count(self, store: Store) -> None:
        item = memory(text="tea", created_tick=1, expires_tick=2)
        put(store, item)
        store.apply([updated(replace(item, readers=FOR_ALICE, version=2))], [])
        assert counted(store, sight_on(HOME), HOME) == (1, [], {}, [])
        assert counted(store, sight_on(HOME), HOME, FOR_ALICE) == (1, ["tea"], {Kind.SEMANTIC: 1}, ["tea"])
        assert store.authored_count(ALICE) == 1

    def test_count_by_kind_is_per_author(self, store: Store) -> None:
        put(store, *_memories_of_kinds(short_term=3, semantic=2, profile=1), memory(author=BOB, text="of bob"))
        own = store.count_by_kind(sight_on(HOME), HOME, EVERYONE, ALICE.key)
        assert own == {Kind.SHORT_TERM: 3, Kind.SEMANTIC: 2, Kind.PROFILE: 1}
        assert store.count_by_kind(sight_on(HOME), HOME, EVERYONE, BOB.key) == {Kind.SEMANTIC: 1}

    def test_an_authors_memories_are_counted_across_spaces(self, store: Store) -> None:
        put(store, *_memories_of_kinds(short_term=3, semantic=2, profile=1))
        put(store, memory(NEXT_DOOR, "jam"), memory(text="rum", readers=FOR_BOB), memory(author=BOB, text="of bob"))
        stranger = Actor(ActorKind.USER, "stranger")
        # What alice wrote for bob alone is not counted: bob may end it, and alice must not notice.
        assert (store.authored_count(ALICE), store.authored_count(BOB), store.authored_count(stranger)) == (4, 1, 0)
        store.apply([REINDEX], [])
        assert (store.authored_count(ALICE), store.authored_count(BOB)) == (4, 1)
        store.apply([Erase(NEXT_DOOR, memory(NEXT_DOOR).id), updated(memory(readers=FOR_BOB, deleted_at_us=NOW))], [])
        assert store.authored_count(ALICE) == 3

    def test_least_important_orders_by_importance_then_age_then_id(self, store: Store) -> None:
        weights = [(10.0, 0), (9, 0), (0.5, 2), (0.5, 1), (0.5, 1), (-1.0, 5), (0, 3)]
        items = [memory(number=n, importance=weight, at=NOW + age) for n, (weight, age) in enumerate(weights, start=1)]
        put(store, *items)
        expected = sorted(items, key=lambda item: (item.importance, item.created_at_us, item.id))
        for count in (0, 1, 3, 7, 100):
            least_important = store.least_important(sight_on(HOME), HOME, EVERYONE, ALICE.key, [Kind.SEMANTIC], count)
            assert least_important == expected[:count]

    def test_least_important_is_limited_to_the_author_and_kinds(self, store: Store) -> None:
        lighter = memory(author=BOB, text="of bob", importance=0.0)
        put(store, *_memories_of_kinds(short_term=1, semantic=1, profile=1), lighter)

        def least_important(*kinds: Kind) -> list[Kind]:
            return sorted(
                one.kind for one in store.least_important(sight_on(HOME), HOME, EVERYONE, ALICE.key, kinds, 9)
            )

        assert least_important(Kind.PROFILE) == [Kind.PROFILE]
        assert least_important(Kind.SEMANTIC, Kind.SHORT_TERM) == [Kind.SEMANTIC, Kind.SHORT_TERM]
        assert least_important() == []

    def test_least_important_may_order_by_age_and_skip_young_memories(self, store: Store) -> None:
        items = [memory(number=n, importance=9 - n, at=NOW + n) for n in range(1, 6)]
        put(store, *items)

        def least_important(**order: Any) -> list[int]:
            found = store.least_important(sight_on(HOME), HOME, EVERYONE, ALICE.key, [Kind.SEMANTIC], 9, **order)
            assert found == list(store.eviction_candidates(sight_on(HOME), ALICE, **order))
            return [item.number for item in found]

        assert (least_important(), least_important(oldest=True)) == ([5, 4, 3, 2, 1], [1, 2, 3, 4, 5])
        assert (least_important(before=NOW + 3), least_important(oldest=True, before=NOW + 3)) == ([3, 2, 1], [1, 2, 3])
        assert least_important(before=NOW) == []

    def test_eviction_candidates_are_the_authors_memories_in_sight(self, store: Store) -> None:
        put(store, *_memories_of_kinds(short_term=3, semantic=2, profile=1))
        put(store, memory(NEXT_DOOR, "jam"), memory(text="rum", readers=FOR_BOB), memory(text="ink", readers=FOR_ALICE))
        put(store, memory(author=BOB, text="of bob"), memory(author=ALICE_HELPED, text="of a helper"))
        assert _eviction_candidates(store, sight_on(HOME)) == ["ink", "tea", "tea", "tea"]
        assert _eviction_candidates(store, sight_on(HOME, NEXT_DOOR)) == ["ink", "jam", "tea", "tea", "tea"]
        assert _eviction_candidates(store, sight_on(HOME, whole=True)) == ["ink", "rum", "tea", "tea", "tea"]
        assert _eviction_candidates(store, sight_on(HOME), BOB) == ["of bob"]
        assert _eviction_candidates(store, sight_on(HOME), ALICE_HELPED) == ["of a helper"]
        for nothing in (sight_on(), sight_on(whole=True), sight_on(Space.of({"project": "apollo"}))):
            assert _eviction_candidates(store, nothing) == []

    def test_eviction_candidates_come_in_one_order_across_spaces(self, store: Store) -> None:
        places = [HOME, NEXT_DOOR, Space.of({"project": "apollo"})]
        weights = [(0.5, 2), (0.5, 1), (10.0, 0), (9, 3), (-1.0, 1), (0.5, 1)]
        items = [
            memory(place, importance=weight, at=NOW + age, number=number, id=f"mem_{number}")
            for number, (weight, age) in enumerate(weights)
            for place in places
        ]
        put(store, *items)
        by_weight = sorted(items, key=lambda item: (item.importance, item.created_at_us, item.id, item.space.id))
        by_age = sorted(items, key=lambda item: (item.created_at_us, item.id, item.space.id))
        assert list(store.eviction_candidates(sight_on(*places), ALICE)) == by_weight
        assert list(store.eviction_candidates(sight_on(*places), ALICE, oldest=True)) == by_age

    @pytest.mark.parametrize("end", [{"deleted_at_us": NOW}, {"status": Status.SUPERSEDED}, {"status": Status.PENDING}])
    def test_memories_not_in_force_are_no_eviction_candidates(self, store: Store, end: dict[str, Any]) -> None:
        item = memory()
        put(store, item)
        assert (_eviction_candidates(store, sight_on(HOME)), store.author_spaces(ALICE)) == (["tea"], [HOME])
        store.apply([updated(replace(item, version=2, **end))], [])
        assert (_eviction_candidates(store, sight_on(HOME)), store.author_spaces(ALICE)) == ([], [])

    def test_authored_spaces_are_those_with_readable_memories_of_the_author(self, store: Store) -> None:
        project, talk = Space.of({"project": "apollo"}), Space.of({"user": "alice", "session": "s1"})
        put(store, memory(HOME), memory(NEXT_DOOR), memory(project, readers=FOR_ALICE), memory(author=BOB, text="bob"))
        put(store, memory(project, "rum", number=2, author=BOB), memory(talk, kind=Kind.SHORT_TERM))
        put(store, memory(Space.of({"org": "acme"}), readers=FOR_BOB))  # which alice can no longer read
        assert store.author_spaces(ALICE) == sorted([HOME, NEXT_DOOR, project], key=lambda space: space.id)
        assert store.author_spaces(BOB) == sorted([HOME, project], key=lambda space: space.id)
        assert store.author_spaces(ALICE_HELPED) == []


def _eviction_candidates(store: Store, sight: Sight, author: Actor = ALICE) -> list[str]:
    return texts(store.eviction_candidates(sight, author))


def _memories_of_kinds(**counts: int) -> list[Any]:
    """This many memories of alice of each kind."""
    kinds = [(Kind(kind), number) for kind, count in counts.items() for number in range(1, count + 1)]
    return [
        memory(kind=kind, number=number, key="x", id=memory_id(HOME, EVERYONE, ALICE, kind, number))
        for kind, number in kinds
    ]
