"""Whom a statement is about: the people it speaks of, and the speaker only if they speak of themselves. People become
known where the statement stands, to its readers, and go when it is erased."""

from __future__ import annotations

import json

import pytest

from memfort import Memory
from memfort.model.people.person import is_made
from memfort.model.space import Space

HERS = Space.of({"user": "alice"})


def called(bound, outcome) -> list[str]:
    """The persons that a memory is about, by name; `?` for an unknown one."""
    found = [bound.people.get(one) for one in outcome.item.subjects]
    return ["?" if one is None else one.id if one.user else one.name for one in found]


def relations_of(bound, person="me") -> dict[str, str]:
    return {one.term: bound.people.get(one.to_person).name for one in bound.people.relations(person)}


# -- hearsay -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("My wife has anxiety", ["my wife"]),
        ("My sister's salary is $150k", ["my sister"]),
        ("my boss Tom was diagnosed with cancer", ["Tom"]),
        ("Sarah's sister is pregnant", ["Sarah's sister"]),
        ("our neighbour's son was arrested", ["my neighbor's son"]),
        ("mein Bruder hat Krebs", ["my brother"]),
        ("ma femme est enceinte", ["my wife"]),
        ("mi madre tiene cáncer", ["my mother"]),
        ("我老婆怀孕了", ["my wife"]),
        ("妻が妊娠しています", ["my wife"]),
        ("Tom was diagnosed with cancer", ["Tom"]),
        ("Dave and @bob both have anxiety", ["Dave", "@bob"]),
        ("I and my wife moved to Rome", ["my wife", "@alice"]),
        ("I love my wife", ["my wife", "@alice"]),
        ("had dinner with Sarah", ["Sarah", "@alice"]),
        ("my parents are divorced", ["?"]),
        ("Zoltan has anxiety", ["Zoltan"]),
        ("She has anxiety", ["?"]),
        ("A colleague has cancer", ["?"]),
        ("Bob: I have anxiety", ["Bob"]),
        ("I have anxiety", ["@alice"]),
        ("My salary is $150k", ["@alice"]),
        ("Alice: I have anxiety", ["@alice"]),
        ("My dog Max has cancer", ["@alice"]),
        ("Has anxiety", []),
        ("Acme is hiring", []),
        ("The project uses Python", []),
    ],
)
def test_a_statement_is_about_the_people_it_speaks_of(memory, text, about):
    alice = memory.as_user("alice")
    assert called(alice, alice.remember(text)) == about
    assert memory.trail.verify().ok


def test_a_relation_is_noted_where_the_statement_stands(memory):
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    boss = alice.remember("my boss Tom was diagnosed with cancer").item.subjects[0]
    sister = alice.remember("Sarah's sister is pregnant").item.subjects[0]
    assert relations_of(alice) == {"boss": "Tom"}
    (relation,) = alice.people.relations(sister)
    assert (relation.term, alice.people.get(relation.from_person).name, relation.home) == ("sister", "Sarah", HERS)
    for other in (bob, memory.as_system()):
        assert (other.people.list(), other.people.get(boss), other.people.relations("@alice")) == ([], None, [])


@pytest.mark.parametrize(
    ("said", "then", "term", "name"),
    [
        ("Sarah is my wife", "my wife plays chess", "wife", "Sarah"),
        ("My wife is called Sarah", "Sarah loves hiking", "wife", "Sarah"),
        ("Tom is my boss", "My boss is tired", "boss", "Tom"),
        ("mi hermana se llama Ana", "my sister lives in Lyon", "sister", "Ana"),
        ("Meine Frau heißt Anna", "ma femme est enceinte", "wife", "Anna"),
        ("Mio fratello si chiama Luca", "mijn broer heeft kanker", "brother", "Luca"),
    ],
)
def test_a_relation_that_is_stated_is_understood_later(memory, said, then, term, name):
    alice = memory.as_user("alice")
    first = alice.remember(said).item.subjects
    assert relations_of(alice) == {term: name}
    assert alice.remember(then).item.subjects == first
    assert [one.name for one in alice.people.find(f"my {term}")] == [name]
    assert {item.text for item in alice.about(name)} == {said, then}


