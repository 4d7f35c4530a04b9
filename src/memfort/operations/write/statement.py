"""The fields that a caller can give with a statement. Limits on their values are checked when the candidate is made, in
the same words for every way in."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from memfort.model.item import MAX_IMPORTANCE, EventType, Kind, Origin, Readers, Sensitivity, Status
from memfort.operations.requests import MemoryId, Request, Time, TypeName

_FRACTION = {"minimum": 0, "maximum": 1}
_IMPORTANCE = {"minimum": 0, "maximum": MAX_IMPORTANCE}


class StatementRequest(Request, frozen=True, kw_only=True):
    """What can be said about a statement besides its words. What is left out is decided by the policy."""

    type: Annotated[
        TypeName | None, Meta(description="What sort of statement it is, from the policy's table of types.")
    ] = None
    kind: Annotated[Kind | None, Meta(description="A turn, a statement (the default) or a profile fact.")] = None
    key: Annotated[str | None, Meta(description="The name of a profile fact, for example `timezone`.")] = None
    tags: Annotated[tuple[str, ...] | None, Meta(description="Tags to find it by.")] = None
    origin: Annotated[Origin | None, Meta(description="Who the words came from.")] = None
    observed_at: Annotated[Time | None, Meta(description="When it was so, in ISO 8601 with a zone.")] = None
    sensitivity: Annotated[Sensitivity | None, Meta(description="How private it is. Otherwise the words decide.")] = (
        None
    )
    access: Annotated[Readers | None, Meta(description="Only these users and agents may read it.")] = None
    confidence: Annotated[
        float | None,
        Meta(description="From 0 to 1; below the policy's threshold it waits for review.", extra_json_schema=_FRACTION),
    ] = None
    importance: Annotated[
        float | None,
        Meta(description="From 0 to 10, in place of the importance of its type.", extra_json_schema=_IMPORTANCE),
    ] = None
    status: Annotated[Status | None, Meta(description="Ask for pending, approved or rejected.")] = None
    ttl_seconds: Annotated[
        float | None, Meta(description="How many seconds it lives.", extra={"metavar": "SECONDS"})
    ] = None
    ttl_ticks: Annotated[
        int | None, Meta(description="How many more memories may come into force beside it before it ends.")
    ] = None
    expires_at: Annotated[Time | None, Meta(description="When it expires, in ISO 8601 with a zone.")] = None
    subjects: Annotated[
        tuple[str, ...] | None,
        Meta(description="The persons it is about: `me`, `@bob`, an id or a name.", extra={"metavar": "WHO"}),
    ] = None
    portable: Annotated[
        bool | None, Meta(description="Whether the persons it is about may be told of it in other chats.")
    ] = None
    derived_from: Annotated[tuple[MemoryId, ...] | None, Meta(description="The memories it was made from.")] = None
    event_type: Annotated[
        EventType | None, Meta(description="What kind of event it tells of. Otherwise its type decides.")
    ] = None
    is_correction: Annotated[bool | None, Meta(description="Whether it is said to put something right.")] = None
    provenance: Annotated[dict[str, Any] | None, Meta(description="Where the words came from.")] = None
    meta: Annotated[dict[str, Any] | None, Meta(description="Any other facts to keep with it.")] = None


def given_fields(request: Request) -> dict[str, Any]:
    """The fields that the caller gave: `None` is not said."""
    named = ((name, getattr(request, name)) for name in request.__struct_fields__)
    return {name: value for name, value in named if value is not None}
