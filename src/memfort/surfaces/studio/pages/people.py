"""People: who is known, their names and relations, namesakes, who takes part where the visitor stands, and a person's
request: what there is, and erasing it with a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.pages.two_people import row_of
from memfort.surfaces.studio.visit import Refused, Visit

_FEW = 12  # memories about one person, beside who gets them
_MOST_VIEWERS = 6


async def show(visit: Visit) -> Response:
    people = await visit.call("people.list", {})
    groups = await _groups(visit)
    found = await visit.call("people.find", {"reference": visit.get("q")}) if visit.get("q") else None
    return visit.page(
        "people.html",
        people=[one for one in people if one["merged_into"] is None],
        found=found,
        groups=groups,
        opened=await _opened(visit, visit.get("id"), groups) if visit.get("id") else None,
    )


async def _groups(visit: Visit) -> list[Mapping[str, Any]]:
    """The members of each group where the visitor stands: a member may know the others."""
    levels = {level: id for level, id in visit.places.items() if level not in {"user", "session", "agent"}}
    return [await visit.call("member.list", {"group": {level: id}}, at="") for level, id in levels.items()]


async def _opened(visit: Visit, id: str, groups: list[Mapping[str, Any]]) -> dict[str, Any]:
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
        "told": await _told(visit, one["id"], groups),
    }


async def _told(visit: Visit, id: str, groups: list[Mapping[str, Any]]) -> dict[str, Any] | None:
    """To whom what is known about a person may be said, alone: to the visitor, the person, and who else is here."""
    if visit.is_system:
        return None
    listed = await visit.call("list", {"person": id, "limit": _FEW})
    members = [one["id"] for group in groups for one in group["members"] if one["kind"] == "user"]
    user = [id[1:]] if id.startswith("@") else []
    viewers = list(dict.fromkeys([visit.me, *user, *members]))[:_MOST_VIEWERS]
    if not listed["items"]:
        return None
    ids = [one["id"] for one in listed["items"]]
    asked = {"ids": ids, "viewers": viewers, "limit": _FEW}
    places = ", ".join(f"{level}={place}" for level, place in visit.places.items() if level != "chat")
    found = await visit.call("compare", asked, at=places)

    def address(memory: str, who: str) -> str:
        return visit.url("two-people", why=memory, who=who, b=None if who == visit.me else who)

    return {
        "rows": [row_of(found, one, address) for one in found["memories"]],
        "viewers": [one for one in viewers if one in found["viewers"]],
        "has_more": listed["cursor"] is not None,
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


async def copy(visit: Visit) -> Response:
    """The copy that a person gets, as a file."""
    found = await visit.call("subject.export", {"person": visit.get("person") or "me"})
    return visit.download(msgspec.json.format(msgspec.json.encode(found)), "memfort-copy.json", "application/json")


async def erase(visit: Visit) -> Response:
    """Erase; of those who only have the same name, what was chosen goes too. To choose some decides about all."""
    decided = visit.fields("namesakes") or ([visit.field("others")] if visit.field("others") else [])
    receipt = await visit.call("subject.erase", {"person": visit.field("person"), "namesakes": decided})
    return visit.redirect("memories", "receipt", id=receipt["id"], flash="erased")


PAGE = Page(
    "people",
    "People",
    show,
    group=1,
    key="o",
    parts={"request": show_request, "copy": copy},
    actions={"alias": alias, "merge": merge, "erase": erase},
    done={"named": "They are known by that name too.", "merged": "They are one now."},
)
