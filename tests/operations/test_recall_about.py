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
    assert found.hits[0].features["about"] == pytest.approx(0.3)
    assert all("about" not in hit.features for hit in found.hits[1:])


@pytest.mark.parametrize("query", ["Quentin", "tell me about Quentin", "Quentin Blaise"])
def test_a_name_alone_finds_memories_about_that_person(knowing, query):
    assert knowing.recall(query).texts == ["Loves spicy ramen"]
    assert knowing.recall("Quincy").texts == []


def test_a_query_may_name_a_person_by_their_relation_to_the_asker(knowing):
    assert knowing.recall("what does my sister drink?").texts[0] == "Drinks tea without milk"
    assert knowing.recall("what does my sister drink?").hits[0].features["about"] > 0
    assert all("about" not in hit.features for hit in knowing.recall("what does a sister drink?"))


def test_a_name_is_resolved_for_the_asker(memory, knowing, bob):
    """Bob sees alice's space, and so the people she knows there. A person of the same name elsewhere is another one."""
    bob.people.add("Quentin", space={"user": "bob"})
    bob.remember("Hates ramen", subjects=["Quentin"])
    assert bob.recall("Quentin").texts == ["Hates ramen"]
    share = knowing.share(space={"user": "alice"}, user="bob")
    assert sorted(bob.recall("Quentin").texts) == ["Hates ramen", "Loves spicy ramen"]
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
    assert knowing.recall("what does Quentin love", as_of=then).hits[0].features["about"] == pytest.approx(0.3)


def test_explain_shows_the_about_feature(knowing):
    [hit] = knowing.recall("Quentin").hits
    assert "about 0.300" in str(knowing.explain(hit.id, query="Quentin"))
