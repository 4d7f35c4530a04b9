"""Switch off inherited settings. TOML has no null, so a list names them."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from memfort.errors import InvalidInput, did_you_mean


def remove_setting(made: Any, inherited: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """The inherited settings of a section without the one at `path`: an optional value becomes unset, an entry of a
    table is removed, and a table or a list becomes empty."""
    name, *rest = path
    known = _types(made)
    if name not in known:
        raise InvalidInput(name, f"there is no setting `{name}`", did_you_mean(name, known))
    hint = known[name]
    value = _remove(hint, inherited.get(name, {}), rest) if rest else _nothing(hint, name)
    return {**inherited, name: value}


def is_set(given: Mapping[str, Any], path: Sequence[str], made: Any) -> bool:
    """Whether a document gives a value to a setting that it unsets. A table may be given: its inherited entries are
    dropped and the given ones stay, so it is replaced instead of merged."""
    value: Any = given
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            return False
        value, made = value[name], _inside(made, name)
    return not _is_table(made)


def _remove(hint: Any, value: Any, path: Sequence[str]) -> dict[str, Any]:
    """A table or a section without the entry at the path."""
    if _is_section(hint):
        return remove_setting(hint, value, path)
    if not _is_table(hint):
        raise InvalidInput(path[0], "it lies inside a list or a single value", "name the whole of it")
    name, *rest = path
    if name not in value:
        remedy = did_you_mean(name, value) if value else "leave it out"
        raise InvalidInput(name, f"no `{name}` is inherited", remedy)
    if rest:
        return {**value, name: _remove(get_args(hint)[1], value[name], rest)}
    return {other: one for other, one in value.items() if other != name}


def _nothing(hint: Any, name: str) -> Any:
    if types.NoneType in get_args(hint):
        return None
    if _is_table(hint):
        return {}
    if get_origin(hint) is tuple:
        return []
    if _is_section(hint):
        raise InvalidInput(name, "it is a whole section", "name the settings in it")
    raise InvalidInput(name, "it always has a value", "give it another one")


def _inside(hint: Any, name: str) -> Any:
    if _is_section(hint):
        return _types(hint).get(name)
    return get_args(hint)[1] if _is_table(hint) else None


def _is_table(hint: Any) -> bool:
    kind = get_origin(hint)
    return kind not in {None, Union, types.UnionType} and issubclass(kind, Mapping)


def _is_section(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)


def _types(section: type[Struct]) -> dict[str, Any]:
    return {one.name: one.type for one in fields(section)}
