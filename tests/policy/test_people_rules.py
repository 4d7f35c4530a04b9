"""Which person a reference resolves to, as a table; and who may change or merge people."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from memfort.language.people_words import relation_terms
from memfort.model.item import EVERYONE, Readers
from memfort.model.moment import Moment
from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.model.people.person import Person, Relation, person_id, user_person
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.policy.people import (
    Speaker,
    canonical,
    is_known_in,
    is_merge_trusted,
    may_change,
    may_merge,
    possible_people,
    resolve,
)

ALICE, BOB, CAROL = (Actor(ActorKind.USER, name) for name in ("alice", "bob", "carol"))
HELPER = Actor(ActorKind.AGENT, "helper", owner="alice")
HOME = Space.of({"user": "alice"})


def person(name: str, *aliases: str, by: Actor = BOB, number: int = 1, home: Space | None = None) -> Person:
    return Person(id=person_id(home, EVERYONE, by, number), name=name, aliases=aliases, home=home, created_by=by,
                  created_at_us=Moment(0), number=number)  # fmt: skip


def relation(term: str, to: Person | str, *, of: str = "@alice", by: Actor = ALICE) -> Relation:
    to = to if isinstance(to, str) else to.id
    return Relation(id="rel_x", from_person=of, term=term, to_person=to, created_by=by, at_us=Moment(0), number=1)


MINE = person("Sarah", "Sal", by=ALICE)  # entered by the speaker
SMITH = person("Sarah Smith", by=ALICE, number=2)
THEIRS = person("Sarah", number=3)  # added by another user
JONES = person("Sarah Jones", number=4)
TOM = person("Tom", number=5)
OTHER_TOM = person("Tom", number=6)
ROBERT = replace(user_person("bob"), name="Robert", aliases=("Rob",), version=1)
WIFE, FIRST, SECOND = relation("wife", THEIRS), relation("brother", TOM), relation("brother", OTHER_TOM)

# reference, what the speaker knows, who is in sight: who is meant, and why
TABLE: dict[str, tuple[str, dict[str, Any], list[Person], str | None, Reason]] = {
    "the speaker": ("me", {}, [], "@alice", Reason.NAMED_AS_SPEAKER),
    "a user": ("@bob", {}, [], "@bob", Reason.NAMED_AS_USER),
    "a user in other letters": ("@Bob", {}, [], "@Bob", Reason.NAMED_AS_USER),
    "an id": (TOM.id, {}, [TOM], TOM.id, Reason.NAMED_BY_ID),
    "an id out of sight": (TOM.id, {}, [THEIRS], None, Reason.NOBODY_CALLED_SO),
    "my wife": ("my wife", {"relations": [WIFE]}, [THEIRS], THEIRS.id, Reason.OWN_RELATION),
    "wife": ("Wife", {"relations": [WIFE]}, [THEIRS], THEIRS.id, Reason.OWN_RELATION),
    "two brothers": ("my brother", {"relations": [FIRST, SECOND]}, [], None, Reason.SEVERAL_CALLED_SO),
    "no brother": ("my brother", {"relations": [WIFE]}, [], None, Reason.NOBODY_CALLED_SO),
    "another user's wife": (
        "my wife", {"relations": [relation("wife", TOM, of="@bob", by=BOB)]}, [TOM], None, Reason.NOBODY_CALLED_SO),
    "a wife stated by another user": (
        "my wife", {"relations": [relation("wife", TOM, by=BOB)]}, [TOM], None, Reason.NOBODY_CALLED_SO),
    "a wife that the system says": (
        "my wife", {"relations": [relation("wife", TOM, by=SYSTEM)]}, [TOM], TOM.id, Reason.OWN_RELATION),
    "a relationship is no name": ("the boss", {}, [person("Boss", by=ALICE)], None, Reason.NOBODY_CALLED_SO),
    "a term of one's own": (
        "my godmother", {"relations": [relation("godmother", TOM)]}, [TOM], TOM.id, Reason.OWN_RELATION),
    "one's own before all": ("Sarah", {}, [MINE, THEIRS], MINE.id, Reason.OWN_CONNECTION),
    "by an alias": ("sal", {}, [MINE, THEIRS], MINE.id, Reason.OWN_CONNECTION),
    "related before all": ("sarah", {"relations": [WIFE]}, [THEIRS, JONES], THEIRS.id, Reason.OWN_CONNECTION),
    "present before all": ("rob", {"present": frozenset({"@bob"})}, [ROBERT, person("Rob", by=CAROL)], "@bob",
                           Reason.OWN_CONNECTION),
    "a user by the user's name": (
        "Bob", {"present": frozenset({"@bob"})}, [user_person("bob")], "@bob", Reason.OWN_CONNECTION),
    "oneself by name": ("Alice", {}, [user_person("alice")], "@alice", Reason.OWN_CONNECTION),
    "two of one's own": ("Sarah", {"relations": [WIFE]}, [MINE, THEIRS], None, Reason.SEVERAL_CALLED_SO),
    "a first name of one's own": ("Sarah", {}, [SMITH, JONES], SMITH.id, Reason.OWN_CONNECTION),
    "the whole name before a first name": ("Sarah", {}, [MINE, SMITH], MINE.id, Reason.OWN_CONNECTION),
    "two with that first name": (
        "Sarah", {"relations": [relation("friend", JONES)]}, [SMITH, JONES], None, Reason.SEVERAL_CALLED_SO),
    "only the first name is the same": ("Sarah Brown", {}, [SMITH, JONES], None, Reason.NOBODY_CALLED_SO),
    "less is known than said": ("Sarah Smith", {}, [MINE], None, Reason.NOBODY_CALLED_SO),
    "the only one": ("tom", {}, [TOM, JONES], TOM.id, Reason.ONLY_ONE_CALLED_SO),
    "two of all": ("Tom", {}, [TOM, OTHER_TOM], None, Reason.SEVERAL_CALLED_SO),
    "a stranger's first name": ("Sarah", {}, [JONES], None, Reason.NOBODY_CALLED_SO),
    "an unknown name": ("Zoe", {}, [TOM, MINE], None, Reason.NOBODY_CALLED_SO),
    "a user who only calls themselves so": ("Robert", {}, [ROBERT], None, Reason.NOBODY_CALLED_SO),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_references_resolve_to_the_intended_person(case):
    reference, known, people, person, reason = TABLE[case]
    found = resolve(reference, Speaker(ALICE, **known), people)
    assert (found.person, found.reason) == (person, reason)


def test_only_my_states_a_relation_to_the_speaker():
    speaker = Speaker(ALICE)
    assert resolve("My Wife", speaker, []).term == "wife"
    assert [resolve(said, speaker, []).term for said in ("wife", "the boss", "my Sarah")] == [None, None, None]
    assert resolve("my wife", Speaker(HELPER), []).term is None
    assert len(set(relation_terms().values())) >= 26


def test_me_resolves_only_for_actors_with_a_user():
    for actor, person in ((HELPER, None), (SYSTEM, None), (replace(HELPER, acting_for="bob"), "@bob")):
        assert resolve("me", Speaker(actor), []).person == person


def test_references_resolve_to_the_merged_person():
    moved = {MINE.id: TOM.id, THEIRS.id: TOM.id}
    speaker = Speaker(ALICE, relations=[WIFE])
    assert resolve(MINE.id, speaker, [MINE], moved).person == TOM.id
    assert resolve("my wife", speaker, [], moved).person == TOM.id
    assert resolve("Sarah", speaker, [MINE, THEIRS], moved).person == TOM.id


def test_a_name_does_not_lead_on_to_a_user_the_speaker_has_nothing_to_do_with():
    """Otherwise a user could add a name, claim it, and be shown what is said about its bearer."""
    assert resolve("Tom", Speaker(ALICE), [TOM], {TOM.id: "@bob"}).person is None
    assert resolve("Tom", Speaker(BOB), [TOM], {TOM.id: "@bob"}).person == "@bob"


def test_possible_people_lists_the_speakers_own_people_first():
    speaker = Speaker(ALICE)
    assert possible_people("sarah", speaker, [THEIRS, JONES, MINE, TOM])[0] == MINE.id
    assert set(possible_people("sarah", speaker, [THEIRS, JONES, MINE, TOM])) == {MINE.id, THEIRS.id, JONES.id}
    assert possible_people("my brother", Speaker(ALICE, [FIRST, SECOND]), []) == [TOM.id, OTHER_TOM.id]
    assert (possible_people("@bob", speaker, []), possible_people("me", speaker, [])) == (["@bob"], ["@alice"])
    assert (possible_people(TOM.id, speaker, []), possible_people("zoe", speaker, [TOM])) == ([], [])
    assert possible_people("sarah", speaker, [MINE, THEIRS], {THEIRS.id: MINE.id}) == [MINE.id]


# -- merges -----------------------------------------------------------------------------------------------------------


def test_chains_of_merges_are_followed_to_their_end_and_circles_end_where_they_were_entered():
    assert canonical("a", {}) == "a"
    assert canonical("a", {"a": "b", "b": "c", "x": "y"}) == "c"
    assert (canonical("a", {"a": "a"}), canonical("a", {"a": "b", "b": "a"})) == ("a", "a")
    assert canonical("a", {"a": "b", "b": "c", "c": "b"}) == "a"


def test_a_merge_is_trusted_by_its_author_and_by_all_if_the_system_made_it():
    def merge_tables(into: str, by: Actor) -> Person:
        return replace(MINE, merged_into=into, merged_by=by)

    assert is_merge_trusted(ALICE, merge_tables("@bob", ALICE))
    assert is_merge_trusted(replace(HELPER, acting_for="alice"), merge_tables("@bob", ALICE))
    assert not is_merge_trusted(CAROL, merge_tables("@bob", ALICE))
    assert is_merge_trusted(CAROL, merge_tables("@bob", SYSTEM))
    assert is_merge_trusted(CAROL, merge_tables(TOM.id, ALICE))
    assert not is_merge_trusted(ALICE, MINE)


# -- who may ----------------------------------------------------------------------------------------------------------

MAY_CHANGE = [
    (ALICE, MINE, Reason.PERSON_CREATOR),
    (replace(HELPER, acting_for="alice"), MINE, Reason.PERSON_CREATOR),
    (HELPER, MINE, Reason.NOT_YOUR_PERSON),
    (BOB, MINE, Reason.NOT_YOUR_PERSON),
    (SYSTEM, MINE, Reason.PERSON_KEPT),
    (BOB, ROBERT, Reason.PERSON_THEMSELVES),
    (ALICE, replace(ROBERT, created_by=ALICE), Reason.NOT_YOUR_PERSON),
    (SYSTEM, ROBERT, Reason.PERSON_KEPT),
    (Actor(ActorKind.AGENT, "bob"), ROBERT, Reason.NOT_YOUR_PERSON),
]


@pytest.mark.parametrize(("actor", "person", "reason"), MAY_CHANGE)
def test_a_person_may_be_changed_by_their_creator_and_by_themselves(actor, person, reason):
    assert may_change(actor, person) is reason


MAY_MERGE = [
    (ALICE, MINE, SMITH, Reason.PERSON_CREATOR),
    (ALICE, MINE, THEIRS, Reason.NOT_YOUR_PERSON),
    (BOB, MINE, THEIRS, Reason.NOT_YOUR_PERSON),
    (SYSTEM, MINE, THEIRS, Reason.PERSON_KEPT),
    (ALICE, user_person("bob"), MINE, Reason.LISTED_BY_THEMSELVES),
    (BOB, user_person("bob"), THEIRS, Reason.PERSON_CREATOR),
    (ALICE, user_person("bob"), replace(MINE, home=HOME), Reason.PERSON_CREATOR),
    (ALICE, user_person("alice"), MINE, Reason.PERSON_CREATOR),
    (BOB, user_person("bob"), MINE, Reason.NOT_YOUR_PERSON),
    (SYSTEM, user_person("bob"), MINE, Reason.PERSON_KEPT),
    (BOB, user_person("bob"), user_person("alice"), Reason.DIFFERENT_USERS),
    (SYSTEM, user_person("bob"), user_person("alice"), Reason.DIFFERENT_USERS),
    (SYSTEM, MINE, user_person("alice"), Reason.NOT_YOUR_PERSON),
]


@pytest.mark.parametrize(("actor", "primary", "secondary", "reason"), MAY_MERGE)
def test_the_creator_of_both_may_merge_but_never_two_users(actor, primary, secondary, reason):
    assert may_merge(actor, primary, secondary) is reason


def test_a_person_is_known_in_a_space_if_all_its_readers_may_know_them():
    session, chat = Space.of({"user": "alice", "session": "s1"}), Space.of({"chat": "c1"})
    for_bob = Readers.of(["bob"])
    assert is_known_in(None, EVERYONE, chat)
    assert is_known_in(HOME, EVERYONE, HOME)
    assert is_known_in(HOME, EVERYONE, session)
    assert not is_known_in(session, EVERYONE, HOME)
    assert not is_known_in(HOME, EVERYONE, chat)
    assert not is_known_in(chat, EVERYONE, HOME)
    assert is_known_in(HOME, EVERYONE, HOME, for_bob)
    assert is_known_in(HOME, for_bob, HOME, for_bob)
    assert not is_known_in(HOME, for_bob, HOME)
    assert not is_known_in(None, for_bob, HOME, Readers.of(["carol"]))
