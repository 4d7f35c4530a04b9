"""The floor: what is stored is found by a plain question for it, however little else there is; and where nothing in
sight is about what is asked, nothing is returned."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from memfort import FixedClock, Memory, Policy
from memfort.model.moment import Moment
from memfort.policy.settings.sections import WEIGHTS
from memfort.recall.bind_query import BoundQuery, QueryContext, bind_query
from memfort.recall.parse_query import parse_query
from memfort.recall.rank import Floor, best_memories, score_memories
from memfort.store.memory import MemoryStore
from memfort.store.port import Entry
from memfort.store.port.values.columns import Columns, columns_of

ALONE = {
    "Alice lives in Bern": (
        "where does alice live", "Where is Alice's home?", "who lives in Bern?", "alice", "Bern", "alice city",
        "in which city does she live", "Where does Alice live these days, do you know?",
    ),
    "I am allergic to peanuts": ("what am I allergic to", "allergies", "can I eat peanut butter?", "nuts"),
    "The deploy key is rotated every Monday": ("when do we rotate keys", "deploy key", "what happens on Mondays"),
    "Carol's dog is called Rex": ("name of the dog", "pets", "what is Carol's dog called?"),
    "Alice wohnt in Bern": ("Wo wohnt Alice?", "Wo lebt Alice jetzt eigentlich?"),
    "東京に住んでいます": ("東京", "どこに住んでいますか"),
}  # fmt: skip
FOREIGN = (
    "what is the capital of France", "how tall is the Eiffel tower", "favourite football team",
    "quantum chromodynamics", "When did the parcel from the printer arrive?", "Wie hoch ist der Eiffelturm?",
    "法国的首都是哪里",
)  # fmt: skip


def alice_of(*texts: str, **policy: object):
    memory = Memory(MemoryStore(), clock=FixedClock(Moment(1_767_225_600_000_000)), policy=Policy(recall=policy))
    alice = memory.as_user("alice")
    alice.remember_many(list(texts))
    return alice


@pytest.mark.parametrize("text", ALONE)
def test_a_single_memory_is_found_by_a_plain_question_for_it(text):
    alice = alice_of(text)
    for query in ALONE[text]:
        assert alice.recall(query).texts == [text], query


def test_nothing_that_is_stored_answers_a_question_about_something_else():
    alice = alice_of(*ALONE)
    for query in FOREIGN:
        assert alice.recall(query, weak=False).texts == [], query
    assert alice.recall("where does alice live").texts[0] == "Alice lives in Bern"


def test_the_policy_sets_the_floor():
    """The same question of the same memories, as it is, with the floor taken away, or set where nothing passes."""
    texts = ("the parcel went to the old printer shop in town by mistake last week", "Carol's dog is called Rex")
    query = "which town did Jonathan and Margaret paint with brushes made of horsehair?"
    assert texts[0] in alice_of(*texts, least_best=0.0, least_evidence=0.0).recall(query).texts
    assert alice_of(*texts).recall(query, weak=False).texts == []
    assert alice_of(*texts, least_best=1.0, weak=0).recall("what are Carol's dog and her horse called?").texts == []


def test_a_long_text_with_every_word_is_found():
    rooms = enumerate(("pump", "door", "lamp") * 60)
    page = " ".join(f"the {word} was mended in room {place}" for place, word in rooms)
    alice = alice_of(f"{page} after ERR_CONN_42 came up", "Carol's dog is called Rex")
    assert len(alice.recall("ERR_CONN_42").hits) == 1
    assert len(alice.recall("pump").hits) == 1
    assert alice.recall("pump of the spaceship Andromeda near Jupiter", weak=False).texts == []


# -- as numbers -------------------------------------------------------------------------------------------------------


def number(word: str) -> int:
    return {"": 0}.get(word, sum(ord(letter) * 31**place for place, letter in enumerate(word)))


def asked_of(text: str, found: list[Columns], vector: list[int] | None) -> BoundQuery:
    given = None if vector is None else np.array(vector, np.int8)
    return bind_query(parse_query(text), found, QueryContext(number, lambda _: given))


def handles(found: list[Columns], query: BoundQuery, floor: Floor) -> set[int]:
    return {one.handle for one in best_memories(score_memories(found, query, WEIGHTS, floor), 99)}


def test_the_best_of_all_decides_for_all():
    """Each row has as much of the query as it has; whether any comes depends on the best, in whatever layer it is."""
    some, more = Entry({"tea": 1, "ink": 9}), Entry({"tea": 1, "milk": 1, "jam": 1})
    weak, strong = columns_of(0, [(1, some)], number), columns_of(1, [(2, more)], number)
    floor = Floor(0, 2, 0.0, 0.6)
    for found, expected in (([weak], set()), ([strong], {2}), ([weak, strong], {1, 2})):
        assert handles(found, asked_of("tea milk jam", found, None), floor) == expected
    unseen = replace(strong, shown=np.zeros(1, np.bool_))
    found = [weak, unseen]
    assert handles(found, asked_of("tea milk jam", found, None), floor) == set()


def test_each_has_to_have_its_part():
    found = [columns_of(0, [(1, Entry({"tea": 1, "milk": 1})), (2, Entry({"tea": 1, "ink": 40}))], number)]
    query = asked_of("tea milk", found, None)
    assert handles(found, query, Floor(0, 2, 0.0, 0.0)) == {1, 2}
    assert handles(found, query, Floor(0, 2, 0.5, 0.0)) == {1}


def test_a_statement_outside_a_conversation_may_pass_by_its_own_meaning():
    near = b"mark" + bytes([120, 40, 0])
    alone, in_talk = Entry({"ink": 1}, vector=near), Entry({"ink": 1}, vector=near, in_talk=True, speaker="ann")
    for entry, expected in ((alone, {1}), (in_talk, set())):
        found = [columns_of(0, [(1, entry)], number, b"mark")]
        assert handles(found, asked_of("tea", found, [80, 60, 78]), Floor(0, 0.2, 0.0, 0.25)) == expected


def test_names_and_days_alone_need_no_more():
    found = [
        columns_of(
            0,
            [(1, Entry({"ink": 1}, speaker="ann", in_talk=True)), (2, Entry({"ink": 1}, speaker="bo", in_talk=True))],
            number,
        )
    ]
    assert handles(found, asked_of("Ann", found, None), Floor(0, 2, 0.9, 0.9)) == {1}
    assert handles(found, asked_of("Ann tea", found, None), Floor(0, 2, 0.9, 0.9)) == set()


@pytest.mark.parametrize("query", ["ERR_CONN_44", "what is ERR_CONN_44?", "v1.2.5", "2024-05-04", "carl@acme.example"])
def test_a_similar_identifier_is_not_a_match(query):
    alice = alice_of(
        "ERR_CONN_42 means the pool is exhausted", "ERR_CONN_43 means a refused handshake", "We run v1.2.4 of the app",
        "The audit was on 2024-05-03", "Write to carol@acme.example about rent",
    )  # fmt: skip
    assert alice.recall(query).texts == []
    assert alice.recall("ERR_CONN_43").texts == ["ERR_CONN_43 means a refused handshake"]
    assert alice.recall("ERR_CONN_44 and an exhausted pool").texts == ["ERR_CONN_42 means the pool is exhausted"]


@pytest.mark.parametrize("query", ["1.2.4", "v1.2.4", "version 1.2.4", "V1.2.4"])
@pytest.mark.parametrize("written", ["v1.2.4", "1.2.4"])
def test_a_version_is_found_with_its_letter_and_without(query, written):
    alice = alice_of(f"The pump runs {written} since spring", "The pump ran v1.2.3 before", "Carol's dog is called Rex")
    assert alice.recall(query).texts[:1] == [f"The pump runs {written} since spring"]
    assert "The pump ran v1.2.3 before" not in alice.recall("v1.2.4").texts