def test_who_was_known_by_a_relation_gets_a_name(memory):
    alice = memory.as_user("alice")
    (wife,) = alice.remember("My wife has anxiety").item.subjects
    assert alice.remember("My wife is called Sarah").item.subjects == (wife,)
    assert alice.people.get(wife).name == "Sarah"


def test_two_who_turn_out_to_be_one_are_one(memory):
    alice = memory.as_user("alice")
    alice.remember("My wife has anxiety")
    (sarah,) = alice.remember("Sarah loves hiking").item.subjects
    alice.remember("Sarah is my wife")
    assert {item.text for item in alice.about(sarah)} == {
        "My wife has anxiety", "Sarah loves hiking", "Sarah is my wife"
    }  # fmt: skip
    assert alice.remember("my wife plays chess").item.subjects == (sarah,)
    assert memory.trail.verify().ok
    assert memory.as_system().doctor(checks=["integrity"]).problems == []


def test_words_alone_make_no_earlier_memory_one_about_a_user(memory):
    """Bob would be told what alice said of a friend before she called bob her friend."""
    alice = memory.as_user("alice")
    first = alice.remember("my friend has cancer")
    alice.remember("@bob is my friend")
    assert alice.get(first.id).subjects == first.item.subjects
    assert called(alice, alice.remember("my friend has diabetes")) == ["?"]  # there may be several
    wife = alice.remember("My wife has anxiety")
    alice.remember("@carol is my wife")
    assert alice.get(wife.id).subjects == wife.item.subjects
    assert called(alice, alice.remember("my wife has asthma")) == ["@carol"]  # there is one


def test_two_sisters_are_not_guessed(memory):
    alice = memory.as_user("alice")
    ann, eva = (alice.remember(f"my sister {name} has asthma").item.subjects[0] for name in ("Anna", "Eva"))
    assert ann != eva
    assert called(alice, alice.remember("my sister has cancer")) == ["?"]
    assert alice.remember("Eva has cancer").item.subjects == (eva,)


# -- where persons are made --------------------------------------------------------------------------------------------


@pytest.fixture
def lunch(memory) -> Memory:
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    return memory


def test_in_a_shared_space_a_private_statement_makes_nobody(lunch):
    alice, bob = (lunch.as_user(user, chat="lunch") for user in ("alice", "bob"))
    for text in ("My wife has anxiety", "Tom was diagnosed with cancer"):
        (somebody,) = alice.remember(text, space={"chat": "lunch"}).item.subjects
        assert is_made(somebody)
        assert alice.people.get(somebody) is None
    assert alice.people.list() == bob.people.list() == []
    (tom,) = alice.remember("Tom loves pizza", space={"chat": "lunch"}).item.subjects  # the control
    assert bob.people.get(tom).name == "Tom"


def test_who_is_known_in_private_is_not_named_in_a_shared_space(lunch):
    alone, alice = lunch.as_user("alice"), lunch.as_user("alice", chat="lunch")
    (wife,) = alone.remember("Sarah is my wife").item.subjects
    (other,) = alice.remember("My wife has anxiety", space={"chat": "lunch"}).item.subjects
    assert (other != wife, alone.people.get(other)) == (True, None)
    assert alice.remember("My wife has asthma").item.subjects == (wife,)


def test_an_agent_for_nobody_makes_nobody(memory):
    memory.agent.register("helper", owner="alice")
    agent = memory.as_agent("helper")
    said = agent.remember("My wife has anxiety", space={"agent": "helper", "visibility": "private"})
    assert is_made(said.item.subjects[0])
    assert agent.people.list() == []


def test_nobody_in_a_chat_is_told_of_an_unknown_person(lunch):
    alone = lunch.as_user("alice")
    for text in ("My wife has anxiety", "She has anxiety", "Dave and @bob both have anxiety"):
        alone.remember(text)
    for user in ("alice", "bob"):
        assert lunch.as_user(user, chat="lunch").recall("anxiety").texts == []
        assert lunch.as_user(user, chat="lunch").about("@bob") == []
    assert len(alone.recall("anxiety").texts) == 3


# -- names that users give themselves ----------------------------------------------------------------------------------


