"""Copies of memories that were promoted into another space. Only a whole sight is told which comes from where."""

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
    """A store finds the copies of a memory wherever they are, for a whole sight and for no other."""

    def test_a_copy_is_found_from_its_source_wherever_it_is(self, store: Store) -> None:
        put(store, SOURCE, memory(APOLLO, "other", number=2), memory(NEXT_DOOR))
        promoted(store, SOURCE, COPY)
        assert store.derived(WHOLE_HOME, [SOURCE.id]) == [COPY]
        assert store.derived(sight_on(HOME, APOLLO, whole=True), [SOURCE.id]) == [COPY]
        assert store.derived(WHOLE_HOME, [COPY.id, "mem_other"]) == []

    def test_a_copy_is_not_found_from_where_its_source_is_not(self, store: Store) -> None:
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

    def test_what_was_made_here_comes_before_copies_elsewhere(self, store: Store) -> None:
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

    def test_a_copy_can_have_been_made_from_others_beside_it(self, store: Store) -> None:
        beside = memory(APOLLO, "beside", number=2)
        copy = replace(COPY, derived_from=(beside.id,))
        put(store, SOURCE, beside)
        promoted(store, SOURCE, copy)
        assert store.derived(sight_on(APOLLO), [beside.id]) == [copy]
        assert store.derived(WHOLE_HOME, [SOURCE.id]) == [copy]
        assert store.origins(WHOLE_APOLLO, copy) == [(HOME, SOURCE.id)]

    def test_where_a_copy_came_from_does_not_change(self, store: Store) -> None:
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

    def test_a_copy_is_found_by_the_name_of_a_source_that_was_erased(self, store: Store) -> None:
        """So that an erase which was interrupted can still find what has to go."""
        put(store, SOURCE)
        promoted(store, SOURCE, COPY)
        store.apply([Erase(HOME, SOURCE.id)], [])
        assert store.derived(WHOLE_HOME, [SOURCE.id]) == [COPY]
