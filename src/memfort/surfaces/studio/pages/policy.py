"""Policy: the one in use, what differs in another, and which decisions of the past it would have changed. Putting a
policy to use is an administrator's, and shows its replay first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Refused, Visit

_SHOWN = 100  # decisions that differ, one by one
_OWN: dict[str, Any] = {"looks_as": "", "at": ""}  # an administrator's verbs are asked as the credential itself


async def show(visit: Visit) -> Response:
    return await _page(visit, visit.get("try"))


async def replay(visit: Visit) -> Response:
    """What was written in the form is tried and not kept anywhere, the address included."""
    return await _page(visit, visit.field("policy").strip())


async def _page(visit: Visit, tried: str) -> Response:
    in_use = await visit.call("policy.show", {}, **_OWN) if visit.may("admin") else None
    presets = [one["name"] for one in await visit.call("policy.presets", {}, **_OWN)] if visit.may("admin") else []
    return visit.page(
        "policy.html",
        in_use=in_use,
        sections=[] if in_use is None else _sections(in_use["policy"]),
        presets=presets,
        tried=tried,
        replayed=await _replayed(visit, tried) if tried else None,
    )


def _sections(policy: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, Any]]]]:
    """The settings by section; those of the policy itself first."""
    plain = [(name, value) for name, value in policy.items() if not isinstance(value, Mapping)]
    rest = [(name, list(value.items())) for name, value in policy.items() if isinstance(value, Mapping) and value]
    return [("policy", plain), *rest]


async def _replayed(visit: Visit, tried: str) -> dict[str, Any]:
    """The history decided again: of the visitor's own memories, or of all for the system."""
    try:
        found = await visit.call("policy.simulate", {"policy": tried})
    except Refused as refused:
        return {"problem": refused.problem}
    changes = found["changes"]
    return {
        "problem": None,
        "found": found,
        "kinds": Counter((one["was"]["verdict"], one["would"]["verdict"], one["would"]["reason"]) for one in changes),
        "changes": changes[:_SHOWN],
        "more": len(changes) - _SHOWN,
    }


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
    actions={"replay": replay, "use": use},
    done={"used": "That policy is in use now."},
)
