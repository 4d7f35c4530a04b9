"""Home: the state of governance in sentences; every number is a link to what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.pages.trail import checked
from memfort.surfaces.studio.visit import Visit
from memfort.surfaces.studio.volume import DAYS, of_days

_MOST = 1000  # events that the chart is drawn from
_FEW = 100  # that are counted one by one; more are "100 or more"


async def show(visit: Visit) -> Response:
    if visit.is_system and not visit.may("admin"):
        return visit.page("home.html", state="system")
    today = _today(visit)
    events = (await visit.call("trail.list", {"limit": _MOST, "since": _iso(today - timedelta(days=DAYS - 1))}))[
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
        volume=of_days(events, today),
        few=_FEW,
        you=await _you(visit),
        checked=await checked(visit),
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


PAGE = Page("", "Home", show, group=0, key="h", on_phone=True)
