"""Answers that were worked out before, kept because most questions come again: words, above all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Answer = TypeVar("_Answer")


class BoundedCache(dict[str, _Answer]):
    """What a function says to each text, so many at most; then it begins anew. `lru_cache` would keep the latest
    instead, but for that it moves each answer to the front whenever it is asked for, which costs more than finding it:
    its neighbours are seldom in a processor's cache."""

    def __init__(self, answer: Callable[[str], _Answer], most: int) -> None:
        super().__init__()
        self._answer, self._most = answer, most

    def __missing__(self, asked: str) -> _Answer:
        if len(self) >= self._most:
            self.clear()
        self[asked] = answer = self._answer(asked)
        return answer
