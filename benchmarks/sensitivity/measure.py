"""The arithmetic of the sensitivity benchmark: rates with their 95 % intervals, by language."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

ENGLISH, OTHERS = "en", "others"


class Judged(NamedTuple):
    """A labelled statement and the level it was given."""

    language: str
    level: str
    found: str


def interval(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a rate, by Wilson."""
    if of == 0:
        return 0.0, 1.0
    z, rate = 1.959964, hits / of
    middle = (rate + z * z / (2 * of)) / (1 + z * z / of)
    width = z * math.sqrt(rate * (1 - rate) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - width), min(1.0, middle + width)


def rate(some: Sequence[Judged], is_hit: Callable[[Judged], bool]) -> dict[str, Any]:
    hits = sum(map(is_hit, some))
    low, high = interval(hits, len(some))
    return {"hits": hits, "of": len(some), "rate": hits / len(some) if some else None, "low": low, "high": high}


def rates(judged: Sequence[Judged]) -> dict[str, Any]:
    """Recall: non-public statements that were found. Withheld and as sensitive: public ones taken for something else.
    Level: of the non-public ones that were found, those with the right level."""
    private = [one for one in judged if one.level != "public"]
    public = [one for one in judged if one.level == "public"]
    found = [one for one in private if one.found != "public"]
    return {
        "recall": rate(private, lambda one: one.found != "public"),
        "withheld": rate(public, lambda one: one.found != "public"),
        "as_sensitive": rate(public, lambda one: one.found == "sensitive"),
        "level": rate(found, lambda one: one.found == one.level),
    }


def by_language(judged: Sequence[Judged]) -> Mapping[str, Any]:
    """The rates of each language, and those of all others than English together."""
    names = list(dict.fromkeys(one.language for one in judged))
    parts = {name: [one for one in judged if one.language == name] for name in names}
    parts[OTHERS] = [one for one in judged if one.language != ENGLISH]
    return {name: rates(some) for name, some in parts.items()}
