"""The shape of a reply: one entry for each statement that the new messages leave."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from memfort.model.item import Sensitivity
from memfort.model.occurred import Precision

MAX_STATEMENTS = 64  # of one reply; more is no reading of a few messages
Number = Annotated[int, Meta(ge=1)]


class ModelAction(StrEnum):
    ADD = "add"
    UPDATE = "update"  # it replaces a memory of the list
    RETRACT = "retract"  # a memory of the list does not hold, and nothing takes its place
    DUPLICATE = "duplicate"  # a memory of the list says it already


class SaidTime(Struct, frozen=True):
    """When the event of a statement takes place."""

    start: Annotated[str, Meta(max_length=40)]
    end: Annotated[str, Meta(max_length=40)] | None = None
    precision: Precision | None = None


class Statement(Struct, frozen=True):
    """One statement, as a model gives it. Fields that it adds are not read: a model chooses no space, no reader and no
    authority."""

    message: Number  # the number of the message that says it
    statement: Annotated[str, Meta(min_length=1, max_length=1000)]
    evidence: Annotated[str, Meta(min_length=1, max_length=2000)]
    type: Annotated[str, Meta(max_length=40)] | None = None
    subjects: Annotated[tuple[Annotated[str, Meta(max_length=100)], ...], Meta(max_length=10)] = ()
    stated_by: Annotated[str, Meta(max_length=100)] = "user"
    occurred: SaidTime | None = None
    sensitivity: Sensitivity = Sensitivity.PUBLIC
    portable: bool = True
    confidence: Annotated[float, Meta(ge=0, le=1)] = 1.0
    action: ModelAction = ModelAction.ADD
    target: Number | None = None  # the number of the memory that an action is about
    reason: Annotated[str, Meta(max_length=300)] = ""


class _Reply(Struct, frozen=True):
    statements: Annotated[list[Statement], Meta(max_length=MAX_STATEMENTS)]


@cache
def reply_schema() -> dict[str, Any]:
    """The JSON Schema of a reply. Every field is required and no other is allowed, as strict servers want it."""
    (root,), parts = msgspec.json.schema_components([_Reply], ref_template="#/$defs/{name}")
    parts = {name: _strict(part) for name, part in parts.items()}
    return {**parts.pop(root["$ref"].rpartition("/")[2]), "$defs": parts}


def _strict(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") != "object":
        return {name: value for name, value in part.items() if name not in _NOT_STRICT}
    properties = {name: _without_defaults(one) for name, one in part["properties"].items()}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_NOT_STRICT = frozenset({"default", "title", "description", "minLength", "maxLength", "minItems", "maxItems"})


def _without_defaults(given: Any) -> Any:
    """A part of a schema without what strict servers refuse: the limits are checked here, where the reply is read."""
    if isinstance(given, dict):
        return {name: _without_defaults(one) for name, one in given.items() if name not in _NOT_STRICT}
    return [_without_defaults(one) for one in given] if isinstance(given, list) else given
