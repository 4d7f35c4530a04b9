"""What happens to a memory when it is changed or erased."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from memfort.model.item import (
    EVERYONE,
    Kind,
    Readers,
    Status,
)
from memfort.model.moment import Moment
from memfort.model.occurred import Evidence, Occurred, Precision
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.space import Space
from memfort.store.port import (
    Entry,
    Erase,
    Reindex,
    Store,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import (
    everything,
    found,
    handles,
    listed,
    partitions,
    statistics,
    texts,
)
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    HOME,
    NEXT_DOOR,
    NOW,
    disclosed_entry_of,
    entry_of,
    event_of,
    inserted,
    memory,
    put,
    sight_on,
    updated,
    value_of,
)
from memfort.testing.strategies import HOSTILE_NAMES


class MemoryChanges(Claims):
    """A store holds a memory exactly as it was last put, and nothing of an erased one."""

    def test_memories_erased_together_leave_as_if_one_by_one(self, store: Store) -> None:
        """Of several spaces, readers and people, in force and not, with a time limit in ticks and with what was made
        of them: nothing is left, nothing else is touched, and an index that is made anew says the same."""
        limited = Readers.of(["bob"], [])
        stays = [memory(text="stays", number=90), memory(NEXT_DOOR, "stays too", number=90, subjects=("per_ann",))]
        goes = [
            memory(text="tea", number=1, subjects=("per_ann", "per_ben")),
            memory(text="old tea", number=2, status=Status.SUPERSEDED),
            memory(text="made of tea", number=3, derived_from=("mem_x",)),
            memory(text="for bob", number=4, readers=limited),
            memory(NEXT_DOOR, "for a while", number=5, expires_tick=9, subjects=("per_ann",)),
        ]
        put(store, *stays, *goes)
        store.apply([Erase(item.space, item.id) for item in goes], [event_of(item, "erase") for item in goes])
        whole = sight_on(HOME, NEXT_DOOR, whole=True)
        assert texts(listed(store, whole)) == ["stays", "stays too"]
        assert store.derived(whole, ["mem_x"]) == []
        assert [store.count_entries(sight_on(item.space, whole=True), [item.id]) for item in goes] == [0] * len(goes)
        assert store.handles_about(whole, ["per_ann", "per_ben"]) == store.handles_about(whole, ["per_ann"])
        before = everything(store)
        store.apply([Reindex(entry_of, disclosed_entry_of=disclosed_entry_of)], [])
        assert everything(store) == before
        with pytest.raises(ValueError, match="not in its space"):
            store.apply([Erase(stays[0].space, stays[0].id), Erase(goes[0].space, goes[0].id)], [])
        assert texts(listed(store, whole)) == ["stays", "stays too"], "all of them or none"

    def test_memories_without_a_vector_of_the_embedder_are_listed_within_sight(self, store: Store) -> None:
        ours, theirs = b"\x01\x00\x00\x00", b"\x02\x00\x00\x00"
        vectors = {"one": ours + b"\x7f", "two": theirs + b"\x7f", "three": b"", "four": ours}
        for number, (text, vector) in enumerate(vectors.items(), start=1):
            item = memory(text=text, number=number)
            store.apply([replace(inserted(item), entry=Entry({text: 1}, vector=vector))], [])
        ended = memory(text="five", number=5, status=Status.SUPERSEDED)
        put(store, ended, memory(NEXT_DOOR, "six"))
        no = {text: handle for text in vectors for handle in handles(store, sight_on(HOME), text)}

        def lacking(*spaces: Space, mark: bytes = ours) -> list[int]:
            return store.unembedded(sight_on(*spaces), mark)

        assert lacking(HOME) == [no["two"], no["three"]]
        assert lacking(HOME, mark=theirs) == [no["one"], no["three"], no["four"]]
        assert lacking(HOME, mark=b"") == [no["one"], no["two"], no["four"]]
        assert len(lacking(NEXT_DOOR)) == 1
        assert lacking() == []
        again = memory(text="two", number=2)
        store.apply([replace(updated(again), entry=Entry({"two": 1}, vector=ours + b"\x01"))], [])
        assert lacking(HOME) == [no["three"]]

    def test_a_vector_of_another_length_does_not_belong_to_the_embedder(self, store: Store) -> None:
        mark = b"\x01\x00\x00\x00"
        vectors = {"one": b"\x7f", "two": b"\x7f\x01", "three": b"", "four": b"\x01\x7f"}
        for number, (text, vector) in enumerate(vectors.items(), start=1):
            item = memory(text=text, number=number)
            store.apply([replace(inserted(item), entry=Entry({text: 1}, vector=mark + vector))], [])
        bare = memory(text="five", number=5)
        store.apply([replace(inserted(bare), entry=Entry({"five": 1}))], [])
        sight = sight_on(HOME)
        texts = {handle: text for text in [*vectors, "five"] for handle in handles(store, sight, text)}

        def lacking(length: int | None) -> list[str]:
            return [texts[handle] for handle in store.unembedded(sight, mark, length)]

        def looked_at(length: int) -> tuple[dict[str, list[int]], set[str]]:
            """The vectors a ranker gets, and the memories it gets none for."""
            (columns,) = store.columns(sight, NOW, mark, length)
            rows = [texts[handle] for handle in columns.handles.tolist()]
            none = {text for text, is_lacking in zip(rows, columns.lacking.tolist(), strict=True) if is_lacking}
            return dict(zip(rows, columns.vectors.tolist(), strict=True)), none

        assert (lacking(None), lacking(2), lacking(1)) == (["five"], ["one", "five"], ["two", "four", "five"])
        for _ in range(2):  # the cache of one length is not used for the other
            of_two, none = looked_at(2)
            assert of_two == {"one": [0, 0], "two": [127, 1], "three": [0, 0], "four": [1, 127], "five": [0, 0]}
            assert none == {"one", "five"}
            of_one, none = looked_at(1)
            assert of_one == {"one": [127], "two": [0], "three": [0], "four": [0], "five": [0]}
            assert none == {"two", "four", "five"}
        assert looked_at(3)[1] == {"one", "two", "four", "five"}

    def test_a_memory_comes_back_exactly_as_it_was_put(self, store: Store) -> None:
        for number, name in enumerate(HOSTILE_NAMES, start=1):
            item = memory(
                text=name,
                number=number,
                key=name,
                tags=(name, "x"),
                meta={name: [name, 1.5, None, True]},
                readers=Readers.of([name, "alice"]),
                source=name,
                observed_at_us=Moment(-1),
                conversation=name,
                evidence=Evidence("mem_turn", name),
                occurred=Occurred(Moment(-1), Moment(1), Precision.SPAN),
                confidence=0.1 + 0.2,
                provenance={"source": name},
                author=Actor(ActorKind.AGENT, name, acting_for=name, owner=name),
            )
            put(store, item)
            (back,) = store.items(sight_on(HOME), [item.id])
            assert back == item
            assert dict(back.meta) == dict(item.meta)

    def test_an_update_is_found_by_its_new_words_only(self, store: Store) -> None:
        put(store, memory(text="green tea"), memory(text="black tea", number=2))
        after = memory(text="oat milk please", version=2)
        store.apply([updated(after)], [])
        sight = sight_on(HOME)
        assert found(store, sight, "green") == []
        assert found(store, sight, "tea") == ["black tea"]
        assert found(store, sight, "milk") == ["oat milk please"]
        assert statistics(partitions(store, sight, ["tea"], NOW)) == [(0, 2, 5)]
        assert store.rivals(sight, HOME, EVERYONE, value_of("green tea")) == []
        assert store.rivals(sight, HOME, EVERYONE, value_of("oat milk please")) == [after]

    @pytest.mark.parametrize(
        "end",
        [
            {"deleted_at_us": NOW},
            {"status": Status.SUPERSEDED},
            {"status": Status.REJECTED},
            {"status": Status.PENDING},
        ],
    )
    def test_a_memory_no_longer_in_force_leaves_the_index(self, store: Store, end: dict[str, Any]) -> None:
        put(store, memory(text="green tea"), memory(text="black tea", number=2))
        sight = sight_on(HOME)
        store.apply([updated(memory(text="green tea", version=2, **end))], [])
        assert found(store, sight, "green") == []
        assert statistics(partitions(store, sight, ["tea"], NOW)) == [(0, 1, 2)]
        assert len(store.items(sight, [memory().id])) == 1
        store.apply([updated(memory(text="green tea", version=3))], [])
        assert found(store, sight, "green") == ["green tea"]
        assert statistics(partitions(store, sight, ["tea"], NOW)) == [(0, 2, 4)]

    def test_a_memory_never_in_force_is_not_indexed(self, store: Store) -> None:
        put(store, memory(text="pending tea", status=Status.PENDING), memory(text="kept tea", number=2))
        assert found(store, sight_on(HOME), "tea") == ["kept tea"]

    def test_a_new_reader_list_moves_a_memory_to_another_partition(self, store: Store) -> None:
        item = memory(text="green tea")
        put(store, item, memory(text="open tea too", number=2))
        store.apply([updated(replace(item, readers=Readers.of(users=["bob"]), version=2))], [])
        assert found(store, sight_on(HOME), "tea") == ["open tea too"]
        assert found(store, sight_on(HOME, actor=BOB), "tea") == ["green tea", "open tea too"]
        assert statistics(partitions(store, sight_on(HOME), ["tea"], NOW)) == [(0, 1, 3)]

    def test_new_sources_of_a_memory_replace_the_old_ones(self, store: Store) -> None:
        child = memory(text="child", number=2, derived_from=("mem_old", "mem_both"))
        put(store, child)
        store.apply([updated(replace(child, derived_from=("mem_both", "mem_new"), version=2))], [])
        sight = sight_on(HOME)
        assert texts(store.derived(sight, ["mem_old"])) == []
        assert texts(store.derived(sight, ["mem_both"])) == ["child"]
        assert texts(store.derived(sight, ["mem_new"])) == ["child"]

    def test_erasing_leaves_nothing(self, store: Store) -> None:
        parent, child = memory(text="green tea"), memory(text="black tea", number=2)
        child = replace(child, derived_from=(parent.id,))
        put(store, parent, child, memory(text="white tea", number=3), memory(NEXT_DOOR, "tea next door"))
        store.apply([Erase(HOME, child.id)], [])
        sight = sight_on(HOME, whole=True)
        assert store.items(sight, [child.id]) == []
        assert store.derived(sight, [parent.id]) == []
        assert store.rivals(sight, HOME, EVERYONE, value_of("black tea")) == []
        assert texts(listed(store, sight)) == ["green tea", "white tea"]
        assert found(store, sight, "black") == []
        assert found(store, sight, "tea") == ["green tea", "white tea"]
        assert statistics(partitions(store, sight, ["tea"], NOW)) == [(0, 2, 4)]
        assert found(store, sight_on(NEXT_DOOR), "tea") == ["tea next door"]

    def test_the_id_of_an_erased_memory_is_not_reused(self, store: Store) -> None:
        put(store, memory(), memory(number=2))
        store.apply([Erase(HOME, memory().id), Erase(HOME, memory(number=2).id)], [])
        assert store.next_number(sight_on(HOME), HOME, EVERYONE, ALICE.key, Kind.SEMANTIC) == 3
        put(store, memory(number=3, text="again"))
        assert texts(listed(store, sight_on(HOME))) == ["again"]

    def test_numbers_are_each_authors_own_for_each_reader_list_and_kind(self, store: Store) -> None:
        put(store, memory(), memory(number=2), memory(author=BOB), memory(readers=Readers.of(["alice"])))

        def after(author: Actor, who: Readers, kind: Kind) -> int:
            return store.next_number(sight_on(HOME), HOME, who, author.key, kind)

        assert after(ALICE, EVERYONE, Kind.SEMANTIC) == 3
        assert after(BOB, EVERYONE, Kind.SEMANTIC) == 2
        assert after(ALICE, Readers.of(["alice"]), Kind.SEMANTIC) == 2
        assert after(ALICE, Readers.of(["bob"]), Kind.SEMANTIC) == 1
        assert after(ALICE, EVERYONE, Kind.PROFILE) == 1

    def test_numbering_continues_for_memories_the_author_may_not_read(self, store: Store) -> None:
        """Otherwise a second memory for other readers would get the id of the first."""
        for_bob = Readers.of(users=["bob"])
        put(store, memory(readers=for_bob))
        assert store.next_number(sight_on(HOME), HOME, for_bob, ALICE.key, Kind.SEMANTIC) == 2

    def test_rivals_are_kept_or_pending_and_on_the_same_partition(self, store: Store) -> None:
        states: list[dict[str, Any]] = [
            {},
            {"status": Status.PENDING},
            {"status": Status.REJECTED},
            {"status": Status.SUPERSEDED},
            {"deleted_at_us": NOW},
            {"readers": Readers.of(["alice"])},
        ]
        put(store, *(memory(number=n, **state) for n, state in enumerate(states, start=1)), memory(NEXT_DOOR))
        rivals = store.rivals(sight_on(HOME, NEXT_DOOR), HOME, EVERYONE, value_of("tea"))
        assert sorted(item.number for item in rivals) == [1, 2]

    def test_reindexing_changes_nothing(self, store: Store) -> None:
        put(store, memory(text="green tea"), memory(text="black tea", number=2, deleted_at_us=NOW), memory(NEXT_DOOR))
        before = everything(store)
        progress: list[tuple[int, int]] = []
        words = Reindex(entry_of, lambda *step: progress.append(step))
        store.apply([words], [])
        assert progress[-1] == (3, 3)
        assert everything(store) == before
        store.apply([Reindex(lambda item: Entry({"water": 1}) if item.text == "green tea" else None)], [])
        assert found(store, sight_on(HOME), "water") == ["green tea"]
        assert found(store, sight_on(HOME), "tea") == []
