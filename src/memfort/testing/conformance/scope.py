"""A write that names its spaces changes nothing in any other."""

from __future__ import annotations

import pytest

from memfort.model.item import EVERYONE, Authority
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Agent, Principal, Share
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.store.port import (
    Change,
    DropPhases,
    DropQueuedTurn,
    Erase,
    OutsideScope,
    PutAgent,
    PutPerson,
    PutPhase,
    PutRejectedValue,
    PutShare,
    PutSource,
    Quarantine,
    Reindex,
    RejectedValue,
    Sign,
    Store,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import everything, listed, texts
from memfort.testing.conformance.samples import (
    ALICE,
    HOME,
    NEXT_DOOR,
    NOW,
    entry_of,
    event_of,
    inserted,
    memory,
    person,
    put,
    sight_on,
    updated,
    value_of,
)

REACHING: dict[str, Change] = {
    "insert": inserted(memory(NEXT_DOOR, "new", number=2)),
    "insert-promoted": inserted(memory(HOME, "new", number=2), (NEXT_DOOR, memory(NEXT_DOOR).id)),
    "update": updated(memory(NEXT_DOOR)),
    "erase": Erase(NEXT_DOOR, memory(NEXT_DOOR).id),
    "phase": PutPhase(NEXT_DOOR, Phase(2, "new ways", 1)),
    "drop-phases": DropPhases(NEXT_DOOR, 2),
    "queued-turn": DropQueuedTurn(NEXT_DOOR, "mem_1"),
    "source": PutSource(Source("src_1", NEXT_DOOR, "paper", None, "00", NOW, {})),
    "rejected-value": PutRejectedValue(RejectedValue(NEXT_DOOR, EVERYONE, value_of("tea"), Authority.USER_ASSERTED)),
    "reindex": Reindex(entry_of),
    "quarantine": Quarantine(NOW),
    "sign": Sign(NOW),
}


class WriteScope(Claims):
    """A store limits a write to the spaces it names."""

    @pytest.mark.parametrize("change", REACHING.values(), ids=REACHING)
    def test_a_change_of_another_space_is_refused_and_leaves_nothing(self, store: Store, change: Change) -> None:
        put(store, memory(HOME), memory(NEXT_DOOR))
        before = everything(store)

        def reach() -> None:
            with store.writing([HOME]):
                store.apply([change], [])

        with pytest.raises(OutsideScope):
            reach()
        assert everything(store) == before
        with store.writing([HOME, NEXT_DOOR] if not isinstance(change, Reindex | Quarantine | Sign) else None):
            store.apply([change], [])

    def test_an_event_in_the_chain_of_another_space_is_refused(self, store: Store) -> None:
        def reach() -> None:
            with store.writing([HOME]):
                store.apply([], [event_of(memory(NEXT_DOOR))])

        with pytest.raises(OutsideScope):
            reach()
        assert list(store.chains()) == []
        with store.writing([NEXT_DOOR]):
            store.apply([], [event_of(memory(NEXT_DOOR))])
        assert len(list(store.chains())) == 1

    def test_changes_outside_any_space_are_allowed_in_every_write(self, store: Store) -> None:
        share = Share("shr_1", NEXT_DOOR, Principal(ActorKind.USER, "alice"), ALICE, NOW)
        with store.writing([]):
            store.apply([PutAgent(Agent("helper", "alice")), PutShare(share), PutPerson(person(NEXT_DOOR))], [])
        assert store.agent("helper") == Agent("helper", "alice")
        assert store.shares_of([NEXT_DOOR]) == [share]

    def test_a_write_changes_the_spaces_that_it_names(self, store: Store) -> None:
        with store.writing([HOME, NEXT_DOOR]):
            put(store, memory(HOME, "here"), memory(NEXT_DOOR, "there"))
            with store.writing([HOME]):
                put(store, memory(HOME, "here too", number=2))
            put(store, memory(NEXT_DOOR, "there too", number=2))
        assert texts(listed(store, sight_on(HOME))) == ["here", "here too"]
        assert texts(listed(store, sight_on(NEXT_DOOR))) == ["there", "there too"]

    def test_a_nested_write_is_limited_to_the_scope_of_the_outer_one(self, store: Store) -> None:
        def reach() -> None:
            with store.writing([HOME]), store.writing([NEXT_DOOR]):
                put(store, memory(NEXT_DOOR))

        with pytest.raises(OutsideScope):
            reach()

        def reach_by_default() -> None:
            with store.writing([HOME]), store.writing():
                put(store, memory(NEXT_DOOR))

        with pytest.raises(OutsideScope):
            reach_by_default()
        assert listed(store, sight_on(NEXT_DOOR)) == []
        put(store, memory(NEXT_DOOR))  # the next write is not limited by it
        assert len(listed(store, sight_on(NEXT_DOOR))) == 1
