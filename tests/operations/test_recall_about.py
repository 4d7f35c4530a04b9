"""Whom a memory is about speaks for it where a query names them, as far as the asker knows them by name."""

from __future__ import annotations

import pytest

from memfort import BoundMemory


@pytest.fixture
def knowing(alice) -> BoundMemory:
    """Alice, who knows Quentin, and her sister Mara."""
    alice.people.add("Quentin Blaise", space={"user": "alice"})
    mara = alice.people.add("Mara", space={"user": "alice"})
    alice.people.relate("me", "sister", mara.id)
    alice.remember("Sarah loves opera")
    alice.remember("Loves spicy ramen", subjects=["Quentin"])
    alice.remember("Drinks tea without milk", subjects=["Mara"])
    return alice


@pytest.mark.parametrize(
    "query", ["what does Quentin love", "What does QUENTIN love?", "what does Quentin Blaise love"]
)
def test_memories_about_a_person_named_in_the_query_rank_first(knowing, query):
    found = knowing.recall(query)
    assert found.texts[0] == "Loves spicy ramen"
    assert found.hits[0].features["about"] == pytest.approx(0.1)
    assert all("about" not in hit.features for hit in found.hits[1:])


@pytest.mark.parametrize("query", ["Quentin", "tell me about Quentin", "Quentin Blaise"])
def test_a_name_alone_finds_memories_about_that_person(knowing, query):
    assert knowing.recall(query).texts == ["Loves spicy ramen"]
    assert knowing.recall("Quincy", weak=False).texts == []


def test_a_query_may_name_a_person_by_their_relation_to_the_asker(knowing):
    assert knowing.recall("what does my sister drink?").texts[0] == "Drinks tea without milk"
    assert knowing.recall("what does my sister drink?").hits[0].features["about"] > 0
    assert all("about" not in hit.features for hit in knowing.recall("what does a sister drink?"))


def test_a_name_is_resolved_for_the_asker(memory, knowing, bob):
    """A person of the same name elsewhere is another one, and whom a shared space knows is not shared with it."""
    bob.people.add("Quentin", space={"user": "bob"})
    bob.remember("Hates ramen", subjects=["Quentin"])
    assert bob.recall("Quentin").texts == ["Hates ramen"]
    share = knowing.share(space={"user": "alice"}, user="bob")
    assert bob.recall("Quentin").texts == ["Hates ramen"]
    assert "Loves spicy ramen" in bob.recall("spicy ramen").texts  # it is shared
    knowing.revoke(share.id)
    assert bob.recall("Quentin").texts == ["Hates ramen"]
    assert knowing.recall("Quentin").texts == ["Loves spicy ramen"]
    assert memory.as_user("carol").recall("Quentin").texts == []


def test_a_dropped_person_is_no_longer_matched_by_name(knowing):
    [quentin] = knowing.people.find("Quentin")
    knowing.people.drop(quentin.id)
    assert knowing.recall("Quentin").texts == []


def test_memories_about_the_person_out_of_sight_change_nothing(memory, knowing):
    alone = knowing.recall("what does Quentin love")
    memory.as_user("alice", session="s1").remember("Loves loud music", subjects=["Quentin"], space={"session": "s1"})
    again = knowing.recall("what does Quentin love")
    assert [(hit.id, hit.score, hit.features) for hit in again] == [(hit.id, hit.score, hit.features) for hit in alone]


def test_about_applies_to_as_of_too(knowing, clock):
    then = clock.now()
    clock.advance(60)
    assert knowing.recall("what does Quentin love", as_of=then).hits[0].features["about"] == pytest.approx(0.1)


def test_explain_shows_the_about_feature(knowing):
    [hit] = knowing.recall("Quentin").hits
    assert "about 0.100" in str(knowing.explain(hit.id, query="Quentin"))


# -- statements that are older than the record of a person -----------------------------------------------------------


