"""`Value`: the base of what verbs answer with. It makes plain data, JSON, pickles, copies and a short `repr` of any of
them, and tells web frameworks that read types how to do the same. Nothing here knows a particular result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from enum import Enum, IntEnum
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, overload, runtime_checkable

from msgspec import Struct

from memfort.model.moment import iso_text

_REPR_WIDTH = 100
_TEXT_WIDTH = 40
_Entry = TypeVar("_Entry")


@runtime_checkable
class SupportsToDict(Protocol):
    """What is plain data and no struct: a space."""

    def to_dict(self) -> dict[str, Any]: ...


class _Serializer:
    """The serializer of pydantic for a type, made when pydantic asks for it."""

    def __get__(self, _: object, kind: type[Value]) -> Any:
        from memfort.model.schema import serializer_of

        return serializer_of(kind)


def _public_name(field: str) -> str:
    """Times are kept in microseconds, in a field that says so, and written and shown under the name without that."""
    return field.removesuffix("_us")


class Value(Struct, frozen=True, rename=_public_name):
    """Plain data under names, which never changes."""

    def to_dict(self) -> dict[str, Any]:
        """The value in JSON's own types: times as ISO 8601 text, enums as their words, spaces as `{level: id}`."""
        return {name: plain(getattr(self, name)) for name in self.__struct_encode_fields__}

    def to_json(self) -> str:
        """`to_dict()` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __repr__(self) -> str:
        shown = ""
        for name in self.__struct_encode_fields__:
            one = f"{name}={short(getattr(self, name))}"
            if len(shown) + len(one) > _REPR_WIDTH:
                return f"{type(self).__name__}({shown}, …)" if shown else f"{type(self).__name__}(…)"
            shown = f"{shown}, {one}" if shown else one
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        """For `pickle` and `deepcopy`, which can do nothing with a read-only mapping."""
        return _restore, (type(self), {name: _picklable(getattr(self, name)) for name in self.__struct_fields__})

    if not TYPE_CHECKING:  # `dict(value)` is `value.to_dict()`: web frameworks try it on what no type is given for
        __iter__: ClassVar = None

        def keys(self) -> tuple[str, ...]:
            return self.__struct_encode_fields__

        def __getitem__(self, name: str) -> Any:
            if name not in self.__struct_encode_fields__:
                raise KeyError(name)
            return plain(getattr(self, name))

        __pydantic_serializer__ = _Serializer()  # where pydantic is told `Any`

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        from memfort.model.schema import core_schema_of

        return core_schema_of(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: object, handler: object) -> dict[str, Any]:
        from memfort.model.schema import json_schema_of

        return json_schema_of(cls)


class Listing(Value, Generic[_Entry], frozen=True):
    """A value that is a list of entries too: it has a length, and can be walked through and indexed."""

    @property
    def _entries(self) -> tuple[_Entry, ...]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[_Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, place: int) -> _Entry: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_Entry, ...]: ...

    def __getitem__(self, place: Any) -> Any:
        return super().__getitem__(place) if isinstance(place, str) else self._entries[place]  # type: ignore[misc]


def plain(value: Any) -> Any:
    """Any part of a result in JSON's own types."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    write = _WRITER_OF.get(kind)
    if write is None:
        write = _WRITER_OF[kind] = _find_writer(value)
    return write(value)


def _find_writer(value: Any) -> Callable[[Any], Any]:
    return next((write for kind, write in _WRITERS if isinstance(value, kind)), _as_it_is)


def _as_it_is(value: Any) -> Any:
    return value


_AS_THEY_ARE = frozenset({NoneType, str, int, float, bool})
_WRITER_OF: dict[type, Callable[[Any], Any]] = {}  # by exact type: looking through the writers takes most of the time
_WRITERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (IntEnum, lambda value: value.name.lower()),  # its number is an order, and no word
    (Enum, lambda value: value.value),
    (Value, lambda value: value.to_dict()),
    (datetime, iso_text),
    (bytes, bytes.hex),
    (Mapping, lambda value: {str(plain(name)): plain(one) for name, one in value.items()}),
    (list | tuple, lambda value: [plain(one) for one in value]),
    (set | frozenset, lambda value: sorted((plain(one) for one in value), key=str)),
    (SupportsToDict, lambda value: value.to_dict()),
)


def short(value: Any) -> str:
    """A part of a result in a few characters, for `repr`."""
    if isinstance(value, str):
        return repr(shortened(value))
    if isinstance(value, Enum):
        return repr(str(plain(value)))
    if isinstance(value, datetime):
        return iso_text(value)
    if isinstance(value, list | tuple | set | frozenset | Mapping):
        return f"{len(value)} of them" if value else "none"
    return shortened(repr(value))


def shortened(text: str, width: int = _TEXT_WIDTH) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def count_noun(count: int, thing: str) -> str:
    """How many of something: `1 memory`, `2 memories`, `2 keys`."""
    if count == 1:
        return f"1 {thing}"
    becomes_ies = thing.endswith("y") and thing[-2:-1] not in "aeiou"
    return f"{count} {thing[:-1]}ies" if becomes_ies else f"{count} {thing}s"


class _ReadOnly(dict[str, Any]):
    """A read-only mapping on its way through a pickle."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _read_only, (dict(self),)


def _read_only(entries: dict[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(entries)


def _picklable(value: Any) -> Any:
    if isinstance(value, MappingProxyType):
        return _ReadOnly({name: _picklable(one) for name, one in value.items()})
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(_picklable, value))
    return value


def _restore(made: type[Any], fields: dict[str, Any]) -> Any:
    return made(**fields)
