"""The material for every system, on disk: texts as JSON lines, and their vectors as 32-bit floats.

Written by the run, read inside the peers' environments: only the standard library may be imported.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peers.given import DIMENSIONS, Vector

MEMORIES, EXTRA, QUESTIONS, FAREWELLS = "memories", "extra", "questions", "farewells"
_BYTES = DIMENSIONS * array("f").itemsize


@dataclass(frozen=True, slots=True)
class Text:
    """A memory of a user, or a question of a user, which the memory with this id answers."""

    user: str
    id: str
    text: str
    manner: str = ""  # of a question


def write(folder: Path, name: str, texts: Sequence[Text], vectors: bytes) -> None:
    """Write texts and their vectors, once for all systems."""
    if len(vectors) != len(texts) * _BYTES:
        raise ValueError(f"{len(texts)} texts need {len(texts) * _BYTES} bytes of vectors, not {len(vectors)}")
    with (folder / f"{name}.jsonl").open("w") as lines:
        lines.writelines(json.dumps(asdict(text)) + "\n" for text in texts)
    (folder / f"{name}.f32").write_bytes(vectors)


def texts_of(folder: Path, name: str) -> Iterator[Text]:
    with (folder / f"{name}.jsonl").open() as lines:
        for line in lines:
            yield Text(**json.loads(line))


def read(folder: Path, name: str) -> Iterator[tuple[Text, Vector]]:
    """Each text with its vector, one at a time, because the memory use of a system is measured."""
    with (folder / f"{name}.f32").open("rb") as vectors:
        for text in texts_of(folder, name):
            yield text, array("f", vectors.read(_BYTES)).tolist()