def test_what_was_said_before_a_person_was_known_is_about_them_too(alice):
    """Nobody is known as Cedric when the first statement is written, so it is about somebody unknown."""
    first = alice.remember("Cedric adopted a rabbit from the shelter").item
    for later in ("My colleague Cedric studied chemistry", "Cedric bought an old Saab", "Cedric lives in Quito now"):
        alice.remember(later)
    [cedric] = alice.people.find("Cedric")
    assert cedric.id not in first.subjects
    assert alice.get(alice.recall("What car does Cedric own?").hits[0].id).subjects == (cedric.id,)
    found = alice.recall("Which pet does Cedric keep?")
    assert found.texts[0] == first.text
    assert [hit.features["about"] for hit in found] == [pytest.approx(0.1)] * 4


def test_a_last_name_alone_names_nobody(alice):
    alice.remember("Rosa Lind keeps geese")
    alice.remember("The Lind bakery keeps its prices")
    alice.people.add("Rosa Lind", space={"user": "alice"})
    features = {hit.text: hit.features for hit in alice.recall("What does Rosa Lind keep?")}
    assert "about" in features["Rosa Lind keeps geese"]
    assert "about" not in features["The Lind bakery keeps its prices"]


def test_a_word_that_need_not_be_a_name_makes_nothing_about_the_person(alice):
    alice.people.add("May", space={"user": "alice"})
    alice.remember("The concert is on the third of May")
    alice.remember("Plays the harp at a concert", subjects=["May"])
    features = {hit.text: hit.features for hit in alice.recall("Which concert does May play in?")}
    assert "about" in features["Plays the harp at a concert"]
    assert "about" not in features["The concert is on the third of May"]


def test_the_wife_of_the_asker_is_not_everybodys_wife(alice):
    alice.remember("My wife plays the harp")
    alice.remember("The wife of the baker plays the harp too")
    features = {hit.text: hit.features for hit in alice.recall("What does my wife play?")}
    assert "about" in features["My wife plays the harp"]
    assert "about" not in features["The wife of the baker plays the harp too"]


def test_a_turn_names_somebody_unless_they_speak_there(alice):
    """In a conversation the name of a speaker addresses them."""
    alice.remember("[3 May 2026] Sarah: Do you know whether Quentin loves opera?")
    alice.remember("[3 May 2026] Carol: Ask him, Sarah, if he loves opera")
    for name in ("Quentin", "Sarah"):
        alice.people.add(name, space={"user": "alice"})

    def about(query: str) -> list[str]:
        return [hit.text.partition("] ")[2] for hit in alice.recall(query) if "about" in hit.features]

    assert about("does Quentin love opera") == ["Sarah: Do you know whether Quentin loves opera?"]
    assert about("does Sarah love opera") == []


def test_a_statement_names_only_whom_the_asker_knows(memory, alice):
    """Whom alice knows by name elsewhere moves nothing in what bob is shown of the same memories."""
    here, there = (memory.as_user(name, project="p1") for name in ("alice", "bob"))
    here.remember("Quentin broke an ankle", space={"project": "p1"})
    before = there.recall("What did Quentin break?")
    alice.people.add("Quentin")
    after = there.recall("What did Quentin break?")
    assert [(hit.id, hit.score, hit.features) for hit in after] == [(hit.id, hit.score, hit.features) for hit in before]
    assert "about" not in after.hits[0].features
    assert "about" in here.recall("What did Quentin break?").hits[0].features


@pytest.mark.parametrize(
    "query",
    [
        "tell me about {}",
        "what do you know about {}?",
        "what do you know about {}",
        "was weißt du über {}?",
        "¿qué sabes de {}?",
        "que sais-tu de {}?",
        "cosa sai di {}?",
        "wat weet je over {}?",
    ],
)
def test_what_is_known_of_a_person_has_their_own_words_in_a_group(open_memory, query):
    """Its control: of somebody who said nothing, the same question finds nothing."""
    memory = open_memory(classifier="none")
    memory.chat.register("trip", kind="group", participants=["alice", "bob", "carol"])
    alice, bob = (memory.as_user(one, chat="trip") for one in ("alice", "bob"))
    bob.remember("I like Milan best of all cities", sensitivity="public")
    alice.remember("Bob likes Paris best of all cities", subjects=["@bob"], sensitivity="public")
    assert "I like Milan best of all cities" in alice.recall(query.format("@bob")).texts
    assert alice.recall(query.format("@carol"), weak=False).texts == []
