"""Forgetting a person: what is about them, what they said, or both; as far as whoever asks may end it, and not one byte
of what others keep."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from memfort import InvalidInput, NotFound
from memfort.engine.engine import ALL_STATES
from memfort.model.item import EVERYONE
from memfort.model.learned import LearnedKind
from memfort.model.people.person import Person, Relation, person_id, relation_id
from memfort.policy.sight import maintenance_sight
from memfort.store.port import PutPerson, PutRelation

LUNCH = {"chat": "lunch"}


@pytest.fixture
def lunch(memory):
    """A group chat of alice and bob, and one of carol and bob."""
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    memory.chat.register("dinner", kind="group", participants=["carol", "bob"])
    return memory.as_user("alice", chat="lunch")


@pytest.fixture
def carol(memory):
    return memory.as_user("carol")


def kept(memory):
    """Every memory there is that has not ended, by its text."""
    engine = memory._engine
    items = engine.all_items(maintenance_sight(engine.store.spaces()), ALL_STATES)
    return sorted(item.text for item in items if item.deleted_at_us is None)


def stored(memory):
    engine = memory._engine
    return {item.id for item in engine.all_items(maintenance_sight(engine.store.spaces()), ALL_STATES)}


def ids(result):
    return {id for _, id in result.items}


@pytest.fixture
def known(memory, alice, bob, carol, lunch):
    """What three people know about bob, and what bob says himself."""
    dinner = memory.as_user("carol", chat="dinner")
    return {
        "alice's own": alice.remember("@bob is fond of pizza").id,
        "in the chat": lunch.remember("@bob plays chess", space=LUNCH).id,
        "by bob there": memory.as_user("bob", chat="lunch").remember("the lake was cold", space=LUNCH).id,
        "of carol there": lunch.remember("@carol plays chess", space=LUNCH).id,
        "carol's own": carol.remember("@bob is fond of jam").id,
        "at dinner": dinner.remember("@bob plays bridge", space={"chat": "dinner"}).id,
        "bob's own": bob.remember("the boat is mended").id,
    }


# -- who may end what -------------------------------------------------------------------------------------------------


def test_forget_person_covers_memories_the_caller_may_change(memory, lunch, known):
    result = lunch.people.forget("@bob")
    assert ids(result) == {known["alice's own"], known["in the chat"]}
    assert result.counts == {"about": 2, "stated_by": 0, "derived": 0}
    assert kept(memory) == sorted(
        ["the lake was cold", "@carol plays chess", "@bob is fond of jam", "@bob plays bridge", "the boat is mended"]
    )


def test_memories_where_the_caller_does_not_stand_are_neither_ended_nor_named(memory, alice, known):
    assert ids(alice.people.forget("@bob", which="both")) == {known["alice's own"]}
    assert memory.as_user("bob", chat="lunch").get(known["in the chat"]) is not None


def test_forget_person_covers_statements_by_the_person_on_request(memory, alice, lunch, known):
    result = lunch.people.forget("@bob", which="stated_by")
    assert ids(result) == {known["by bob there"]}
    assert alice.get(known["alice's own"]) is not None


def test_both_are_forgotten_on_request(memory, lunch, known):
    result = lunch.people.forget("@bob", which="both")
    assert ids(result) == {known["alice's own"], known["in the chat"], known["by bob there"]}


def test_the_person_themselves_has_it_ended_in_their_own_spaces_and_where_they_stand(memory, known):
    at_lunch = memory.as_user("bob", chat="lunch").people.forget("me", which="both")
    assert ids(at_lunch) == {known[one] for one in ("in the chat", "by bob there", "bob's own")}
    at_dinner = memory.as_user("bob", chat="dinner").people.forget("me", which="both")
    assert ids(at_dinner) == {known["at dinner"]}
    assert kept(memory) == ["@bob is fond of jam", "@bob is fond of pizza", "@carol plays chess"]


def test_the_system_ends_it_everywhere(memory, known):
    result = memory.as_system().people.forget("@bob", which="both")
    assert ids(result) == set(known.values()) - {known["of carol there"]}
    assert kept(memory) == ["@carol plays chess"]


def test_a_stranger_forgets_nothing_in_the_chat(memory, known):
    result = memory.as_user("carol", chat="dinner").people.forget("@bob", which="both")
    assert ids(result) == {known["carol's own"], known["at dinner"]}


def test_a_former_participant_forgets_nothing_in_the_chat(memory, alice, known):
    memory.chat.register("lunch", kind="group", participants=["bob"])
    assert ids(alice.people.forget("@bob")) == {known["alice's own"]}


def test_memories_the_chat_may_not_hear_are_neither_forgotten_nor_counted(memory, alice, lunch, known):
    there = memory.as_user("bob", chat="lunch")
    hidden = there.remember("@bob sees a doctor", space=LUNCH, sensitivity="sensitive").id
    assert hidden not in ids(lunch.people.forget("@bob", dry_run=True))
    lunch.people.forget("@bob")
    assert "@bob sees a doctor" in kept(memory)
    assert hidden not in ids(there.people.forget("@bob")), "the chat hears the answer, though Bob may end it"
    assert "@bob sees a doctor" not in kept(memory)


def test_memories_learned_in_private_are_not_counted_for_their_subject(memory, bob, known, change):
    """It lies in a chat that bob takes part in, but it was said where he was not."""
    memory.chat.register("aside", kind="private", participants=["alice", "carol"])
    there = memory.as_user("alice", chat="lunch")
    item = there.remember("@bob is getting a surprise", space=LUNCH).item
    change(item, learned_in="aside", learned_kind=LearnedKind.PRIVATE, learned_with=("@alice", "@carol"))
    assert item.id not in ids(memory.as_user("bob", chat="lunch").people.forget("@bob"))
    assert "@bob is getting a surprise" in kept(memory)


@pytest.fixture
def change(memory):
    def change(item, **fields):
        engine = memory._engine
        after = replace(item, **fields, version=item.version + 1)
        event = engine.recorder(item.author, engine.clock.now()).change_event("import", after, "imported")
        engine.apply([engine.update(after)], [event])

    return change


def test_forgetting_is_invisible_to_others(memory, alice, bob, carol, known):
    def looked():
        return [
            carol.list(),
            carol.recall("fond jam").hits,
            carol.about("@bob"),
            list(carol.trail.export()),
            bob.list(),
        ]

    looked()
    before = [carol.list(), carol.recall("fond jam").hits, bob.list()]
    alice.people.forget("@bob", which="both")
    assert [carol.list(), carol.recall("fond jam").hits, bob.list()] == before


# -- rehearsing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("erase", [False, True])
@pytest.mark.parametrize("which", ["about", "stated_by", "both"])
@pytest.mark.parametrize("who", ["alice", "bob", "system"])
def test_a_dry_run_matches_the_outcome_and_changes_nothing(memory, known, who, which, erase):
    actor = memory.as_system() if who == "system" else memory.as_user(who, chat="lunch")
    before = kept(memory)
    planned = actor.people.forget("@bob", which=which, erase=erase, dry_run=True)
    assert (kept(memory), planned.dry_run) == (before, True)
    done = actor.people.forget("@bob", which=which, erase=erase)
    assert (ids(planned), planned.counts) == (ids(done), done.counts)
    assert ids(done)
    assert kept(memory) != before
    assert memory.trail.verify().ok
    again = actor.people.forget("@bob", which=which, erase=erase)
    assert ids(again) == set()


def test_derived_memories_are_forgotten_too(memory, alice, known):
    short = alice.remember("in short: pizza", derived_from=[known["alice's own"]]).id
    result = alice.people.forget("@bob")
    assert short in ids(result)
    assert result.counts["derived"] == 1
    assert alice.recall("pizza").texts == []


def test_the_words_may_be_learned_again(memory, alice, known):
    alice.people.forget("@bob")
    assert alice.remember("@bob is fond of pizza").kept


def test_forgetting_goes_in_batches(memory, alice, monkeypatch):
    monkeypatch.setattr("memfort.operations.ending.forget_person.BATCH", 3)
    for number in range(8):
        alice.remember(f"@bob has {number} kites")
    seen = []
    assert len(alice.people.forget("@bob", progress=lambda *done: seen.append(done)).items) == 8
    assert seen == [(3, 8), (6, 8), (8, 8)]


# -- erasing ----------------------------------------------------------------------------------------------------------


def listed(memory, creator, name, number=1, **given):
    engine = memory._engine
    person = Person(id=person_id(None, EVERYONE, creator, number), name=name, created_by=creator,
                    created_at_us=engine.clock.now(), number=number, **given)  # fmt: skip
    engine.store.apply([PutPerson(person)], [])
    return person


def related(memory, creator, term, to, number=2):
    engine = memory._engine
    relation = Relation(id=relation_id(None, EVERYONE, creator, number), from_person="@alice", term=term, to_person=to,
                        created_by=creator, at_us=engine.clock.now(), number=number)  # fmt: skip
    engine.store.apply([PutRelation(relation)], [])
    return relation


def known_ids(memory):
    engine = memory._engine
    sight = maintenance_sight(engine.store.spaces())
    people = [one.id for one in engine.store.all_people(sight, None, 1000)]
    return people + [one.id for one in engine.store.all_relations(sight)]


def test_erased_means_physically_gone_with_a_receipt(memory, alice, known):
    result = alice.people.forget("@bob", erase=True)
    assert not ids(result) & stored(memory)
    assert alice.verify_erasure(result.receipt.id).ok
    assert known["carol's own"] in stored(memory)
    assert result.receipt.selector == {"person": "@bob", "which": "about"}


def test_erase_includes_memories_forgotten_before(memory, alice, known):
    alice.forget(known["alice's own"])
    assert known["alice's own"] in ids(alice.people.forget("@bob", erase=True))


def test_the_creator_removes_a_person_with_their_names(memory, alice, carol):
    person = listed(memory, alice.actor, "Sarah Quill")
    hers = related(memory, alice.actor, "sister", person.id)
    other = related(memory, carol.actor, "friend", person.id, number=7)
    own = alice.remember("Sarah plays chess", subjects=[person.id]).id
    theirs = carol.remember("Sarah is fond of jam", subjects=[person.id]).id
    result = alice.people.forget(person.id, erase=True)
    assert ids(result) == {own}
    assert (result.receipt.counts["people"], result.receipt.counts["relations"]) == (1, 1)
    assert hers.id not in known_ids(memory)
    assert person.id not in known_ids(memory)
    assert {other.id} <= set(known_ids(memory))
    assert carol.get(theirs).text == "Sarah is fond of jam"


@pytest.mark.parametrize("has_something", [True, False])
def test_a_person_in_the_directory_is_removed_whether_or_not_memories_exist(memory, alice, carol, has_something):
    """Otherwise the directory would reveal whether the asker has memories."""
    if has_something:
        alice.remember("likes ink")
    person = alice.people.add("Sarah", relation="wife", listed=True)
    assert carol.people.get(person.id) == person
    result = alice.people.forget(person.id, erase=True)
    assert (result.receipt.counts["people"], result.receipt.counts["relations"]) == (1, 1)
    assert carol.people.get(person.id) is None
    assert memory.trail.verify().ok


def test_only_the_creator_removes_a_person_from_the_directory(memory, alice, carol):
    person = listed(memory, carol.actor, "Sarah Quill")
    alice.remember("Sarah plays chess", subjects=[person.id])
    result = alice.people.forget(person.id, erase=True)
    assert (len(result.items), result.receipt.counts["people"]) == (1, 0)
    assert known_ids(memory) == [person.id]


def test_memories_about_a_merged_person_are_forgotten_too(memory, alice):
    person = listed(memory, alice.actor, "Bobby")
    item = alice.remember("Bobby is fond of kites", subjects=[person.id]).id
    memory._engine.store.apply([PutPerson(replace(person, merged_into="@bob", merged_by=alice.actor, version=2))], [])
    result = alice.people.forget("@bob", erase=True)
    assert (ids(result), known_ids(memory)) == ({item}, [])


def test_a_unique_name_identifies_the_person(memory, alice):
    person = listed(memory, alice.actor, "Sarah Quill")
    item = alice.remember("Sarah plays chess", subjects=[person.id]).id
    assert ids(alice.people.forget("Sarah Quill", dry_run=True)) == {item}


def test_forgetting_an_ambiguous_name_is_refused(memory, alice):
    first, second = listed(memory, alice.actor, "Sarah Quill"), listed(memory, alice.actor, "Sarah Reed", number=2)
    with pytest.raises(InvalidInput, match="could be more than one") as error:
        alice.people.forget("Sarah")
    assert first.id in str(error.value)
    assert second.id in str(error.value)


def test_forgetting_an_unknown_person_is_not_found(alice):
    with pytest.raises(NotFound):
        alice.people.forget("Zebulon")


def test_a_wrong_choice_is_refused_by_name(alice):
    with pytest.raises(InvalidInput, match="which"):
        alice.people.forget("@bob", which="all")


def test_an_unknown_person_and_another_users_person_give_the_same_error(memory, alice, carol):
    """Who is known only with carol is not found, whether or not there is such a person."""
    home = carol._engine.sight(carol._standpoint).spaces[0].space
    hidden = Person(id=person_id(home, EVERYONE, carol.actor, 1), name="Dorothea", home=home, created_by=carol.actor,
                    created_at_us=memory._engine.clock.now(), number=1)  # fmt: skip
    errors = []
    for _ in range(2):
        with pytest.raises(NotFound) as error:
            alice.people.forget(hidden.id)
        errors.append(str(error.value))
        memory._engine.store.apply([PutPerson(hidden)], [])
    assert errors[0] == errors[1]
