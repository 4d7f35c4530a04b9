"""List an actor's own calls."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.model.results import TracedCall
from memfort.model.serialize.record import actor_from_dict
from memfort.operations.requests import Limit, Request
from memfort.operations.trail.lines import lines_of


class ListTracesRequest(Request, frozen=True):
    """How many to list."""

    limit: Annotated[Limit, Meta(description="How many at most.")] = 20


def handle(session: Session, request: ListTracesRequest) -> list[TracedCall]:
    """The actor's own calls that are on record, the latest first."""
    session.engine.flush_if_possible()
    with session.view() as view:
        return calls_of(view)[: request.limit]


def calls_of(view: View) -> list[TracedCall]:
    events: dict[str, list[dict[str, Any]]] = {}
    for event in _own_events(view):
        events.setdefault(event["detail"]["trace"], []).append(event)
    calls = [
        TracedCall(trace, found[0]["at"], tuple(dict.fromkeys(event["action"] for event in found)))
        for trace, found in events.items()
    ]
    calls.sort(key=lambda call: call.at_us)  # of one moment, the order in which they are on record stays
    return calls[::-1]


def _own_events(view: View) -> list[dict[str, Any]]:
    """The actor's own events in calls. The system actor may read all events, so its own are selected."""
    events = [line["event"] for line in lines_of(view)]
    mine = [event for event in events if actor_from_dict(event["actor"]).key == view.actor.key]
    traced = [event for event in mine if "trace" in event["detail"]]
    return sorted(traced, key=lambda event: (event["at"], event["detail"].get("step", 0)))
