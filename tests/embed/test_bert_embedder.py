"""A sentence transformer in numpy: on a small model of made-up numbers it gives what the definition gives by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfort import InvalidInput
from memfort.embed.bert import BertEmbedder
from memfort.embed.choice import open_embedder
from small_bert import WORDS, ByHand, write_embedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_embedder(tmp_path)


@pytest.mark.parametrize("text", ["tea", "Café is teas!", "green tea 茶茶 unknown, nothing known", "tea " * 40])
def test_the_embedding_matches_the_definition(folder, text):
    embedder = BertEmbedder("small", folder)
    assert embedder.embed([text])[0] == pytest.approx(ByHand(folder).embed(embedder.tokens(text)), abs=1e-4)


def test_words_are_cut_as_the_models_were_taught(folder):
    def cut(text: str) -> list[str]:
        return [WORDS[row] for row in BertEmbedder("small", folder).tokens(text)][1:-1]

    assert cut("Teas, CAFÉ!") == ["tea", "##s", "[UNK]", "cafe", "!"]
    assert cut("茶is green") == ["茶", "is", "green"]
    assert cut("unknown unheard") == ["un", "##known", "[UNK]"]
    assert cut("te\u200ba \x00 is") == ["tea", "is"]
    assert cut("x" * 101) == ["[UNK]"]
    assert len(cut("tea " * 400)) == 14


def test_an_embedding_does_not_depend_on_its_batch(folder):
    embedder = BertEmbedder("small", folder)
    alone = embedder.embed(["green tea"])
    assert embedder.embed(["tea tea tea tea", "green tea", ""])[1:] == [*alone, []]


def test_a_folder_is_an_embedder_by_its_name(folder):
    chosen = open_embedder(f"local:{folder}")
    assert chosen.name == f"folder:{folder.name}"
    assert chosen.embed(["tea"]) == BertEmbedder("small", folder).embed(["tea"])
    (folder / "config.json").write_text("{}")
    with pytest.raises(InvalidInput, match="has no model"):
        open_embedder(f"local:{folder}").embed(["tea"])
