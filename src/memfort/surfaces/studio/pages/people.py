"""People: who is known, their names and relations, namesakes, who takes part where the visitor stands, and a person's
request: what there is, and erasing it with a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Refused, Visit


async def show(visit: Visit) -> Response:
    people = await visit.call("people.list", {})
    found = await visit.call("people.find", {"reference": visit.get("q")}) if visit.get("q") else None
    return visit.page(
        "people.html",
        people=[one for one in people if one["merged_into"] is None],
        found=found,
        groups=await _groups(visit),
        opened=await _opened(visit, visit.get("id")) if visit.get("id") else None,
    )


async def _groups(visit: Visit) -> list[Mapping[str, Any]]:
    """The members of each group where the visitor stands: a member may know the others."""
    levels = {level: id for level, id in visit.places.items() if level not in {"user", "session", "agent"}}
    return [await visit.call("member.list", {"group": {level: id}}, at="") for level, id in levels.items()]


async def _opened(visit: Visit, id: str) -> dict[str, Any]:
    try:
        one = await visit.call("people.get", {"id": id})
        relations = await visit.call("people.relations", {"id": id})
        namesakes = await visit.call("people.find", {"reference": one["name"]}) if one["name"] else []
    except Refused as refused:
        return {"problem": refused.problem}
    return {
        "problem": None,
        "one": one,
        "relations": relations,
        "namesakes": [other for other in _persons(namesakes) if other["id"] != one["id"]],
    }


def _persons(found: Any) -> list[Mapping[str, Any]]:
    return list(found) if isinstance(found, list) else []


async def alias(visit: Visit) -> Response:
    names = [word.strip() for word in visit.field("aliases").split(",") if word.strip()]
    await visit.call("people.alias", {"id": visit.field("id"), "aliases": names})
    return visit.redirect("people", id=visit.field("id"), flash="named")


async def merge(visit: Visit) -> Response:
    await visit.call("people.merge", {"keep": visit.field("keep"), "gone": visit.field("gone")})
    return visit.redirect("people", id=visit.field("keep"), flash="merged")


async def show_request(visit: Visit) -> Response:
    """What there is by and about a person, as far as the visitor may see and end it. Nothing is done."""
    person = visit.get("person") or "me"
    copy = await visit.call("subject.export", {"person": person})
    preview = await visit.call("subject.erase", {"person": person, "dry_run": True}) if visit.may("write") else None
    return visit.page("request.html", person=person, copy=copy, preview=preview)


async def erase(visit: Visit) -> Response:
    receipt = await visit.call("subject.erase", {"person": visit.field("person")})
    id = receipt["id"] if "id" in receipt else receipt["receipt"]["id"]
    return visit.redirect("memories", "receipt", id=id, flash="erased")


PAGE = Page(
    "people",
    "People",
    show,
    group=1,
    key="o",
    parts={"request": show_request},
    actions={"alias": alias, "merge": merge, "erase": erase},
    done={"named": "They are known by that name too.", "merged": "They are one now."},
)
