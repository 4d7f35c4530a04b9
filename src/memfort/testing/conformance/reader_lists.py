"""A memory's reader list, and the partitions that reader lists make."""

from __future__ import annotations

import pytest

from memfort.model.item import (
    EVERYONE,
    Authority,
    Kind,
    Readers,
)
from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.store.port import (
    PutRejectedValue,
    RejectedValue,
    Store,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import (
    found,
    handles,
    listed,
    partitions,
    statistics,
)
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    HOME,
    LATER,
    NEXT_DOOR,
    NOW,
    memory,
    put,
    sight_on,
    value_of,
)


class ReaderLists(Claims):
    """A store shows a memory only to the readers on its list."""

    HELPER = Actor(ActorKind.AGENT, "helper", owner="alice")
    HELPER_FOR_ALICE = Actor(ActorKind.AGENT, "helper", acting_for="alice", owner="alice")
    HELPER_FOR_BOB = Actor(ActorKind.AGENT, "helper", acting_for="bob", owner="alice")
    OTHER_FOR_ALICE = Actor(ActorKind.AGENT, "other", acting_for="alice", owner="bob")
    USER_CALLED_HELPER = Actor(ActorKind.USER, "helper")
    AGENT_CALLED_ALICE = Actor(ActorKind.AGENT, "alice", owner="bob")
    READERS = (
        ALICE,
        BOB,
        HELPER,
        HELPER_FOR_ALICE,
        HELPER_FOR_BOB,
        OTHER_FOR_ALICE,
        USER_CALLED_HELPER,
        AGENT_CALLED_ALICE,
        SYSTEM,
    )

    @pytest.mark.parametrize(
        ("who", "admitted"),
        [
            pytest.param(EVERYONE, READERS, id="open"),
            pytest.param(Readers.of(users=["alice"]), (ALICE, HELPER_FOR_ALICE, OTHER_FOR_ALICE), id="users"),
            pytest.param(Readers.of(agents=["helper"]), (HELPER, HELPER_FOR_ALICE, HELPER_FOR_BOB), id="agents"),
            pytest.param(Readers.of(["alice"], ["helper"]), (HELPER_FOR_ALICE,), id="both"),
            pytest.param(Readers.of(users=[]), (), id="no-user"),
            pytest.param(Readers.of(agents=[]), (), id="no-agent"),
            pytest.param(Readers.of([], []), (), id="no one"),
        ],
    )
    def test_a_reader_list_admits_exactly_the_readers_it_names(
        self, store: Store, who: Readers, admitted: tuple[Actor, ...]
    ) -> None:
        listed_one = memory(
            HOME, "listed tea", readers=who, id="mem_listed", expires_at_us=LATER, expires_tick=2, created_tick=1
        )
        child = memory(HOME, "listed child", readers=who, number=2, derived_from=("mem_listed",))
        put(store, listed_one, child)
        value = value_of("listed tea")
        store.apply([PutRejectedValue(RejectedValue(HOME, who, value, Authority.USER_ASSERTED))], [])
        known = handles(store, sight_on(HOME, whole=True), "tea")
        assert len(known) == 1
        for actor in self.READERS:
            sight = sight_on(HOME, actor=actor)
            seen = {
                "columns": bool(partitions(store, sight, ["tea"], NOW)),
                "positions": bool(store.positions(sight, known)),
                "items_by_handle": bool(store.items_by_handle(sight, known)),
                "items": bool(store.items(sight, ["mem_listed"])),
                "page": bool(listed(store, sight)),
                "rivals": bool(store.rivals(sight, HOME, who, value)),
                "rejected_value": bool(store.rejected_value(sight, HOME, who, value)),
                "rejected_values": any(one.readers == who for one in store.rejected_values(sight, HOME, who, [value])),
                "derived": bool(store.derived(sight, ["mem_listed"])),
                "tick": bool(store.tick(sight, HOME, who)),
                "due_by_tick": bool(store.due_by_tick(sight, HOME, who, 2)),
                "count_by_kind": bool(store.count_by_kind(sight, HOME, who, ALICE.key)),
                "least_important": bool(store.least_important(sight, HOME, who, ALICE.key, list(Kind), 9)),
                "overdue": bool(store.overdue(sight, LATER)),
            }
            assert set(seen.values()) == {actor in admitted}, (str(actor), seen)

    def test_reader_lists_are_partitions_of_their_own(self, store: Store) -> None:
        for_bob = Readers.of(users=["bob"])
        put(store, memory(HOME, "open tea"), memory(HOME, "tea for bob alone", readers=for_bob))
        assert statistics(partitions(store, sight_on(HOME), ["tea"], NOW)) == [(0, 1, 2)]
        assert statistics(partitions(store, sight_on(HOME, actor=BOB), ["tea"], NOW)) == [(0, 1, 2), (0, 1, 4)]

    def test_a_whole_sight_passes_reader_lists_but_not_spaces(self, store: Store) -> None:
        put(store, memory(HOME, "closed tea", readers=Readers.of([], [])), memory(NEXT_DOOR, "other tea"))
        assert found(store, sight_on(HOME, actor=SYSTEM, whole=True), "tea") == ["closed tea"]
        assert found(store, sight_on(HOME), "tea") == []
