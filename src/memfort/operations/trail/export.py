"""Export the trail as plain data, or in the formats of other systems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.errors import InvalidInput
from memfort.operations.requests import Request
from memfort.operations.trail.activities import activity_of
from memfort.operations.trail.lines import lines_of
from memfort.trail.exporters.cloudevents import cloud_event
from memfort.trail.exporters.line import Line
from memfort.trail.exporters.ocsf import ocsf_event

_URI = re.compile(r"([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")


class TrailFormat(StrEnum):
    """How to write an event."""

    JSONL = "jsonl"
    CLOUDEVENTS = "cloudevents"
    OCSF = "ocsf"


def _ocsf(line: Line, source: str) -> dict[str, Any]:
    return ocsf_event(line, source, activity_of(line["event"]["action"]))


# The formats of other systems, each a function that writes one line of the trail; they include the store's name.
_WRITERS: dict[TrailFormat, Callable[[Line, str], dict[str, Any]]] = {
    TrailFormat.CLOUDEVENTS: cloud_event,
    TrailFormat.OCSF: _ocsf,
}


class TrailExportRequest(Request, frozen=True):
    """The format of the export."""

    format: Annotated[TrailFormat, Meta(description="How to write an event.")] = TrailFormat.JSONL
    source: Annotated[
        str | None, Meta(description="The store's name in the other formats; derived from its key if not given.")
    ] = None


def handle(session: Session, request: TrailExportRequest) -> Iterator[dict[str, Any]]:
    """The actor's own calls; for the system actor, the whole trail. Never any contents, and nothing from a chat where
    the actor does not take part."""
    write = _WRITERS.get(request.format)
    if request.source is not None:
        _check_source(request.source, request.format)
    session.engine.flush_if_possible()
    with session.view() as view:
        lines = lines_of(view)
    # Outside the snapshot: a caller may read the lines slowly, and must not keep an old snapshot open.
    if write is None:
        return iter(lines)
    # A name that no other store has. A new key changes it; a caller who needs a stable one gives its own.
    source = request.source or f"/memfort/stores/{session.store.keys.fingerprint}"
    return (write(line, source) for line in lines)


def _check_source(source: str, format: TrailFormat) -> None:
    if format not in _WRITERS:
        names = " or ".join(one.value for one in _WRITERS)
        raise InvalidInput("source", "only other formats name the store", f"give `format` as {names}")
    if _URI.fullmatch(source) is None:
        raise InvalidInput("source", f"`{source}` is not a URI", "write it like `https://example.com/memory`")
