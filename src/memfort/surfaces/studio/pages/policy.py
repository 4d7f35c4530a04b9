"""Policy: the one in use, line by line with where each line comes from; what differs in another; and which decisions of
the past another would have changed. Putting a policy to use is an administrator's, and shows its replay first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Refused, Visit

_SHOWN = 30  # decisions that differ, one by one
_VERSIONS = 20
_OWN: dict[str, Any] = {"looks_as": "", "at": ""}  # an administrator's verbs are asked as the credential itself
_SPANS = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}


class Line(Struct, frozen=True):
    """One setting, and where its value comes from: the default, a preset, or this store."""

    key: str
    value: Any
    origin: str


async def show(visit: Visit) -> Response:
    return await _page(visit, visit.get("try"))


async def replay(visit: Visit) -> Response:
    """What was written in the form is tried and not kept anywhere, the address included."""
    return await _page(visit, visit.field("policy").strip())


async def _page(visit: Visit, tried: str) -> Response:
    is_admin = visit.may("admin")
    in_use = await visit.call("policy.show", {}, **_OWN) if is_admin else None
    presets = await visit.call("policy.presets", {}, **_OWN) if is_admin else []
    return visit.page(
        "policy.html",
        in_use=in_use,
        sections=[] if in_use is None else await _sections(visit, in_use, [one["name"] for one in presets]),
        presets=presets,
        tried=tried,
        span=_span(visit),
        spans=_SPANS,
        checked=await _checked(visit, tried, in_use) if tried and is_admin else None,
        replayed=await _replayed(visit, tried) if tried else None,
        versions=await _versions(visit) if is_admin else [],
        compared=await _compared(visit, in_use) if in_use is not None and visit.get("with") else None,
    )


# -- the one in use --------------------------------------------------------------------------------------------------


async def _sections(visit: Visit, in_use: Mapping[str, Any], presets: list[str]) -> list[tuple[str, list[Line], int]]:
    """The settings by section, those of the policy itself first; and how many of each are not the default."""
    policy = in_use["policy"]
    changed = await _changed(visit, "default", policy)
    base = policy["name"] if policy["name"] in presets and policy["name"] != "default" else None
    own = changed if base is None else await _changed(visit, base, policy)

    def line(section: str, key: str, value: Any) -> Line:
        path = f"{section}.{key}" if section else key
        if _names(own, path):
            return Line(key, value, "set here")
        return Line(key, value, f"preset {base}" if _names(changed, path) else "")

    plain = [line("", key, value) for key, value in policy.items() if not isinstance(value, Mapping)]
    made = [("policy", plain)]
    made += [
        (name, [line(name, key, one) for key, one in value.items()])
        for name, value in policy.items()
        if isinstance(value, Mapping) and value
    ]
    return [(name, lines, sum(one.origin != "" for one in lines)) for name, lines in made]


async def _changed(visit: Visit, before: Any, after: Any) -> list[str]:
    found = await visit.call("policy.diff", {"before": before, "after": after}, **_OWN)
    return [one["key"] for one in found["changes"]]


def _names(keys: list[str], path: str) -> bool:
    return any(key == path or key.startswith(f"{path}.") for key in keys)


# -- versions --------------------------------------------------------------------------------------------------------


async def _versions(visit: Visit) -> list[dict[str, Any]]:
    """The policies that were put to use here, the latest first: the system's trail has them."""
    if visit.holder != "system":
        return []
    found = await visit.call("trail.list", {"action": "use_policy", "limit": _VERSIONS}, **_OWN)
    return [{"at": one["at"], "digest": one["detail"]["policy"], "via": one["surface"]} for one in found["events"]]


async def _compared(visit: Visit, in_use: Mapping[str, Any]) -> dict[str, Any]:
    """What differs between another one, by its digest or a preset's name, and the one in use."""
    other = visit.get("with")
    try:
        try:
            before = (await visit.call("policy.show", {"digest": other}, **_OWN))["policy"]
        except Refused:
            before = (await visit.call("policy.show", {"preset": other}, **_OWN))["policy"]
        found = await visit.call("policy.diff", {"before": before, "after": in_use["policy"]}, **_OWN)
    except Refused as refused:
        return {"problem": refused.problem, "name": other}
    return {"problem": None, "name": before["name"], "changes": found["changes"]}


# -- another one -----------------------------------------------------------------------------------------------------


async def check(visit: Visit) -> Response:
    """While somebody types: whether it can be read, and which settings differ. Nothing is done."""
    tried = visit.field("policy").strip()
    in_use = await visit.call("policy.show", {}, **_OWN)
    checked = await _checked(visit, tried, in_use) if tried else None
    return visit.page("policy_checked.html", checked=checked)


async def _checked(visit: Visit, tried: str, in_use: Mapping[str, Any] | None) -> dict[str, Any]:
    before = {} if in_use is None else in_use["policy"]
    try:
        found = await visit.call("policy.diff", {"before": before, "after": tried}, **_OWN)
    except Refused as refused:
        return {"problem": refused.problem}
    return {"problem": None, **found}


def _span(visit: Visit) -> str:
    return visit.get("span") if visit.get("span") in _SPANS else visit.field("span")


async def _replayed(visit: Visit, tried: str) -> dict[str, Any]:
    """The history decided again: of the visitor's own memories, or of all for the system."""
    try:
        found = await visit.call("policy.simulate", {"policy": tried}, at="" if visit.is_system else None)
    except Refused as refused:
        return {"problem": refused.problem}
    changes = found["changes"]
    if (span := _SPANS.get(_span(visit))) is not None:
        since = (visit.now - span).isoformat()
        changes = [one for one in changes if one["at"] >= since[:19]]
    kinds = Counter((_outcome(one["was"]), _outcome(one["would"]), one["would"]["reason"]) for one in changes)
    return {
        "problem": None,
        "found": found,
        "count": len(changes),
        "kinds": kinds.most_common(),
        "undecided": {name: count for name, count in found["undecided"].items() if count},
        "changes": [{**one, "text": await _text(visit, one["id"])} for one in reversed(changes[-_SHOWN:])],
        "more": len(changes) - _SHOWN,
    }


def _outcome(ruling: Mapping[str, Any]) -> str:
    """What became of a statement: `approved`, `pending`, or refused."""
    return str(ruling["status"] or "refused")


async def _text(visit: Visit, id: str) -> str:
    """Its words, if the visitor may see them."""
    found = None if visit.is_system else await visit.call_if_there("get", {"id": id})
    return "" if found is None else str(found["text"])


async def use(visit: Visit) -> Response:
    """Put it to use, for everybody who opens the store from now on."""
    await visit.call("policy.use", {"policy": visit.field("policy")}, **_OWN)
    return visit.redirect("policy", flash="used")


PAGE = Page(
    "policy",
    "Policy",
    show,
    group=1,
    key="p",
    actions={"replay": replay, "use": use, "check": check},
    done={"used": "That policy is in use now."},
)
