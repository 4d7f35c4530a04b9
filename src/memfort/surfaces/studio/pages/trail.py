"""Trail: who did what, whether it was allowed, and whether the record holds; a call as its events, in words and as
JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Refused, Visit
from memfort.surfaces.studio.volume import of_events
from memfort.trail.public.plain import plain, plain_events

_PAGE = 50
_COUNTED = 1000  # events that the chart is drawn from
_FILTERS = ("action", "decision", "reason", "item", "trace", "by", "since", "until", "cursor")
_MOST_EXPORTED = 100_000


class Moment(Struct, frozen=True):
    """When an event of a call was: in words, and its place from 0 to 94 of 100."""

    words: str
    x: float


async def show(visit: Visit) -> Response:
    fields = {name: visit.get(name) or None for name in _FILTERS}
    for name in ("since", "until"):
        if fields[name] is not None and len(str(fields[name])) == len("2026-11-19"):
            fields[name] = f"{fields[name]}T00:00:00Z"
    try:
        page = await visit.call("trail.list", {**fields, "limit": _PAGE})
    except Refused as refused:
        return visit.page(
            "trail.html", refused.status, problem=refused.problem, events=[], cursor=None, opened=None, checked=None
        )
    events = page["events"]
    counted = (await visit.call("trail.list", {**fields, "cursor": None, "limit": _COUNTED}))["events"]
    opened = next((one for one in events if _name(one) == visit.get("event")), events[0] if events else None)
    return visit.page(
        "trail.html",
        problem=None,
        events=events,
        cursor=page["cursor"],
        opened=None if opened is None else await _opened(visit, opened),
        name_of=_name,
        volume=of_events(counted) if counted else None,
        is_full=len(counted) == _COUNTED,
        checked=await checked(visit),
    )


async def checked(visit: Visit) -> dict[str, Any] | None:
    """The trail checked link by link, when it is asked for: that reads all of it."""
    if not visit.get("verify") or not visit.may("admin"):
        return None
    try:
        return dict(await visit.call("trail.verify", {}, looks_as="", at=""))
    except Refused as refused:
        return {"problem": refused.problem}


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
        "moments": _moments(steps),
        "plain": [plain(one) for one in steps],
        "json": [_json(one) for one in steps],
        "public_plain": plain_events(public),
        "public": [_json(one) for one in public],
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _moments(steps: list[Mapping[str, Any]]) -> list[Moment]:
    """When each event of a call was, from its first one, with its place on a common scale."""
    times = [datetime.fromisoformat(one["at"]) for one in steps]
    offsets = [(one - min(times)).total_seconds() * 1000 for one in times]
    longest = max(offsets) or 1.0
    return [Moment(f"+{offset:,.1f} ms" if offset else "begins", 94.0 * offset / longest) for offset in offsets]


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
