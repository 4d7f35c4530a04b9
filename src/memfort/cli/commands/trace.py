"""trace: show, list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from memfort.cli.options import Verbs
from memfort.cli.output import Table
from memfort.cli.session import Session
from memfort.errors import NotFound

if TYPE_CHECKING:
    from memfort.memory import BoundMemory


@click.group("trace", cls=Verbs)
def trace_command() -> None:
    """Tell what one of your calls did, event by event.

    A trace is made from the trail and from what you can see now. To have it with the answer of any command, give
    that command --trace.
    """


@trace_command.command("show")
@click.argument("id", required=False)
@click.option("--plain", is_flag=True, help="One `key: value` a line, without brackets.")
@click.option("--expanded", is_flag=True, help="With the whole policy, where it is named by its digest.")
@click.pass_obj
def show_trace(session: Session, id: str | None, plain: bool, expanded: bool) -> None:
    """Tell one of your calls again; without ID, the latest.

    What is gone since, or out of sight from where you stand, is told without its text.
    """
    from memfort.trace.plain import plain_events

    with session.bound() as memory:
        trace = id or _latest(memory)
        events = memory.trace(trace, expanded=expanded)
    lines = plain_events(events).split("\n") if plain else [line for event in events for line in _readable(event)]
    session.output.answer({"trace": trace, "events": events}, *lines)


@trace_command.command("list")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many at most.")
@click.pass_obj
def list_traces(session: Session, limit: int) -> None:
    """List your own calls, the latest first: trace, time, and what was done."""
    from memfort.cli.documents import when

    with session.bound() as memory:
        calls = _calls(memory)[:limit]
    rows = [(one.trace, when(one.at), ", ".join(one.actions)) for one in calls]
    document = {"calls": [{"trace": one.trace, "at": when(one.at), "verbs": list(one.actions)} for one in calls]}
    session.output.answer(document, Table(("trace", "at", "verbs"), rows))
    if not calls and not session.output.as_json:
        session.output.note("no calls on record")


@dataclass
class _Call:
    trace: str
    at: Any
    place: int
    actions: dict[str, None] = field(default_factory=dict)  # each once, in order


def _calls(memory: BoundMemory) -> list[_Call]:
    """The calls of the asker that are on record, the latest first."""
    found: dict[str, _Call] = {}
    for place, event in enumerate(_own_events(memory)):
        trace = event["detail"]["trace"]
        call = found.setdefault(trace, _Call(trace, event["at"], place))
        call.actions[event["action"]] = None
    return sorted(found.values(), key=lambda one: (one.at, one.place), reverse=True)


def _own_events(memory: BoundMemory) -> Iterator[dict[str, Any]]:
    """What the asker did in calls. The system actor is told of everybody's, so its own are picked out."""
    from memfort.model.record import actor_from_dict

    events = [line["event"] for line in memory.trail()]
    mine = [event for event in events if actor_from_dict(event["actor"]).key == memory.actor.key]
    traced = [event for event in mine if "trace" in event["detail"]]
    return iter(sorted(traced, key=lambda event: (event["at"], event["detail"].get("step", 0))))


def _latest(memory: BoundMemory) -> str:
    calls = _calls(memory)
    if not calls:
        raise NotFound("trace", "latest", "no call of yours is on record")
    return calls[0].trace


def _readable(event: dict[str, Any]) -> list[str]:
    """An event by its type, and the rest of it as JSON below."""
    rest = {name: value for name, value in event.items() if name != "type"}
    return [event["type"], *(f"  {line}" for line in json.dumps(rest, ensure_ascii=False, indent=2).split("\n"))]
