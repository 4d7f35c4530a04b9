"""Every read shows what is in sight and nothing else; no space means nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfort.model.item import (
    Readers,
)
from memfort.model.moment import Moment
from memfort.model.people.actor import SYSTEM
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import (
    Quarantine,
    Reindex,
    Sign,
    Store,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import (
    all_handles,
    found,
    handles,
    listed,
    partitions,
    shown,
    statistics,
    texts,
)
from memfort.testing.conformance.samples import (
    ALICE,
    EVERYTHING,
    HOME,
    HOSTILE_SPACES,
    NEXT_DOOR,
    NO_SPACE,
    NOW,
    fill,
    memory,
    put,
    sight_on,
)
from memfort.testing.strategies import readers, spaces
from memfort.trail.event import chain_of_space

# Nothing is damaged here: the tests of each store do that. The others are for whole sights only.
NOT_SHOWN: dict[str, set[Space]] = {
    "damaged": set(),
    "quarantined": set(),
    "origins": set(),
    "records": set(),
    "count_entries": set(),
}


class Isolation(Claims):
    """A store shows the named spaces and no other."""

    def test_every_read_shows_the_named_space_and_no_other(self, store: Store) -> None:
        fill(store, HOSTILE_SPACES)
        known = all_handles(store)
        for space in HOSTILE_SPACES[::5]:
            seen = shown(store, sight_on(space), HOSTILE_SPACES, known, NOW)
            assert {method: places for method, places in seen.items() if places != {space}} == NOT_SHOWN

    def test_a_sight_of_several_spaces_shows_each_of_them(self, store: Store) -> None:
        fill(store, HOSTILE_SPACES)
        known = all_handles(store)
        chosen = HOSTILE_SPACES[1::40]
        seen = shown(store, sight_on(*chosen), HOSTILE_SPACES, known, NOW)
        assert {method: places for method, places in seen.items() if places != set(chosen)} == NOT_SHOWN

    def test_a_whole_sight_shows_origins_and_records_too_in_the_named_space_and_no_other(self, store: Store) -> None:
        fill(store, HOSTILE_SPACES)
        for space in HOSTILE_SPACES[::20]:
            seen = shown(store, sight_on(space, whole=True), HOSTILE_SPACES, [], NOW)
            assert (seen["origins"], seen["derived"], seen["records"]) == ({space}, {space}, {space})
            assert seen["count_entries"] == {space}

    def test_a_refined_space_is_another_space(self, store: Store) -> None:
        narrow = Space.of({"user": "alice", "project": "apollo"})
        put(store, memory(HOME, "broad"), memory(narrow, "narrow"))
        assert texts(listed(store, sight_on(HOME))) == ["broad"]
        assert texts(listed(store, sight_on(narrow))) == ["narrow"]
        assert texts(listed(store, sight_on(HOME, narrow))) == ["broad", "narrow"]

    def test_word_statistics_are_of_the_space_alone(self, store: Store) -> None:
        put(store, memory(HOME, "tea tea milk"))
        before = partitions(store, sight_on(HOME), ["tea", "milk"], NOW)
        fill(store, HOSTILE_SPACES)
        assert partitions(store, sight_on(HOME), ["tea", "milk"], NOW) == before
        assert statistics(before) == [(0, 1, 3)]
        ((_, frequency, length),) = before[0].postings["tea"]
        assert (frequency, length) == (2, 3)

    # One suite runs for several stores, hence `differing_executors`.
    @settings(
        max_examples=20,
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.differing_executors,
        ],
    )
    @given(
        places=st.lists(st.tuples(spaces(), readers()), min_size=2, max_size=6, unique_by=lambda one: one[0].id),
        seen=st.data(),
    )
    def test_any_sight_shows_exactly_its_spaces_and_reader_lists(
        self, places: list[tuple[Space, Readers]], seen: st.DataObject
    ) -> None:
        with tempfile.TemporaryDirectory() as directory:
            store = self.make_store(Path(directory))
            put(store, *(memory(space, f"tea {n}", readers=who) for n, (space, who) in enumerate(places)))
            chosen = seen.draw(st.lists(st.sampled_from([space for space, _ in places]), unique=True))
            expected = sorted(
                f"tea {n}" for n, (space, who) in enumerate(places) if space in chosen and who.admits(ALICE)
            )
            try:
                assert found(store, sight_on(*chosen), "tea") == expected
                assert texts(listed(store, sight_on(*chosen))) == expected
                assert len(listed(store, sight_on(*(space for space, _ in places), whole=True))) == len(places)
            finally:
                store.close()

    def test_no_space_means_nothing(self, store: Store) -> None:
        fill(store, [HOME])
        known = handles(store, sight_on(HOME), "tea", Moment(NOW - 1))
        for sight in (NO_SPACE, Sight(SYSTEM, (), whole=True), sight_on(HOME).narrowed([]), sight_on(NEXT_DOOR)):
            seen = shown(store, sight, [HOME, NEXT_DOOR], known, NOW)
            assert {method for method, places in seen.items() if places} == set()
            assert store.damaged(sight) == []
        control = shown(store, sight_on(HOME), [HOME, NEXT_DOOR], known, NOW)
        assert {method for method, places in control.items() if places == {HOME}} == set(control) - set(NOT_SHOWN)

    def test_an_empty_store_answers_every_question(self, store: Store) -> None:
        seen = shown(store, sight_on(HOME), [HOME], [1, 2, 3], NOW)
        assert {method for method, places in seen.items() if places} == set()
        store.apply([Sign(NOW), Reindex(lambda _: None), Quarantine(NOW)], [])
        assert [*store.spaces(), *store.chains(), *store.erasures(), *store.all_damaged()] == []
        assert (list(store.links(chain_of_space(HOME))), dict(store.directory())) == ([], {})

    def test_asking_for_no_ids_gives_none(self, store: Store) -> None:
        fill(store, [HOME])
        sight = sight_on(HOME)
        assert (store.items(sight, []), store.derived(sight, [])) == ([], [])
        assert (store.items_by_handle(sight, []), store.positions(sight, [])) == ({}, {})
        assert [partition for partition in partitions(store, sight, [], NOW) if any(partition.postings.values())] == []
        assert store.page(sight, EVERYTHING, None, 0, NOW) == []
        assert len(store.items(sight, ["mem_same"])) == 1

    @pytest.mark.parametrize("id", ["", "mem_", "mem_sam", "mem_same ", "MEM_SAME", "%", "mem_same\x00", "\ud800", "*"])
    def test_memories_are_found_by_their_full_id_only(self, store: Store, id: str) -> None:
        fill(store, [HOME])
        assert store.items(sight_on(HOME), [id]) == []
        assert store.derived(sight_on(HOME), [id]) == []
        assert texts(store.items(sight_on(HOME), [id, "mem_same"])) == ["tea"]

    def test_unknown_handles_and_words_find_nothing(self, store: Store) -> None:
        put(store, memory(HOME, "tea"))
        assert store.items_by_handle(sight_on(HOME), [-1, 0, 2**62]) == {}
        assert found(store, sight_on(HOME), "coffee") == []
        assert found(store, sight_on(HOME), "te") == []
        assert found(store, sight_on(HOME), "tea") == ["tea"]
