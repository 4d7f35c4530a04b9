"""The fields of a request as JSON's own types. They are checked here first: a mistake needs no server."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from memfort.errors import InvalidInput, a
from memfort.model.item import EVERYONE, Candidate, Readers
from memfort.model.moment import iso_text
from memfort.model.space import Space
from memfort.model.value import Value
from memfort.operations.requests import Custom, fields_of, request_of
from memfort.operations.table import Http, NotOnHttp, Operation
from memfort.policy.settings.render import as_toml


def encode_fields(row: Operation, given: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    """The fields that a caller gave, as a server reads them."""
    if isinstance(row.http, NotOnHttp):
        raise InvalidInput(row.name, "a server does not offer it", row.http.reason)
    assert isinstance(row.http, Http)
    named = _with_local_file(row, {name: value for name, value in given.items() if value is not None})
    defaults = {field.name: field.default for field in msgspec.structs.fields(row.request)}
    for name, reason in row.http.leaves_out.items():
        if named.pop(name, defaults[name]) != defaults[name]:  # a method gives every field, most of them by default
            raise InvalidInput(name, "a server does not take it", reason)
    request = request_of(row.request, named, strict=strict)
    policies = {field.name for field in fields_of(row.request) if field.extra.get("reads") == "policy"}
    found: dict[str, Any] = {}
    for name, value in named.items():
        read = getattr(request, name)
        if name in policies:
            found[name] = as_toml(read.policy)  # the file that is named is the caller's, not the server's
        else:
            found[name] = encode_value(value if isinstance(read, Custom) else read)
    return found


def _with_local_file(row: Operation, named: dict[str, Any]) -> dict[str, Any]:
    """The fields with the bytes of a file in place of its path: the file is the caller's, not the server's."""
    for field in fields_of(row.request):
        path = named.pop(field.extra["or_path"], None) if "or_path" in field.extra else None
        if path is not None:
            try:
                named[field.name] = Path(path).read_bytes()
            except (OSError, ValueError, TypeError) as error:
                problem = getattr(error, "strerror", None) or "it is not a path"
                remedy = "name a file; a server takes no folder, so zip it"
                raise InvalidInput("path", f"it cannot be read: {problem}", remedy) from error
            named.setdefault("filename", Path(path).name)
    return named


def encode_value(value: Any) -> Any:  # noqa: PLR0911, PLR0912  # one way for each type
    """A part of a request in JSON's own types."""
    match value:
        case Enum():
            return encode_value(value.value)
        case None | str() | bool() | float():
            return value
        case int():
            return int(value)  # a moment is a whole number with a name
        case datetime():
            return iso_text(value)
        case date():
            return value.isoformat()
        case bytes() | bytearray():
            return base64.b64encode(value).decode()
        case Candidate():
            return _candidate(value)
        case Readers():
            return {name: names for name, names in value.to_dict().items() if names is not None}
        case Space() | Value():
            return value.to_dict()
        case Struct():
            return {name: encode_value(getattr(value, name)) for name in value.__struct_fields__}
        case Mapping():
            return {str(encode_value(name)): encode_value(one) for name, one in value.items()}
        case Iterable():
            return [encode_value(one) for one in value]
        case _:
            raise InvalidInput("request", f"{a(type(value).__name__)} cannot be sent", "give plain data")


def _candidate(candidate: Candidate) -> dict[str, Any]:
    """The fields of a candidate that are not as by default, under the names by which callers give them."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(Candidate)}
    named = {name: getattr(candidate, name) for name in candidate.__struct_fields__ if name != "readers"}
    found = {name: encode_value(value) for name, value in named.items() if value != defaults[name]}
    return found if candidate.readers == EVERYONE else {**found, "access": encode_value(candidate.readers)}
