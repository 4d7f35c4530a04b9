"""Spaces and their names: kept exactly as given, never taken for one another, or refused with a reason."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.errors import InvalidInput
from memfort.model.item import EVERYONE, Kind, Readers, memory_id
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.space import MAX_ID_BYTES, Coordinate, Level, Space, check_id, encode_parts
from memfort.testing.strategies import HOSTILE_NAMES, actors, hostile_names, readers, spaces

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))

# -- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "the name is empty"),
        (" ", "the name is empty"),
        ("\t\n", "the name is empty"),
        ("\u3000", "the name is empty"),
        ("*", "`*` is not a name"),
        ("a\x00b", "the name holds a NUL character"),
        ("\x00", "the name holds a NUL character"),
        ("\ud800", "the name is not valid Unicode"),
        ("a\udfffb", "the name is not valid Unicode"),
        ("x" * (MAX_ID_BYTES + 1), "the name has 513 bytes"),
        ("é" * (MAX_ID_BYTES // 2 + 1), "the name has 514 bytes"),
        (None, "a NoneType is not a name"),
        (b"alice", "a bytes is not a name"),
        (7, "an int is not a name"),
        (True, "a bool is not a name"),
        (["alice"], "a list is not a name"),
    ],
)
def test_an_invalid_id_is_refused_by_field_with_a_remedy(value: object, problem: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_id(value, "project")
    assert (refused.value.field, refused.value.problem) == ("project", problem)
    assert refused.value.remedy
    assert str(refused.value).startswith("project: ")


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_every_other_name_is_kept_exactly_as_given(name: str) -> None:
    assert check_id(name, "user") == name
    assert Space.of({"user": name}).get(Level.USER) == name


def test_the_longest_name_is_a_name() -> None:
    assert check_id("x" * MAX_ID_BYTES, "user")
    assert check_id("é" * (MAX_ID_BYTES // 2), "user")


# -- spaces -----------------------------------------------------------------------------------------------------------


def test_hostile_names_make_as_many_spaces_as_there_are_names() -> None:
    made = [Space.of({level: name}) for level in ("user", "project", "org") for name in HOSTILE_NAMES]
    assert len({space.id for space in made}) == len(set(made)) == len(made)


@given(spaces(), spaces())
def test_two_spaces_have_one_id_only_if_they_are_one_space(left: Space, right: Space) -> None:
    assert (left.id == right.id) == (left == right) == (left.to_dict() == right.to_dict())


@given(hostile_names(), hostile_names(), hostile_names(), hostile_names())
def test_names_do_not_run_into_one_another(one: str, two: str, three: str, four: str) -> None:
    left, right = Space.of({"user": one, "project": two}), Space.of({"user": three, "project": four})
    assert (left.id == right.id) == ((one, two) == (three, four))


@given(st.lists(ANY_TEXT), st.lists(ANY_TEXT))
def test_encoded_parts_are_injective(left: list[str], right: list[str]) -> None:
    assert (encode_parts(left) == encode_parts(right)) == (left == right)


@given(spaces())
def test_a_space_comes_back_from_its_coordinates(space: Space) -> None:
    assert Space.of(space.to_dict()) == space
    assert Space.of(dict(reversed(space.to_dict().items()))) == space


def test_levels_are_not_confused() -> None:
    made = [Space.of({level: "x"}) for level in ("user", "project", "role", "org", "workspace", "chat")]
    assert len({space.id for space in made}) == len(made)
    assert Space.of({"user": "x", "project": "y"}) != Space.of({"user": "y", "project": "x"})


@pytest.mark.parametrize(
    ("coordinates", "message"),
    [
        ({}, "space: it has no coordinates"),
        ({"squad": "x"}, "space: `squad` is not a level; use one of agent, chat"),
        ({"User": "x"}, "space: `User` is not a level"),
        ({"user": ""}, "space.user: the name is empty"),
        ({"project": "*"}, "space.project: `\\*` is not a name; name exactly one; nothing here means all"),
        ({"project": None}, "space.project: a NoneType is not a name"),
        ({"session": "s"}, "space: a session needs an owner; add the `user` or `agent`"),
        ({"paper": "p", "project": "x"}, "space: a paper needs an owner"),
        ({"track": "t", "workspace": "w"}, "space: a track needs an owner"),
        ({"system": "x"}, "space.system: there is only one system space"),
        ({"system": "", "user": "alice"}, "space: `system` stands alone"),
        ({"agent": "helper"}, "space.visibility: an agent's space is private or public"),
        ({"agent": "helper", "visibility": "shared"}, "space.visibility: an agent's space is private or public"),
        ({"project": "x", "visibility": "public"}, "space.visibility: `public` needs an agent"),
        ({"user": "alice", "visibility": "private"}, "space.visibility: `private` needs an agent"),
        ({"visibility": "shared"}, "space.visibility: `shared` needs an agent"),
        ([("user", "alice")], "space: it is not a mapping"),
        ("user", "space: it is not a mapping"),
        (None, "space: it is not a mapping"),
    ],
)
def test_a_set_of_coordinates_that_names_no_place_is_refused(coordinates: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Space.of(coordinates)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "coordinates",
    [
        {"user": "u"},
        {"user": "u", "workspace": "w"},
        {"user": "u", "workspace": "w", "track": "t"},
        {"user": "u", "paper": "p"},
        {"org": "o"},
        {"org": "o", "role": "r", "project": "p"},
        {"org": "o", "role": "r", "project": "p", "session": "s", "user": "u"},
        {"chat": "c"},
        {"agent": "a", "visibility": "private"},
        {"agent": "a", "visibility": "public"},
        {"agent": "a", "visibility": "public", "org": "o"},
        {"user": "u", "visibility": "shared"},
        {"user": "u", "session": "s"},
        {"project": "p"},
        {"system": ""},
    ],
)
def test_every_space_of_the_five_seeds_can_be_named(coordinates: dict[str, str]) -> None:
    assert Space.of(coordinates).to_dict() == coordinates


@pytest.mark.parametrize(
    ("coordinates", "private"),
    [
        ({"user": "u"}, True),
        ({"user": "u", "project": "p"}, True),
        ({"agent": "a", "visibility": "private"}, True),
        ({"agent": "a", "visibility": "public"}, False),
        ({"agent": "a", "visibility": "public", "user": "u"}, False),
        ({"project": "p"}, False),
        ({"chat": "c"}, False),
        ({"system": ""}, False),
    ],
)
def test_a_private_space_has_one_owner(coordinates: dict[str, str], private: bool) -> None:
    assert Space.of(coordinates).is_private is private


def test_levels_are_in_the_default_order_of_recall() -> None:
    order = "session paper track chat workspace user project role agent team org system visibility"
    assert [level.value for level in Level] == order.split()


# -- names of memories and actors -------------------------------------------------------------------------------------


@given(st.lists(st.tuples(spaces(), readers(), actors(), st.sampled_from(list(Kind)), st.integers(1, 3)),
                min_size=2, max_size=2))  # fmt: skip
def test_two_memories_have_one_name_only_if_they_are_one(places: list[tuple[Space, Readers, Actor, Kind, int]]) -> None:
    left, right = places
    same = left[0] == right[0] and left[1] == right[1] and left[2].key == right[2].key and left[3:] == right[3:]
    assert (memory_id(*left) == memory_id(*right)) == same


def test_a_memorys_name_says_nothing_of_where_it_is() -> None:
    name = memory_id(Space.of({"user": "alice"}), EVERYONE, Actor(ActorKind.USER, "alice"), Kind.SEMANTIC, 1)
    assert name.startswith("mem_")
    assert len(name) == len("mem_") + 24
    assert "alice" not in name


def test_an_open_list_and_an_empty_one_are_not_the_same_readers() -> None:
    lists = [None, frozenset[str](), frozenset({"a"}), frozenset({"None"})]
    made = [Readers(users, agents) for users, agents in itertools.product(lists, lists)]
    here, alice = Space.of({"user": "alice"}), Actor(ActorKind.USER, "alice")
    assert len({memory_id(here, who, alice, Kind.SEMANTIC, 1) for who in made}) == len(made)


def test_actor_keys_differ_by_kind_name_and_acting_for() -> None:
    made = [
        Actor(kind, name, acting_for)
        for kind in ActorKind
        for name in ("a", "b", "", "a=b")
        for acting_for in (None, "", "a", "b", "=a")
    ]
    assert len({actor.key for actor in made}) == len(made)


def test_coordinates_are_compared_byte_for_byte() -> None:
    made = [Coordinate(Level.USER, name) for name in HOSTILE_NAMES]
    assert len(set(made)) == len(made)
