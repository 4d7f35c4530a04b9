"""Answers from JSON back to the types that verbs answer with: the inverse of `to_dict()`, by the types' own fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, IntEnum
from functools import lru_cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import fields as fields_of_struct

from memfort.model.item import NOTHING
from memfort.model.moment import to_moment
from memfort.model.space import Space

Read = Callable[[Any], Any]


@lru_cache(maxsize=1024)
def reader_of(kind: Any) -> Read:
    """A function that reads a value of this type from plain data."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _read_moment if _is_moment(kind) else reader_of(arguments[0])
    if origin in {Union, UnionType}:
        return _reader_of_union(arguments)
    if origin is Literal or kind in {Any, object, str, int, float, bool, NoneType}:
        return _read_float if kind is float else _as_is
    if origin is not None:
        return _reader_of_generic(origin, arguments)
    return _reader_of_class(kind)


def _reader_of_class(kind: Any) -> Read:  # noqa: PLR0911  # one way for each type
    supertype = getattr(kind, "__supertype__", None)  # a name for a plain type
    if supertype is not None:
        return reader_of(supertype)
    if not isinstance(kind, type):
        return _as_is
    if issubclass(kind, IntEnum):
        return lambda value: kind[value.upper()]
    if issubclass(kind, Enum):
        return kind
    if issubclass(kind, Space):
        return Space.of
    if issubclass(kind, bytes):
        return bytes.fromhex
    if issubclass(kind, Struct):
        return _reader_of_struct(kind)
    return _as_is


def _reader_of_struct(kind: type[Struct]) -> Read:
    hints = get_type_hints(kind, include_extras=True)
    named = [(field.name, field.encode_name) for field in fields_of_struct(kind)]
    readers: dict[str, Read] = {}  # made when first used: a type may contain itself

    def read(value: Mapping[str, Any]) -> Any:
        if not readers:
            readers.update({name: reader_of(hints[name]) for name, _ in named})
        return kind(**{name: readers[name](value[shown]) for name, shown in named if shown in value})

    return read


def _reader_of_union(arguments: tuple[Any, ...]) -> Read:
    parts = [one for one in arguments if one is not NoneType]
    if len(parts) > 1:  # several plain types, or types that only callers give
        structs = [one for one in parts if isinstance(one, type) and issubclass(one, Struct)]
        read = reader_of(structs[0]) if structs else _as_is
        return lambda value: read(value) if isinstance(value, Mapping) else value
    read = reader_of(parts[0])
    return lambda value: None if value is None else read(value)


def _reader_of_generic(origin: Any, arguments: tuple[Any, ...]) -> Read:
    if origin is tuple and arguments[-1] is not Ellipsis:
        parts = [reader_of(one) for one in arguments]
        return lambda value: tuple(read(one) for read, one in zip(parts, value, strict=True))
    if origin in {tuple, list, set, frozenset}:
        one = reader_of(arguments[0])
        return lambda value: origin(map(one, value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _reader_of_mapping(origin, *arguments)
    return _as_is


def _reader_of_mapping(origin: type, name: Any, one: Any) -> Read:
    read_name, read = reader_of(name), reader_of(one)

    def read_mapping(value: Mapping[str, Any]) -> Any:
        found = {read_name(key): read(part) for key, part in value.items()}
        if issubclass(origin, dict):
            return found
        return MappingProxyType(found) if found else NOTHING

    return read_mapping


def _is_moment(kind: Any) -> bool:
    return any(
        (getattr(one, "extra_json_schema", None) or {}).get("format") == "date-time" for one in kind.__metadata__
    )


def _read_moment(value: Any) -> Any:
    return to_moment(value, "time")


def _read_float(value: Any) -> Any:
    return float(value)


def _as_is(value: Any) -> Any:
    return value
