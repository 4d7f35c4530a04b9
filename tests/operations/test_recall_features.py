"""What speaks for a memory in a recall: its words, its meaning, who said it and when, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memfort import Memory, Policy
from memfort.store.memory import MemoryStore
from memfort.testing.messages import messages_of

TALK = [
    "[1:56 pm on 8 May, 2023] Caroline: I went to the harbour yesterday.",
    "[1:56 pm on 8 May, 2023] Melanie: What did you see there?",
    "[1:56 pm on 8 May, 2023] Caroline: Three old ships, and a seal!",
    "[9:10 am on 2 July, 2023] Melanie: I painted a sunrise.",
    "[9:10 am on 2 July, 2023] Caroline: I would love to hang it up.",
]


@pytest.fixture
def talk(alice):
    alice.remember_many(TALK)
    return alice


def test_similar_meaning_is_found_without_a_common_word(alice):
    alice.remember_many(["my boat sank", "I love green tea"])
    [hit] = alice.recall("vessel trouble")
    assert hit.text == "my boat sank"
    assert set(hit.features) == {"meaning", "nearby_meaning", "importance"}  # its own, for it has no neighbours


def test_unrelated_memories_are_not_found(alice):
    alice.remember_many(["my boat sank", "I love green tea"])
    assert not alice.recall("quantum chromodynamics")
    assert alice.recall("tea")


def test_a_statement_about_a_speaker_is_found_by_their_name(alice):
    """In a conversation a name says who is spoken to; a statement by itself that has it is about that person."""
    alice.remember_many(["Carol's birthday is in June", "My birthday is in March", "Dave: see you at the station"])
    before = alice.recall("When is Carol's birthday?").texts[0]
    alice.remember("Carol: see you at the station")
    assert alice.recall("When is Carol's birthday?").texts[0] == before == "Carol's birthday is in June"
    assert "Carol's birthday is in June" in alice.recall("What do you know about Carol?").texts


def test_memories_of_the_requested_day_are_found_whatever_their_words(talk):
    assert set(talk.recall("What events took place in May 2023?").texts) == {TALK[0], TALK[2]}  # no bare question
    assert talk.recall("What events took place in March 2023?").texts == []


def test_a_date_in_numbers_asks_for_its_day_and_a_version_for_none(talk):
    for day in ("08.05.2023", "08/05/2023", "5/8/23"):
        assert {TALK[0], TALK[2]} <= set(talk.recall(f"What events took place on {day}?").texts) <= set(TALK[:3])
    assert not any(hit.features.get("date", 0) for hit in talk.recall("Did Caroline see ships with pytz 2023.1?"))
    assert any(hit.features.get("date", 0) for hit in talk.recall("Did Caroline see ships in 2023?"))


def test_a_word_that_is_not_a_time_here_matches_no_dates(alice):
    """What was said on a day that is asked for comes whatever its words: so "spring rolls" must ask for none."""
    alice.remember("Rolls are sold at the station", observed_at="2025-01-20T12:00:00Z")
    alice.remember("Jan lives in Oslo", observed_at="2025-10-02T12:00:00Z")
    alice.remember("The piano was tuned", observed_at="2025-04-07T12:00:00Z")
    assert alice.recall("How are spring rolls sold?", weak=False).texts == ["Rolls are sold at the station"]
    assert alice.recall("Where does Jan live?", weak=False).texts == ["Jan lives in Oslo"]
    assert "The piano was tuned" in alice.recall("What happened in spring?").texts


def test_relative_days_in_a_query_count_from_today(alice):
    """It is the first of January 2026 here: last summer was that of 2025."""
    for year in (2023, 2024, 2025):
        statement = {"text": f"we camped by lake number {year - 2020}", "type": "knowledge"}
        assert alice.remember(**statement, observed_at=f"{year}-07-10T12:00:00Z").kept
    hits = alice.recall("What did we do last summer?").hits
    assert hits[0].text == "we camped by lake number 5"
    assert [hit.features.get("date", 0) > 0 for hit in hits] == [True] + [False] * (len(hits) - 1)
    before = {hit.text: hit.features.get("date", 0) for hit in alice.recall("where did we camp before 2025?")}
    assert before["we camped by lake number 3"] == before["we camped by lake number 4"] > 0
    assert before["we camped by lake number 5"] == 0


def test_an_observed_answer_is_found_by_the_question_before_it(alice):
    alice.observe(messages_of("What does my doctor recommend?", "More sleep and less coffee."))
    found = {hit.text: hit.features for hit in alice.recall("what does the doctor recommend")}
    assert found["More sleep and less coffee."]["follows_question"] > 0


def test_i_in_a_query_means_the_user_of_an_observed_conversation(alice):
    alice.observe(messages_of("I will bring the salad to the party.", "And I will bring a list for the party."))
    hits = alice.recall("what will I bring to the party?", kinds=["short_term"])
    found = {hit.text: hit.features.get("speaker", 0) for hit in hits}
    assert found["I will bring the salad to the party."] > 0
    assert found["And I will bring a list for the party."] == 0


def test_the_shares_of_the_signs_make_the_score(talk):
    hits = talk.recall("When did Caroline go to the harbour?").hits
    assert hits[0].text == TALK[0]
    assert {"words", "meaning", "speaker", "answer_kind"} <= set(hits[0].features)
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.features.values()), abs=1e-5)


def test_an_answer_is_found_by_the_question_before_it(talk):
    answer = talk.recall("what did you see there").hits[0]
    assert answer.text == TALK[2]
    assert answer.features["follows_question"] > 0
    assert answer.features["nearby_words"] > 0


def test_a_named_speaker_matches_their_own_statements(talk):
    said = {
        text: hit.features.get("speaker", 0)
        for hit in talk.recall("What does Melanie love to hang?")
        for text in [hit.text]
    }
    assert said[TALK[4]] == 0
    assert talk.recall("What did Melanie paint?").hits[0].features["speaker"] > 0


def test_a_name_alone_finds_that_speakers_statements(talk):
    assert talk.recall("Melanie").texts == [TALK[3]]  # but not a bare question of hers


@pytest.mark.parametrize("others", [["Dave: I adopted a puppy"], ["Dave: I adopted a puppy", "Eve: It rains"]])
@pytest.mark.parametrize("query", ["Carol", "What did Carol say?", "tell me about Carol", "everything Carol said"])
def test_everything_a_speaker_said_is_found_among_any_number_of_speakers(alice, others, query):
    alice.remember_many(["Carol: I adopted a kitten", *others, "Carol: My favourite colour is teal"])
    assert sorted(alice.recall(query).texts) == ["Carol: I adopted a kitten", "Carol: My favourite colour is teal"]


def test_naming_all_speakers_returns_all_of_them(alice):
    alice.remember_many(["Carol: I adopted a kitten", "Dave: It rains"])
    assert len(alice.recall("Carol and Dave").hits) == 2
    assert alice.recall("everything").texts == []


@pytest.mark.parametrize(
    ("query", "other"), [("4711", "4712"), ("XR500", "XR501"), ("E1234", "E1235"), ("LH455", "LH456")]
)
def test_a_plain_number_or_code_matches_only_itself(alice, query, other):
    alice.remember_many(
        ["Order 4711 was shipped", "The model XR500 arrived", "Error E1234 on boot", "Flight LH455 leaves at noon"]
    )
    assert [query in text for text in alice.recall(query).texts] == [True]
    assert alice.recall(other).texts == []


def test_a_note_is_found_by_its_heading(alice):
    """People write `ZEP-7: what it is about`. Taken for a speaker's name, the code would be no word of the note."""
    notes = ["ZEP-7: move to Postgres", "E15: the door of the dishwasher is open", "Fixed TypeError: rows was none"]
    alice.remember_many([*notes, "Carol: see you at the station"])
    assert [alice.recall(code).texts for code in ("ZEP-7", "E15", "typeerror")] == [[note] for note in notes]
    assert set(alice.recall("What did Carol say?").hits[0].features) >= {"speaker"}  # a name is one still


