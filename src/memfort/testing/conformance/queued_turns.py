"""Turns that wait for a model: each names its turn and who observed it, and goes with its turn."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from memfort.model.item import Readers, Status
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.sight import maintenance_sight
from memfort.store.port import DropQueuedTurn, Erase, PutQueuedTurn, QueuedTurn, Store
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.samples import HOME, LATER, NEXT_DOOR, NO_SPACE, NOW, memory, put, sight_on, updated
from memfort.testing.conformance.turns import turn

HELPER = Actor(ActorKind.AGENT, "helper", acting_for="alice", owner="bob")
THERE = Standpoint(HELPER, (Coordinate(Level.USER, "alice"), Coordinate(Level.CHAT, "c 1")), within=(HOME, NEXT_DOOR))


def queued(number: int, space: Space = HOME, at: Moment = NOW) -> QueuedTurn:
    return QueuedTurn(
        space,
        f"mem_{number}",
        THERE,
        number % 2 == 0,
        number % 3 == 0,
        at,
        Moment(at + 10),
        number,
        "no answer in time",
    )


class QueuedTurns(Claims):
    """The queue of turns for a model."""

    def test_a_queued_turn_comes_back_whole_and_in_its_newest_state(self, store: Store) -> None:
        put(store, turn(1), turn(2))
        store.apply([PutQueuedTurn(queued(2, at=LATER)), PutQueuedTurn(queued(1))], [])
        assert store.queued_turns(sight_on(HOME)) == [queued(1), queued(2, at=LATER)]
        given_up = replace(queued(1), due_at=None, attempts=5)
        store.apply([PutQueuedTurn(given_up)], [])
        assert store.queued_turns(sight_on(HOME)) == [given_up, queued(2, at=LATER)]
        assert store.count_queued_turns() == (1, 1)

    def test_only_turns_in_sight_are_listed(self, store: Store) -> None:
        theirs = memory(NEXT_DOOR, "turn 3", kind=turn(1).kind, conversation="talk", id="mem_3")
        put(store, turn(1), turn(2, readers=Readers.of(["bob"])), theirs)
        store.apply([PutQueuedTurn(one) for one in (queued(1), queued(2), queued(3, NEXT_DOOR))], [])
        assert store.queued_turns(sight_on(HOME)) == [queued(1)]
        assert store.queued_turns(sight_on(NEXT_DOOR)) == [queued(3, NEXT_DOOR)]
        assert store.queued_turns(NO_SPACE) == []
        assert store.queued_turns(maintenance_sight([HOME])) == [queued(1), queued(2)]

    def test_due_turns_are_those_whose_time_has_come(self, store: Store) -> None:
        put(store, turn(1), turn(2), turn(3))
        waiting = (queued(1, at=LATER), queued(2), replace(queued(3), due_at=None))
        store.apply([PutQueuedTurn(one) for one in waiting], [])
        assert store.due_turns(NOW, 9) == []
        assert store.due_turns(Moment(NOW + 10), 9) == [queued(2)]
        assert store.due_turns(Moment(LATER + 10), 9) == [queued(2), queued(1, at=LATER)]
        assert store.due_turns(Moment(LATER + 10), 1) == [queued(2)]

    def test_due_turns_take_spaces_in_turn_and_files_apart(self, store: Store) -> None:
        theirs = memory(NEXT_DOOR, "turn 3", kind=turn(1).kind, conversation="talk", id="mem_3")
        put(store, turn(1), turn(2), theirs, turn(4, source="src_1"))
        waiting = (queued(1), queued(2), queued(3, NEXT_DOOR, LATER), queued(4))
        store.apply([PutQueuedTurn(one) for one in waiting], [])
        due = Moment(LATER + 10)
        assert store.due_turns(due, 9) == [queued(1), queued(3, NEXT_DOOR, LATER), queued(2)]
        assert store.due_turns(due, 2) == [queued(1), queued(3, NEXT_DOOR, LATER)]
        assert store.due_turns(due, 9, is_imported=True) == [queued(4)]

    def test_waiting_turns_are_those_of_one_space_from_one_on(self, store: Store) -> None:
        theirs = memory(NEXT_DOOR, "turn 3", kind=turn(1).kind, conversation="talk", id="mem_3")
        put(store, turn(1), turn(2), theirs, turn(4))
        given_up = replace(queued(4, at=LATER), due_at=None)
        waiting = (queued(1), queued(2, at=LATER), queued(3, NEXT_DOOR), given_up)
        store.apply([PutQueuedTurn(one) for one in waiting], [])
        assert store.waiting_turns(queued(1), 9) == [queued(1), queued(2, at=LATER)]
        assert store.waiting_turns(queued(1), 1) == [queued(1)]
        assert store.waiting_turns(queued(2, at=LATER), 9) == [queued(2, at=LATER)]
        assert store.queued_turns(sight_on(HOME), ["mem_2", "mem_3"]) == [queued(2, at=LATER)]

    def test_a_turn_that_is_not_there_is_not_queued(self, store: Store) -> None:
        with pytest.raises(ValueError, match="not in its space"):
            store.apply([PutQueuedTurn(queued(1))], [])
        assert store.count_queued_turns() == (0, 0)

    def test_dropping_one_leaves_the_others(self, store: Store) -> None:
        put(store, turn(1), turn(2))
        store.apply([PutQueuedTurn(queued(1)), PutQueuedTurn(queued(2))], [])
        store.apply([DropQueuedTurn(HOME, "mem_1"), DropQueuedTurn(NEXT_DOOR, "mem_2")], [])
        assert store.queued_turns(sight_on(HOME)) == [queued(2)]

    def test_a_turn_that_ends_leaves_the_queue(self, store: Store) -> None:
        put(store, *(turn(number) for number in range(1, 6)))
        store.apply([PutQueuedTurn(queued(number)) for number in range(1, 6)], [])
        store.apply(
            [
                updated(turn(1, deleted_at_us=LATER, deleted_reason="forgotten", version=2)),
                updated(turn(2, status=Status.SUPERSEDED, version=2)),
                Erase(HOME, "mem_3"),
                updated(turn(4, version=2)),
                updated(turn(5, status=Status.PENDING, version=2)),
            ],
            [],
        )
        assert store.queued_turns(maintenance_sight([HOME])) == [queued(4), queued(5)]
        assert store.count_queued_turns() == (2, 0)

    def test_a_write_that_fails_queues_nothing(self, store: Store) -> None:
        put(store, turn(1))
        with pytest.raises(ValueError, match="not in its space"):
            store.apply([PutQueuedTurn(queued(1)), PutQueuedTurn(queued(2))], [])
        assert store.count_queued_turns() == (0, 0)
