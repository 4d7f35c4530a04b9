"""trace show. Hand-written, because it has two print formats."""

from __future__ import annotations

import json
from typing import Any

import click

from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session
from memfort.trail.public.plain import plain_events


@click.command("show", cls=Verb)
@click.argument("id", required=False)
@click.option("--plain", is_flag=True, help="One `key: value` per line, without brackets.")
@click.option("--expanded", is_flag=True, help="With the whole policy, where it is named by its digest.")
@click.pass_obj
def trace_show_command(session: Session, id: str | None, plain: bool, expanded: bool) -> None:
    """Show what one of your calls did, event by event.

    Without ID, the latest. A trace is made from the trail and from what you can see now: memories that are gone since,
    or out of your sight, are shown without their text. To have it with the answer of any command, give that command
    --trace.
    """
    with session.bound() as memory:
        found = memory.trace.show(id, expanded=expanded)
    events = found.events
    lines = plain_events(events).split("\n") if plain else [line for event in events for line in _readable(event)]
    session.output.answer({"trace": found.id, "events": events}, *lines)


def _readable(event: dict[str, Any]) -> list[str]:
    """An event by its type, and the rest of it as JSON below."""
    rest = {name: value for name, value in event.items() if name != "type"}
    return [event["type"], *(f"  {line}" for line in json.dumps(rest, ensure_ascii=False, indent=2).split("\n"))]
