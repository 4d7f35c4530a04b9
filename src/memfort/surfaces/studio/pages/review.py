"""Review: what waits, what would change, and a decision. Two reviewers do not trip over each other: what was decided
meanwhile is refused by its version, and the page says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.pages.memories import differences
from memfort.surfaces.studio.visit import Visit

_PAGE = 50


async def show(visit: Visit) -> Response:
    if visit.is_system:
        return visit.page("review.html", state="system")
    entries = await visit.call("review.list", {"limit": _PAGE, "after": visit.get("after") or None})
    opened = next((one for one in entries if one["item"]["id"] == visit.get("item")), entries[0] if entries else None)
    return visit.page(
        "review.html",
        state="listed",
        entries=entries,
        has_more=len(entries) == _PAGE,
        opened=None if opened is None else await _opened(visit, opened),
        next=_next(entries, opened),
        decided=bool(visit.get("item")) and (opened is None or opened["item"]["id"] != visit.get("item")),
    )


async def _opened(visit: Visit, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry with what it changes, where it comes from, and its siblings."""
    item, older = entry["item"], entry["replaces"]
    turns = await _turns(visit, item)
    related = await visit.call_if_there("related", {"id": item["id"]}) or []
    return {
        "entry": entry,
        "parts": None if older is None else differences(older["text"], item["text"]),
        "turns": turns,
        "siblings": [one for one in related if one["id"] != item["id"]][:5],
    }


async def _turns(visit: Visit, item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The turns that it was taken from, as far as the visitor may see them."""
    evidence = item.get("evidence") or {}
    ids = [evidence.get("turn"), (evidence.get("composed") or {}).get("turn")]
    found = [await visit.call_if_there("get", {"id": id}) for id in ids if id is not None]
    return [one for one in found if one is not None]


def _next(entries: list[Any], opened: Mapping[str, Any] | None) -> str:
    """The one to go on with when this one is decided."""
    ids = [one["item"]["id"] for one in entries]
    if opened is None or len(ids) < 2:
        return ""
    place = ids.index(opened["item"]["id"])
    return str(ids[place + 1] if place + 1 < len(ids) else ids[place - 1])


# -- decisions -------------------------------------------------------------------------------------------------------


async def approve(visit: Visit) -> Response:
    return await _decide(visit, "review.approve", "approved")


async def reject(visit: Visit) -> Response:
    return await _decide(visit, "review.reject", "rejected")


async def _decide(visit: Visit, verb: str, done: str) -> Response:
    """All that were chosen, or none: the verb decides them together."""
    ids = visit.fields("ids") or [visit.field("id")]
    version = visit.field("version")
    headers = {"if_match": f'"{version}"'} if len(ids) == 1 and version.isdigit() and not visit.fields("ids") else {}
    await visit.call(verb, {"ids": ids}, **headers)
    return visit.redirect("review", item=visit.field("next"), flash=done, n=len(ids))


async def edit(visit: Visit) -> Response:
    """Change the words and approve: every gate runs again."""
    given = {"id": visit.field("id"), "text": visit.field("text"), "sensitivity": visit.field("sensitivity") or None}
    version = visit.field("version")
    await visit.call("review.edit", given, if_match=f'"{version}"' if version.isdigit() else "")
    return visit.redirect("review", item=visit.field("next"), flash="edited")


PAGE = Page(
    "review",
    "Review",
    show,
    group=1,
    key="r",
    on_phone=True,
    actions={"approve": approve, "reject": reject, "edit": edit},
    done={"approved": "{n} approved.", "rejected": "{n} rejected.", "edited": "Changed and approved."},
)
