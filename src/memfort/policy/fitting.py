"""Fit plain values to the types of a setting: what a TOML file or a caller gives becomes enums, tuples and sections,
and what does not fit is refused by its full name. Knows types, and no setting in particular.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Union, get_args, get_origin, get_type_hints

from memfort.errors import InvalidInput, a, did_you_mean


def conform(section: Any) -> None:
    """Fit every field of a section that is being made. A plain text is not a member of its enum, and `is` would
    quietly take it for another choice."""
    for name, hint in _hints(section.__class__).items():
        object.__setattr__(section, name, fitted(hint, getattr(section, name), name))


def fitted(hint: Any, value: Any, key: str) -> Any:
    """`value` as the type `hint`, or the reason why it cannot be."""
    kind, inside = get_origin(hint), get_args(hint)
    if kind in {Union, types.UnionType}:
        return None if value is None else fitted(next(one for one in inside if one is not types.NoneType), value, key)
    if kind is tuple:
        return tuple(fitted(inside[0], one, f"{key}[{place}]") for place, one in enumerate(_list(value, key)))
    if kind is not None and issubclass(kind, Mapping):
        return MappingProxyType({_name(inside[0], name, key): fitted(inside[1], one, f"{key}.{name}")
                                 for name, one in _table(value, key).items()})  # fmt: skip
    if is_dataclass(hint):
        return value if isinstance(value, hint) else section_of(hint, value, key)  # type: ignore[arg-type]
    if issubclass(hint, StrEnum):
        return _choice(hint, value, key)
    return _plain(hint, value, key)


def section_of(made: Any, value: Any, key: str) -> Any:
    """A section from a table of its settings. Errors inside are named by the way to them."""
    known = _hints(made)
    for name in (given := _table(value, key)):
        if name not in known:
            raise InvalidInput(_under(key, name), "there is no such setting", did_you_mean(str(name), known))
    missing = [one.name for one in fields(made) if one.name not in given and not _has_default(one)]
    if missing:
        raise InvalidInput(_under(key, missing[0]), "it is missing", "add it")
    try:
        return made(**given)
    except InvalidInput as error:
        raise InvalidInput(_under(key, error.field), error.problem, error.remedy) from None


def _under(key: str, name: object) -> str:
    return f"{key}.{name}" if key else str(name)


@lru_cache(maxsize=64)
def _hints(made: Any) -> dict[str, Any]:
    return get_type_hints(made)


def _has_default(one: Any) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING


def _list(value: Any, key: str) -> Any:
    if not isinstance(value, list | tuple):
        raise InvalidInput(key, "it is not a list", "write it as a list")
    return value


def _table(value: Any, key: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(key, "it is not a table", "write it as a table of names and values")
    return value


def _name(hint: Any, name: object, key: str) -> Any:
    return fitted(hint, name, f"{key}.{name}")


def _choice(enum: type[StrEnum], value: Any, key: str) -> StrEnum:
    try:
        return enum(value)
    except ValueError:
        known = [member.value for member in enum]
        remedy = f"use one of {', '.join(known)}"
        raise InvalidInput(key, f"`{value}` is not possible here", remedy) from None


def _plain(hint: type, value: Any, key: str) -> Any:
    wanted = (int, float) if hint is float else hint
    if not isinstance(value, wanted) or (isinstance(value, bool) and hint is not bool):
        raise InvalidInput(key, f"{a(type(value).__name__)} does not fit", f"give {_WORDS[hint]}")
    return value


_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
