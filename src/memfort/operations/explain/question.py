"""A recall that is to be explained."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from memfort.store.port import Filter


class Question(Struct, frozen=True):
    """A recall to be explained, as it was asked or might be."""

    query: str
    limit: int
    space: Mapping[str, str] | None
    filter: Filter
    budget_tokens: int | None  # of the prompt that it was rendered for
