"""A write changes nothing but what it names: spaces, chains of actors, the directory."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from memfort.model.item import EVERYONE, Authority
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Agent, Principal, Share
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.store.port import (
    WHOLE_STORE,
    Change,
    DropPhases,
    DropQueuedTurn,
    Erase,
    OutsideScope,
    PutAgent,
    PutPerson,
    PutPhase,
    PutPolicy,
    PutRejectedValue,
    PutReply,
    PutShare,
    PutSource,
    Quarantine,
    Reindex,
    RejectedValue,
    Reply,
    Scope,
    Sign,
    Store,
    TouchKey,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import everything, listed, texts
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
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
from memfort.trail.event import DIRECTORY_CHAIN, ChainId, Event, chain_of_actor, chain_of_space

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


HERE, THERE = Scope.of([HOME]), Scope.of([NEXT_DOOR])
BOTH = HERE | THERE
SHARE = Share("shr_1", NEXT_DOOR, Principal(ActorKind.USER, "alice"), ALICE, NOW)
OF_DIRECTORY: dict[str, Change] = {
    "agent": PutAgent(Agent("helper", "alice")),
    "share": PutShare(SHARE),
    "policy": PutPolicy("digest", "document"),
    "listed-person": PutPerson(person(None)),
}


def write(store: Store, scope: Scope | None, changes: Sequence[Change], events: Sequence[Event] = ()) -> None:
    with store.writing(scope):
        store.apply(changes, events)


class WriteScope(Claims):
    """A store limits a write to what it names."""

    @pytest.mark.parametrize("change", REACHING.values(), ids=REACHING)
    def test_a_change_of_another_space_is_refused_and_leaves_nothing(self, store: Store, change: Change) -> None:
        put(store, memory(HOME), memory(NEXT_DOOR))
        before = everything(store)
        with pytest.raises(OutsideScope) as refused:
            write(store, replace(HERE, directory=True), [change])
        assert everything(store) == before
        needs = refused.value.needs
        assert needs == (WHOLE_STORE if isinstance(change, Reindex | Quarantine | Sign) else THERE)
        write(store, replace(HERE, directory=True) | needs, [change])

    @pytest.mark.parametrize("change", OF_DIRECTORY.values(), ids=OF_DIRECTORY)
    def test_a_change_of_the_directory_is_refused_unless_it_is_named(self, store: Store, change: Change) -> None:
        before = everything(store)
        with pytest.raises(OutsideScope) as refused:
            write(store, BOTH, [change])
        assert everything(store) == before
        assert refused.value.needs == Scope(directory=True)
        write(store, Scope(directory=True), [change])

    @pytest.mark.parametrize(
        ("chain", "scope"),
        [
            (chain_of_space(NEXT_DOOR), THERE),
            (chain_of_actor(BOB), Scope.of(actors=[BOB])),
            (DIRECTORY_CHAIN, Scope(directory=True)),
        ],
        ids=["space", "actor", "directory"],
    )
    def test_an_event_in_another_chain_is_refused(self, store: Store, chain: ChainId, scope: Scope) -> None:
        event = replace(event_of(memory(NEXT_DOOR)), chain=chain)
        with pytest.raises(OutsideScope) as refused:
            write(store, Scope.of([HOME], actors=[ALICE]), [], [event])
        assert list(store.chains()) == []
        assert refused.value.needs == scope
        write(store, scope, [], [event])
        assert len(list(store.chains())) == 1

    def test_what_is_about_persons_needs_only_its_space(self, store: Store) -> None:
        about = memory(HOME, subjects=("@bob",))
        write(store, HERE, [inserted(about)])
        write(store, Scope.of([HOME], people=["@alice"]), [Erase(HOME, about.id), PutPerson(person(HOME))])
        assert listed(store, sight_on(HOME)) == []
        assert [one.id for one in store.people(sight_on(HOME), [person(HOME).id])] == [person(HOME).id]

    def test_rows_of_their_own_need_no_scope(self, store: Store) -> None:
        write(store, Scope(), [PutReply(Reply(b"1", b"f", NOW, b"answer"), NOW), TouchKey("key_a", NOW)])
        assert store.reply(b"1") is not None

    def test_without_a_scope_everything_can_be_changed(self, store: Store) -> None:
        write(store, None, [inserted(memory(HOME)), inserted(memory(NEXT_DOOR)), PutShare(SHARE), Sign(NOW)])
        assert store.shares_of([NEXT_DOOR]) == [SHARE]

    def test_a_write_changes_the_spaces_that_it_names(self, store: Store) -> None:
        with store.writing(BOTH):
            put(store, memory(HOME, "here"), memory(NEXT_DOOR, "there"))
            with store.writing(HERE):
                put(store, memory(HOME, "here too", number=2))
            put(store, memory(NEXT_DOOR, "there too", number=2))
        assert texts(listed(store, sight_on(HOME))) == ["here", "here too"]
        assert texts(listed(store, sight_on(NEXT_DOOR))) == ["there", "there too"]

    @pytest.mark.parametrize("inner", [THERE, None], ids=["named", "by default"])
    def test_a_nested_write_is_limited_to_the_scope_of_the_outer_one(self, store: Store, inner: Scope | None) -> None:
        def reach() -> None:
            with store.writing(HERE), store.writing(inner):
                put(store, memory(NEXT_DOOR))

        with pytest.raises(OutsideScope):
            reach()
        assert listed(store, sight_on(NEXT_DOOR)) == []
        put(store, memory(NEXT_DOOR))  # the next write is not limited by it
        assert len(listed(store, sight_on(NEXT_DOOR))) == 1

    def test_two_writes_take_their_locks_in_one_order(self) -> None:
        mixed = Scope.of([HOME, NEXT_DOOR], actors=[ALICE, BOB], authors=[BOB], directory=True, people=["@bob", "@al"])
        alike = Scope.of([NEXT_DOOR], actors=[BOB], people=["@al"]) | Scope.of([HOME], actors=[ALICE], authors=[BOB])
        alike |= Scope.of(directory=True, people=["@bob"])
        assert mixed == alike
        assert mixed.locks() == alike.locks() == sorted(set(mixed.locks()))
        assert len(mixed.locks()) == 8
        assert {len(key) for key in mixed.locks()} == {16}
