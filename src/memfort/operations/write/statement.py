"""The fields that a caller can give with a statement. Limits on their values are checked when the candidate is made,
with the same messages for every surface."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from memfort.model.item import (
    MAX_DERIVED_FROM,
    MAX_IMPORTANCE,
    MAX_READERS,
    MAX_SUBJECTS,
    EventType,
    Kind,
    Origin,
    Readers,
    Sensitivity,
    Status,
)
from memfort.model.space import Visibility
from memfort.operations.requests import EventTime, Facts, MemoryId, Request, Tags, Time, TypeName

_FRACTION = {"minimum": 0, "maximum": 1}
_IMPORTANCE = {"minimum": 0, "maximum": MAX_IMPORTANCE}


StatedVisibility = Annotated[
    Visibility | None,
    Meta(description="In place of a space: the agent's private or public one, or what a user's agents share."),
]


class StatementRequest(Request, frozen=True, kw_only=True):
    """The fields of a statement besides its text. The policy decides those that are left out."""

    type: Annotated[TypeName | None, Meta(description="The statement's type, from the policy's table of types.")] = None
    kind: Annotated[Kind | None, Meta(description="A turn, a statement (the default) or a profile fact.")] = None
    key: Annotated[str | None, Meta(description="The name of a profile fact, for example `timezone`.")] = None
    tags: Annotated[Tags | None, Meta(description="Tags to find it by.")] = None
    origin: Annotated[Origin | None, Meta(description="Who said it.")] = None
    observed_at: Annotated[Time | None, Meta(description="When it was so, in ISO 8601 with a zone.")] = None
    sensitivity: Annotated[
        Sensitivity | None, Meta(description="How private it is; the text decides if not given.")
    ] = None
    access: Annotated[
        Readers | None,
        Meta(description="Only these users and agents may read it.", extra={"most": 2 * MAX_READERS}),
    ] = None
    confidence: Annotated[
        float | None,
        Meta(description="From 0 to 1; below the policy's threshold it waits for review.", extra_json_schema=_FRACTION),
    ] = None
    importance: Annotated[
        float | None,
        Meta(description="From 0 to 10, in place of the importance of its type.", extra_json_schema=_IMPORTANCE),
    ] = None
    status: Annotated[Status | None, Meta(description="Ask for pending, approved or rejected.")] = None
    ttl_seconds: Annotated[float | None, Meta(description="Its lifetime in seconds.", extra={"metavar": "SECONDS"})] = (
        None
    )
    ttl_ticks: Annotated[int | None, Meta(description="It ends after so many later memories in its space.")] = None
    expires_at: Annotated[Time | None, Meta(description="When it expires, in ISO 8601 with a zone.")] = None
    subjects: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The persons it is about: `me`, `@bob`, an id or a name.",
            extra={"metavar": "WHO", "most": MAX_SUBJECTS},
        ),
    ] = None
    portable: Annotated[
        bool | None, Meta(description="Whether it may be disclosed to the persons it is about in other chats.")
    ] = None
    derived_from: Annotated[
        tuple[MemoryId, ...] | None,
        Meta(description="The memories it was made from.", extra={"most": MAX_DERIVED_FROM}),
    ] = None
    event_type: Annotated[
        EventType | None, Meta(description="The kind of event it describes; its type decides if not given.")
    ] = None
    is_correction: Annotated[bool | None, Meta(description="Whether it corrects an earlier statement.")] = None
    conversation: Annotated[str | None, Meta(description="The id of the conversation it belongs to.")] = None
    occurred: Annotated[
        EventTime | None,
        Meta(
            description="When the event happened: `2026`, `2026-11`, `2026-11-20`, a time with a zone, or `from/to`.",
            extra={"metavar": "WHEN"},
        ),
    ] = None
    provenance: Annotated[Facts | None, Meta(description="Where the text came from.")] = None
    meta: Annotated[Facts | None, Meta(description="Any other facts to keep with it.")] = None


def given_fields(request: Request) -> dict[str, Any]:
    """The fields that the caller gave: `None` means not given."""
    named = ((name, getattr(request, name)) for name in request.__struct_fields__)
    return {
        name: value.occurred if isinstance(value, EventTime) else value for name, value in named if value is not None
    }
