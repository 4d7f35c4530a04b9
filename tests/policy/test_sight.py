"""What a standpoint may see: every space it stands in whole, nothing else, in the order of recall."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort import FixedClock, InvalidInput, Memory
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.people.directory import NO_FACTS, Facts, Principal, Share
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import OWNED_LEVELS, Coordinate, Level, Space
from memfort.policy.sight import maintenance_sight, own_private_sight, own_spaces_sight, sight
from memfort.policy.standing import Memberships
from memfort.store.memory import MemoryStore
from memfort.testing.conformance import NOW
from memfort.testing.strategies import actors, spaces, standpoints

ALICE = Actor(ActorKind.USER, "alice")
SYSTEM_SPACE = Space.of({"system": ""})
FEW_NAMES = st.sampled_from(["a", "A", "b", "a b", "a\u0301", "\u00e1"])


def shares_of(*spaces: Space) -> tuple[Share, ...]:
    reader = Principal(ActorKind.USER, "alice")
    return tuple(Share(f"shr_{place}", space, reader, SYSTEM, NOW) for place, space in enumerate(spaces))


def at(actor: Actor, **places: str) -> Standpoint:
    own = {"user": actor.id} if actor.kind is ActorKind.USER else {}
    return Standpoint(actor, tuple(Coordinate(Level(level), id) for level, id in {**own, **places}.items()))


def seen(standpoint: Standpoint, facts: Facts = NO_FACTS) -> Sight:
    return sight(standpoint, facts, Memberships.TRUSTED)


def named(made: Sight) -> list[dict[str, str]]:
    return [one.space.to_dict() for one in made.spaces]


# -- what is in sight -------------------------------------------------------------------------------------------------


def test_every_subset_of_the_coordinates_is_in_sight_and_nothing_else() -> None:
    places = {"user": "alice", "project": "apollo", "role": "dev", "org": "acme", "session": "s1"}
    expected = []
    for count in range(1, len(places) + 1):
        for levels in combinations(places, count):
            chosen = {level: places[level] for level in levels}
            if "session" not in chosen or "user" in chosen:  # a session is its owner's
                expected.append(chosen)
            if "user" in chosen:
                expected.append(chosen | {"visibility": "shared"})
    expected.append({"system": ""})
    made = named(seen(at(ALICE, project="apollo", role="dev", org="acme", session="s1")))
    assert sorted(made, key=str) == sorted((Space.of(one).to_dict() for one in expected), key=str)


@given(standpoints(FEW_NAMES), spaces(FEW_NAMES))
def test_a_space_is_in_sight_only_if_every_coordinate_is_the_standpoints_own(where: Standpoint, space: Space) -> None:
    held = {*where.coordinates, Coordinate(Level.SYSTEM, "")} if where.coordinates else set()
    placed = {coordinate for coordinate in space.coordinates if coordinate.level is not Level.VISIBILITY}
    found = seen(where).seen(space)
    if not placed <= held:
        assert found is None
    elif where.actor.kind is ActorKind.USER and Level.AGENT not in space.levels:
        own = space.get(Level.USER) in {None, where.actor.id}
        assert (found is not None) is own


@given(actors())
def test_an_empty_standpoint_sees_nothing(actor: Actor) -> None:
    everything = Facts({"a": "a"}, frozenset(), {}, shares_of(Space.of({"user": "shared"})))
    for facts in (NO_FACTS, everything):
        for mode in Memberships:
            assert sight(Standpoint(actor, ()), facts, mode).spaces == ()
    assert seen(at(ALICE)).spaces != ()


def test_the_broad_never_sees_the_narrow() -> None:
    narrow = Space.of({"user": "alice", "project": "apollo"})
    assert seen(at(ALICE)).seen(narrow) is None
    assert seen(at(ALICE, project="apollo")).seen(narrow) is not None
    assert seen(at(ALICE, project="apollo")).seen(Space.of({"user": "alice"})) is not None
    assert seen(at(ALICE, project="apoll")).seen(narrow) is None


def test_two_users_with_one_session_id_never_meet() -> None:
    places = dict.fromkeys(sorted(OWNED_LEVELS), "s1")
    alice = {one.space for one in seen(at(ALICE, **places)).spaces}
    bob = {one.space for one in seen(at(Actor(ActorKind.USER, "bob"), **places)).spaces}
    assert alice & bob == {SYSTEM_SPACE}
    assert Space.of({"user": "alice", "session": "s1"}) in alice


def test_an_agent_sees_what_the_user_it_acts_for_may_see_and_never_its_owners() -> None:
    facts = Facts({"helper": "alice"}, frozenset(), {}, ())
    public, private = ({"agent": "helper", "visibility": kind} for kind in ("public", "private"))
    for_bob = Actor(ActorKind.AGENT, "helper", acting_for="bob", owner="alice")
    asked_by_bob = seen(Standpoint(for_bob, (Coordinate(Level.AGENT, "helper"), Coordinate(Level.USER, "bob"))), facts)
    assert public in named(asked_by_bob)
    assert {"user": "bob"} in named(asked_by_bob)
    assert private not in named(asked_by_bob)
    assert asked_by_bob.seen(Space.of({"user": "alice"})) is None
    as_alice = seen(Standpoint(for_bob, (Coordinate(Level.USER, "alice"),)), facts)
    assert named(as_alice) == [{"system": ""}]
    alone = Actor(ActorKind.AGENT, "helper", owner="alice")
    assert private in named(seen(Standpoint(alone, (Coordinate(Level.AGENT, "helper"),)), facts))


def test_the_system_actor_sees_the_system_space_only() -> None:
    places = tuple(Coordinate(level, "x") for level in Level if level not in {Level.SYSTEM, Level.CHAT})
    made = seen(Standpoint(SYSTEM, places))
    assert [one.space for one in made.writable.spaces] == [SYSTEM_SPACE]
    assert all(one.space == SYSTEM_SPACE for one in made.spaces)
    assert seen(at(ALICE)).seen(SYSTEM_SPACE) is not None
    assert SYSTEM_SPACE not in [one.space for one in seen(at(ALICE)).writable.spaces]


def test_the_system_takes_part_in_no_chat_and_sees_nothing_there() -> None:
    assert seen(Standpoint(SYSTEM, (Coordinate(Level.CHAT, "x"),))).spaces == ()


# -- shares -----------------------------------------------------------------------------------------------------------


def test_a_shared_space_is_read_and_not_written_and_it_alone() -> None:
    theirs = Space.of({"user": "bob", "project": "apollo"})
    made = seen(at(ALICE), Facts({}, frozenset(), {}, shares_of(theirs)))
    found = made.seen(theirs)
    assert found is not None
    assert (found.writable, found.reason) == (False, Reason.SHARED_WITH_YOU)
    assert made.seen(Space.of({"user": "bob"})) is None
    assert theirs not in [one.space for one in made.writable.spaces]


def test_shared_spaces_come_last_in_the_order_of_recall() -> None:
    broad, narrow = Space.of({"user": "bob"}), Space.of({"user": "bob", "session": "s1"})
    for shared in ((broad, narrow), (narrow, broad)):
        made = seen(at(ALICE), Facts({}, frozenset(), {}, shares_of(*shared)))
        assert [one.space for one in made.spaces[-2:]] == [narrow, broad]
        assert made.spaces[-3].space == SYSTEM_SPACE


def test_a_share_never_reduces_existing_rights() -> None:
    own = Space.of({"user": "alice"})
    found = seen(at(ALICE), Facts({}, frozenset(), {}, shares_of(own))).seen(own)
    assert found is not None
    assert (found.writable, found.reason) == (True, Reason.VISIBLE)


# -- order ------------------------------------------------------------------------------------------------------------


def everywhere() -> Standpoint:
    return at(
        ALICE, **{level.value: "x" for level in Level if level not in {Level.USER, Level.SYSTEM, Level.VISIBILITY}}
    )


def test_the_layers_come_in_the_default_order_of_recall() -> None:
    made = seen(everywhere(), Facts({"x": "alice"}, frozenset(), {}, ()))
    layers = list(dict.fromkeys(one.space.primary.value for one in made.spaces))
    order = "session paper track chat workspace user project role agent team org system"
    assert layers == order.split()
    assert [one.layer for one in made.spaces] == sorted(one.layer for one in made.spaces)


@given(st.permutations(list(Level)))
def test_a_narrower_space_comes_before_the_broader_one_in_any_order(order: list[Level]) -> None:
    where = at(ALICE, project="p", org="o", session="s", chat="c")
    made = sight(where, NO_FACTS, Memberships.TRUSTED, order)
    places = [set(one.space.coordinates) for one in made.spaces]
    for index, later in enumerate(places):
        assert not any(later > earlier for earlier in places[:index])


def test_the_policys_order_decides_between_the_rest() -> None:
    where = at(ALICE, project="p", org="o")
    order = [Level.ORG, Level.PROJECT, Level.USER]
    made = sight(where, NO_FACTS, Memberships.TRUSTED, order)
    alone = [next(iter(one.to_dict())) for one in (s.space for s in made.spaces) if len(one.coordinates) == 1]
    assert alone == ["org", "project", "user"]  # a level that is not in the order is not consulted


def test_the_order_does_not_depend_on_the_order_of_the_coordinates() -> None:
    where = at(ALICE, project="p", org="o", session="s")
    turned = Standpoint(ALICE, where.coordinates[::-1])
    assert seen(where).spaces == seen(turned).spaces


# -- narrowing and the sights of maintenance --------------------------------------------------------------------------


def test_narrowing_never_brings_a_space_into_sight() -> None:
    made, theirs = seen(at(ALICE)), Space.of({"user": "bob"})
    assert made.narrowed([theirs]).spaces == ()
    assert named(made.narrowed([Space.of({"user": "alice"}), theirs])) == [{"user": "alice"}]


def test_maintenance_sees_exactly_the_spaces_it_names() -> None:
    made = maintenance_sight([Space.of({"user": "bob"})])
    assert (named(made), made.whole) == ([{"user": "bob"}], True)
    assert maintenance_sight([]).spaces == ()


def test_own_spaces_are_those_that_name_the_user() -> None:
    places = [Space.of(one) for one in ({"user": "alice"}, {"user": "alice", "project": "p"}, {"user": "Alice"},
                                        {"project": "alice"}, {"agent": "alice", "visibility": "public"})]  # fmt: skip
    assert named(own_spaces_sight(ALICE, places)) == [{"user": "alice"}, {"user": "alice", "project": "p"}]
    assert own_spaces_sight(SYSTEM, places).spaces == ()
    assert own_spaces_sight(Actor(ActorKind.AGENT, "alice"), places).spaces == ()


def test_only_your_private_space_is_seen_whole() -> None:
    held = seen(at(ALICE, project="p"))
    assert own_private_sight(held, Space.of({"user": "alice"})).whole
    assert not own_private_sight(held, Space.of({"project": "p"})).whole
    assert own_private_sight(held, Space.of({"user": "bob"})).spaces == ()


# -- memberships, through the facade ----------------------------------------------------------------------------------


def opened(mode: str) -> Memory:
    return Memory(MemoryStore(), clock=FixedClock(NOW), memberships=mode)


def sees(memory: Memory, user: str, space: Mapping[str, str]) -> bool:
    return dict(space) in memory.as_user(user, **space).spaces()


@pytest.mark.parametrize(("level", "id"), [("workspace", "w"), ("project", "p"), ("role", "r"), ("org", "o")])
def test_once_registered_a_group_is_checked_even_in_trusted_mode(level: str, id: str) -> None:
    memory = opened("trusted")
    assert sees(memory, "alice", {level: id})
    assert sees(memory, "bob", {level: id})
    memory.member.add({level: id}, user="alice")
    assert sees(memory, "alice", {level: id})
    assert not sees(memory, "bob", {level: id})


@pytest.mark.parametrize("mode", ["trusted", "registered"])
def test_a_group_without_members_is_closed_to_all(mode: str) -> None:
    memory = opened(mode)
    memory.member.add({"project": "p"}, user="alice")
    assert sees(memory, "alice", {"project": "p"})
    memory.member.remove({"project": "p"}, user="alice")
    assert list(memory.member.list({"project": "p"})) == []
    for user in ("alice", "bob"):
        assert not sees(memory, user, {"project": "p"})


@pytest.mark.parametrize("mode", ["trusted", "registered"])
def test_a_chat_without_participants_is_closed_to_all(mode: str) -> None:
    memory = opened(mode)
    memory.chat.register("c", kind="group", participants=["alice"])
    assert sees(memory, "alice", {"chat": "c"})
    memory.chat.register("c", kind="group", participants=[])
    assert not sees(memory, "alice", {"chat": "c"})


def test_in_registered_mode_only_the_directory_counts() -> None:
    memory = opened("registered")
    assert not sees(memory, "alice", {"project": "p"})
    assert not sees(memory, "alice", {"chat": "c"})
    memory.member.add({"project": "p"}, user="alice")
    memory.chat.register("c", kind="private", participants=["alice"])
    assert sees(memory, "alice", {"project": "p"})
    assert sees(memory, "alice", {"chat": "c"})
    assert not sees(memory, "bob", {"project": "p"})


def test_a_member_of_one_group_is_not_a_member_of_its_namesakes() -> None:
    memory = opened("registered")
    memory.member.add({"project": "p"}, user="alice")
    assert not sees(memory, "alice", {"org": "p"})
    assert not sees(memory, "alice", {"project": "P"})
    assert not sees(memory, "alice", {"project": "p "})


@pytest.mark.parametrize(
    "places",
    [{"project": ""}, {"project": "*"}, {"session": " "}, {"squad": "x"}, {"visibility": "public"}, {"system": ""}],
)
def test_an_empty_place_is_refused_and_never_means_all(places: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        opened("trusted").as_user("alice", **places)


@pytest.mark.parametrize("user", ["", " ", "*", None, "a\x00"])
def test_an_empty_identity_is_refused(user: str) -> None:
    with pytest.raises(InvalidInput, match="user"):
        opened("trusted").as_user(user)
