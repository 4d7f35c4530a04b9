"""Turns of conversations: found in their order, from the end and around one of them."""

from __future__ import annotations

from typing import Any

from memfort.model.item import Item, Kind, Readers
from memfort.store.port import Erase, Reindex, Store
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.samples import (
    ALICE,
    CONVERSATION,
    HOME,
    LATER,
    NEXT_DOOR,
    entry_of,
    memory,
    put,
    sight_on,
    updated,
    value_of,
)

SIGHT = sight_on(HOME)


def turn(number: int, **fields: Any) -> Item:
    given = {"kind": Kind.SHORT_TERM, "conversation": CONVERSATION, "id": f"mem_{number}", **fields}
    return memory(text=f"turn {number}", number=number, **given)


def ids(items: list[Item]) -> list[str]:
    return [item.id for item in items]


class Turns(Claims):
    """The turns of a conversation are read in the order in which they were written, a bounded number at a time."""

    def test_the_last_turns_come_in_the_order_of_writing(self, store: Store) -> None:
        put(store, *(turn(number) for number in (3, 1, 2, 5)))
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 3)) == ["mem_1", "mem_2", "mem_5"]
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 9)) == ["mem_3", "mem_1", "mem_2", "mem_5"]
        assert store.turns(SIGHT, HOME, CONVERSATION, 0) == []

    def test_the_neighbours_of_a_turn_are_found_on_both_sides(self, store: Store) -> None:
        put(store, *(turn(number) for number in range(1, 7)))
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 2, before="mem_4")) == ["mem_2", "mem_3"]
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 2, after="mem_4")) == ["mem_5", "mem_6"]
        assert store.turns(SIGHT, HOME, CONVERSATION, 2, before="mem_none") == []
        assert store.turns(SIGHT, HOME, CONVERSATION, 2, after="mem_none") == []

    def test_the_neighbours_of_many_turns_are_found_at_once(self, store: Store) -> None:
        there = turn(9, conversation="other")
        put(store, *(turn(number) for number in range(1, 7)), there, turn(10, conversation="other"), turn(11))
        store.apply([updated(turn(3, deleted_at_us=LATER, deleted_reason="forgotten", version=2))], [])
        asked = [turn(4), turn(1), there, turn(99), turn(5, kind=Kind.SEMANTIC), turn(4, space=NEXT_DOOR), turn(11)]
        found = [(ids(before), ids(after)) for before, after in store.turns_around(SIGHT, asked, 2, 1)]
        assert found == [
            (["mem_1", "mem_2"], ["mem_5"]),
            ([], ["mem_2"]),
            ([], ["mem_10"]),
            ([], []),
            ([], []),
            ([], []),
            (["mem_5", "mem_6"], []),
        ]
        assert store.turns_around(SIGHT, [], 2, 1) == []
        assert [ids(before) for before, _ in store.turns_around(SIGHT, [turn(4)], 0, 0)] == [[]]

    def test_turns_that_may_not_be_read_are_no_neighbours(self, store: Store) -> None:
        put(store, turn(1), turn(2, readers=Readers.of(["bob"])), turn(3), turn(4, readers=Readers.of(["alice"])))
        sight = sight_on(HOME, actor=ALICE)
        [(before, after)] = store.turns_around(sight, [turn(3)], 2, 1)
        assert (ids(before), ids(after)) == (["mem_1"], ["mem_4"])
        assert store.turns_around(sight_on(NEXT_DOOR), [turn(3)], 2, 1) == [([], [])]

    def test_only_turns_of_this_conversation_are_among_them(self, store: Store) -> None:
        put(
            store,
            turn(1),
            turn(2, conversation="other"),
            turn(3, kind=Kind.SEMANTIC),
            turn(4, readers=Readers.of(["bob"])),
            memory(NEXT_DOOR, "turn 5", kind=Kind.SHORT_TERM, conversation=CONVERSATION),
        )
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 9)) == ["mem_1"]
        assert ids(store.turns(SIGHT, HOME, "other", 9)) == ["mem_2"]
        assert store.turns(SIGHT, HOME, "talk%", 9) == []

    def test_what_has_ended_is_found_only_when_it_is_asked_for(self, store: Store) -> None:
        put(store, turn(1), turn(2))
        store.apply([updated(turn(1, deleted_at_us=LATER, deleted_reason="forgotten", version=2))], [])
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 9)) == ["mem_2"]
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 9, ended=True)) == ["mem_1", "mem_2"]
        store.apply([Erase(HOME, "mem_1")], [])
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 9, ended=True)) == ["mem_2"]

    def test_turns_are_found_by_their_values_in_any_state(self, store: Store) -> None:
        put(store, turn(1), turn(2), memory(text="turn 3", number=3))
        store.apply([updated(turn(1, deleted_at_us=LATER, deleted_reason="forgotten", version=2))], [])
        one, two, three = (value_of(f"turn {number}") for number in (1, 2, 3))
        found = store.turns_with_values(SIGHT, HOME, [one, two, three, value_of("nothing")])
        assert {value: item.id for value, item in found.items()} == {one: "mem_1", two: "mem_2"}
        assert store.turns_with_values(SIGHT, HOME, []) == {}

    def test_a_rebuilt_index_keeps_the_order(self, store: Store) -> None:
        put(store, turn(2), turn(1))
        store.apply([Reindex(entry_of)], [])
        assert ids(store.turns(SIGHT, HOME, CONVERSATION, 9)) == ["mem_2", "mem_1"]
