"""A sentence transformer in numpy: on a small model of made-up numbers it gives what the definition gives by hand."""

from __future__ import annotations

import json
import math
import random
import struct
from pathlib import Path

import pytest

from memfort import InvalidInput
from memfort.embed.bert import BertEmbedder
from memfort.embed.choice import embedder_called

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tea", "is", "##s", "cafe", "!", "green", "茶", "un", "##known"]
WIDTH, HEADS, INNER, LAYERS = 6, 2, 8, 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = random.Random(3)
    shapes = {"embeddings.word_embeddings.weight": (len(WORDS), WIDTH)}
    shapes["embeddings.position_embeddings.weight"] = (16, WIDTH)
    shapes["embeddings.token_type_embeddings.weight"] = (2, WIDTH)
    dense = {"attention.self.query": (WIDTH, WIDTH), "attention.self.key": (WIDTH, WIDTH)}
    dense |= {"attention.self.value": (WIDTH, WIDTH), "attention.output.dense": (WIDTH, WIDTH)}
    dense |= {"intermediate.dense": (INNER, WIDTH), "output.dense": (WIDTH, INNER)}
    names = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        for name, shape in dense.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = shape
            shapes[f"encoder.layer.{layer}.{name}.bias"] = shape[:1]
        names += [f"encoder.layer.{layer}.{part}.LayerNorm" for part in ("attention.output", "output")]
    for name in names:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (WIDTH,)
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, shape in shapes.items():
        numbers = struct.pack(f"<{math.prod(shape)}f", *(rng.gauss(0, 0.7) for _ in range(math.prod(shape))))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    head = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    settings = {"num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "layer_norm_eps": 1e-12}
    (tmp_path / "config.json").write_text(json.dumps({**settings, "max_position_embeddings": 16}))
    return tmp_path


class ByHand:
    """The same in plain Python, from the definition."""

    def __init__(self, folder: Path) -> None:
        raw = (folder / "model.safetensors").read_bytes()
        start = 8 + int.from_bytes(raw[:8], "little")
        self.t = {}
        for name, one in json.loads(raw[8:start]).items():
            if name != "__metadata__":
                first, past = one["data_offsets"]
                flat = struct.unpack(f"<{(past - first) // 4}f", raw[start + first : start + past])
                width = one["shape"][-1]
                rows = [list(flat[at : at + width]) for at in range(0, len(flat), width)]
                self.t[name] = rows if len(one["shape"]) == 2 else rows[0]

    def dense(self, rows, name):
        weight, bias = self.t[f"{name}.weight"], self.t[f"{name}.bias"]
        return [[sum(a * b for a, b in zip(row, w, strict=True)) + c for w, c in zip(weight, bias, strict=True)]
                for row in rows]  # fmt: skip

    def normal(self, rows, name):
        weight, bias = self.t[f"{name}.weight"], self.t[f"{name}.bias"]
        out = []
        for row in rows:
            mean = sum(row) / len(row)
            spread = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + 1e-12)
            out.append([(x - mean) / spread * w + b for x, w, b in zip(row, weight, bias, strict=True)])
        return out

    def embed(self, tokens):
        words, places = self.t["embeddings.word_embeddings.weight"], self.t["embeddings.position_embeddings.weight"]
        kind = self.t["embeddings.token_type_embeddings.weight"][0]
        rows = [[a + b + c for a, b, c in zip(words[token], places[at], kind, strict=True)]
                for at, token in enumerate(tokens)]  # fmt: skip
        rows = self.normal(rows, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            rows = self.layer(rows, f"encoder.layer.{layer}")
        return [sum(column) / len(rows) for column in zip(*rows, strict=True)]

    def layer(self, rows, name):
        asks, answers, says = (self.dense(rows, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        size = WIDTH // HEADS
        heard = [[0.0] * WIDTH for _ in rows]
        for head in range(0, WIDTH, size):
            for at, ask in enumerate(asks):
                scores = [sum(ask[i] * answer[i] for i in range(head, head + size)) / math.sqrt(size)
                          for answer in answers]  # fmt: skip
                raised = [math.exp(score) for score in scores]
                for i in range(head, head + size):
                    heard[at][i] = sum(r * say[i] for r, say in zip(raised, says, strict=True)) / sum(raised)
        heard = self.dense(heard, f"{name}.attention.output.dense")
        rows = self.normal(self.plus(rows, heard), f"{name}.attention.output.LayerNorm")
        inner = [[x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in row]
                 for row in self.dense(rows, f"{name}.intermediate.dense")]  # fmt: skip
        return self.normal(self.plus(rows, self.dense(inner, f"{name}.output.dense")), f"{name}.output.LayerNorm")

    @staticmethod
    def plus(left, right):
        return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(left, right, strict=True)]


@pytest.mark.parametrize("text", ["tea", "Café is teas!", "green tea 茶茶 unknown, nothing known", "tea " * 40])
def test_it_gives_what_the_definition_gives(folder, text):
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


def test_a_text_means_the_same_whatever_is_asked_about_with_it(folder):
    embedder = BertEmbedder("small", folder)
    alone = embedder.embed(["green tea"])
    assert embedder.embed(["tea tea tea tea", "green tea", ""])[1:] == [*alone, []]


def test_a_folder_is_an_embedder_by_its_name(folder):
    chosen = embedder_called(f"local:{folder}")
    assert chosen.name == f"folder:{folder.name}"
    assert chosen.embed(["tea"]) == BertEmbedder("small", folder).embed(["tea"])
    (folder / "config.json").write_text("{}")
    with pytest.raises(InvalidInput, match="holds no model"):
        embedder_called(f"local:{folder}").embed(["tea"])
