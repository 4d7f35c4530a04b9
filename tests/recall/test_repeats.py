"""Repeats: what says the same as a better one gives way to what says more, is not lost, and nothing unseen does it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memfort import FixedClock, Memory
from memfort.model.feature import Feature
from memfort.model.moment import Moment
from memfort.policy.sections import WEIGHTS
from memfort.recall.repeats import AMONG, repeats
from memfort.testing import DictStore

SAME = [
    "We agreed to ship on Friday", "We have agreed to ship on Friday", "We did agree to ship on Friday!",
    "So we agreed to ship on Friday", "and we agreed to ship on Friday",
]  # fmt: skip


def alice_of(*texts: str):
    alice = Memory(DictStore(), clock=FixedClock(Moment(1_767_225_600_000_000))).as_user("alice")
    assert all(outcome.item is not None for outcome in alice.remember_many(list(texts)))
    return alice


def test_what_repeats_a_better_one_comes_after_what_says_more():
    other = "When we ship, Carol tells the customers"
    alice = alice_of(*SAME, other)
    hits = list(alice.recall("when did we agree to ship?"))
    kept = [hit.text for hit in hits]
    assert kept.index(other) == 1
    assert {hit.text for hit in hits} == {item.text for item in alice.list(limit=50).items}, "none is lost"
    assert all(hit.features["repeats"] < 0 for hit in hits[2:])
    assert "repeats" not in hits[0].features


def test_another_number_name_day_or_a_not_is_no_repetition():
    for one, another in (
        ("room 214 is mine", "room 215 is mine"), ("the meeting is on Monday", "the meeting is on Tuesday"),
        ("Bob lives in Bern", "Carol lives in Bern"), ("I like tea", "I don't like tea"),
    ):  # fmt: skip
        hits = alice_of(one, another).recall(one)
        assert not any("repeats" in hit.features for hit in hits), (one, another)


def columns(*vectors: list[int]) -> np.ndarray:
    return np.array(vectors, np.int8)


A, B = [127, 0, 0], [0, 127, 0]


def test_the_better_one_stays_and_of_those_that_tie_the_newer():
    rows = np.arange(3)
    assert repeats(np.array([1.0, 3.0, 2.0]), rows, [(columns(A, A, B), rows)]).tolist() == [1, 0, 0]
    assert repeats(np.array([2.0, 2.0, 2.0]), rows, [(columns(A, A, B), rows)]).tolist() == [1, 0, 0]


def test_racks_of_a_layer_are_looked_at_together():
    one, other = (columns(A, B, A), np.array([2, 1])), (columns(B, A), np.array([0]))
    assert repeats(np.array([5.0, 4.0, 3.0]), np.array([3, 2, 9]), [one, other]).tolist() == [0, 0, 1]
    nothing = (columns(A), np.empty(0, np.int64))
    assert repeats(np.array([5.0, 4.0, 3.0]), np.array([3, 2, 9]), [one, nothing, other]).tolist() == [0, 0, 1]


def test_of_two_racks_that_tie_none_gives_way_whichever_was_written_first():
    one, other = (columns(A), np.array([0])), (columns(A), np.array([0]))
    for handles in ([1, 2], [2, 1]):
        assert repeats(np.array([2.0, 2.0]), np.array(handles), [one, other]).tolist() == [0, 0]
        assert repeats(np.array([2.0, 2.1]), np.array(handles), [one, other]).tolist() == [1, 0], "the positive control"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3), st.booleans()), max_size=4 * AMONG), st.randoms())
def test_how_the_writes_to_two_racks_interleave_is_no_matter(made, draw):
    split = [[one for one in made if one[0] == rack] for rack in (0, 1)]
    scores = np.array([float(score) for rack in split for _, score, _ in rack])
    meanings = [
        (columns(*([A, B][is_b] for _, _, is_b in rack)).reshape(-1, 3), np.arange(len(rack))) for rack in split
    ]
    order = [rack for rack in (0, 1) for _ in split[rack]]
    draw.shuffle(order)
    mixed = [place for rack in (0, 1) for place, one in enumerate(order) if one == rack]
    expected = repeats(scores, np.arange(len(made)), meanings).tolist()
    assert repeats(scores, np.array(mixed, np.int64), meanings).tolist() == expected


def test_without_meaning_nothing_repeats():
    rows = np.arange(2)
    assert not repeats(np.array([1.0, 2.0]), rows, [(np.zeros((2, 0), np.float32), rows)]).any()
    assert not repeats(np.array([1.0, 2.0]), rows, [(columns([0, 0, 0], [0, 0, 0]), rows)]).any()
    assert not repeats(np.empty(0), np.empty(0, np.int64), []).any()


def test_only_the_best_are_looked_at():
    count = 3 * AMONG
    rows = np.arange(count)
    found = repeats(-rows.astype(np.float64), rows, [(columns(*[A] * count), rows)])
    assert found.tolist() == [0.0] + [1.0] * (AMONG - 1) + [0.0] * (count - AMONG)


def test_it_has_a_weight_below_zero():
    assert WEIGHTS[Feature.REPEATS] < 0
