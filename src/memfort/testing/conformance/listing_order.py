"""What a listing shows, in which order, and when a memory ends."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from memfort.model.item import (
    EVERYONE,
    Item,
    Kind,
    Readers,
    Status,
)
from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import (
    Erase,
    Filter,
    Position,
    Store,
    position_of,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import (
    found,
    listed,
    partitions,
    statistics,
    texts,
)
from memfort.testing.conformance.samples import (
    EVERYTHING,
    HOME,
    LATER,
    NEXT_DOOR,
    NOW,
    fill,
    memory,
    put,
    sight_on,
    updated,
)


class ListingOrder(Claims):
    """A store lists memories from newest to oldest, up to the instant they end."""

    def test_a_memory_expires_exactly_at_its_limit(self, store: Store) -> None:
        put(store, memory(HOME, "short tea", expires_at_us=LATER), memory(HOME, "long lasting tea", number=2))
        sight, instant, before = sight_on(HOME), LATER, Moment(LATER - 1)
        assert statistics(partitions(store, sight, ["tea"], before)) == [(0, 2, 5)]
        assert statistics(partitions(store, sight, ["tea"], instant)) == [(0, 1, 3)]
        assert found(store, sight, "tea", before) == ["long lasting tea", "short tea"]
        assert found(store, sight, "tea", instant) == ["long lasting tea"]
        assert texts(listed(store, sight, before, Filter())) == ["long lasting tea", "short tea"]
        assert texts(listed(store, sight, instant, Filter())) == ["long lasting tea"]
        assert texts(store.overdue(sight, before)) == []
        assert texts(store.overdue(sight, instant)) == ["short tea"]

    def test_a_partition_with_only_ended_memories_is_omitted(self, store: Store) -> None:
        put(store, memory(HOME, "short tea", expires_at_us=LATER))
        assert len(partitions(store, sight_on(HOME), ["tea"], NOW)) == 1
        assert partitions(store, sight_on(HOME), ["tea"], LATER) == []

    def test_overdue_respects_its_limit(self, store: Store) -> None:
        all_due = [memory(text=f"due {number}", number=number, expires_at_us=NOW) for number in range(1, 6)]
        put(store, *all_due)
        sight = sight_on(HOME)
        assert len(store.overdue(sight, NOW)) == 5
        left = set(texts(store.overdue(sight, NOW)))
        while some := store.overdue(sight, NOW, 2):
            assert len(some) <= 2
            assert {item.text for item in some} <= left
            left -= {item.text for item in some}
            store.apply([updated(replace(item, deleted_at_us=NOW, version=2)) for item in some], [])
        assert left == set()

    def test_overdue_lists_only_memories_not_yet_swept(self, store: Store) -> None:
        states: list[dict[str, Any]] = [
            {"text": "kept"},
            {"text": "waiting", "status": Status.PENDING},
            {"text": "swept", "deleted_at_us": NOW},
            {"text": "rejected", "status": Status.REJECTED},
            {"text": "replaced", "status": Status.SUPERSEDED},
        ]
        put(store, *(memory(number=n, expires_at_us=NOW, **state) for n, state in enumerate(states, start=1)))
        assert sorted(texts(store.overdue(sight_on(HOME), NOW))) == ["kept", "rejected", "replaced", "waiting"]

    def test_extreme_moments_are_stored_exactly(self, store: Store) -> None:
        ancient, remote = memory(HOME, "ancient", at=-(10**15)), memory(HOME, "remote", number=2, at=10**17)
        put(store, ancient, remote)
        assert [item.text for item in listed(store, sight_on(HOME))] == ["remote", "ancient"]

    def test_a_listing_goes_from_newest_to_oldest_then_by_id_then_by_space(self, store: Store) -> None:
        everything, sight = self._tied(store)
        expected = sorted(everything, key=lambda item: (-item.created_at_us, item.id, item.space.id))
        assert listed(store, sight) == expected

    @pytest.mark.parametrize("limit", [1, 2, 3, 7, 1000])
    def test_pages_never_skip_and_never_repeat(self, store: Store, limit: int) -> None:
        everything, sight = self._tied(store)
        paged: list[Item] = []
        after: Position | None = None
        while page := store.page(sight, EVERYTHING, after, limit, NOW):
            assert len(page) <= limit
            assert page[0] not in paged
            paged += page
            after = position_of(page[-1])
        assert paged == listed(store, sight)
        assert len(paged) == len(everything)

    def test_writes_between_pages_do_not_move_a_position(self, store: Store) -> None:
        put(store, *(memory(number=n, at=NOW + n) for n in range(1, 7)))
        sight = sight_on(HOME)
        expected = listed(store, sight)
        first = store.page(sight, EVERYTHING, None, 3, NOW)
        put(store, memory(number=7, at=NOW + 100))
        store.apply([Erase(HOME, first[-1].id)], [])
        assert first + store.page(sight, EVERYTHING, position_of(first[-1]), 10, NOW) == expected

    def test_filters_are_applied_before_the_limit(self, store: Store) -> None:
        put(store, memory(text="wanted", tags=("x", "y"), at=NOW), *(memory(number=n, at=NOW + n) for n in range(2, 9)))
        only_wanted = Filter(and_only=lambda item: item.text == "wanted")
        assert texts(store.page(sight_on(HOME), Filter(tags=frozenset({"x"})), None, 1, NOW)) == ["wanted"]
        assert texts(store.page(sight_on(HOME), only_wanted, None, 1, NOW)) == ["wanted"]

    def test_a_filter_is_never_called_for_memories_out_of_sight(self, store: Store) -> None:
        asked: list[str] = []

        def is_short(item: Item) -> bool:
            asked.append(item.text)
            return len(item.text) < 5

        put(store, memory(text="mine"), memory(NEXT_DOOR, "other"), memory(text="rum", readers=Readers.of(["bob"])))
        assert texts(listed(store, sight_on(HOME), NOW, Filter(and_only=is_short))) == asked == ["mine"]

    @pytest.mark.parametrize(
        ("filter", "expected"),
        [
            (Filter(), ["fact", "imported", "plain"]),
            (Filter(statuses=frozenset({Status.PENDING})), ["waiting"]),
            (Filter(statuses=frozenset()), []),
            (Filter(types=frozenset({"fact"})), ["fact"]),
            (Filter(types=frozenset()), []),
            (Filter(kinds=frozenset({Kind.PROFILE})), []),
            (Filter(source="src_1"), ["imported"]),
            (Filter(deleted=True), ["fact", "forgotten", "imported", "plain"]),
            (Filter(expired=True), ["ended", "fact", "imported", "plain"]),
            (Filter(and_only=lambda item: item.text > "g"), ["imported", "plain"]),
            (Filter(and_only=lambda item: item.text == "forgotten"), []),
            (Filter(and_only=lambda item: item.text == "forgotten", deleted=True), ["forgotten"]),
        ],
    )
    def test_a_filter_admits_exactly_its_matches(self, store: Store, filter: Filter, expected: list[str]) -> None:
        put(
            store,
            memory(text="plain"),
            memory(text="fact", number=2, type="fact"),
            memory(text="imported", number=3, source="src_1"),
            memory(text="waiting", number=4, status=Status.PENDING),
            memory(text="forgotten", number=5, deleted_at_us=NOW),
            memory(text="ended", number=6, expires_at_us=NOW),
        )
        assert texts(listed(store, sight_on(HOME), NOW, filter)) == expected

    def test_memories_by_id_come_in_the_order_of_recall(self, store: Store) -> None:
        narrow = Space.of({"user": "alice", "project": "apollo"})
        fill(store, [HOME, narrow, NEXT_DOOR])
        by_id = store.items(sight_on(narrow, HOME), ["mem_same"])
        assert [item.space for item in by_id] == [narrow, HOME]
        assert [item.space for item in store.items(sight_on(HOME, narrow), ["mem_same"])] == [HOME, narrow]

    def _tied(self, store: Store) -> tuple[list[Item], Sight]:
        """Many memories with few ages, in several partitions, some with one id in several spaces."""
        places = [HOME, NEXT_DOOR, Space.of({"project": "apollo"})]
        everything = [
            memory(space, number=n, at=NOW + n % 3, readers=who)
            for space in places
            for who in (EVERYONE, Readers.of(["alice"]))
            for n in range(1, 8)
        ]
        everything += [memory(space, id="mem_same", number=50) for space in places]
        put(store, *everything)
        put(store, memory(Space.of({"user": "stranger"}), number=1))
        return everything, sight_on(*places)
