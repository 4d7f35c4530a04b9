"""Leaks sown on purpose: each must be caught, or the fuzzer is blind to its kind.

How to add one. Write a function that takes a `pytest.MonkeyPatch` and changes the product so that it leaks, the smaller
the change the better, and give it to `sown`:

    def statistics_over_all_spaces(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(ranking, "document_count", lambda index, sight: index.total)

    assert sown(statistics_over_all_spaces) is not None

The answer is the number of the first history in which the observer notices it, and `None` if no history shows it.
Histories that leak without the patch do not count. A leak with a state of its own must forget it when a store opens:
otherwise both runs show the same. A leak that needs a rare situation gets more histories
(`sown(leak, histories=2000)`); one that no history can show needs a new kind of step in `histories.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.purge.histories import generate
from tests.purge.replay import compare
from tests.purge.stores import open_dict

from memfort import BoundMemory, Memory

Leak = Callable[[pytest.MonkeyPatch], None]


def sown(leak: Leak, histories: int = 400, first: int = 0) -> int | None:
    """The number of the first history that shows the leak and is clean without it."""
    for seed in range(first, first + histories):
        history = generate(seed)
        with pytest.MonkeyPatch.context() as patch:
            leak(patch)
            is_noticed = bool(compare(history, open_dict).differences)
        if is_noticed and not compare(history, open_dict).differences:
            return seed
    return None


def list_with_the_latest_of_anybody(patch: pytest.MonkeyPatch) -> None:
    """An example around the public verbs: a page ends with the text that anybody remembered last."""
    latest: list[str] = []
    open_store, remember, list_page = Memory.open.__func__, BoundMemory.remember, BoundMemory.list  # type: ignore[attr-defined]

    def open_afresh(cls: type[Memory], *given: Any, **options: Any) -> Memory:
        latest.clear()  # a leak must not outlive its store, or both runs show it
        return open_store(cls, *given, **options)  # type: ignore[no-any-return]

    def remember_and_note(self: BoundMemory, text: str, **given: Any) -> Any:
        latest.append(text)
        return remember(self, text, **given)

    def list_and_leak(self: BoundMemory, **given: Any) -> Any:
        page = list_page(self, **given)
        return _Leaky(page, latest[-1]) if latest else page

    patch.setattr(Memory, "open", classmethod(open_afresh))
    patch.setattr(BoundMemory, "remember", remember_and_note)
    patch.setattr(BoundMemory, "list", list_and_leak)


class _Leaky:
    def __init__(self, page: Any, text: str) -> None:
        self.cursor = page.cursor
        self._page = page
        self._text = text

    def to_dict(self) -> dict[str, Any]:
        return {**self._page.to_dict(), "also": self._text}
