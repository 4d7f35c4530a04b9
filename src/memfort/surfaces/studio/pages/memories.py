"""Memories: find and filter them, and one of them with its history, what it is linked with and what would fall.

Changing goes through `correct`, `restore`, `promote`, `forget`, `erase` and `undo`; what cannot be undone shows its
preview first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Refused, Visit

_PAGE = 50
_STATUSES = ("approved", "pending", "superseded", "rejected")
_FILTERS = ("person", "author", "since", "until", "source")
_MOST_CHOSEN = 200


class Part(Struct, frozen=True):
    """A stretch of a text beside an older one: the same, removed or added."""

    kind: str  # same, del, ins
    text: str


async def show(visit: Visit) -> Response:
    if visit.is_system:
        return visit.page("memories.html", state="system")
    query = visit.get("q")
    try:
        found = await (_found(visit, query) if query else _listed(visit))
    except Refused as refused:
        return visit.page("memories.html", refused.status, state="refused", problem=refused.problem, query=query)
    return visit.page("memories.html", state="listed", query=query, **found)


async def _found(visit: Visit, query: str) -> dict[str, Any]:
    """What a recall finds: the best first."""
    types = visit.get_all("type") or None
    answer = await visit.call("recall", {"query": query, "limit": _PAGE, "types": types, "space": _space(visit)})
    return {"items": [hit["item"] for hit in answer["hits"]], "cursor": None, "damaged": answer["damaged"]}


async def _listed(visit: Visit) -> dict[str, Any]:
    asked: dict[str, Any] = {name: visit.get(name) or None for name in _FILTERS}
    asked["since"], asked["until"] = _moment(asked["since"]), _moment(asked["until"])
    statuses = [one for one in visit.get_all("status") if one in _STATUSES]
    asked |= {"statuses": statuses or None, "types": visit.get_all("type") or None, "space": _space(visit)}
    asked |= {"tags": visit.get_all("tag"), "deleted": bool(visit.get("deleted")), "limit": _PAGE}
    page = await visit.call("list", {**asked, "cursor": visit.get("cursor") or None})
    return {"items": page["items"], "cursor": page["cursor"], "damaged": page["damaged"]}


def _moment(given: str | None) -> str | None:
    """A day stands for its first moment, in UTC."""
    return f"{given}T00:00:00Z" if given is not None and len(given) == len("2026-11-19") else given


def _space(visit: Visit, name: str = "space") -> dict[str, str] | None:
    """A space as it is written in a field: `project=apollo`, or several coordinates."""
    parts = (part.strip().partition("=") for part in (visit.get(name) or visit.field(name)).split(",") if part.strip())
    return {level: id.strip() for level, _, id in parts} or None


# -- one memory ------------------------------------------------------------------------------------------------------


async def show_memory(visit: Visit) -> Response:
    id = visit.get("id")
    try:
        versions = await visit.call("history", {"id": id})
        found = await visit.call("explain", {"id": id})
    except Refused as refused:
        return visit.page("error.html", refused.status, problem=refused.problem)
    item = next((one for one in versions if one["id"] == found["subject"]), None)
    if item is None:
        problem = {"title": "There is no such memory that you can see", "status": 404, "detail": None}
        return visit.page("error.html", 404, problem=problem)
    edges = await visit.call_if_there("edges", {"id": item["id"]}) or []
    return visit.page(
        "memory.html",
        item=item,
        found=found,
        versions=_with_differences(versions),
        edges=[one for one in edges if one["kind"] != "supersedes"],
        falls=await _falls(visit, item),
        trace=visit.get("trace"),
    )


def _with_differences(versions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The versions, the newest first, each beside the one before it."""
    made: list[dict[str, Any]] = []
    for older, one in zip([None, *versions[:-1]], versions, strict=True):
        made.append({"item": one, "parts": None if older is None else differences(older["text"], one["text"])})
    return made[::-1]


def differences(old: str, new: str) -> list[Part]:
    """What changed from one text to another, word by word."""
    before, after = old.split(" "), new.split(" ")
    parts: list[Part] = []
    for what, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            parts.append(Part("same", " ".join(before[a:b])))
            continue
        parts += [Part("del", " ".join(before[a:b]))] if b > a else []
        parts += [Part("ins", " ".join(after[c:d]))] if d > c else []
    return parts


