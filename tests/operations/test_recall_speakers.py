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


def test_a_removed_name_no_longer_names_a_speaker(team):
    kestrel, asks = in_team(team, "kestrel"), in_team(team)
    kestrel.people.update("me", name="Carol")
    assert asks.recall("What did Carol say?").texts == [TEA]
    kestrel.people.update("me", name="Maud")
    assert (asks.recall("What did Carol say?").texts, asks.recall("What did Maud say?").texts) == ([], [TEA])


def test_two_users_with_one_name_both_match(team):
    for user in ("kestrel", "u4711"):
        in_team(team, user).people.update("me", name="Carol")
    assert sorted(in_team(team).recall("What did Carol say?").texts) == [TEA, BITTER]


def test_a_speakers_name_is_resolved_for_the_asker_and_the_participants(team):
    """Bob has a private name for another user, which does not count in the chat."""
    bob = team.as_user("bob", project="apollo")
    bob.people.add("Grumpy", user="kestrel", space={"user": "bob"})
    team.as_user("kestrel", chat="team", project="apollo").remember("Black tea is fine", space={"project": "apollo"})
    bob.remember("Tea is hot", space={"project": "apollo"})
    assert bob.recall("What did Grumpy say?").texts == ["Black tea is fine"]
    for asker in (in_team(team), in_team(team, "alice"), team.as_user("alice", project="apollo")):
        assert asker.recall("What did Grumpy say?", weak=False).texts == []


def test_a_relation_to_the_asker_names_a_speaker(team):
    bob = in_team(team)
    bob.people.relate("me", "sister", "@kestrel")  # nobody else in the team knows of it
    assert bob.recall("What did my sister say?").texts == []
    bob.people.relate("me", "sister", "@kestrel", listed=True)
    assert bob.recall("What did my sister say?").texts == [TEA]
    assert in_team(team, "alice").recall("What did my sister say?").texts == []


def test_i_in_a_query_means_the_asker_whatever_their_user_id(team):
    found = in_team(team, "u4711").recall("what do I think of green tea?")
    assert said_by(found) == [BITTER]


def test_a_name_unknown_to_the_asker_changes_no_recall(team):
    def answers():
        found = in_team(team, "alice").recall("what did Grumpy say about green tea?")
        return [(hit.text, hit.score, dict(hit.features)) for hit in found]

    before = answers()
    bob = team.as_user("bob")
    bob.people.add("Grumpy", user="kestrel", space={"user": "bob"})
    assert before
    assert answers() == before
