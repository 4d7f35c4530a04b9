"""A bounded cache of computed answers, for inputs that repeat often, such as words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Answer = TypeVar("_Answer")


class BoundedCache(dict[str, _Answer]):
    """Caches a function of texts, up to a size; then it starts again empty. `lru_cache` would keep the latest, but it
    moves each answer to the front on every hit, which costs more than finding it, since its neighbours are seldom in
    the processor's cache."""

    def __init__(self, answer: Callable[[str], _Answer], most: int) -> None:
        super().__init__()
        self._answer, self._most = answer, most

    def __missing__(self, asked: str) -> _Answer:
        if len(self) >= self._most:
            self.clear()
        self[asked] = answer = self._answer(asked)
        return answer