def test_a_day_that_is_named_is_the_day_it_was_said(talk):
    shares = {hit.text: hit.features.get("date", 0) for hit in talk.recall("a painted sunrise or ships in July 2023")}
    assert shares[TALK[3]] > 0.6
    assert shares.get(TALK[2], 0) < 0.1


def test_speaker_and_time_prefixes_are_not_words_of_the_statement(talk):
    assert talk.recall("1:56").texts == []
    by_word = talk.recall("Caroline ships").hits[0]
    assert (by_word.text, by_word.features["speaker"]) == (TALK[2], pytest.approx(0.2))
    assert by_word.features["words"] == pytest.approx(talk.recall("ships").hits[0].features["words"])


def test_an_invisible_neighbouring_turn_is_not_returned(memory):
    found = {}
    for project, access in (("apollo", {"users": ["alice"]}), ("gemini", None)):
        alice, bob = (memory.as_user(user, project=project) for user in ("alice", "bob"))
        alice.remember("[8 May 2023] Ann: the harbour it is", space={"project": project}, access=access)
        alice.remember("[8 May 2023] Ann: that is settled then", space={"project": project})
        assert len(bob.recall("settled")) == (1 if access else 2)
        found[project] = bob.recall("harbour").texts
    assert found == {
        "apollo": [],
        "gemini": ["[8 May 2023] Ann: the harbour it is", "[8 May 2023] Ann: that is settled then"],
    }


