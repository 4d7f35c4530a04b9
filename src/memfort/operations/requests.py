"""Requests: the input of a verb, validated in one place for every surface.

A request is a frozen Struct whose fields carry their limits and their meaning. Constructing one directly validates
nothing: msgspec validates when it decodes. So surfaces make requests with `request_of`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import Meta, Struct, inspect

from memfort.engine.inputs import readers_of
from memfort.errors import InvalidInput, a, did_you_mean
from memfort.model.item import MAX_META_BYTES, MAX_TAGS, MAX_TEXT_BYTES, Readers
from memfort.model.moment import Moment, to_moment
from memfort.model.occurred import Occurred, to_occurred
from memfort.model.people.actor import Standpoint
from memfort.model.people.person import MAX_ALIASES
from memfort.model.space import Level
from memfort.operations.limits import (
    LONGEST_TEXT,
    MOST_ENTRIES,
    MOST_ENTRIES_OVER_HTTP,
    check_count,
    check_size,
    with_limits,
)

# Types that several requests share. `extra` tells surfaces how to complete the field, or to read it from pairs on a
# command line.
MemoryId = Annotated[str, Meta(extra={"completes": "memories"})]
PendingId = Annotated[str, Meta(extra={"completes": "pending"})]
ReviewableId = Annotated[str, Meta(extra={"completes": "reviewable"})]
SupersededId = Annotated[str, Meta(extra={"completes": "superseded"})]
TypeName = Annotated[str, Meta(extra={"completes": "types"})]
FactKey = Annotated[str, Meta(extra={"metavar": "KEY"})]  # the key of a profile fact
OneWord = Annotated[str, Meta(extra={"one_word": True})]  # an id or a name that is one word on a command line
PersonId = OneWord  # `@bob`, `per_…` or `me`
Coordinates = Annotated[dict[str, str], Meta(extra={"pairs": "LEVEL=ID", "most": len(Level)})]
Text = Annotated[str, Meta(extra={"longest": MAX_TEXT_BYTES})]  # a statement, or as long as one: a query
NonBlank = Annotated[Text, Meta(pattern=r"\S")]  # a text with something in it
Limit = Annotated[int, Meta(ge=1, le=1000)]
TokenBudget = Annotated[int, Meta(ge=1)]


FilePath = Annotated[str, Meta(extra={"longest": 4096})]
Cursor = Annotated[str, Meta(extra={"longest": 4096})]  # a server signs it
PersonNames = Annotated[tuple[str, ...], Meta(extra={"most": MAX_ALIASES})]
Tags = Annotated[tuple[str, ...], Meta(extra={"most": MAX_TAGS})]
Facts = Annotated[dict[str, Any], Meta(extra={"most": MAX_META_BYTES, "longest": MAX_META_BYTES})]


class Time(int):
    """A moment, in microseconds since 1970. Callers give a `datetime` with a zone, ISO 8601 text, or such a number."""


class Custom:
    """The base of types that parse their own input. `annotation` is the type in generated signatures, with the names to
    import."""

    annotation: ClassVar[str]
    imports: ClassVar[Mapping[str, str]] = {}  # name -> module

    @classmethod
    def from_given(cls, given: Any) -> Self:
        raise NotImplementedError


class AsOf(Custom):
    """An earlier moment, or the end of an earlier phase of a space (`phase-1`)."""

    __slots__ = ("moment", "phase")
    annotation = "datetime | str | int"

    def __init__(self, moment: Moment, phase: str | None = None) -> None:
        self.moment, self.phase = moment, phase

    def __repr__(self) -> str:
        return f"AsOf({self.moment}, {self.phase!r})"

    @classmethod
    def from_given(cls, given: Any) -> Self:
        is_phase = isinstance(given, str) and given.startswith("phase-")
        return cls(Moment(0), given) if is_phase else cls(to_moment(given, "as_of"))


class EventTime(Custom):
    """When an event happened: a year, a month, a day, an instant with a zone, or the time from one to another."""

    __slots__ = ("occurred",)
    annotation = "Occurred | Mapping[str, Any] | date | str | int"
    imports: ClassVar[Mapping[str, str]] = {"Occurred": "memfort.model.occurred", "date": "datetime"}

    def __init__(self, occurred: Occurred) -> None:
        self.occurred = occurred

    def __repr__(self) -> str:
        return f"EventTime({self.occurred})"

    @classmethod
    def from_given(cls, given: Any) -> Self:
        return cls(to_occurred(given))


class Viewer(Custom):
    """Another actor, or the same one at another place: a memory that is bound to it."""

    __slots__ = ("standpoint",)
    annotation = "BoundMemory"
    imports: ClassVar[Mapping[str, str]] = {"BoundMemory": "memfort.client.bound"}

    def __init__(self, standpoint: Standpoint) -> None:
        self.standpoint = standpoint

    def __repr__(self) -> str:
        return f"Viewer({self.standpoint})"

    @classmethod
    def from_given(cls, given: Any) -> Self:
        standpoint = getattr(given, "standpoint", None)
        if not isinstance(standpoint, Standpoint):
            raise InvalidInput("viewer", f"{a(type(given).__name__)} is not a viewer", "bind it, as in as_user(…)")
        return cls(standpoint)


class Request(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The base of all requests."""

    read_one_by_one: ClassVar[frozenset[str]] = frozenset()  # lists of which the verb itself checks each entry


