"""People as values: ids that nothing out of sight can move, names in a normal form, limits, and records."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memfort.errors import InvalidInput
from memfort.model.item import EVERYONE, Readers
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.person import (
    MAX_ALIASES,
    MAX_NAME_BYTES,
    Person,
    Relation,
    check_name,
    check_names,
    check_term,
    is_made,
    lookup_names,
    normal_name,
    person_from_dict,
    person_id,
    person_of_user,
    person_to_dict,
    relation_from_dict,
    relation_id,
    relation_to_dict,
    user_of_person,
    user_person,
)
from memfort.model.space import Space
from memfort.testing.strategies import HOSTILE_NAMES

ALICE, BOB = (Actor(ActorKind.USER, name) for name in ("alice", "bob"))
HOME = Space.of({"user": "alice"})
SARAH = Person(
    id=person_id(HOME, EVERYONE, ALICE, 1), name="Sarah", aliases=("Sal",), home=HOME, created_by=ALICE,
    created_at_us=Moment(7), number=1,
)  # fmt: skip


# -- ids --------------------------------------------------------------------------------------------------------------


def test_every_user_is_a_person_and_only_users_are_called_so():
    for name in HOSTILE_NAMES:
        assert user_of_person(person_of_user(name)) == name
        assert user_person(name).user == name
    assert (user_of_person("bob"), user_of_person(SARAH.id), user_of_person("@")) == (None, None, None)


def test_an_id_is_made_of_home_readers_creator_and_number_and_of_nothing_else():
    parts = [
        (HOME, EVERYONE, ALICE, 1),
        (None, EVERYONE, ALICE, 1),
        (Space.of({"user": "bob"}), EVERYONE, ALICE, 1),
        (HOME, Readers.of(["alice"]), ALICE, 1),
        (HOME, EVERYONE, BOB, 1),
        (HOME, EVERYONE, replace(ALICE, kind=ActorKind.AGENT), 1),
        (HOME, EVERYONE, ALICE, 2),
    ]
    ids = [person_id(*one) for one in parts]
    assert len({*ids, *(relation_id(*one) for one in parts)}) == 2 * len(parts)
    assert ids == [person_id(*one) for one in parts]
    assert all(is_made(id) for id in ids)
    assert not any(is_made(id) for id in ("per_", "per_x", "@per_" + "a" * 24, relation_id(*parts[0])))


# -- names ------------------------------------------------------------------------------------------------------------

NORMAL = {
    "Sarah": "sarah",
    "  Sarah \t SMITH ": "sarah smith",
    "my wife": "wife",
    "My  The Boss": "boss",
    "@Bob": "bob",
    "the": "the",
    "theo": "theo",
    "mya": "mya",
    "Sar\u200bah": "sarah",
    "\uff33arah": "sarah",
    "STRAẞE": "strasse",
    "O'Brien": "o'brien",
}


@pytest.mark.parametrize("text", NORMAL)
def test_a_name_in_its_normal_form(text):
    assert normal_name(text) == NORMAL[text]


@given(st.text(max_size=60))
def test_a_normal_name_is_its_own(text):
    assert normal_name(normal_name(text)) == normal_name(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_are_folded_as_all_letters_are(text):
    """They are folded in a shorter way, unless there are others among them."""
    assert normal_name(f"o {text}")[1:] == normal_name(f"ø {text}")[1:]


def test_people_are_called_by_every_name_and_by_first_names():
    person = replace(SARAH, name="Sarah Smith", aliases=("The Doctor", "Sal"))
    assert lookup_names(person) == {"sarah smith", "sarah", "doctor", "sal"}
    assert lookup_names(replace(user_person("bob"), name="Robert Jones")) == {"robert jones", "robert", "bob"}


BAD_NAMES = [
    "", "  ", "*", "\x00", "a\nb", "a\u2028b", "\x1b[0m", "\ud800", "@bob", " @bob", "me", "Myself", "my @", "\u200b",
    SARAH.id, "x" * (MAX_NAME_BYTES + 1), 7, None,
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_invalid_names_are_refused_by_field(name):
    with pytest.raises(InvalidInput) as error:
        check_name(name, "alias")
    assert error.value.field == "alias"


def test_names_are_deduplicated_regardless_of_spelling():
    assert check_names("Sarah", ["sal", "SAL", "my Sal", "sarah", "S."]) == ("Sarah", ("sal", "S."))
    assert check_name("x" * MAX_NAME_BYTES, "name")


def test_the_number_of_aliases_is_limited():
    names = [f"name {number}" for number in range(MAX_ALIASES + 1)]
    assert len(check_names("Sarah", names[1:])[1]) == MAX_ALIASES
    with pytest.raises(InvalidInput, match="use at most 64"):
        check_names("Sarah", names)


def test_a_term_is_kept_in_its_normal_form():
    assert check_term("My  Wife") == "wife"
    with pytest.raises(InvalidInput, match="relation"):
        check_term("w" * 65, "relation")


# -- records ----------------------------------------------------------------------------------------------------------


def test_a_person_comes_back_from_its_record():
    merged = replace(SARAH, home=None, readers=Readers.of(["bob"], []), merged_into="@bob", merged_by=BOB, version=3)
    for person in (SARAH, merged, user_person("bob")):
        assert person_from_dict(json.loads(json.dumps(person_to_dict(person)))) == person
    assert (SARAH.user, merged.user) == (None, "bob")


def test_a_relation_comes_back_from_its_record():
    listed = Relation(
        id="rel_x", from_person="@alice", term="wife", to_person=SARAH.id, created_by=ALICE, at_us=Moment(7), number=2
    )
    for relation in (listed, replace(listed, home=HOME, readers=Readers.of([]))):
        assert relation_from_dict(json.loads(json.dumps(relation_to_dict(relation)))) == relation
    assert listed.stated_by == "@alice"
    assert replace(listed, created_by=Actor(ActorKind.AGENT, "helper")).stated_by is None
