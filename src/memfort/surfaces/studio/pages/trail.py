"""Trail: who did what, whether it was allowed, and whether the record holds; a call as its events, in words and as
JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Refused, Visit

_PAGE = 50
_FILTERS = ("action", "decision", "reason", "item", "trace", "by", "since", "until", "cursor")
_MOST_EXPORTED = 100_000


async def show(visit: Visit) -> Response:
    fields = {name: visit.get(name) or None for name in _FILTERS}
    for name in ("since", "until"):
        if fields[name] is not None and len(str(fields[name])) == len("2026-11-19"):
            fields[name] = f"{fields[name]}T00:00:00Z"
    try:
        page = await visit.call("trail.list", {**fields, "limit": _PAGE})
    except Refused as refused:
        return visit.page("trail.html", refused.status, problem=refused.problem, events=[], cursor=None, opened=None)
    events = page["events"]
    opened = next((one for one in events if _name(one) == visit.get("event")), events[0] if events else None)
    return visit.page(
        "trail.html",
        problem=None,
        events=events,
        cursor=page["cursor"],
        opened=None if opened is None else await _opened(visit, opened),
        name_of=_name,
    )


def _name(event: Mapping[str, Any]) -> str:
    """What an event is called in the address: its moment and its chain."""
    return f"{event['at']}.{event['action']}.{event['chain'][-8:]}"


async def _opened(visit: Visit, event: Mapping[str, Any]) -> dict[str, Any]:
    """One event, with all events of its call and the public trace beside them."""
    trace, public = event["trace"], list[Any]()
    steps = [event]
    if trace is not None:
        steps = (await visit.call("trail.list", {"trace": trace, "limit": 100}))["events"][::-1]
        shown = await visit.call_if_there("trace.show", {"id": trace})  # not of another actor's calls
        public = [] if shown is None else shown["events"]
    return {
        "event": event,
        "name": _name(event),
        "steps": steps,
        "plain": [_plain(one) for one in steps],
        "public": [json.dumps(one, ensure_ascii=False, indent=1) for one in public],
        "json": [json.dumps(one, ensure_ascii=False, indent=1) for one in steps],
    }


def _plain(event: Mapping[str, Any]) -> list[tuple[str, str]]:
    """An event line by line, in words."""
    lines = [(name, event[name]) for name in ("action", "decision", "reason", "explanation", "surface", "policy")]
    lines += [(name, event[name]) for name in ("item", "via", "chain", "number", "hash") if event[name] is not None]
    details = [(name, json.dumps(value, ensure_ascii=False)) for name, value in sorted(event["detail"].items())]
    return [(name, str(value)) for name, value in [*lines, *details]]


async def export(visit: Visit) -> Response:
    """The trail as the verb exports it, as a file."""
    wanted = visit.get("format") or "jsonl"
    lines = await visit.lines("trail.export", {"format": wanted})
    content = await visit.run(
        lambda: b"".join(_line(one) for _, one in zip(range(_MOST_EXPORTED), lines, strict=False))
    )
    return visit.download(content, "memfort-trail.jsonl", "application/x-ndjson")


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


PAGE = Page("trail", "Trail", show, group=2, key="t", parts={"export": export})
