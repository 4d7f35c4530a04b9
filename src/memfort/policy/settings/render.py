"""Render a policy as TOML that can be read back, and the difference of two policies, key by key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from memfort.model.value import Value
from memfort.policy.settings.policy import Policy


class PolicyChange(Value, frozen=True):
    """One key that two policies say differently; `None` where it is not set, or not there."""

    key: str
    before: Any
    after: Any


def as_toml(policy: Policy) -> str:
    """The whole policy as TOML, every default spelled out. Unset values are left out, because TOML has no null. If
    leaving one out would mean a default, `unset` names it."""
    unset = list(_unset(policy))
    named = [f"unset = {_value(unset)}"] if unset else []
    lines = [f"# digest {policy.digest}", 'extends = "nothing"', *named, *_table(policy.to_dict(), "")]
    return "\n".join(lines)


def difference(before: Policy, after: Policy) -> list[PolicyChange]:
    """Every key that is not the same in both, in the order of the sections."""
    return list(_changes("", before.to_dict(), after.to_dict()))


def _unset(policy: Policy) -> Iterator[str]:
    """The settings that have a default value, and are unset here."""
    for section in fields(policy):
        inside = getattr(policy, section.name)
        for one in fields(inside) if isinstance(inside, Struct) else ():
            if getattr(inside, one.name) is None and one.default is not None:
                yield f"{section.name}.{one.name}"


def _table(data: Mapping[str, Any], name: str) -> Iterator[str]:
    """The lines of a table: plain values first, because lines after a header belong to that table."""
    below = {key: value for key, value in data.items() if _has_header(value, is_top=not name)}
    for key, value in data.items():
        if key not in below and value not in (None, {}):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in below.items():
        inner = f"{name}.{_key(key)}" if name else _key(key)
        for entry in value if isinstance(value, list) else [value]:
            lines = list(_table(entry, inner))
            yield from ("", f"[[{inner}]]" if isinstance(value, list) else f"[{inner}]", *lines) if lines else ()


def _has_header(value: Any, *, is_top: bool) -> bool:
    """Sections, tables of tables and lists of tables have headers of their own; other tables are written inline."""
    if isinstance(value, list):
        return _holds_tables(value)
    return isinstance(value, dict) and (is_top or _holds_tables(list(value.values())))


def _holds_tables(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(one, dict) for one in values)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = [f"{_key(key)} = {_value(one)}" for key, one in value.items() if one not in (None, {})]
        return f"{{ {', '.join(inside)} }}"
    if isinstance(value, list):
        return f"[{', '.join(_value(one) for one in value)}]"
    # JSON and TOML write strings, numbers and booleans alike, except one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _value(name)


def _changes(key: str, before: Any, after: Any) -> Iterator[PolicyChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {**before, **after}:
            yield from _changes(f"{key}.{name}" if key else name, before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list) and _holds_tables([*before, *after]):
        for number in range(max(len(before), len(after))):
            yield from _changes(f"{key}[{number}]", _nth(before, number), _nth(after, number))
    elif before != after:
        yield PolicyChange(key, before, after)


def _nth(values: list[Any], number: int) -> Any:
    return values[number] if number < len(values) else None
