"""A turn and its statements are ranked as one: what a statement has is no advantage of its turn over other turns."""

from __future__ import annotations

import numpy as np
import pytest

from memfort.model.results import Feature
from memfort.recall.replaced import Links, lift_newer
from memfort.recall.units import STANDS_FOR, Units, score_units

SAID = (
    ("Ann", "I painted the lake behind the old mill."),
    ("Bo", "Ann, I repaired my bicycle in the barn yesterday."),
    ("Ann", "And the ducks, oh!"),
)


@pytest.fixture
def talk(alice):
    for place, (speaker, text) in enumerate(SAID):
        at = f"2025-05-03T10:0{place}:00Z"
        alice.observe([{"role": "user", "content": text, "speaker": speaker, "at": at}], conversation="talk")
    return alice


def features(by, query):
    return {hit.text: hit.features for hit in by.recall(query, weights={"speaker": 1.0})}


def test_the_name_of_a_speaker_is_no_word_of_what_is_taken_from_a_turn(talk):
    assert any("bicycle" in item.text for item in talk.list(kinds=["semantic"]))  # the control: it was taken
    found = features(talk, "What did Ann paint, and Bo?")
    assert found[SAID[0][1]]["words"] > 0
    assert "words" not in found.get(SAID[1][1], {})
    assert features(talk, "What did Bo repair?")[SAID[1][1]]["words"] > 0


def test_every_turn_of_a_speaker_is_about_them_whether_a_statement_was_kept_or_not(talk):
    talk.people.add("Ann", space={"user": "alice"})
    found = features(talk, "What did Ann paint with the ducks?")
    assert {text: "about" in found[text] for text in (SAID[0][1], SAID[2][1])} == dict.fromkeys(
        (SAID[0][1], SAID[2][1]), True
    )


@pytest.mark.parametrize(("match", "is_lifted"), [(0.3, True), (0.1, False)])
def test_only_what_matches_itself_rises_above_what_it_may_replace(match, is_lifted):
    shares = {Feature.WORDS: np.array([0.5, match]), Feature.SPEAKER: np.array([0.2, 0.55 - match])}
    lift_newer(Links(np.array([1]), np.array([0])), None, shares, np.ones(2, np.bool_))
    lifted = shares.get(Feature.NEWER_VALUE, np.zeros(2))
    assert bool(lifted[1] > 0) is is_lifted
    total = sum(shares.values())
    assert bool(total[1] > total[0]) is is_lifted


def test_a_statement_in_place_of_its_turn_has_the_score_of_the_turn():
    """The turn is long, and of two statements only the one that matches less scores half as much as it."""
    shares = {
        Feature.WORDS: np.array([0.30, 0.42, 0.36]),
        Feature.FADE: np.array([0.0, -0.40, 0.0]),
        Feature.SPEAKER: np.array([0.2, 0.0, 0.0]),
    }
    units = Units(np.array([1, 2]), np.array([0]), np.array([0]), np.array([0, 0]))
    in_place = score_units(units, shares, np.array([90.0, 9.0, 9.0]))
    assert in_place.tolist() == [False, False, True]
    total = sum(shares.values())
    assert total[2] == pytest.approx(total[0], abs=1e-5)
    assert shares[STANDS_FOR][2] > 0
