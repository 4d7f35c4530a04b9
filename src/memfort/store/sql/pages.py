"""Answers that are as large as the store come in pages, so that they never fill the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

ROWS_PER_PAGE = 1000
Row = tuple[Any, ...]


def pages(fetch: Callable[[Row | None], Sequence[Row]]) -> Iterator[Row]:
    """All rows, page by page; `fetch` gives those after a row, or the first ones. The first page is fetched at once, so
    that an error shows where the question is asked."""
    first = fetch(None)
    return chain(first, _rest(first, fetch))


def _rest(page: Sequence[Row], fetch: Callable[[Row | None], Sequence[Row]]) -> Iterator[Row]:
    while page:
        page = fetch(page[-1])
        yield from page
