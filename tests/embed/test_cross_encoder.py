"""A cross-encoder in numpy: on small models of made-up numbers it gives what the definition gives by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfort import InvalidInput, RerankerFailed
from memfort.embed.choice import open_reranker
from memfort.embed.cross import CrossEncoder
from memfort.embed.port import rerank_texts
from small_bert import ROOM, SETTINGS, WORDS, ByHand, one_that_looks_for, write_cross_encoder, write_embedder

TEXTS = ["tea is green", "Café, teas!", "black 茶 unknown words", "tea " * 40]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_cross_encoder(tmp_path / "model")


@pytest.mark.parametrize("query", ["tea", "When is tea green?", "tea is cold " * 9])
def test_the_score_matches_the_definition(folder, query):
    encoder, by_hand = CrossEncoder("small", folder), ByHand(folder)
    expected = [by_hand.judge(*encoder.tokens(query, text)) for text in TEXTS]
    assert encoder.rank(query, TEXTS) == pytest.approx(expected, abs=1e-4)
    assert max(expected) - min(expected) > 0.01  # it does tell them apart


def test_which_of_the_two_a_piece_is_of_counts(folder):
    encoder = CrossEncoder("small", folder)
    rows, kinds = encoder.tokens("tea", "tea is green")
    assert [WORDS[row] for row in rows] == ["[CLS]", "tea", "[SEP]", "tea", "is", "green", "[SEP]"]
    assert kinds == [0, 0, 0, 1, 1, 1, 1]
    by_hand = ByHand(folder)
    assert abs(by_hand.judge(rows, kinds) - by_hand.judge(rows, [0] * len(kinds))) > 0.01


def test_the_text_is_cut_first_and_then_the_query_down_to_half(folder):
    def sizes(query: int, text: int) -> tuple[int, int]:
        rows, kinds = CrossEncoder("small", folder).tokens("tea " * query, "green " * text)
        assert len(rows) == len(kinds) <= ROOM
        return rows.count(WORDS.index("tea")), rows.count(WORDS.index("green"))

    assert sizes(3, 4) == (3, 4)
    assert sizes(5, 90) == (5, 8)
    assert sizes(90, 2) == (11, 2)
    assert sizes(90, 90) == (6, 7)


def test_a_score_does_not_depend_on_its_batch(folder):
    encoder = CrossEncoder("small", folder)
    assert encoder.rank("tea", TEXTS)[1:3] == encoder.rank("tea", TEXTS[1:3])
    assert encoder.rank("tea", TEXTS) == CrossEncoder("again", folder).rank("tea", TEXTS)


def test_a_model_that_looks_for_a_word_finds_it(tmp_path):
    encoder = CrossEncoder("looks", write_cross_encoder(tmp_path, one_that_looks_for("black")))
    green, black, long = encoder.rank("tea", ["tea is green", "tea is black", "tea is cold for black cafes !"])
    assert green == pytest.approx(-3, abs=1e-4)
    assert min(black, long) > 4


def test_a_folder_is_a_reranker_by_its_name(folder):
    chosen = open_reranker(f"local:{folder}")
    assert chosen.name == "folder:model"
    assert chosen.rank("tea", TEXTS) == CrossEncoder("small", folder).rank("tea", TEXTS)


def _without(name: str):
    return lambda folder: (folder / name).unlink()


def _only_in_json(folder: Path, kind: str) -> None:
    (folder / "vocab.txt").unlink()
    model = {"type": kind, "vocab": {word: row for row, word in enumerate(WORDS)}}
    (folder / "tokenizer.json").write_text(json.dumps({"model": model}))


def _settings(**changed: object):
    return lambda folder: (folder / "config.json").write_text(json.dumps({**SETTINGS, **changed}))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_without("config.json"), "has no model"),
        (_without("vocab.txt"), "has no model"),
        (lambda folder: (folder / "config.json").write_text("[]"), "has no model"),
        (lambda folder: (folder / "config.json").write_text("not json"), "has no model"),
        (lambda folder: (folder / "vocab.txt").write_text("tea\n"), "has no model"),
        (lambda folder: (folder / "vocab.txt").write_bytes(b"\xff\xfe"), "has no model"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b""), "has no model"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\xff" * 64), "has no model"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\x02" + b"\0" * 7 + b"[]"), "has no model"),
        (lambda folder: _only_in_json(folder, "Unigram"), "has no model"),
        (_settings(hidden_act="relu"), "`hidden_act` of the model in .* is `relu`"),
        (_settings(model_type="distilbert"), "`model_type`"),
        (lambda folder: (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}'), "`do_lower_case`"),
        (_settings(num_hidden_layers=3), "has no `encoder.layer.2.attention.self.query.weight`"),
        (write_embedder, "has no `classifier.weight`"),
        (lambda folder: write_cross_encoder(folder, labels=3), "gives 3 numbers for a text"),
        (lambda folder: write_cross_encoder(folder, dtype="F16"), "has no `classifier.weight` in single precision"),
    ],
)
def test_an_unusable_folder_is_reported_with_its_problem(folder, spoil, said):
    assert rerank_texts(open_reranker(f"local:{folder}"), "tea", ["tea"])  # it could be
    spoil(folder)
    with pytest.raises(RerankerFailed, match=said):
        rerank_texts(open_reranker(f"local:{folder}"), "tea", ["tea"])


def test_numbers_that_are_none_are_refused(tmp_path):
    numbers = {**one_that_looks_for("black"), "classifier.bias": [float("nan")]}
    chosen = open_reranker(f"local:{write_cross_encoder(tmp_path, numbers)}")
    with pytest.raises(RerankerFailed, match="one is not a number"):
        rerank_texts(chosen, "tea", ["tea is black"])


def test_known_tokenizer_settings_are_accepted(folder):
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": true, "model_max_length": 512}')
    assert CrossEncoder("small", folder).rank("tea", ["tea"])


def test_the_vocabulary_may_be_in_the_json_file(folder):
    before = CrossEncoder("small", folder).rank("tea", TEXTS)
    _only_in_json(folder, "WordPiece")
    assert CrossEncoder("small", folder).rank("tea", TEXTS) == before


@pytest.mark.parametrize("choice", ["local:./nowhere", "local:/nowhere/at/all"])
def test_a_folder_without_a_model_is_refused_at_once(choice):
    with pytest.raises(InvalidInput, match="has no model") as refused:
        open_reranker(choice)
    assert refused.value.field == "reranker"