class Field(Struct, frozen=True):
    """A field of a request, as surfaces see it."""

    name: str
    python: str  # its type in a generated signature, without `None`
    doc: str
    required: bool
    default: Any
    choices: tuple[str, ...] = ()
    is_list: bool = False
    is_optional: bool = False
    most: int = MOST_ENTRIES  # entries of a list or a mapping
    longest: int = LONGEST_TEXT  # characters of each text
    extra: Mapping[str, Any] = {}  # of the type; a frozen Struct copies no default
    imports: Mapping[str, str] = {}  # names in `python` that have to be imported, with their modules


_PYTHON: dict[type, str] = {
    inspect.StrType: "str",
    inspect.IntType: "int",
    inspect.FloatType: "float",
    inspect.BoolType: "bool",
    inspect.BytesType: "bytes",
    inspect.AnyType: "Any",
}

_CUSTOM: dict[type, str] = {Readers: "Readers | Mapping[str, Iterable[str]]", Time: "datetime | str | int"}


@cache
def fields_of(request: type[Struct]) -> tuple[Field, ...]:
    info = inspect.type_info(request)
    assert isinstance(info, inspect.StructType)
    return tuple(_field(field) for field in info.fields)


def _field(field: inspect.Field) -> Field:
    doc, extra, kind = _unwrap(field.type)
    is_optional = isinstance(kind, inspect.UnionType)
    if isinstance(kind, inspect.UnionType):
        [kind] = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        more_doc, more, kind = _unwrap(kind)
        doc, extra = doc or more_doc, {**more, **extra}
    is_list = isinstance(kind, inspect.VarTupleType)
    if isinstance(kind, inspect.VarTupleType):
        _, more, kind = _unwrap(kind.item_type)
        extra = {**more, **extra}
    choices = tuple(one.value for one in kind.cls) if isinstance(kind, inspect.EnumType) else ()
    default = None if field.required else field.default
    if default is msgspec.NODEFAULT and field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    imports = kind.cls.imports if isinstance(kind, inspect.CustomType) and issubclass(kind.cls, Custom) else {}
    python, imports = extra.get("annotation") or _python(kind), extra.get("imports") or imports
    most, longest = extra.get("most", MOST_ENTRIES), extra.get("longest", LONGEST_TEXT)
    return Field(
        field.name, python, doc, field.required, default, choices, is_list, is_optional, most, longest, extra, imports
    )


def _unwrap(kind: inspect.Type) -> tuple[str, dict[str, Any], inspect.Type]:
    """A type without its metadata, and the metadata."""
    doc = ""
    extra: dict[str, Any] = {}
    while isinstance(kind, inspect.Metadata):
        doc = doc or (kind.extra_json_schema or {}).get("description", "")
        extra = {**(kind.extra or {}), **extra}
        kind = kind.type
    return doc, extra, kind


def _python(kind: inspect.Type) -> str:
    if isinstance(kind, inspect.EnumType):
        values = f"Literal[{', '.join(repr(one.value) for one in kind.cls)}]".replace("'", '"')
        return f"{kind.cls.__name__} | {values}"
    if isinstance(kind, inspect.DictType):
        return f"Mapping[{_python(kind.key_type)}, {_python(kind.value_type)}]"
    if isinstance(kind, inspect.CustomType):
        return kind.cls.annotation if issubclass(kind.cls, Custom) else _CUSTOM[kind.cls]
    if isinstance(kind, inspect.StructType):
        return _CUSTOM.get(kind.cls, f"{kind.cls.__name__} | Mapping[str, Any]")
    return _PYTHON[type(kind)]  # a KeyError here means a new type that the surfaces must learn first


_AS_THEY_ARE = (datetime, bytes)  # otherwise msgspec would read a text as base64


def request_of(request: type[Struct], given: Mapping[str, Any], *, strict: bool = True) -> Any:
    """The request with these fields, or an error that names the field and the remedy. `strict=False` reads numbers and
    flags from text, for surfaces that have only text."""
    check_sizes(request, given)
    try:
        return msgspec.convert(given, request, strict=strict, dec_hook=_decode, builtin_types=_AS_THEY_ARE)
    except msgspec.ValidationError as error:
        known = request.__struct_fields__
        if unknown := next((name for name in given if name not in known), None):
            raise InvalidInput(unknown, "there is no such argument", did_you_mean(unknown, known)) from None
        if (lists := _with_lists(request, given)) != given:
            return request_of(request, lists, strict=strict)
        raise invalid(error, request, given) from None


def state_limits(request: type[Struct], schema: dict[str, Any], over_http: Mapping[str, int] | None = None) -> None:
    """Write the limits of its fields into the JSON Schema of a request."""
    for field in fields_of(request):
        if field.name in schema.get("properties", {}):
            most = field.most if over_http is None else most_over_http(field.name, field.most, over_http)
            schema["properties"][field.name] = with_limits(schema["properties"][field.name], most, field.longest)


