"""What every system is put through, on the disk: texts as JSON lines, and their vectors beside them as 32-bit floats.

Written by the run, read inside the peers' environments: nothing but the standard library comes in here.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peers.embedding import DIMENSIONS, dense, hashed
from benchmarks.peers.given import Vector

MEMORIES, EXTRA, QUESTIONS, FAREWELLS = "memories", "extra", "questions", "farewells"
_BYTES = DIMENSIONS * array("f").itemsize


@dataclass(frozen=True, slots=True)
class Text:
    """A memory of a user; or a question by a user, made from the words of the memory with this id."""

    user: str
    id: str
    text: str


def write(folder: Path, name: str, texts: Iterable[Text]) -> None:
    """Keep texts and embed them, once for everybody."""
    with (folder / f"{name}.jsonl").open("w") as lines, (folder / f"{name}.f32").open("wb") as vectors:
        for text in texts:
            lines.write(json.dumps(asdict(text)) + "\n")
            array("f", dense(hashed(text.text))).tofile(vectors)


def texts_of(folder: Path, name: str) -> Iterator[Text]:
    with (folder / f"{name}.jsonl").open() as lines:
        for line in lines:
            yield Text(**json.loads(line))


def read(folder: Path, name: str) -> Iterator[tuple[Text, Vector]]:
    """Text after text with its vector, never all of them: what a system takes of memory is measured."""
    with (folder / f"{name}.f32").open("rb") as vectors:
        for text in texts_of(folder, name):
            yield text, array("f", vectors.read(_BYTES)).tolist()
