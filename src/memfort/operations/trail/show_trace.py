"""Show what one of an actor's calls did, event by event."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import id_of
from memfort.engine.transaction import Session
from memfort.errors import NotFound
from memfort.model.results import Trace
from memfort.operations.requests import Request
from memfort.operations.trail.list_traces import calls_of
from memfort.operations.trail.rebuild_trace import rebuild_trace


class ShowTraceRequest(Request, frozen=True):
    """The call to show."""

    id: Annotated[str | None, Meta(description="The trace of one of your calls; the latest if not given.")] = None
    expanded: Annotated[bool, Meta(description="With the whole policy, where it is named by its digest.")] = False


def handle(session: Session, request: ShowTraceRequest) -> Trace:
    """The public events of one of the actor's own calls, in order, as plain data. What is gone since, or out of sight
    from where the actor stands, is told without its text."""
    session.engine.flush_if_possible()
    with session.view() as view:
        if request.id is not None:
            id = id_of(request.id)
        elif calls := calls_of(view):
            id = calls[0].trace
        else:
            raise NotFound("trace", "latest", "no call of yours is on record")
        events = rebuild_trace(view, id, expanded=request.expanded)
        if events is None:
            raise NotFound("trace", id)
        return Trace(id, events)