def most_over_http(name: str, most: int, stated: Mapping[str, int]) -> int:
    """How many entries a field takes over HTTP: what its verb states, or what its type does, or what holds for all."""
    return stated.get(name, MOST_ENTRIES_OVER_HTTP if most == MOST_ENTRIES else most)


@cache
def _limits_of(request: type[Struct]) -> Mapping[str, tuple[int, int]]:
    """The most entries and the longest text of each field. No text is looked at where the verb reads each entry."""
    read_by_verb = getattr(request, "read_one_by_one", ())
    return {
        field.name: (field.most, 0 if field.name in read_by_verb else field.longest) for field in fields_of(request)
    }


def check_sizes(request: type[Struct], given: Mapping[str, Any], over_http: Mapping[str, int] | None = None) -> None:
    """Refuse what is larger than its field takes, before anything is done with it. `over_http` has the fields of which
    HTTP takes more or fewer entries than of others."""
    limits = _limits_of(request)
    for name, value in given.items():
        if value is None or name not in limits:
            continue
        most, longest = limits[name]
        if over_http is not None:
            most = most_over_http(name, most, over_http)
        if longest:
            check_size(name, value, most, longest)
        else:
            check_count(name, value, most)


def _with_lists(request: type[Struct], given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with a list in place of any other iterable, which msgspec does not read: a generator, for example."""
    most = {field.name: field.most for field in fields_of(request) if field.is_list}
    known = (str, bytes, bytearray, Mapping, Struct, list, tuple, set, frozenset)
    return {
        name: list(islice(value, most[name] + 1))
        if name in most and isinstance(value, Iterable) and not isinstance(value, known)
        else value
        for name, value in given.items()
    }


def _decode(kind: type, given: Any) -> Any:
    """Convert values that msgspec does not know. An unreadable value raises `InvalidInput`, to which msgspec adds its
    path."""
    if kind is Time:
        return Time(to_moment(given, "time"))
    if kind is Readers:
        return readers_of(given)
    if issubclass(kind, Custom):
        return kind.from_given(given)
    raise InvalidInput("request", f"{a(kind.__name__)} cannot be read", "leave it out")


def invalid(error: msgspec.ValidationError, request: type[Struct], given: Mapping[str, Any]) -> InvalidInput:
    """Translate a decoding error. msgspec keeps the path only inside its message and quotes the caller's text there,
    which may be a secret: only the path, the names of fields and the expected type are taken over."""
    cause = error.__cause__
    found = re.fullmatch(r"(.*?)(?: - at `(?:key` in `)?\$?\.?([^`]*)`)?", str(error), re.DOTALL)
    message, path = found.groups() if found else ("", None)
    path = re.sub(r"^(\w+)\[[^\]]*\]$", r"\1", path or "")  # one of a list of plain values: the list is named
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", message):
        return InvalidInput(_join_path(path, missing[1]), "it is missing", "give it")
    if unknown := re.fullmatch(r"Object contains unknown field `(\w+)`", message):
        return InvalidInput(_join_path(path, unknown[1]), "there is no such field", "leave it out, or check its name")
    field = path.split(".")[0].split("[")[0] or "request"
    if isinstance(cause, InvalidInput):
        return InvalidInput(path or field, cause.problem, cause.remedy)
    known = {one.name: one for one in fields_of(request)}
    value = given.get(field) if path == field else None
    return InvalidInput(path or field, _problem(value, message), _remedy(known.get(field), message))


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


_PLAIN_NAMES = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "yes or no",
    "array": "list",
    "object": "mapping",
}


def _expected_type(message: str) -> str | None:
    """The plain name of the type that was expected."""
    found = re.match(r"Expected `([\w |]+)`", message)
    wanted = found[1].split(" | ")[0] if found else None
    return None if wanted is None else _PLAIN_NAMES.get(wanted, wanted)


def _problem(value: Any, message: str) -> str:
    wanted = _expected_type(message)
    if "matching regex" in message:
        return "it is empty"
    if wanted is None or (value is None and "got `null`" not in message):
        return "it is not possible"
    if value is None:
        return f"`None` is not {a(wanted)}"
    if limit := re.search(r"(>=|<=|>|<) -?[\d.]+$", message):
        return f"`{value}` is too {'small' if '>' in limit[1] else 'large'}"
    if isinstance(value, str) and "number" in wanted:
        return f"`{value}` is not {a(wanted)}"
    return f"{a(type(value).__name__)} is not {a(wanted)}"


def _remedy(field: Field | None, message: str) -> str:
    if field is not None and "remedy" in field.extra:
        return str(field.extra["remedy"])
    if field is not None and field.choices:
        return f"use one of {', '.join(field.choices)}"
    if limit := re.search(r"(>=|<=|>|<) ([\d.]+)", message):
        word = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}[limit[1]]
        return f"give {word} {float(limit[2]):g}"
    wanted = _expected_type(message)
    return "see the description of the field" if wanted is None else f"give {a(wanted)}"
