"""Ranks: exact BM25 against a naive one, ties by age and then by id, layers before scores."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfort import FixedClock, Memory
from memfort.model.moment import Moment
from memfort.recall.rank import Layer, Scored, contenders, score, settle
from memfort.recall.words import query_terms, text_terms
from memfort.store import columns
from memfort.store.columns import Columns, Postings, columns_of, sorted_postings
from memfort.store.port import Entry, Position
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


def number(word: str) -> int:
    return WORDS.index(word) - 2  # below and above 0


def made(layer: int, documents: list[tuple[int, list[str]]]) -> Columns:
    return columns_of(layer, [(handle, Entry(Counter(words))) for handle, words in documents], number)


@settings(max_examples=200, deadline=None)
@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True), st.integers(1, 4))
def test_scores_are_exactly_bm25_however_the_memories_are_kept(documents, query, parts):
    numbered = list(enumerate(documents))
    split = [made(place, numbered[place::parts]) for place in range(parts)]
    totals = score(split, list(map(number, sorted(query))))
    scored = {
        handle: round(total, 6)
        for layer in totals.values()
        for handle, total in zip(layer.handles.tolist(), layer.scores.tolist(), strict=True)
    }
    expected = dict(enumerate(naive(documents, sorted(query))))
    assert scored == {handle: value for handle, value in expected.items() if value > 0}


@settings(max_examples=100, deadline=None)
@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True), st.data())
def test_what_is_not_shown_moves_no_score(documents, query, data):
    hidden = data.draw(st.sets(st.integers(0, len(documents) - 1)))
    numbered = list(enumerate(documents))
    whole = made(0, numbered)
    shown = np.array([handle not in hidden for handle, _ in numbered], np.bool_)
    terms = list(map(number, query))
    without = score([made(0, [one for one in numbered if one[0] not in hidden])], terms)
    assert contenders(score([replace(whole, shown=shown)], terms), 99) == contenders(without, 99)


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
    totals = score([made(0, [(1, ["tea"]), (2, ["milk"])])], [number("tea")])
    assert contenders(totals, 1) == [Scored(1, 0, round(math.log(2), 6))]


@pytest.mark.parametrize("found", [[], [made(0, [])], [made(0, [(1, ["milk"])])], [made(0, [(1, [])])]])
def test_nothing_to_score_is_nothing(found):
    assert contenders(score(found, [number("tea")]), 10) == []
    assert contenders(score([*found, made(0, [(9, ["tea", "ink"])])], [number("tea")]), 10)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_a_word_is_looked_up_as_it_is_gone_through(count, monkeypatch):
    entries = [(handle, Entry({WORDS[handle % 5]: handle + 1, "tea": 2})) for handle in range(20)]
    plain = columns_of(0, entries, number).postings
    monkeypatch.setattr(columns, "_SORT_FROM", 1)
    some = sorted_postings(plain.terms[:count], plain.rows[:count], plain.counts[:count])
    partly = Postings(plain.terms, plain.rows, plain.counts, some.order, some.ordered)
    whole = sorted_postings(plain.terms, plain.rows, plain.counts)
    assert (len(plain.order), len(partly.order), len(whole.order)) == (0, count, len(plain.terms))
    for word in WORDS:
        expected = [part.tolist() for part in plain.of(number(word))]
        assert [part.tolist() for part in partly.of(number(word))] == expected != [[], []]
        assert [part.tolist() for part in whole.of(number(word))] == expected


# -- order -----------------------------------------------------------------------------------------------------------


def place(created_at: int, id: str, space: bytes = b"") -> Position:
    return Position(Moment(created_at), id, space)


def layer_of(scores: dict[int, float]) -> Layer:
    return Layer(np.array(list(scores), np.int64), np.array(list(scores.values()), np.float64))


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
    totals = {1: layer_of({5: 1.0}), 0: layer_of({1: 3.0, 2: 1.0, 3: 1.0 + 1e-9, 4: 0.5})}
    assert [one.handle for one in contenders(totals, 2)] == [1, 2, 3]
    assert [one.handle for one in contenders(totals, 4)] == [1, 2, 3, 4]
    assert [one.handle for one in contenders(totals, 5)] == [1, 2, 3, 4, 5]


scored_lists = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), max_size=20)


@settings(max_examples=200, deadline=None)
@given(scored_lists, st.integers(1, 6))
def test_narrowing_to_contenders_never_changes_the_answer(made, limit):
    values: dict[int, dict[int, float]] = {}
    for handle, (layer, value, _) in enumerate(made):
        values.setdefault(layer, {})[handle] = value + handle * 1e-9  # ties to the digits that are shown
    totals = {layer: layer_of(inside) for layer, inside in values.items()}
    scored = [Scored(handle, layer, float(value)) for handle, (layer, value, _) in enumerate(made)]
    stamps = {handle: place(age, str(handle)) for handle, (_, _, age) in enumerate(made)}
    assert settle(contenders(totals, limit), stamps, limit) == settle(scored, stamps, limit)
    assert settle(scored, stamps, limit) == settle(scored, stamps, 1000)[:limit]
