"""Phases and time: the phases of a space, what changed from one to another, and what a recall brought at an earlier
moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.pages.memories import differences
from memfort.surfaces.studio.render import written
from memfort.surfaces.studio.visit import Refused, Visit

_STEPS = 100  # of the slider
_SPANS = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30), "year": timedelta(days=365)}
_SHOWN = 60
_HITS = 20


class Mark(Struct, frozen=True):
    """A phase on the line of time, from 0 to 100."""

    phase: Mapping[str, Any]
    x: float


class Then(Struct, frozen=True):
    """A memory that a recall brings at one moment or at both."""

    item: Mapping[str, Any]
    was_there: bool
    is_there: bool


async def show(visit: Visit) -> Response:
    if visit.is_system:
        return visit.page("phases.html", state="system")
    spaces = [one for one in await visit.call("spaces", {}) if "system" not in one]
    space = _space(visit.get("space")) or visit.places or {"user": visit.me.removeprefix("agent:")}
    try:
        phases = await visit.call("phase.list", {"space": space})
    except Refused as refused:
        return visit.page("phases.html", refused.status, state="refused", problem=refused.problem)
    slider = _slider(visit)
    return visit.page(
        "phases.html",
        state="shown",
        of=space,
        spaces=spaces,
        written=written(space),
        phases=phases,
        marks=_marks(phases, slider["begins"], visit.now),
        slider=slider,
        spans=_SPANS,
        changed=await _changed(visit, space, phases),
        then=await _then(visit, slider["moment"]),
    )


def _space(given: str) -> dict[str, str]:
    parts = (part.strip().partition("=") for part in given.split(",") if part.strip())
    return {level: id.strip() for level, _, id in parts}


# -- the line of time ------------------------------------------------------------------------------------------------


def _slider(visit: Visit) -> dict[str, Any]:
    """The moment that is meant: a step of the slider over the span, or a time that was written."""
    span = visit.get("span") if visit.get("span") in _SPANS else "week"
    begins = visit.now - _SPANS[span]
    step = visit.number("step", _STEPS, _STEPS)
    moment = begins + (visit.now - begins) * step / _STEPS
    return {"span": span, "begins": begins, "step": step, "moment": moment, "is_now": step == _STEPS}


def _marks(phases: Sequence[Mapping[str, Any]], begins: datetime, now: datetime) -> list[Mark]:
    """Where each phase begins on the line; the first one, and those before it, at its left end."""
    marks = []
    for one in phases:
        at = begins if one["started_at"] is None else datetime.fromisoformat(one["started_at"]).astimezone(UTC)
        marks.append(Mark(one, 100 * max(0.0, (at - begins) / (now - begins))))
    return marks


async def _then(visit: Visit, moment: datetime) -> dict[str, Any] | None:
    """What a recall brings now, beside what it brought then."""
    query = visit.get("q")
    if not query:
        return None
    try:
        now = await visit.call("recall", {"query": query, "limit": _HITS})
        then = await visit.call("recall", {"query": query, "limit": _HITS, "as_of": moment.isoformat()})
    except Refused as refused:
        return {"problem": refused.problem}
    items = {hit["item"]["id"]: hit["item"] for run in (then, now) for hit in run["hits"]}
    ids = [{hit["item"]["id"] for hit in run["hits"]} for run in (then, now)]
    return {"problem": None, "rows": [Then(item, id in ids[0], id in ids[1]) for id, item in items.items()]}


# -- two phases ------------------------------------------------------------------------------------------------------


async def _changed(
    visit: Visit, space: Mapping[str, str], phases: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """What changed from the end of one phase to the end of another; from the last but one until now, if none is
    named."""
    if len(phases) < 2:
        return None
    earlier = visit.get("earlier") or f"phase-{phases[-2]['index']}"
    later = visit.get("later") or None
    try:
        found = await visit.call("phase.diff", {"earlier": earlier, "later": later, "space": space})
    except Refused as refused:
        return {"problem": refused.problem, "earlier": earlier, "later": later}
    lines = [
        {
            **one,
            "parts": None if one["replaces"] is None else differences(one["replaces"]["text"], one["item"]["text"]),
        }
        for one in found["changes"]
    ]
    counts = {kind: sum(one["kind"] == kind for one in lines) for kind in ("replaced", "added", "deleted")}
    return {
        "problem": None,
        "earlier": earlier,
        "later": later,
        "lines": lines[:_SHOWN],
        "more": len(lines) - _SHOWN,
        "counts": {kind: count for kind, count in counts.items() if count},
    }


async def start(visit: Visit) -> Response:
    """A new phase begins: earlier memories are history from now on."""
    space = _space(visit.field("space"))
    fields = {"reason": visit.field("reason").strip(), "name": visit.field("name").strip() or None, "space": space}
    await visit.call("phase.start", fields)
    return visit.redirect("phases", space=visit.field("space"), flash="started")


PAGE = Page(
    "phases",
    "Phases and time",
    show,
    group=2,
    key="f",
    short="Phases",
    actions={"start": start},
    done={"started": "A new phase begins. What was written before is history."},
)
