"""The embedder that ships with the package: what means alike is near, and the same bytes come out everywhere."""

from __future__ import annotations

import hashlib
import math

import pytest

from memfort import InvalidInput
from memfort.embed import embedder_tag, pack_vector, words
from memfort.embed.port import MAX_NUMBERS, VECTOR_LENGTH
from memfort.embed.words import WordEmbedder

EMBEDDER = WordEmbedder()


def near(one: str, other: str) -> float:
    left, right = EMBEDDER.embed([one, other])
    return sum(a * b for a, b in zip(left, right, strict=True)) / VECTOR_LENGTH**2


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("vehicle trouble", "my car broke down", "I love green tea"),
        ("what pets do they have", "they adopted two kittens", "the deployment failed"),
        ("medical appointment", "I see my doctor on Friday", "the museum was closed"),
        ("where does she work", "her job is at the hospital", "he likes sushi"),
    ],
)
def test_similar_texts_are_nearer_than_others(question, answer, other):
    assert near(question, answer) > near(question, other) + 0.15


@pytest.mark.parametrize("text", ["tea", "Zürich café", "tea 茶", "x" * 5000, "12 345", "a b c " * 3000])
def test_every_text_of_words_has_a_vector_of_one_length(text):
    (vector,) = EMBEDDER.embed([text])
    assert len(vector) == 256
    assert math.hypot(*vector) == pytest.approx(VECTOR_LENGTH, rel=0.05)
    assert max(map(abs, vector)) <= VECTOR_LENGTH


@pytest.mark.parametrize("text", ["", "   ", "!?…", "\n", "日本語のテキスト", "жизнь"])
def test_a_text_without_words_has_a_zero_vector(text):
    assert EMBEDDER.embed([text]) == [[0.0] * 256]
    assert EMBEDDER.pack(b"mark", [text]) == [b"mark"]


def test_case_accents_and_repetition_do_not_matter():
    assert EMBEDDER.embed(["Café CAFE café"]) == EMBEDDER.embed(["cafe"])


def test_the_same_bytes_come_out_everywhere():
    texts = [f"{word} in {place} {number}" for number, (word, place) in enumerate(
        (word, place) for word in ("tea", "Caroline went", "zxqv", "日本") for place in ("Berlin", "may 2023", "a-b_c")
    )]  # fmt: skip
    digest = hashlib.sha256(b"".join(EMBEDDER.pack(b"", texts))).hexdigest()
    assert digest == "e04a520ff68c152b33ed2cb6ebcf2434f91c42775d1645dfa249fde05dd70e3a"


def test_a_few_texts_are_summed_to_the_same_bytes_as_many(monkeypatch):
    """The first are summed without numpy. Among them: one word, more than count four times, and one that is unknown."""
    texts = ["tea", "Caroline moved to Berlin in 2023", "zxqv", " ".join(f"{n} rivers {n * 7}" for n in range(300)), ""]
    found = []
    for one_by_one in (0, 1_000_000):
        words._table.cache_clear()
        monkeypatch.setattr(words, "_ROWS_ONE_BY_ONE", one_by_one)
        embedder = WordEmbedder()
        found.append(embedder.pack(b"", texts))
        assert (embedder._table._whole is None) == bool(one_by_one)
    words._table.cache_clear()
    assert found[0] == found[1]
    assert [len(one) for one in found[0]] == [256, 256, 256, 256, 0]


def test_packing_by_itself_is_packing_through_floats():
    texts = ["my car broke down", "Zürich", "hello " * 100]
    mark = embedder_tag(EMBEDDER)
    assert EMBEDDER.pack(mark, texts) == [pack_vector(mark, vector) for vector in EMBEDDER.embed(texts)] != [mark] * 3


def test_embedder_tags_differ_between_embedders():
    class Other(WordEmbedder):
        name = "another"

    assert embedder_tag(EMBEDDER) != embedder_tag(Other())
    assert embedder_tag(EMBEDDER) == embedder_tag(WordEmbedder())


@pytest.mark.parametrize(
    ("vector", "numbers"), [([3, 4], [76, 102]), ([-1, 0], [129, 0]), ([0, 0], []), ([1e-9, 0], [127, 0])]
)
def test_a_vector_is_kept_at_one_length(vector, numbers):
    assert list(pack_vector(b"", vector)) == numbers


@pytest.mark.parametrize("vector", [[math.nan], [math.inf, 1], [1.0] * (MAX_NUMBERS + 1)])
def test_a_vector_that_cannot_be_kept_is_refused(vector):
    with pytest.raises(InvalidInput, match="embedder"):
        pack_vector(b"", vector)
    assert pack_vector(b"", [1.0] * MAX_NUMBERS)
