"""Copies of memories promoted into another space. Only a whole sight learns the source of a copy."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.model.item import Readers
from memfort.model.space import Space
from memfort.store.port import Erase, Reindex, Store
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import listed, texts
from memfort.testing.conformance.samples import (
    HOME,
    NEXT_DOOR,
    entry_of,
    inserted,
    memory,
    promoted,
    put,
    sight_on,
    updated,
)

APOLLO = Space.of({"project": "apollo"})
SOURCE = memory(text="tea")
COPY = memory(APOLLO, "tea in apollo", promoted_from=SOURCE.id)
BOTH = sight_on(HOME, APOLLO)
WHOLE_HOME, WHOLE_APOLLO = sight_on(HOME, whole=True), sight_on(APOLLO, whole=True)


class Promotion(Claims):
    """A store finds the copies of a memory in every space, for a whole sight only."""

    def test_a_copy_is_found_from_its_source_in_any_space(self, store: Store) -> None:
        put(store, SOURCE, memory(APOLLO, "other", number=2), memory(NEXT_DOOR))
        promoted(store, SOURCE, COPY)
        assert store.derived(WHOLE_HOME, [SOURCE.id]) == [COPY]
        assert store.derived(sight_on(HOME, APOLLO, whole=True), [SOURCE.id]) == [COPY]
        assert store.derived(WHOLE_HOME, [COPY.id, "mem_other"]) == []

    def test_a_copy_is_found_from_its_sources_space_only(self, store: Store) -> None:
        same_name = memory(NEXT_DOOR, "same name", id=SOURCE.id)
        put(store, SOURCE, same_name)
        promoted(store, SOURCE, COPY)
        assert store.derived(sight_on(NEXT_DOOR, whole=True), [SOURCE.id]) == []
        assert store.derived(WHOLE_APOLLO, [SOURCE.id]) == []
        assert store.origins(WHOLE_APOLLO, COPY) == [(HOME, SOURCE.id)]

    def test_origins_are_returned_only_to_a_whole_sight(self, store: Store) -> None:
        put(store, SOURCE)
        promoted(store, SOURCE, COPY)
        assert (store.derived(BOTH, [SOURCE.id]), store.origins(BOTH, COPY)) == ([], [])
        assert store.origins(WHOLE_HOME, COPY) == []
        assert store.origins(WHOLE_APOLLO, COPY) == [(HOME, SOURCE.id)]
        assert texts(listed(store, BOTH)) == ["tea", "tea in apollo"]

    def test_memories_of_this_space_come_before_copies_elsewhere(self, store: Store) -> None:
        made = [memory(number=n, derived_from=(SOURCE.id,)) for n in (2, 3)]
        copies = [
            memory(space, number=n, readers=Readers.of([], [])) for space in (APOLLO, NEXT_DOOR) for n in range(1, 4)
        ]
        put(store, SOURCE, *made)
        for copy in copies:
            promoted(store, SOURCE, copy)
        expected = [
            *sorted(made, key=lambda one: one.id),
            *sorted(copies, key=lambda one: (one.id, one.space.id)),
        ]
        assert store.derived(WHOLE_HOME, [SOURCE.id]) == expected
        assert store.derived(sight_on(NEXT_DOOR, HOME, APOLLO, whole=True), [SOURCE.id]) == expected

    def test_a_copy_may_have_further_sources_beside_it(self, store: Store) -> None:
        beside = memory(APOLLO, "beside", number=2)
        copy = replace(COPY, derived_from=(beside.id,))
        put(store, SOURCE, beside)
        promoted(store, SOURCE, copy)
        assert store.derived(sight_on(APOLLO), [beside.id]) == [copy]
        assert store.derived(WHOLE_HOME, [SOURCE.id]) == [copy]
        assert store.origins(WHOLE_APOLLO, copy) == [(HOME, SOURCE.id)]

    def test_the_origin_of_a_copy_is_immutable(self, store: Store) -> None:
        put(store, SOURCE)
        promoted(store, SOURCE, COPY)
        after = replace(COPY, text="coffee", derived_from=("mem_x",), version=2)
        store.apply([updated(after), Reindex(entry_of)], [])
        assert store.origins(WHOLE_APOLLO, after) == [(HOME, SOURCE.id)]
        assert store.derived(WHOLE_HOME, [SOURCE.id]) == [after]

    def test_an_erased_copy_leaves_no_lineage(self, store: Store) -> None:
        put(store, SOURCE)
        promoted(store, SOURCE, COPY)
        store.apply([Erase(APOLLO, COPY.id)], [])
        assert (store.derived(WHOLE_HOME, [SOURCE.id]), store.origins(WHOLE_APOLLO, COPY)) == ([], [])
        store.apply([inserted(COPY)], [])
        assert (store.derived(WHOLE_HOME, [SOURCE.id]), store.origins(WHOLE_APOLLO, COPY)) == ([], [])

    def test_a_copy_is_found_by_the_id_of_its_erased_source(self, store: Store) -> None:
        """So that an interrupted erasure can still find what it has to erase."""
        put(store, SOURCE)
        promoted(store, SOURCE, COPY)
        store.apply([Erase(HOME, SOURCE.id)], [])
        assert store.derived(WHOLE_HOME, [SOURCE.id]) == [COPY]
