"""Ranks: exact BM25 against a naive one, ties by age and then by id, layers before scores."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfort import FixedClock, Memory
from memfort.model.moment import Moment
from memfort.recall.rank import Scored, contenders, score, settle
from memfort.recall.words import query_terms, text_terms
from memfort.store.port import Position, Shelf
from memfort.testing import DictStore

NOW = Moment(1_767_225_600_000_000)
WORDS = ["tea", "milk", "jam", "ink", "rye"]
texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), min_size=1, max_size=12)


def naive(documents: list[list[str]], query: list[str]) -> list[float]:
    """BM25 as the textbook has it: k1 = 1.2, b = 0.75, the logarithm that is never negative."""
    average = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        total = 0.0
        for word in query:
            holding = sum(word in other for other in documents)
            rarity = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            often = document.count(word)
            total += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(document) / average))
        scores.append(round(total, 6))
    return scores


def shelf_of(layer: int, documents: list[tuple[int, list[str]]], query: list[str]) -> Shelf:
    postings = {
        word: [(handle, words.count(word), len(words)) for handle, words in documents if word in words]
        for word in query
    }
    return Shelf(layer, len(documents), sum(len(words) for _, words in documents), postings)


@settings(max_examples=200, deadline=None)
@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True), st.integers(1, 4))
def test_scores_are_exactly_bm25_however_the_memories_are_shelved(documents, query, shelves):
    query = sorted(query)
    numbered = list(enumerate(documents))
    split = [shelf_of(number, numbered[number::shelves], query) for number in range(shelves)]
    scored = {handle: round(total, 6) for layer in score(split, query).values() for handle, total in layer.items()}
    expected = dict(enumerate(naive(documents, query)))
    assert scored == {handle: value for handle, value in expected.items() if value > 0}


@settings(max_examples=40, deadline=None)
@given(texts, st.sets(st.sampled_from(WORDS), min_size=1, max_size=3))
def test_recall_gives_these_scores_in_this_order(documents, query):
    memory = Memory(DictStore(), clock=FixedClock(NOW))
    alice = memory.as_user("alice")
    kept = [" ".join(words) for words in documents]
    alice.remember_many(kept)
    stored = [item.text for item in alice.list(limit=1000)]
    terms = query_terms(" ".join(query))
    documents = [list(Counter(text_terms(text)).elements()) for text in stored]
    expected = {text: value for text, value in zip(stored, naive(documents, terms), strict=True) if value > 0}
    hits = alice.recall(" ".join(query), limit=1000)
    assert {hit.text: hit.score for hit in hits} == expected
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_known_value():
    """One of two memories, each one word long: ln(1 + 1.5/1.5) = ln 2."""
    totals = score([Shelf(0, 2, 2, {"tea": [(1, 1, 1)]})], ["tea"])
    assert contenders(totals, 1) == [Scored(1, 0, round(math.log(2), 6))]


@pytest.mark.parametrize("shelves", [[], [Shelf(0, 0, 0, {})], [Shelf(0, 3, 0, {"tea": []})]])
def test_nothing_to_score_is_nothing(shelves):
    assert contenders(score(shelves, ["tea"]), 10) == []
    assert contenders(score([Shelf(0, 1, 1, {"tea": [(1, 1, 1)]})], ["tea"]), 10)


# -- order -----------------------------------------------------------------------------------------------------------


def place(created_at: int, id: str, space: bytes = b"") -> Position:
    return Position(Moment(created_at), id, space)


def test_layers_come_before_scores():
    scored = [Scored(1, 1, 9.0), Scored(2, 0, 1.0), Scored(3, 0, 2.0)]
    stamps = {one.handle: place(0, str(one.handle)) for one in scored}
    assert [one.handle for one in settle(scored, stamps, 10)] == [3, 2, 1]


def test_ties_go_to_the_newer_then_to_the_smaller_id_then_space():
    scored = [Scored(handle, 0, 1.0) for handle in range(5)]
    stamps = {0: place(5, "b"), 1: place(5, "a", b"2"), 2: place(9, "z"), 3: place(1, "a"), 4: place(5, "a", b"1")}
    assert [one.handle for one in settle(scored, stamps, 10)] == [2, 4, 1, 0, 3]


def test_what_has_no_stamp_is_left_out():
    assert settle([Scored(1, 0, 1.0), Scored(2, 0, 1.0)], {2: place(0, "a")}, 10) == [Scored(2, 0, 1.0)]


def test_contenders_keep_everyone_who_ties_at_the_end():
    totals = {1: {5: 1.0}, 0: {1: 3.0, 2: 1.0, 3: 1.0 + 1e-9, 4: 0.5}}
    assert [one.handle for one in contenders(totals, 2)] == [1, 2, 3]
    assert [one.handle for one in contenders(totals, 4)] == [1, 2, 3, 4]
    assert [one.handle for one in contenders(totals, 5)] == [1, 2, 3, 4, 5]


scored_lists = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), max_size=20)


@settings(max_examples=200, deadline=None)
@given(scored_lists, st.integers(1, 6))
def test_narrowing_to_contenders_never_changes_the_answer(made, limit):
    totals: dict[int, dict[int, float]] = {}
    for handle, (layer, value, _) in enumerate(made):
        totals.setdefault(layer, {})[handle] = value + handle * 1e-9  # ties to the digits that are shown
    scored = [Scored(handle, layer, float(value)) for handle, (layer, value, _) in enumerate(made)]
    stamps = {handle: place(age, str(handle)) for handle, (_, _, age) in enumerate(made)}
    assert settle(contenders(totals, limit), stamps, limit) == settle(scored, stamps, limit)
    assert settle(scored, stamps, limit) == settle(scored, stamps, 1000)[:limit]
