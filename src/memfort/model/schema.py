"""The shape of a result for frameworks that read types: JSON Schema, and what pydantic wants to know of a type.

Pydantic is no dependency: its part is imported when it asks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec import inspect

from memfort.model.value import Value, plain


def core_schema_of(kind: type[Value]) -> Any:
    """For pydantic: a value is taken as it is, and written as its plain data."""
    from pydantic_core import core_schema

    written = core_schema.plain_serializer_function_ser_schema(kind.to_dict)
    return core_schema.is_instance_schema(kind, serialization=written)


@lru_cache(maxsize=256)
def serializer_of(kind: type[Value]) -> Any:
    from pydantic_core import SchemaSerializer

    return SchemaSerializer(core_schema_of(kind))


@lru_cache(maxsize=256)
def json_schema_of(kind: type[Value]) -> dict[str, Any]:
    """The JSON Schema of `to_dict()`, whole: what is inside stands where it is used.

    msgspec writes one of what *it* encodes: with times as numbers, bytes in base 64 and defaults left out.
    """
    return _schema(inspect.type_info(kind))


def schema_of(kind: Any) -> dict[str, Any]:
    """The same of any answer of a verb: a list of values, for example."""
    return _schema(inspect.type_info(kind))


def _schema(kind: inspect.Type) -> dict[str, Any]:
    write = next((write for known, write in _WRITERS if isinstance(kind, known)), None)
    return dict(_PLAIN[type(kind)]) if write is None else write(kind)  # a KeyError: say how `to_dict` writes the type


def _of_struct(kind: inspect.StructType) -> dict[str, Any]:
    properties = {field.encode_name: _schema(field.type) for field in kind.fields}
    return {
        "title": kind.cls.__name__,
        "description": (kind.cls.__doc__ or "").strip().partition("\n")[0],
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


def _of_metadata(kind: inspect.Metadata) -> dict[str, Any]:
    if (kind.extra_json_schema or {}).get("format") == "date-time":
        return {"type": "string", "format": "date-time"}
    return _schema(kind.type)


_WRITERS: tuple[tuple[type[inspect.Type], Callable[[Any], dict[str, Any]]], ...] = (
    (inspect.StructType, _of_struct),
    (inspect.Metadata, _of_metadata),
    (inspect.UnionType, lambda kind: {"anyOf": [_schema(one) for one in kind.types]}),
    (inspect.EnumType, lambda kind: {"type": "string", "enum": [plain(one) for one in kind.cls]}),
    (inspect.TupleType, lambda kind: {"type": "array", "prefixItems": [_schema(one) for one in kind.item_types]}),
    (inspect.CollectionType, lambda kind: {"type": "array", "items": _schema(kind.item_type)}),
    (inspect.DictType, lambda kind: {"type": "object", "additionalProperties": _schema(kind.value_type)}),
    # A space, or a read-only mapping; or anything at all.
    (inspect.CustomType, lambda kind: {} if kind.cls is object else {"type": "object"}),
)
_PLAIN: dict[type[inspect.Type], dict[str, Any]] = {
    inspect.AnyType: {},
    inspect.NoneType: {"type": "null"},
    inspect.BoolType: {"type": "boolean"},
    inspect.IntType: {"type": "integer"},
    inspect.FloatType: {"type": "number"},
    inspect.StrType: {"type": "string"},
    inspect.BytesType: {"type": "string", "contentEncoding": "base16"},
}
