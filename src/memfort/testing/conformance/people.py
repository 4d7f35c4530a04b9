"""People and relations: visible in their home space, or to all if they are in the directory."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from memfort.model.item import EVERYONE, Readers
from memfort.model.people.actor import SYSTEM
from memfort.model.people.person import Person, Relation, user_person
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import Change, DropPerson, DropRelation, PutPerson, PutRelation, Reindex, Store
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    HOME,
    HOSTILE_SPACES,
    NEXT_DOOR,
    NO_SPACE,
    person,
    relation,
    sight_on,
)
from memfort.testing.conformance.threads import write_then_fail
from memfort.testing.strategies import HOSTILE_NAMES

ELSEWHERE = Space.of({"project": "apollo"})


def put(store: Store, *made: Person | Relation) -> None:
    changes: list[Change] = [PutPerson(one) if isinstance(one, Person) else PutRelation(one) for one in made]
    store.apply(changes, [])


def all_people_in(store: Store, sight: Sight) -> list[Person]:
    return store.all_people(sight, None, 10_000)


class People(Claims):
    """A store shows the people of the named spaces and of the directory, and no one else."""

    def test_people_come_back_as_they_were_last_put(self, store: Store) -> None:
        first = person(aliases=("Sal", "S. Smith"), merged_into="@bob", merged_by=BOB)
        put(store, first)
        assert store.people(sight_on(HOME), [first.id]) == [first]
        later = replace(first, name="Sarah Jones", aliases=(), merged_into=None, merged_by=None, version=2)
        put(store, later)
        assert (store.people(sight_on(HOME), [first.id]), all_people_in(store, sight_on(HOME))) == ([later], [later])

    def test_people_are_visible_only_where_their_home_space_is_in_sight(self, store: Store) -> None:
        here, there = person(HOME), person(NEXT_DOOR, created_by=BOB)
        put(store, here, there, relation(HOME), relation(NEXT_DOOR, created_by=BOB))
        for sight, known in ((sight_on(HOME), [here]), (sight_on(NEXT_DOOR), [there]), (sight_on(ELSEWHERE), [])):
            assert store.people(sight, [here.id, there.id]) == known
            assert store.people_named(sight, "sarah smith") == known
            assert all_people_in(store, sight) == known
            assert [one.home for one in store.relations(sight, ["@alice"])] == [one.home for one in known]
            assert [one.home for one in store.all_relations(sight)] == [one.home for one in known]
        assert len(all_people_in(store, sight_on(HOME, NEXT_DOOR))) == 2

    def test_people_in_the_directory_are_known_to_every_sight(self, store: Store) -> None:
        listed, wife = person(), relation()
        put(store, listed, wife)
        for sight in (sight_on(HOME), sight_on(NEXT_DOOR, actor=BOB), sight_on(ELSEWHERE, whole=True)):
            assert (
                store.people(sight, [listed.id])
                == store.people_named(sight, "sarah")
                == all_people_in(store, sight)
                == [listed]
            )
            assert store.relations(sight, ["per_sarah"]) == list(store.all_relations(sight)) == [wife]

    def test_no_space_means_no_people(self, store: Store) -> None:
        put(store, person(), person(HOME), relation(), relation(HOME))
        for sight in (NO_SPACE, Sight(SYSTEM, (), whole=True), sight_on(HOME).narrowed([])):
            assert [
                *all_people_in(store, sight),
                *store.people_named(sight, "sarah"),
                *store.all_relations(sight),
            ] == []
            assert (store.people(sight, [person().id]), store.relations(sight, ["@alice"])) == ([], [])
            assert store.next_person_number(sight, None, EVERYONE, ALICE.key) == 1
            assert store.next_person_number(sight, HOME, EVERYONE, ALICE.key) == 1
        assert len(all_people_in(store, sight_on(HOME))) == 2

    def test_hostile_spaces_keep_their_people_apart(self, store: Store) -> None:
        put(store, *(person(space) for space in HOSTILE_SPACES), *(relation(space) for space in HOSTILE_SPACES))
        for space in HOSTILE_SPACES[::7]:
            sight = sight_on(space)
            assert [one.home for one in all_people_in(store, sight)] == [space]
            assert [one.home for one in store.people_named(sight, "sarah")] == [space]
            assert [one.home for one in store.all_relations(sight)] == [space]
            assert store.next_person_number(sight, space, EVERYONE, ALICE.key) == 3

    def test_a_persons_reader_list_is_enforced(self, store: Store) -> None:
        for_bob = Readers.of(["bob"])
        secret, wife = person(HOME, readers=for_bob), relation(HOME, readers=for_bob)
        put(store, secret, wife)
        alice, bob = sight_on(HOME), sight_on(HOME, actor=BOB)
        assert (all_people_in(store, alice), store.people_named(alice, "sarah"), store.people(alice, [secret.id])) == (
            [],
            [],
            [],
        )
        assert (store.relations(alice, ["@alice"]), list(store.all_relations(alice))) == ([], [])
        assert (all_people_in(store, bob), list(store.all_relations(bob))) == ([secret], [wife])
        assert all_people_in(store, sight_on(HOME, whole=True)) == [secret]

    def test_people_are_found_by_every_normal_name_and_by_first_names(self, store: Store) -> None:
        sarah = person(name="Sarah  Smith", aliases=("My Sal", "DR. Who Knows"))
        sam = person(name="Sam", number=2)
        put(store, sarah, sam)
        found = {
            name: store.people_named(sight_on(HOME), name) for name in ("sarah smith", "sarah", "sal", "dr.", "sam")
        }
        assert found == {"sarah smith": [sarah], "sarah": [sarah], "sal": [sarah], "dr.": [sarah], "sam": [sam]}
        for name in ("smith", "sarah ", "Sarah", "sa", "who knows", "%", "sa*", "", "\x00", "\ud800", "sarah smith x"):
            assert store.people_named(sight_on(HOME), name) == []

    def test_several_names_are_looked_up_at_once(self, store: Store) -> None:
        sarah, sam = person(name="Sarah Smith"), person(name="Sam", number=2)
        assert not store.knows_people(sight_on(HOME))
        put(store, sarah, sam)
        assert {one.id for one in store.people_named(sight_on(HOME), "sarah", "sarah smith", "sam")} == {
            sarah.id,
            sam.id,
        }
        assert len(store.people_named(sight_on(HOME), "sarah", "sarah smith")) == 1
        assert store.people_named(sight_on(HOME)) == []
        assert (store.knows_people(sight_on(HOME)), store.knows_people(sight_on())) == (True, False)

    def test_a_removed_name_finds_no_one(self, store: Store) -> None:
        put(store, person(aliases=("Sal",)))
        put(store, person(name="Sandra"))
        assert (store.people_named(sight_on(HOME), "sal"), store.people_named(sight_on(HOME), "sarah smith")) == (
            [],
            [],
        )
        assert len(store.people_named(sight_on(HOME), "sandra")) == 1

    def test_hostile_names_are_stored_exactly(self, store: Store) -> None:
        users = [replace(user_person(name), version=1) for name in HOSTILE_NAMES]
        put(store, *users)
        for user in users:
            assert store.people(sight_on(HOME), [user.id]) == [user]
        assert {one.id for one in all_people_in(store, sight_on(HOME))} == {user.id for user in users}

    @pytest.mark.parametrize("id", ["", "per_", "@", "@ALICE", "@alice ", "%", "@alic", "\ud800", "*"])
    def test_people_are_found_by_their_full_id_only(self, store: Store, id: str) -> None:
        put(store, replace(user_person("alice"), version=1))
        assert store.people(sight_on(HOME), [id]) == []
        assert len(store.people(sight_on(HOME), [id, "@alice"])) == 1
        assert store.people(sight_on(HOME), []) == []

    def test_all_people_are_paged_in_order(self, store: Store) -> None:
        made = [person(HOME if number % 2 else None, number=number) for number in range(1, 12)]
        put(store, *made, person(NEXT_DOOR))
        walked: list[Person] = []
        while page := store.all_people(sight_on(HOME), walked[-1].id if walked else None, 4):
            walked += page
        assert walked == sorted(made, key=lambda one: one.id)
        assert store.all_people(sight_on(HOME), None, 0) == []

    def test_relations_are_found_from_both_ends(self, store: Store) -> None:
        wife, boss = relation(), relation(number=3, term="boss", to_person="@bob")
        put(store, wife, boss)
        sight = sight_on(HOME)
        assert store.relations(sight, ["per_sarah"]) == [wife]
        assert store.relations(sight, ["@alice"]) == sorted([wife, boss], key=lambda one: one.id)
        assert (store.relations(sight, ["@bob", "@carol"]), store.relations(sight, [])) == ([boss], [])
        store.apply([DropRelation(wife.id), DropRelation("rel_unknown")], [])
        assert list(store.all_relations(sight)) == [boss]

    def test_a_dropped_person_is_found_by_no_name(self, store: Store) -> None:
        put(store, person(HOME, aliases=("Sal",)), person(HOME, "Sam", number=2))
        store.apply([DropPerson(person(HOME).id), DropPerson("per_unknown")], [])
        sight = sight_on(HOME)
        assert (store.people_named(sight, "sal"), store.people(sight, [person(HOME).id])) == ([], [])
        assert [one.name for one in all_people_in(store, sight)] == ["Sam"]

    def test_numbers_go_on_for_each_creator_home_and_reader_list(self, store: Store) -> None:
        for_bob = Readers.of(["bob"])
        put(store, person(HOME, number=3), person(), relation(number=2), person(HOME, readers=for_bob, number=8))
        sight = sight_on(HOME, NEXT_DOOR)
        assert store.next_person_number(sight, HOME, EVERYONE, ALICE.key) == 4
        assert store.next_person_number(sight, HOME, for_bob, ALICE.key) == 9
        assert store.next_person_number(sight, None, EVERYONE, ALICE.key) == 3
        assert store.next_person_number(sight, HOME, EVERYONE, BOB.key) == 1
        assert store.next_person_number(sight, NEXT_DOOR, EVERYONE, ALICE.key) == 1
        assert store.next_person_number(sight_on(NEXT_DOOR), HOME, EVERYONE, ALICE.key) == 1

    def test_the_number_of_a_dropped_person_is_not_reused(self, store: Store) -> None:
        """Otherwise an id in a memory would come to mean another person."""
        put(store, person(HOME, number=5))
        store.apply([DropPerson(person(HOME, number=5).id)], [])
        put(store, person(HOME, number=2))
        assert store.next_person_number(sight_on(HOME), HOME, EVERYONE, ALICE.key) == 6

    def test_a_users_own_record_takes_no_number(self, store: Store) -> None:
        put(store, replace(user_person("alice"), created_by=ALICE, version=1))
        assert store.next_person_number(sight_on(HOME), None, EVERYONE, ALICE.key) == 1

    def test_a_home_is_listed_as_a_space(self, store: Store) -> None:
        put(store, person(), relation())
        assert list(store.spaces()) == []
        put(store, person(HOME), relation(NEXT_DOOR))
        assert list(store.spaces()) == sorted([HOME, NEXT_DOOR], key=lambda space: space.id)

    def test_a_rolled_back_person_was_never_there(self, store: Store) -> None:
        def add() -> None:
            put(store, person(HOME), relation(HOME))
            assert len(all_people_in(store, sight_on(HOME))) == 1

        write_then_fail(store, add)
        sight = sight_on(HOME)
        assert [*all_people_in(store, sight), *store.people_named(sight, "sarah"), *store.all_relations(sight)] == []
        assert store.next_person_number(sight, HOME, EVERYONE, ALICE.key) == 1

    def test_reindexing_keeps_people_findable(self, store: Store) -> None:
        put(store, person(HOME), person(None, "Sam"))
        store.apply([Reindex(lambda _: None)], [])
        assert [len(store.people_named(sight_on(HOME), name)) for name in ("sarah", "sarah smith", "sam")] == [1, 1, 1]
        assert store.checkup() == []