def test_who_takes_a_name_is_not_told_of_its_owner(lunch):
    alice, mallory = lunch.as_user("alice"), lunch.as_user("mallory")
    alice.people.relate("me", "friend", "@mallory")  # a connection of alice's
    mallory.people.update("me", name="Sarah")
    assert "@mallory" not in alice.remember("Sarah has anxiety").item.subjects
    assert "@mallory" not in alice.remember("they ski", subjects=["Sarah"]).item.subjects
    assert alice.remember("Mallory skis", subjects=["mallory"]).item.subjects == ("@mallory",)  # alice used that name
    alice.people.add("Mal", user="mallory")
    assert alice.remember("Mal skates", subjects=["Mal"]).item.subjects == ("@mallory",)


def test_who_takes_part_in_the_chat_is_meant_by_the_name_they_took(lunch):
    lunch.as_user("bob").people.update("me", name="Sarah")
    here = lunch.as_user("alice", chat="lunch")
    assert here.remember("Sarah loves tea", space={"chat": "lunch"}).item.subjects == ("@bob",)
    alone = lunch.as_user("alice")
    assert "@bob" not in alone.remember("Sarah loves ink").item.subjects


# -- what keeps its subjects -------------------------------------------------------------------------------------------


def test_a_new_wording_is_about_the_same_people(memory):
    alice = memory.as_user("alice")
    for text, after in (("My wife has anxiety", "My wife has asthma"), ("She has cancer", "She had cancer")):
        said = alice.remember(text).item
        corrected = alice.correct(said.id, after).item
        assert len(corrected.subjects) == 1
        assert "@alice" not in corrected.subjects
    assert corrected.subjects != said.subjects  # an unknown person is another one in each statement


def test_an_import_keeps_subjects_and_makes_nobody_of_another_programs_words(memory, open_memory):
    alice = memory.as_user("alice")
    alice.remember("My wife has anxiety")
    fresh = open_memory().as_user("alice")
    fresh.import_(_lines(alice.export()))
    assert [called(fresh, hit) for hit in fresh.recall("anxiety").hits] == [["my wife"]]
    other = open_memory().as_user("alice")
    other.import_(_lines([{"user_id": "alice", "kind": "note", "content": "My wife has anxiety", "confidence": 0.9}]))
    (hit,) = other.recall("anxiety").hits
    assert called(other, hit) == ["?"]
    assert other.people.list() == []


def _lines(records) -> bytes:
    return "\n".join(json.dumps(one) for one in records).encode()


# -- erasing -----------------------------------------------------------------------------------------------------------


def test_what_only_erased_memories_said_of_people_is_erased(memory):
    alice = memory.as_user("alice")
    named = alice.remember("Sarahlinde is my wife")
    other = alice.remember("my wife plays chess")
    sister = alice.remember("Quentin's sister is pregnant")
    entered = alice.people.add("Vera")
    about_vera = alice.remember("Vera skis", subjects=[entered.id])
    (wife,) = named.item.subjects
    alice.erase(named.id)
    assert (alice.people.get(wife).name, alice.people.find("Sarahlinde")) == ("my wife", [])
    alice.erase(other.id, sister.id, about_vera.id)
    assert alice.people.list() == [entered]
    assert alice.people.relations("me") == []
    assert memory.trail.verify().ok


def test_a_relation_goes_with_the_memory_that_stated_it(memory):
    alice = memory.as_user("alice")
    stated = alice.remember("Sarah is my wife")
    alice.remember("Sarah loves hiking")
    alice.erase(stated.id)
    assert [one.name for one in alice.people.list()] == ["Sarah"]
    assert alice.people.relations("me") == []


def test_who_was_changed_on_purpose_stays(memory):
    alice = memory.as_user("alice")
    said = alice.remember("Sarah is my wife").item
    alice.people.alias(said.subjects[0], "Sal")
    alice.erase(said.id)
    assert [one.name for one in alice.people.list()] == ["Sarah"]


def test_the_doctor_misses_nobody_whom_the_words_do_not_tell(memory):
    alice = memory.as_user("alice")
    for text in ("My wife has anxiety", "my parents are divorced", "She has anxiety", "Zoltan has anxiety"):
        alice.remember(text)
    assert memory.as_system().doctor(checks=["subjects"]).problems == []