async def _falls(visit: Visit, item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What would go with it, if it were forgotten: nothing is done."""
    if item["deleted_at"] is not None or not visit.may("write"):
        return None
    try:
        found = await visit.call("forget", {"ids": [item["id"]], "dry_run": True})
    except Refused:
        return None  # who may not end it is not asked whether they want to
    return dict(found)


# -- changing --------------------------------------------------------------------------------------------------------


async def correct(visit: Visit) -> Response:
    """Replace it by what was written; fields that were not touched stay."""
    id, text = visit.field("id"), visit.field("text")
    given = {name: visit.field(name) or None for name in ("sensitivity", "type")}
    outcome = await visit.call("correct", {"id": id, "text": text, **given}, if_match=_version(visit))
    return _after(visit, outcome, "corrected")


async def restore(visit: Visit) -> Response:
    outcome = await visit.call("restore", {"id": visit.field("id")}, if_match=_version(visit))
    return _after(visit, outcome, "restored")


async def promote(visit: Visit) -> Response:
    outcome = await visit.call(
        "promote", {"id": visit.field("id"), "to": _space(visit, "to") or {}}, if_match=_version(visit)
    )
    return _after(visit, outcome, "promoted")


def _after(visit: Visit, outcome: Mapping[str, Any], done: str) -> Response:
    """The memory as it is now; if it waits for review, the words say so."""
    flash = "waits" if outcome["state"] == "pending" else done
    id = visit.field("id") if outcome["item"] is None else outcome["item"]["id"]
    return visit.redirect("memories", "memory", id=id, flash=flash, trace=visit.trace)


def _version(visit: Visit) -> str:
    """The version that the visitor saw: whoever changed it meanwhile is not overwritten."""
    return f'"{visit.field("version")}"' if visit.field("version").isdigit() else ""


async def show_ending(visit: Visit) -> Response:
    """What would be forgotten or erased, before anything is done."""
    ids, how = visit.get_all("ids")[:_MOST_CHOSEN], visit.get("how") or "forget"
    if not ids or how not in {"forget", "erase"}:
        return visit.redirect("memories")
    found = await visit.call(how, {"ids": ids, "dry_run": True})
    named = {one["id"] for one in found["items"]} if how == "forget" else set()
    items = list(found["items"]) if how == "forget" else await _items(visit, ids)
    return visit.page(
        "ending.html", how=how, ids=ids, found=found, items=items, more=[one for one in named if one not in ids]
    )


async def _items(visit: Visit, ids: Sequence[str]) -> list[Mapping[str, Any]]:
    """The memories that are named, as their history has them: also those that are not in force."""
    found = []
    for id in ids:
        versions = await visit.call("history", {"id": id})
        found += [one for one in versions if one["id"] == id]
    return found


async def forget(visit: Visit) -> Response:
    ids = visit.fields("ids")[:_MOST_CHOSEN]
    found = await visit.call("forget", {"ids": ids}, **_if_one(visit, ids))
    return visit.redirect("memories", flash="forgotten", n=len(found["items"]))


async def erase(visit: Visit) -> Response:
    ids = visit.fields("ids")[:_MOST_CHOSEN]
    receipt = await visit.call("erase", {"ids": ids}, **_if_one(visit, ids))
    return visit.redirect("memories", "receipt", id=receipt["id"], flash="erased")


def _if_one(visit: Visit, ids: Sequence[str]) -> dict[str, str]:
    return {"if_match": _version(visit)} if len(ids) == 1 and _version(visit) else {}


async def undo(visit: Visit) -> Response:
    """Take back what one call wrote or replaced."""
    found = await visit.call("undo", {"trace": visit.field("trace")})
    return visit.redirect("memories", flash="undone", n=len(found["items"]) + len(found["back"]))


async def show_receipt(visit: Visit) -> Response:
    """The receipt of an erasure; and on request, a search for anything that it left behind."""
    erasures = await visit.call("erasures", {})
    receipt = next((one for one in erasures if one["id"] == visit.get("id")), None)
    if receipt is None:
        problem = {"title": "There is no such erasure of yours", "status": 404, "detail": None}
        return visit.page("error.html", 404, problem=problem)
    check = await visit.call("verify_erasure", {"receipt": receipt["id"]}) if visit.get("check") else None
    return visit.page("receipt.html", receipt=receipt, check=check)


PAGE = Page(
    "memories",
    "Memories",
    show,
    group=0,
    key="m",
    on_phone=True,
    parts={"memory": show_memory, "end": show_ending, "receipt": show_receipt},
    actions={
        "correct": correct,
        "restore": restore,
        "promote": promote,
        "forget": forget,
        "erase": erase,
        "undo": undo,
    },
    done={
        "corrected": "Corrected. The old one is in its history.",
        "restored": "Restored. Both are in its history.",
        "promoted": "Promoted.",
        "waits": "Kept, and waits for review.",
        "forgotten": "{n} forgotten.",
        "erased": "Erased.",
        "undone": "Taken back: {n} changed.",
    },
)
