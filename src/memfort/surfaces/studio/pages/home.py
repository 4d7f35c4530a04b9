"""Home: the state of governance in sentences; every number is a link to what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Refused, Visit

_DAYS = 14
_MOST = 1000  # events that the chart is drawn from
_FEW = 100  # that are counted one by one; more are "100 or more"


class Day(Struct, frozen=True):
    """One day of the chart, with its place in it."""

    x: float
    y: float
    height: float
    allowed: int
    refused: int
    marks: tuple[tuple[float, float], ...]  # of the refusals, one each


async def show(visit: Visit) -> Response:
    if visit.is_system and not visit.may("admin"):
        return visit.page("home.html", state="system")
    today = _today(visit)
    events = (await visit.call("trail.list", {"limit": _MOST, "since": _iso(today - timedelta(days=_DAYS - 1))}))[
        "events"
    ]
    refused = [one for one in events if one["decision"] == "denied"]
    learned = [] if visit.is_system else await _learned(visit, today)
    waiting = await _of_scope(visit, "review", "review.list", {"limit": _FEW})
    erasures = await visit.call("erasures", {})
    return visit.page(
        "home.html",
        state="shown",
        today=today.date().isoformat(),
        learned=learned,
        waiting=waiting,
        reasons=Counter(one["reason"] for one in waiting),
        refused=refused,
        refused_today=[one for one in refused if one["at"] >= _iso(today)],
        erasures=[one for one in erasures if one["pending"]],
        is_full=len(events) == _MOST,
        days=_days(events, today),
        total=Counter(one["decision"] for one in events),
        few=_FEW,
        you=await _you(visit),
        checked=await _checked(visit),
    )


def _today(visit: Visit) -> datetime:
    return visit.now.replace(hour=0, minute=0, second=0, microsecond=0)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


async def _learned(visit: Visit, since: datetime) -> list[Mapping[str, Any]]:
    found = await visit.call("list", {"limit": _FEW, "since": _iso(since)})
    return list(found["items"])


async def _of_scope(visit: Visit, scope: str, verb: str, fields: Mapping[str, Any]) -> list[Any]:
    """What a verb gives, or nothing where the credential does not have its scope."""
    return list(await visit.call(verb, fields)) if visit.may(scope) and not visit.is_system else []


async def _you(visit: Visit) -> dict[str, Any]:
    spaces = [] if visit.is_system else await visit.call("standings", {})
    return {"scopes": sorted(visit.caller.scopes), "standings": spaces}


async def _checked(visit: Visit) -> Mapping[str, Any] | None:
    """The trail checked link by link, when it is asked for: that reads all of it."""
    if not visit.get("verify") or not visit.may("admin"):
        return None
    try:
        return dict(await visit.call("trail.verify", {}, looks_as="", at=""))
    except Refused as refused:
        return {"problem": refused.problem}


def _days(events: Iterable[Mapping[str, Any]], today: datetime) -> list[Day]:
    """The chart: what was allowed as bars, and below the axis a mark for each refusal."""
    days = [(today - timedelta(days=back)).date().isoformat() for back in reversed(range(_DAYS))]
    counts = {day: Counter[str]() for day in days}
    for one in events:
        if (day := one["at"][:10]) in counts:
            counts[day]["refused" if one["decision"] == "denied" else "allowed"] += 1
    most = max((count["allowed"] for count in counts.values()), default=0) or 1
    made = []
    for place, day in enumerate(days):
        x, count = place * 34.0, counts[day]
        height = 62.0 * count["allowed"] / most
        marks = tuple((x + 8 * (n % 3), 67.0 + 7 * (n // 3)) for n in range(min(9, count["refused"])))
        made.append(Day(x, 64.0 - height, height, count["allowed"], count["refused"], marks))
    return made


PAGE = Page("", "Home", show, group=0, key="h", on_phone=True)
