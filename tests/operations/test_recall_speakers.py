"""Who said it in a chat is also found by the name that the asker knows them by, whatever their user is called."""

from __future__ import annotations

import pytest

TEA, BITTER, ROME = "Green tea is the best drink", "Green tea is too bitter", "The office is in Rome"
USERS = {"u4711": BITTER, "kestrel": TEA, "alice": ROME}


@pytest.fixture
def team(memory):
    memory.chat.register("team", kind="group", participants=[*USERS, "bob"])
    for user, text in USERS.items():
        assert memory.as_user(user, chat="team").remember(text, space={"chat": "team"}).kept
    return memory


def in_team(memory, user="bob"):
    return memory.as_user(user, chat="team")


def said_by(found):
    """What comes because of who said it."""
    return [hit.text for hit in found if hit.features.get("speaker", 0) > 0]


@pytest.mark.parametrize(("user", "text"), [("u4711", BITTER), ("kestrel", TEA)])
def test_a_speaker_is_found_by_the_name_they_go_by(team, user, text):
    asks = in_team(team)
    assert (said_by(asks.recall("What did Carol say?")), asks.recall("Carol").texts) == ([], [])
    in_team(team, user).people.update("me", name="Carol Fox", aliases=["Vixen"])
    for query in ("What did Carol say?", "Carol", "what did Vixen say", "Tell me everything Carol Fox said"):
        assert asks.recall(query).texts == [text], query
    about_tea = asks.recall("What did Carol say about green tea?")
    assert (about_tea.texts[0], said_by(about_tea)) == (text, [text])
    assert asks.recall("What did Carmen say?").texts == []
    assert "speaker 0.2" in str(asks.explain(about_tea.hits[0].id, query="What did Carol say about green tea?"))


def test_a_name_that_is_taken_back_names_nobody_any_more(team):
    kestrel, asks = in_team(team, "kestrel"), in_team(team)
    kestrel.people.update("me", name="Carol")
    assert asks.recall("What did Carol say?").texts == [TEA]
    kestrel.people.update("me", name="Maud")
    assert (asks.recall("What did Carol say?").texts, asks.recall("What did Maud say?").texts) == ([], [TEA])


def test_two_who_go_by_one_name_are_both_meant(team):
    for user in ("kestrel", "u4711"):
        in_team(team, user).people.update("me", name="Carol")
    assert sorted(in_team(team).recall("What did Carol say?").texts) == [TEA, BITTER]


def test_it_is_looked_up_for_whoever_asks_and_for_who_listens(team):
    """Bob has his own name for somebody, which is his alone, and so not for the room."""
    bob = team.as_user("bob", project="apollo")
    bob.people.add("Grumpy", user="kestrel", space={"user": "bob"})
    team.as_user("kestrel", chat="team", project="apollo").remember("Black tea is fine", space={"project": "apollo"})
    bob.remember("Tea is hot", space={"project": "apollo"})
    assert bob.recall("What did Grumpy say?").texts == ["Black tea is fine"]
    for room in (in_team(team), in_team(team, "alice"), team.as_user("alice", project="apollo")):
        assert room.recall("What did Grumpy say?").texts == []


def test_what_somebody_is_to_the_asker_names_them_as_a_speaker(team):
    bob = in_team(team)
    bob.people.relate("me", "sister", "@kestrel")  # nobody else in the team knows of it
    assert bob.recall("What did my sister say?").texts == []
    bob.people.relate("me", "sister", "@kestrel", listed=True)
    assert bob.recall("What did my sister say?").texts == [TEA]
    assert in_team(team, "alice").recall("What did my sister say?").texts == []


def test_who_asks_is_known_by_their_user_whatever_that_is(team):
    found = in_team(team, "u4711").recall("what do I think of green tea?")
    assert said_by(found) == [BITTER]


def test_a_name_changes_nothing_for_whom_it_is_not_known(team):
    def answers():
        found = in_team(team, "alice").recall("what did Grumpy say about green tea?")
        return [(hit.text, hit.score, dict(hit.features)) for hit in found]

    before = answers()
    bob = team.as_user("bob")
    bob.people.add("Grumpy", user="kestrel", space={"user": "bob"})
    assert before
    assert answers() == before
