"""Imports and extraction: what came from files, with a preview before anything is imported or taken back; and the turns
that wait for a model, or that it could not read."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Refused, Visit

_QUEUED = 100
_SHOWN = 50


async def show(visit: Visit) -> Response:
    if visit.is_system:
        return visit.page("imports.html", state="system")
    return await _page(visit)


async def _page(visit: Visit, report: Mapping[str, Any] | None = None, status: int = 200) -> Response:
    """The lists, and under the form what became of the file, or would."""
    queued = await visit.call("extraction.list", {"limit": _QUEUED, "given_up": bool(visit.get("given_up"))})
    return visit.page(
        "imports.html",
        status,
        state="shown",
        sources=sorted(await visit.call("sources", {}), key=lambda one: one["imported_at"], reverse=True),
        queued=queued,
        given_up=[one for one in queued if one["due_at"] is None],
        report=report,
        data=visit.field("data"),
        filename=visit.field("filename"),
        mine=visit.field("mine"),
    )


# -- a file ----------------------------------------------------------------------------------------------------------


async def preview(visit: Visit) -> Response:
    """What would become of the file. Nothing is imported."""
    return await _import(visit, dry_run=True)


async def bring(visit: Visit) -> Response:
    return await _import(visit, dry_run=False)


async def _import(visit: Visit, *, dry_run: bool) -> Response:
    """The form stays as it is, so that what was looked at can be imported. A file's text is never in an address."""
    content = base64.b64encode(visit.field("data").encode()).decode()
    asked = {"data": content, "filename": visit.field("filename") or None, "mine": visit.field("mine") or None}
    try:
        report = await visit.call("import", {**asked, "dry_run": dry_run})
    except Refused as refused:
        return await _page(visit, {"problem": refused.problem}, refused.status)
    return await _page(visit, {"problem": None, **report})


# -- what one import brought -----------------------------------------------------------------------------------------


async def show_undo(visit: Visit) -> Response:
    """What would fall and what would come back, if an import were taken back."""
    source = visit.get("source")
    found = await visit.call("undo", {"source": source, "dry_run": True})
    return visit.page("undo.html", source=source, found=found, items=found["items"][:_SHOWN])


async def undo(visit: Visit) -> Response:
    found = await visit.call("undo", {"source": visit.field("source")})
    return visit.redirect("imports", flash="undone", n=len(found["items"]))


# -- turns that wait for a model -------------------------------------------------------------------------------------


async def retry(visit: Visit) -> Response:
    return await _queued(visit, "extraction.retry", "retried")


async def drop(visit: Visit) -> Response:
    return await _queued(visit, "extraction.drop", "dropped")


async def _queued(visit: Visit, verb: str, done: str) -> Response:
    ids = visit.fields("ids")
    if ids:
        await visit.call(verb, {"ids": ids})
    return visit.redirect("imports", flash=done, n=len(ids))


PAGE = Page(
    "imports",
    "Imports and extraction",
    show,
    group=2,
    key="i",
    short="Imports",
    parts={"undo": show_undo},
    actions={"preview": preview, "import": bring, "undo": undo, "retry": retry, "drop": drop},
    done={
        "undone": "Taken back: {n} out of every read.",
        "retried": "{n} wait for the model again.",
        "dropped": "{n} left the queue. The turns themselves stay.",
    },
)
