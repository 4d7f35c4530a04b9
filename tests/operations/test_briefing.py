"""Overview questions, and a prompt without a question: a briefing in sections, through the same sight as any read."""

from __future__ import annotations

import pytest

DAY = 24 * 60 * 60
SAID = {
    "profile": ["I live in Hamburg", "My name is Alice"],
    "people": ["Kim is my boss", "My sister Ana works at OpenAI"],
    "standing wishes": ["I prefer green tea", "Always answer briefly"],
    "open tasks": ["I must renew my passport"],
    "recent and coming events": ["Had dinner with Kim yesterday"],
    "other facts": ["The kettle is new"],
}
ABOUT_ME = [
    "What do you know about me?",
    "Who am I?",
    "Tell me everything you know about me",
    "Was weißt du über mich?",
    "Qu'est-ce que tu sais sur moi ?",
    "¿Qué sabes de mí?",
    "你知道关于我的什么？",
]
EVERYTHING = ["", "  ", "what do you know?", "Was weißt du?", "Que sais-tu ?", "¿Qué sabes?", "你知道什么？"]
PEOPLE = ["Tell me about people", "Who do I know?", "Erzähl mir von den Leuten", "Parle-moi des gens",
          "Háblame de la gente", "说说我认识的人"]  # fmt: skip


@pytest.fixture
def known(alice):
    for texts in SAID.values():
        for text in texts:
            assert alice.remember(text).kept
    return alice


@pytest.mark.parametrize("query", EVERYTHING)
def test_an_empty_query_and_a_question_for_everything_bring_a_briefing(known, query):
    found = known.context(query)
    sections: dict[str, set[str]] = {}
    for hit in found.hits:
        sections.setdefault(hit.section, set()).add(hit.text)
    assert sections == {name: set(texts) for name, texts in SAID.items()}
    assert list(sections) == list(SAID)
    assert [line for line in found.text.split("\n") if line.startswith("# ")] == [f"# {name}" for name in SAID]


def test_without_a_query_is_as_with_an_empty_one(known):
    assert known.context().text == known.context("").text != ""
    assert known.recall().texts == [hit.text for hit in known.context().hits]


@pytest.mark.parametrize("query", ABOUT_ME)
def test_what_is_known_about_the_asker(known, query):
    texts = known.recall(query, limit=50).texts
    assert {"I live in Hamburg", "I prefer green tea", "Always answer briefly", "I must renew my passport"} <= set(
        texts
    )
    assert not {"The kettle is new", "Kim is my boss"} & set(texts)


@pytest.mark.parametrize("query", PEOPLE)
def test_what_is_known_about_people(known, query):
    assert set(known.recall(query).texts) == set(SAID["people"])


@pytest.mark.parametrize("query", ["Tell me about Kim", "Erzähl mir von Kim", "Que sais-tu de Kim ?", "Háblame de Kim"])
def test_an_overview_of_one_person_is_a_search(known, query):
    assert known.recall(query).texts[0] in {"Kim is my boss", "Had dinner with Kim yesterday"}
    assert "The kettle is new" not in known.recall(query).texts


def test_a_question_for_more_than_an_overview_is_searched_for(known):
    assert known.recall("What do you know about me and the kettle?").texts[0] == "The kettle is new"


def test_a_briefing_keeps_to_the_budget_and_the_limit(known):
    whole = known.context()
    small = known.context(budget_tokens=60)
    assert 0 < len(small.hits) < len(whole.hits)
    assert small.tokens <= 60
    assert small.hits == whole.hits[: len(small.hits)]
    assert len(known.recall(limit=3)) == 3


def test_an_empty_memory_gives_an_empty_briefing(alice):
    assert alice.context().text == ""
    assert not alice.recall("What do you know about me?")


def test_faded_memories_leave_the_briefing_and_come_when_asked_for(known, clock):
    faded = SAID["recent and coming events"][0]
    assert faded in known.context().text
    clock.advance(31 * DAY)
    assert faded not in known.context().text
    assert "I live in Hamburg" in known.context().text
    assert faded in known.recall("What do you know?", limit=50).texts
    assert faded in known.recall("dinner with Kim").texts


def test_events_to_come_are_first_and_by_their_own_day(alice):
    alice.remember("The fair opens", type="event", occurred="2026-02-01", ttl_seconds=90 * DAY)
    alice.remember("The concert begins", type="event", occurred="2026-01-10", ttl_seconds=90 * DAY)
    alice.remember("The exam took place", type="event", occurred="2025-12-20", ttl_seconds=90 * DAY)
    assert alice.recall().texts == ["The concert begins", "The fair opens", "The exam took place"]


def test_each_fact_is_there_once(alice):
    turn = alice.remember("I prefer whisky on Fridays", kind="short_term", conversation="c").item
    alice.remember("I prefer whisky on Fridays", derived_from=[turn.id])
    alice.remember("I prefer whisky on Fridays", space={"user": "alice"}, tags=["again"])
    assert alice.context().text.count("whisky") == 1


def test_a_briefing_shows_nothing_out_of_sight(memory, known):
    memory.chat.register("room", kind="group", participants=["alice", "bob"])
    bob = memory.as_user("bob", chat="room")
    assert bob.context().text == ""
    known.remember("My salary is 70k")
    assert "70k" in known.context().text
    room = memory.as_user("alice", chat="room")
    assert "70k" not in room.context().text
    assert "70k" not in str(room.recall("What do you know about me?").texts)
    assert bob.remember("I like jam").kept
    assert "jam" not in room.context().text + known.context().text


def test_explain_agrees_with_a_briefing(known):
    hits = known.recall("")
    assert {hit.reason for hit in hits} == {"briefing"}
    assert known.explain(hits[0].id, query="").reason == "briefing"
    kettle = next(item for item in known.list() if item.text == "The kettle is new")
    assert known.explain(kettle.id, query="What do you know about me?").reason == "no_match"
    assert known.explain(kettle.id, query="What do you know?").reason == "briefing"


def test_about_me_is_complete(known):
    texts = {item.text for item in known.about("me")}
    assert {"I live in Hamburg", "My name is Alice", "I prefer green tea", "Always answer briefly"} <= texts
    assert "I must renew my passport" in texts
    assert {"The kettle is new", "Kim is my boss"} <= texts  # she said them
