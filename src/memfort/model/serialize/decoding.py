"""Decode plain data (from TOML, YAML and JSON) into values, checked by their types. An error names the full path of the
field, the problem and a remedy.

msgspec validates; this module translates its errors. A message names fields and types, and never quotes a value: it may
be a secret, and messages may be logged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec
from msgspec import Struct, ValidationError, inspect, structs
from msgspec.structs import force_setattr

from memfort.errors import InvalidInput, a, did_you_mean

_T = TypeVar("_T")


def decode(wanted: type[_T], data: Any, *, field: str = "", noun: str = "field") -> _T:
    """`data` as a value of the type `wanted`. Errors name the field by its path, which begins with `field`; `noun` is
    the word for a field in this data, for example "setting"."""
    try:
        return msgspec.convert(data, wanted)
    except ValidationError as error:
        raise invalid_input(error, wanted, data, field=field, noun=noun) from None


def check_fields(made: Struct) -> None:
    """Check and convert every field of a struct by its type. For `__post_init__`: values made in Python pass the same
    checks as those read from a file. Plain texts become members of their enum, lists become tuples, tables become
    read-only, and a number has to be finite."""
    for field in _fields(made.__class__):
        value = decode(field.type, getattr(made, field.name), field=field.name)
        force_setattr(made, field.name, _read_only(value, field.name))


def invalid_input(
    error: ValidationError, wanted: Any, data: Any, *, field: str = "", noun: str = "field"
) -> InvalidInput:
    """Translate msgspec's error about `data` into ours: the full path of the field, the problem and the remedy. For
    JSON, `data` is the JSON decoded without a type."""
    place = _AT.search(str(error))
    is_key, path = (bool(place["key"]), place["path"]) if place else (False, "$")
    for step in _STEP.finditer(path):
        name = _name_of_step(step, wanted, data)
        wanted, data = _inside(wanted, name), data[name]
        field = f"{field}[{name}]" if isinstance(name, int) else _join(field, name)
    if is_key:
        return _problem_with_key(wanted, data, field)
    cause = error.__cause__
    if isinstance(cause, InvalidInput):  # of a struct that checks itself
        return InvalidInput(_join(field, cause.field), cause.problem, cause.remedy)
    return _problem(wanted, data, field, noun)


# -- the way to the field ---------------------------------------------------------------------------------------------

_AT = re.compile(r" - at `(?P<key>key` in `)?(?P<path>\$[^`]*)`$")
_STEP = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<number>\d+)\]|\[\.\.\.\]")


def _name_of_step(step: re.Match[str], wanted: Any, data: Any) -> Any:
    """The key or index of a step of the path. msgspec does not name the key of a table, so the first invalid value is
    searched for."""
    if step["name"] is not None:
        return step["name"]
    if step["number"] is not None:
        return int(step["number"])
    inside = _inside(wanted, "")
    entries = data.items() if isinstance(data, Mapping) else enumerate(data)
    return next((name for name, value in entries if not _fits(value, inside)), "")


def _inside(wanted: Any, name: str | int) -> Any:
    """The type of the value under a key or at an index."""
    for one in _alternatives(wanted):
        if _is_struct(one):
            return next((field.type for field in _fields(one) if field.encode_name == name), Any)
        if inner := get_args(one):
            return inner[1] if _is_mapping(one) else inner[0]
    return Any


def _alternatives(wanted: Any) -> Iterable[Any]:
    """The types a value may have, besides `None`."""
    if get_origin(wanted) is Annotated:
        wanted = get_args(wanted)[0]
    arguments = get_args(wanted) if type(None) in get_args(wanted) else (wanted,)
    return [one for one in arguments if one is not type(None)]


def _fits(value: Any, wanted: Any) -> bool:
    try:
        msgspec.convert(value, wanted)
    except ValidationError:
        return False
    return True


def _join(field: str, name: object) -> str:
    return f"{field}.{name}" if field else str(name)


@lru_cache(maxsize=256)
def _fields(made: type[Struct]) -> tuple[structs.FieldInfo, ...]:
    return structs.fields(made)


def _is_struct(wanted: Any) -> bool:
    return isinstance(wanted, type) and issubclass(wanted, Struct)


def _is_mapping(wanted: Any) -> bool:
    kind = get_origin(wanted)
    return isinstance(kind, type) and issubclass(kind, Mapping)


# -- what is wrong with it --------------------------------------------------------------------------------------------


def _problem_with_key(wanted: Any, data: Any, field: str) -> InvalidInput:
    keys = next((get_args(one)[0] for one in _alternatives(wanted) if _is_mapping(one)), str)
    name = next((key for key in data if not _fits(key, keys)), "")
    return _problem(keys, name, _join(field, name), "field")


def _problem(wanted: Any, value: Any, field: str, noun: str) -> InvalidInput:
    struct = next((one for one in _alternatives(wanted) if _is_struct(one)), None)
    if struct is not None and isinstance(value, Mapping):
        return _problem_with_names(struct, value, field, noun)
    info = inspect.type_info(wanted)
    is_optional = isinstance(info, inspect.UnionType) and info.includes_none
    kinds = [one for one in _kinds(info) if not isinstance(one, inspect.NoneType)]
    problem, remedy = _mismatch(kinds[0], value) if len(kinds) == 1 else _no_kind(kinds, value)
    return InvalidInput(field, problem, f"{remedy}, or leave it out" if is_optional else remedy)


def _kinds(info: inspect.Type) -> tuple[inspect.Type, ...]:
    return info.types if isinstance(info, inspect.UnionType) else (info,)


def _problem_with_names(struct: type[Struct], value: Mapping[str, Any], field: str, noun: str) -> InvalidInput:
    known = {one.encode_name: one for one in _fields(struct)}
    for name in value:
        if name not in known:
            return InvalidInput(_join(field, name), f"there is no such {noun}", did_you_mean(str(name), known))
    missing = next((name for name, one in known.items() if one.required and name not in value), "")
    return InvalidInput(_join(field, missing), "it is missing", "add it")


def _mismatch(kind: inspect.Type, value: Any) -> tuple[str, str]:
    """The problem with a value of the wrong kind or out of its limits, and the remedy."""
    match kind:
        case inspect.EnumType() | inspect.LiteralType() if isinstance(value, str):
            return "it is not possible here", f"use {_words(kind)}"
        case inspect.IntType() | inspect.FloatType() if _is_number(value, kind):
            return _out_of_range(kind)
        case inspect.StrType() if isinstance(value, str):
            return _misshapen_text(kind, value)
        case inspect.DictType() | inspect.StructType():
            return "it is not a table", "write it as a table of names and values"
        case inspect.CollectionType():
            return _misshapen_list(kind, value)
    return _no_kind([kind], value)


def _no_kind(kinds: Iterable[inspect.Type], value: Any) -> tuple[str, str]:
    return f"{a(type(value).__name__)} does not fit", f"give {' or '.join(map(_words, kinds))}"


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.EnumType(cls=cls):
            return f"one of {', '.join(str(one.value) for one in cls)}"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case inspect.DictType() | inspect.StructType():
            return "a table"
        case inspect.CollectionType():
            return "a list"
    return _WORDS.get(type(kind), "another kind of value")


_WORDS: dict[type[inspect.Type], str] = {
    inspect.StrType: "a text",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.BoolType: "true or false",
}


def _is_number(value: Any, kind: inspect.Type) -> bool:
    types = int if isinstance(kind, inspect.IntType) else int | float
    return isinstance(value, types) and not isinstance(value, bool)


def _out_of_range(kind: inspect.IntType | inspect.FloatType) -> tuple[str, str]:
    number = _words(kind)
    match kind:
        case _ if kind.ge is not None and kind.le is not None:
            return f"it is not between {kind.ge:g} and {kind.le:g}", f"give {number} from {kind.ge:g} to {kind.le:g}"
        case _ if kind.gt is not None and kind.le is not None:
            limits = f"above {kind.gt:g} and at most {kind.le:g}"
            return f"it is not {limits}", f"give {number} {limits}"
        case _ if kind.gt is not None:
            return f"it is not above {kind.gt:g}", f"give more than {kind.gt:g}"
        case _ if kind.ge is not None:
            return f"it is below {kind.ge:g}", f"give at least {kind.ge:g}"
        case _ if kind.le is not None:
            return f"it is above {kind.le:g}", f"give at most {kind.le:g}"
    return "it is too large", "give a smaller number"


def _misshapen_text(kind: inspect.StrType, value: str) -> tuple[str, str]:
    if not value:
        return "it is empty", "give a text"
    if kind.max_length is not None and len(value) > kind.max_length:
        return f"it has {len(value)} characters", f"use at most {kind.max_length}"
    return "it does not have the required form", f"write it to match {kind.pattern}"


def _misshapen_list(kind: inspect.CollectionType, value: Any) -> tuple[str, str]:
    if not isinstance(value, list | tuple):
        return "it is not a list", "write it as a list"
    if kind.max_length is not None and len(value) > kind.max_length:
        return f"it has {len(value)} entries", f"use at most {kind.max_length}"
    return f"it has {len(value)} entries", f"give at least {kind.min_length}"


# -- immutable values -------------------------------------------------------------------------------------------------


def _read_only(value: Any, field: str) -> Any:
    """The value with its tables made read-only. Infinity and NaN are refused on the way."""
    if isinstance(value, Mapping):
        return MappingProxyType({name: _read_only(one, f"{field}.{name}") for name, one in value.items()})
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(field, "it is not a finite number", "give a finite number")
    return value
