"""The Plain view: any JSON value as lines of `key: value`, without brackets. For reading, for diffs, and for goldens.

Nested keys are joined by dots, and a list gives its `count` before its entries, numbered from one. One key is always
one line, and two values never give the same text, with one exception: an empty mapping gives no line, so a key with
only empty mappings is left out. Width and colours are left to terminals.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memfort.errors import a


def plain(value: Any) -> str:
    """The value in lines, keys in alphabetical order. Raises TypeError or ValueError on what is not JSON."""
    if isinstance(value, Mapping | list | tuple):
        return "\n".join(_lines("", value))
    return f"value: {_scalar(value)}"


def plain_events(events: Iterable[Mapping[str, Any]]) -> str:
    """The events of a call, one block each, with a blank line between. Each begins with its type."""
    return "\n\n".join("\n".join(_event_lines(event)) for event in events)


def _event_lines(event: Mapping[str, Any]) -> Iterator[str]:
    yield f"type: {_scalar(event['type'])}"
    yield from _lines("", {key: value for key, value in event.items() if key != "type"})


def _lines(path: str, value: Any) -> Iterator[str]:
    """Lines under a path; the path ends with a dot, or is empty."""
    for name, inner in _parts(path, value):
        if isinstance(inner, Mapping | list | tuple):
            yield from _lines(f"{path}{name}.", inner)
        else:
            yield f"{path}{name}: {_scalar(inner)}"


def _parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        shown = {key: inner for key, inner in sorted(value.items()) if not _is_empty(inner)}
        misleading = _misleading(path, shown)
        yield from (("\\" + key if key == misleading else _key(key), inner) for key, inner in shown.items())
    else:
        yield "count", len(value)
        yield from ((str(number), inner) for number, inner in enumerate(value, 1))


def _is_empty(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_empty, value.values()))


def _misleading(path: str, shown: Mapping[str, Any]) -> str | None:
    """The key that would make this mapping look like a list or a bare value. It is escaped with a backslash."""
    if "count" in shown and all(key == "count" or re.fullmatch("[0-9]+", key) for key in shown):
        return "count"
    is_bare = not path and list(shown) == ["value"] and not isinstance(shown["value"], Mapping | list | tuple)
    return "value" if is_bare else None


# Characters that end a line, change its direction or move a terminal's cursor; and lone surrogates.
_UNSAFE = "\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_IN_VALUES = re.compile(rf"[\\{_UNSAFE}]")
_IN_KEYS = re.compile(rf"[\\.:{_UNSAFE}]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", ".": "\\.", ":": "\\:"}


def _key(key: str) -> str:
    return _IN_KEYS.sub(_escape, key)


def _scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int():
            return int.__repr__(value)
        case float() if math.isfinite(value):
            return float.__repr__(value)  # the shortest digits that give the same number back
        case float():
            raise ValueError(f"`{value}` is not a JSON value; leave it out, or write it as text")
    raise TypeError(f"{a(type(value).__name__)} is not a JSON value; write it as text")


_READS_AS_ANOTHER = re.compile(r'null|true|false|-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?|".*|| .*|.* ', re.DOTALL)


def _text(text: str) -> str:
    """A text as it is; quoted if it looks like a number, a JSON keyword, or nothing."""
    escaped = _IN_VALUES.sub(_escape, text)
    return f'"{escaped}"' if _READS_AS_ANOTHER.fullmatch(text) else escaped


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in _NAMED:
        return _NAMED[character]
    return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"
