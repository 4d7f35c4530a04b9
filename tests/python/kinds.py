"""Which types the verbs give back and take, read from the table of operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct

from memfort.model.value import Value
from memfort.operations.table import ROWS


def result_types() -> set[type]:
    """Every type of ours in what a verb gives back, nested ones included."""
    return _reached(row.result for row in ROWS)


def given_types() -> set[type]:
    """Every value and enum of ours that a verb takes."""
    hints = (hint for row in ROWS for hint in get_type_hints(row.request, include_extras=True).values())
    return {kind for kind in _reached(hints) if issubclass(kind, Value | Enum)}


def values_in(answer: Any) -> Iterator[Any]:
    """Every value of ours in an answer, nested ones included."""
    if isinstance(answer, Value):
        yield answer
        for name in answer.__struct_fields__:
            yield from values_in(getattr(answer, name))
    elif isinstance(answer, dict):
        yield from values_in(list(answer.values()))
    elif isinstance(answer, list | tuple | set | frozenset):
        for one in answer:
            yield from values_in(one)


def _reached(kinds: Iterable[Any]) -> set[type]:
    found: set[type] = set()
    waiting = list(kinds)
    while waiting:
        kind = waiting.pop()
        if get_origin(kind) is not None:
            waiting += get_args(kind)
        elif isinstance(kind, type) and kind.__module__.startswith("memfort") and kind not in found:
            found.add(kind)
            waiting += get_type_hints(kind, include_extras=True).values() if issubclass(kind, Struct) else ()
    return found
