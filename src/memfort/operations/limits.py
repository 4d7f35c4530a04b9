"""Limits on the size of a request: how many entries a list has, and how long a text is. Every field of every request
has both. A field that needs others than these states them in its type, `Meta(extra={"most": …, "longest": …})`, and a
verb that takes fewer entries over HTTP states it in its row, `Http(most={…})`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfort.errors import InvalidInput
from memfort.model.space import MAX_ID_BYTES

MOST_ENTRIES = 10_000  # of a list or a mapping, those of lists in it included
MOST_ENTRIES_OVER_HTTP = 1_000  # there, others wait for the same server
LONGEST_TEXT = MAX_ID_BYTES  # characters of an id or a name: what most texts of a request are


def check_size(name: str, value: Any, most: int, longest: int) -> None:
    """Refuse a value with more than `most` entries, or with a text of more than `longest` characters in it."""
    left, waiting = most, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str | bytes | bytearray):
            _check_length(name, one, longest)
        elif isinstance(one, Mapping | list | tuple | set | frozenset):
            left -= len(one)
            if left < 0:
                raise _too_many(name, value, most)
            waiting.extend(one)
            if isinstance(one, Mapping):
                waiting.extend(one.values())


def check_count(name: str, value: Any, most: int) -> None:
    """The same without a look at the entries, which the verb itself reads one by one."""
    if isinstance(value, list | tuple) and len(value) > most:
        raise _too_many(name, value, most)


def check_characters(name: str, value: Any, most: int) -> None:
    """Refuse a value whose texts have more than so many characters together."""
    left, waiting = most, [value]
    while waiting and left >= 0:
        one = waiting.pop()
        if isinstance(one, str):
            left -= len(one)
        elif isinstance(one, Mapping | list | tuple):
            waiting.extend(one.values() if isinstance(one, Mapping) else one)
    if left < 0:
        raise InvalidInput(name, "its texts are too long together", f"give at most {most} characters in one call")


def _check_length(name: str, text: str | bytes | bytearray, longest: int) -> None:
    if len(text) > longest:
        unit = "characters" if isinstance(text, str) else "bytes"
        raise InvalidInput(name, f"it has {len(text)} {unit}", f"give at most {longest}")
    if isinstance(text, str) and not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:  # msgspec accepts a lone surrogate, but no store can keep it
            raise InvalidInput(name, "it is not valid Unicode", "remove the lone surrogate") from None


def _too_many(name: str, value: Any, most: int) -> InvalidInput:
    problem = f"it has {len(value)} entries" if len(value) > most else "it has too many entries in it"
    return InvalidInput(name, problem, f"give at most {most} in one call")


def _kinds(schema: dict[str, Any]) -> set[str]:
    """The types of the values that a schema admits, unless it names them one by one or elsewhere."""
    if schema.keys() & {"enum", "const", "$ref", "anyOf"}:
        return set()
    kinds = schema.get("type", ["string", "array", "object"])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def with_limits(schema: Any, most: int, longest: int) -> Any:
    """The JSON Schema of a field with its limits, where it does not state narrower ones itself."""
    if isinstance(schema, list):
        return [with_limits(one, most, longest) for one in schema]
    if not isinstance(schema, dict):
        return schema
    nested = {"anyOf", "items", "additionalProperties"}
    found = {name: with_limits(one, most, longest) if name in nested else one for name, one in schema.items()}
    if "properties" in schema:
        found["properties"] = {name: with_limits(one, most, longest) for name, one in schema["properties"].items()}
    kinds = _kinds(schema)
    if "string" in kinds:
        found.setdefault("maxLength", longest)
    if "array" in kinds:
        found.setdefault("maxItems", most)
    if "object" in kinds and "properties" not in schema:
        found.setdefault("maxProperties", most)
    return found
