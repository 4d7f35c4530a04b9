"""Small models of the BERT family, written as they are published, and what the definition makes of them by hand."""

from __future__ import annotations

import json
import math
import random
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tea", "is", "##s", "cafe", "!", "green", "茶", "un", "##known"]
WORDS += ["black", "white", "cold", "when", "for"]
WIDTH, HEADS, INNER, LAYERS, ROOM = 6, 2, 8, 2, 16
SETTINGS = {"num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "layer_norm_eps": 1e-12}
SETTINGS |= {"max_position_embeddings": ROOM, "model_type": "bert", "hidden_act": "gelu"}

Numbers = Mapping[str, Sequence[float]]  # of each tensor, row after row


def write_embedder(folder: Path) -> Path:
    return _write(folder, _random(_shapes(), 3), _shapes())


def write_cross_encoder(folder: Path, numbers: Numbers | None = None, *, labels: int = 1, dtype: str = "F32") -> Path:
    """With a head on top, where the names of the rest begin with `bert.`; made-up numbers unless some are given."""
    shapes = {f"bert.{name}": shape for name, shape in _shapes().items()}
    shapes |= {"bert.pooler.dense.weight": (WIDTH, WIDTH), "bert.pooler.dense.bias": (WIDTH,)}
    shapes |= {"classifier.weight": (labels, WIDTH), "classifier.bias": (labels,)}
    return _write(folder, _random(shapes, 223) if numbers is None else numbers, shapes, dtype)


def one_that_looks_for(word: str) -> Numbers:
    """The numbers of a cross-encoder that says 4 or more where this word is in the pair, else -3: every piece is the
    same but this one, every place hears the mean of all, and the last step looks at what only it has."""
    same, other = [1.0, -1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0, 0.0, 0.0]
    found = {f"bert.{name}": [0.0] * math.prod(shape) for name, shape in _shapes().items()}
    alike = [float(row == column) for row in range(WIDTH) for column in range(WIDTH)]
    found["bert.embeddings.word_embeddings.weight"] = [x for one in WORDS for x in (other if one == word else same)]
    for layer in range(LAYERS):
        for part in ("attention.self.value", "attention.output.dense"):
            found[f"bert.encoder.layer.{layer}.{part}.weight"] = alike
    found |= {name: [1.0] * WIDTH for name in found if name.endswith("LayerNorm.weight")}
    found |= {"bert.pooler.dense.weight": alike, "bert.pooler.dense.bias": [0.0] * WIDTH}
    return found | {"classifier.weight": [0.0, 0.0, 60.0, 0.0, 0.0, 0.0], "classifier.bias": [-3.0]}


def _shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"embeddings.word_embeddings.weight": (len(WORDS), WIDTH)}
    shapes["embeddings.position_embeddings.weight"] = (ROOM, WIDTH)
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
    return shapes


def _random(shapes: Mapping[str, tuple[int, ...]], seed: int) -> Numbers:
    rng = random.Random(seed)
    return {name: [rng.gauss(0, 0.7) for _ in range(math.prod(shape))] for name, shape in shapes.items()}


def _write(folder: Path, numbers: Numbers, shapes: Mapping[str, tuple[int, ...]], dtype: str = "F32") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, shape in shapes.items():
        packed = struct.pack(f"<{math.prod(shape)}{'f' if dtype == 'F32' else 'e'}", *numbers[name])
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    head = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(SETTINGS))
    return folder


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
                self.t[name.removeprefix("bert.")] = rows if len(one["shape"]) == 2 else rows[0]

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

    def read(self, tokens, kinds):
        words, places = self.t["embeddings.word_embeddings.weight"], self.t["embeddings.position_embeddings.weight"]
        types = self.t["embeddings.token_type_embeddings.weight"]
        rows = [[a + b + c for a, b, c in zip(words[token], places[at], types[kind], strict=True)]
                for at, (token, kind) in enumerate(zip(tokens, kinds, strict=True))]  # fmt: skip
        rows = self.normal(rows, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            rows = self.layer(rows, f"encoder.layer.{layer}")
        return rows

    def embed(self, tokens):
        rows = self.read(tokens, [0] * len(tokens))
        return [sum(column) / len(rows) for column in zip(*rows, strict=True)]

    def judge(self, tokens, kinds):
        """What a cross-encoder says: of the first place alone, through two steps more."""
        pooled = [[math.tanh(x) for x in row] for row in self.dense(self.read(tokens, kinds)[:1], "pooler.dense")]
        return self.dense(pooled, "classifier")[0][0]

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
