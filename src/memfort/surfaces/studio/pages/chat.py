"""Chat: a small box with a scripted assistant, and beside each message what was learned, replaced and withheld, and
why.

The assistant is a few sentences of this module, no model: it says what a recall brings where one stands. What is
learned goes through `observe`, which uses an extractor where one is configured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.pages.two_people import row_of
from memfort.surfaces.studio.visit import Refused, Visit

_HITS = 5
_STATEMENTS = 100  # among which those of a turn are found
_CONVERSATION = "studio"


class Learned(Struct, frozen=True):
    """A statement of a message, and what became of it."""

    state: str  # in_force, pending, duplicate, outranked, refused
    reason: str
    item: Mapping[str, Any] | None
    replaced: tuple[Mapping[str, Any], ...] = ()


class Said(Struct, frozen=True):
    """A message of the conversation, and what was learned from it."""

    turn: Mapping[str, Any]
    learned: Sequence[Learned]

    @property
    def is_mine(self) -> bool:
        return bool(self.turn["origin"] == "user")


async def show(visit: Visit) -> Response:
    if visit.is_system:
        return visit.page("chat.html", state="system")
    return await _page(visit)


async def _page(visit: Visit, exchange: Mapping[str, Any] | None = None) -> Response:
    try:
        turns = await visit.call("window", {"conversation": _CONVERSATION})
    except Refused as refused:
        return visit.page("chat.html", refused.status, state="refused", problem=refused.problem)
    listed = await visit.call("list", {"limit": _STATEMENTS, "statuses": ["approved", "pending"]}) if turns else {}
    statements = [one for one in listed.get("items", []) if one.get("evidence")]
    return visit.page(
        "chat.html",
        state="shown",
        said=[Said(turn, [_as_listed(one) for one in statements if _is_of(one, turn)]) for turn in turns],
        exchange=exchange,
        message_id=token_hex(8),
    )


def _is_of(statement: Mapping[str, Any], turn: Mapping[str, Any]) -> bool:
    evidence = statement["evidence"]
    return turn["id"] in {evidence["turn"], (evidence["composed"] or {}).get("turn")}


def _as_listed(statement: Mapping[str, Any]) -> Learned:
    state = "in_force" if statement["status"] == "approved" else "pending"
    return Learned(state, str(statement["status_reason"]), statement)


# -- a message -------------------------------------------------------------------------------------------------------


async def say(visit: Visit) -> Response:
    """What the assistant was given for it, what was learned from it, and the answer, which is part of the conversation
    too. A message that is sent twice is learned once, by its id."""
    text = visit.field("message").strip()
    if not text:
        return await _page(visit)
    given = await visit.call("recall", {"query": text, "limit": _HITS, "explain": True})
    observed = await _observe(visit, "user", text, visit.field("id"))
    message = observed["messages"][0]
    answer = _answer(message, given, text)
    await _observe(visit, "assistant", answer, f"{visit.field('id')}-answer")
    exchange = {
        "text": text,
        "answer": answer,
        "turn": message["turn"],
        "learned": [_learned(one, message["ended"]) for one in message["statements"]],
        "taken_back": [one["item"] for one in message["ended"] if one["reason"] == "retracted"],
        "demoted": message["demoted"],
        "may_replace": len(message["may_replace"]),
        "hits": given["hits"],
        "withheld": await _withheld(visit, text, given),
        "unmatched": (given["withheld"] or {}).get("no_match", 0),
        "trace": observed["trace"],
    }
    return await _page(visit, exchange)


async def _observe(visit: Visit, role: str, text: str, id: str) -> Any:
    message = {"role": role, "content": text, "id": id}
    return await visit.call("observe", {"messages": [message], "conversation": _CONVERSATION})


def _learned(outcome: Mapping[str, Any], ended: Sequence[Mapping[str, Any]]) -> Learned:
    """A statement as it was decided, with what gave way to it."""
    item = outcome["item"]
    replaced = tuple(one["item"] for one in ended if item is not None and one["by"] == item["id"])
    return Learned(outcome["state"], outcome["decision"]["reason"], item, replaced)


async def _withheld(visit: Visit, query: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was not said, and why. In a chat everybody hears a count too, so a recall there gives none of what the room
    may not hear: it is asked from outside, for the visitor alone."""
    counts = {name: count for name, count in (given["withheld"] or {}).items() if name != "no_match"}
    chat = visit.places.get("chat")
    if chat is None:
        return {"counts": counts, "memories": []}
    outside = ", ".join(f"{level}={id}" for level, id in visit.places.items() if level != "chat")
    asked = {"query": query, "viewers": [visit.me], "chat": chat, "limit": _HITS}
    try:
        found = await visit.call("compare", asked, at=outside)
    except Refused:
        return {"counts": counts, "memories": []}
    rows = [row_of(found, one, lambda memory, who: _why(visit, memory, who, chat)) for one in found["memories"]]
    return {
        "counts": {},
        "memories": [(row.memory["item"], cell) for row in rows for cell in row.cells.values() if cell.shown is False],
    }


def _why(visit: Visit, memory: str, who: str, chat: str) -> str:
    return visit.url("two-people", why=memory, who=who, chat=chat)


def _answer(message: Mapping[str, Any], given: Mapping[str, Any], text: str) -> str:
    """What the scripted assistant says."""
    if message["turn"]["state"] == "refused":
        return "I did not keep that."
    strong = [hit["item"]["text"] for hit in given["hits"] if not hit["weak"]]
    weak = [hit["item"]["text"] for hit in given["hits"] if hit["weak"]]
    learned = [one for one in message["statements"] if one["state"] in {"in_force", "pending"}]
    if learned and "?" not in text:
        return "Noted." if learned[0]["state"] == "in_force" else "Noted. Somebody has to approve it first."
    if strong:
        return "Here is what I may say here. " + " ".join(strong)
    if weak:
        return "Perhaps this. " + " ".join(weak)
    return "I know nothing about that that I may say here." if "?" in text else "I see."


PAGE = Page("chat", "Chat", show, group=2, key="c", actions={"say": say})