def test_weights_are_the_policys(open_memory):
    alice = open_memory(policy=Policy(recall={"weights": {"meaning": 0.0}, "least_meaning": 1.0})).as_user("alice")
    alice.remember("my boat sank")
    assert not alice.recall("vessel trouble")
    assert "meaning" not in alice.recall("boat").hits[0].features


# -- embedders --------------------------------------------------------------------------------------------------------


class Colours:
    """An embedder that knows colours and nothing else."""

    name = "colours"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        known = ("red", "crimson"), ("blue", "navy")
        return [[float(any(word in text for word in group)) for group in known] for text in texts]


def test_any_embedder_can_be_chosen():
    alice = Memory(MemoryStore(), embedder=Colours()).as_user("alice")
    alice.remember_many(["a crimson door", "a navy coat", "my boat sank"])
    assert alice.recall("red").texts == ["a crimson door"]
    assert alice.recall("vessel trouble").texts == []


def test_vectors_of_another_embedder_are_ignored_until_the_index_is_rebuilt():
    store = MemoryStore()
    Memory(store).as_user("alice").remember_many(["a crimson door", "a navy coat"])
    memory = Memory(store, embedder=Colours())
    alice = memory.as_user("alice")
    assert alice.recall("red").texts == []
    assert alice.recall("door").texts == ["a crimson door"]
    memory.store.reindex()
    assert alice.recall("red").texts == ["a crimson door"]


def test_an_embedder_that_gives_no_numbers_costs_nothing_else():
    class Broken(Colours):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[float("nan")] for _ in texts]

    with Memory(MemoryStore(), embedder=Broken()) as memory:
        alice = memory.as_user("alice")
        alice.remember("a crimson door")
        assert alice.recall("red").texts == []
        by_words = alice.recall("door")
        assert by_words.texts == ["a crimson door"]
        assert ["a value that is not a number" in one for one in by_words.warnings] == [True]


# -- who said it in a chat --------------------------------------------------------------------------------------------


@pytest.fixture
def chat(memory):
    memory.chat.register("team", kind="group", participants=["alice", "bob", "carol", "user-1"])

    def say(user, text, origin=None):
        said = memory.as_user(user, chat="team").remember(text, space={"chat": "team"}, origin=origin)
        assert said.kept
        return said.item

    return say


def who(found):
    return {hit.text: hit.features.get("speaker", 0) > 0 for hit in found}


def test_memories_of_a_chat_are_found_by_their_speaker(memory, chat):
    chat("alice", "Green tea is the best drink")
    chat("bob", "Green tea is too bitter")
    carol = memory.as_user("carol", chat="team")
    for name, text in (("bob", "Green tea is too bitter"), ("alice", "Green tea is the best drink")):
        found = carol.recall(f"what did {name} say about green tea?")
        assert found.texts[0] == text
        assert [said for said, is_theirs in who(found).items() if is_theirs] == [text]
        assert found.hits[0].item.stated_by == f"@{name}"  # what it is found by is what is shown
    mine = memory.as_user("bob", chat="team").recall("what do I think of green tea?")
    assert who(mine) == {"Green tea is too bitter": True, "Green tea is the best drink": False}


def test_a_role_or_a_number_is_not_a_speakers_name(memory, chat):
    chat("user-1", "Green tea is the best drink")
    chat("alice", "The office is in Rome")  # one more who speaks: else it would tell nothing apart
    chat("bob", "Green tea is too bitter")
    found = memory.as_user("bob", chat="team").recall("what do I think of green tea?")
    assert who(found) == {"Green tea is too bitter": True, "Green tea is the best drink": False}


def test_outside_a_chat_an_author_is_not_a_speaker(memory):
    place = {"workspace": "kitchen"}
    memory.as_user("alice", **place).remember("Green tea is the best drink", space=place)
    memory.as_user("bob", **place).remember("Green tea is too bitter", space=place)
    assert not any(who(memory.as_user("carol", **place).recall("what did bob say about green tea?")).values())


def test_another_authors_hidden_memory_changes_no_recall(memory, chat):
    chat("alice", "Green tea is the best drink")
    carol = memory.as_user("carol", chat="team")
    queries = ("what did bob say about green tea?", "bob", "who likes green tea?")

    def answers():
        return [[(hit.text, hit.score, dict(hit.features)) for hit in carol.recall(query)] for query in queries]

    before = answers()
    bob = memory.as_user("bob", chat="team")
    assert bob.remember("Green tea again", space={"chat": "team"}, access={"users": ["bob"]}).kept
    assert bob.recall("what did bob say about green tea?").texts
    assert answers() == before
