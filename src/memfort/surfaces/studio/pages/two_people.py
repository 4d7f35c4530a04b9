"""Same question, two people: what each gets in one room, memory by memory, and why.

All of it is one `compare` of the visitor's own memories. What only the other one has is asked with the other's own
`recall`, and only when the visitor wants it and the credential may act for them: then it is in their trail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.render import names, why
from memfort.surfaces.studio.visit import Refused, Visit

_MOST = 20
_NOBODY_JUDGED = ("not_classified", "language_not_supported")


class Seat(Struct, frozen=True):
    """Somebody who is in the room, or could be."""

    name: str
    is_taken: bool
    note: str


class Cell(Struct, frozen=True):
    """What one viewer gets of one memory."""

    viewer: str
    shown: bool | None
    code: str
    sentence: str
    short: str
    href: str


class Row(Struct, frozen=True):
    """A memory, and what each viewer gets of it."""

    memory: Mapping[str, Any]
    cells: Mapping[str, Cell]


class Branch(Struct, frozen=True):
    """One question of the decision tree."""

    question: str
    state: str  # passed, stopped, unasked
    code: str = ""
    text: str = ""
    ears: tuple[tuple[str, str, bool], ...] = ()  # listener, what they are here, whether they decide


async def show(visit: Visit) -> Response:
    if visit.is_system:
        return visit.page("two_people.html", ask_who=True)
    me, other, chat = visit.me, visit.get("b"), _chat(visit)
    listeners = visit.get_all("room") or None  # nobody named: whoever takes part
    viewers = list(dict.fromkeys([me, *([other] if other else []), *(listeners or [])]))[:20]
    asked: dict[str, Any] = {"query": visit.get("q"), "viewers": viewers, "listeners": listeners, "chat": chat}
    asked["limit"] = visit.number("limit", _MOST, 100)
    members = await _members(visit, chat)
    try:
        found = await _compare(visit, asked, members)
    except Refused as refused:
        return visit.page(
            "two_people.html",
            refused.status,
            ask_who=False,
            problem=refused.problem,
            **_form(visit, other, chat, [], members),
        )
    if not other:
        other = next((one for one in found["listeners"] if one != me), "")
    return visit.page(
        "two_people.html",
        ask_who=False,
        problem=None,
        **_form(visit, other, chat, found["listeners"], members),
        **_answers(visit, found, me, other),
        others=await _only_theirs(visit, found, other, chat),
    )


def _chat(visit: Visit) -> str | None:
    """The chat that is meant: what is asked is asked from outside of it, so that only the visitor hears the answer."""
    return visit.get("chat") or (None if visit.has("chat") else visit.places.get("chat"))


def _outside(visit: Visit) -> str:
    return ", ".join(f"{level}={id}" for level, id in visit.places.items() if level != "chat")


async def _members(visit: Visit, chat: str | None) -> list[str]:
    """Who takes part in the chat: a participant may know."""
    if chat is None:
        return []
    found = await visit.call("member.list", {"group": {"chat": chat}}, at="")
    return [one["id"] for one in found["members"] if one["kind"] == "user"]


async def _compare(visit: Visit, asked: dict[str, Any], members: Iterable[str]) -> Any:
    """The comparison for everybody in the room. Whoever takes part in the chat asks too."""
    if asked["listeners"] is None:
        asked = {**asked, "viewers": list(dict.fromkeys([*asked["viewers"], *members]))[:20]}
    found = await visit.call("compare", asked, at=_outside(visit))
    id = visit.get("why")
    if id and id not in {one["item"]["id"] for one in found["memories"]}:  # one that is pointed at comes in any case
        pointed = await visit.call("compare", {**asked, "ids": [id], "query": ""}, at=_outside(visit))
        found["memories"] = [*pointed["memories"], *found["memories"]]
    return found


def _form(visit: Visit, other: str, chat: str | None, listeners: list[str], members: list[str]) -> dict[str, Any]:
    """What the visitor may change: who else, and who is in the room."""
    known = list(dict.fromkeys([visit.me, *([other] if other else []), *members, *listeners, *visit.get_all("room")]))
    seats = [Seat(one, one in listeners, _note(visit, one, members, chat)) for one in known]
    return {"other": other, "chat": chat, "seats": seats, "people": [one for one in known if one != visit.me]}


def _note(visit: Visit, one: str, members: list[str], chat: str | None) -> str:
    if one == visit.me:
        return "you" if one == visit.holder else "you look as them"
    if one.startswith("agent:"):
        return "your agent"
    if chat is None:
        return "another person"
    return "takes part" if one in members else "not in this chat"


# -- the answers -----------------------------------------------------------------------------------------------------


def _answers(visit: Visit, found: Mapping[str, Any], me: str, other: str) -> dict[str, Any]:
    rows = [row_of(found, one, lambda memory, who: visit.here(why=memory, who=who)) for one in found["memories"]]
    opened = _opened(visit, rows, me, other)
    matrix = found["listeners"] or list(dict.fromkeys([me, *([other] if other else [])]))
    return {
        "rows": rows,
        "columns": [me, other] if other else [me],
        "matrix": [one for one in matrix if one in found["viewers"]],
        "room": found["room"],
        "listeners": found["listeners"],
        "has_more": found["has_more"],
        "got": {one: sum(1 for row in rows if one in row.cells and row.cells[one].shown) for one in found["viewers"]},
        "both": sum(1 for row in rows if other and row.cells[me].shown and row.cells[other].shown),
        "unsaid": [row for row in rows if other and row.cells[other].shown is False],
        "untold": [row for row in rows if other and row.cells[other].shown is None],
        "tree": None if opened is None else _tree(found, *opened),
    }


def row_of(found: Mapping[str, Any], memory: Mapping[str, Any], address: Callable[[str, str], str]) -> Row:
    """What each viewer gets of a memory; `address` is where one reads why."""
    cells = {}
    for verdict in memory["verdicts"]:
        viewer, id = verdict["viewer"], memory["item"]["id"]
        cells[viewer] = Cell(
            viewer,
            verdict["shown"],
            verdict["reason"] if verdict["shown"] is not None else "not_told",
            sentence_of(memory, verdict, found),
            _short(verdict, viewer),
            address(id, viewer),
        )
    return Row(memory, cells)


def _opened(visit: Visit, rows: list[Row], me: str, other: str) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """The memory and the verdict that the decision tree shows: the one that was asked for, or the most telling."""
    verdicts = [(row.memory, verdict) for row in rows for verdict in row.memory["verdicts"]]
    wanted = [
        pair for pair in verdicts if (pair[0]["item"]["id"], pair[1]["viewer"]) == (visit.get("why"), visit.get("who"))
    ]
    withheld = [pair for pair in verdicts if pair[1]["viewer"] in {me, other} and pair[1]["shown"] is False]
    decided = [pair for pair in withheld if pair[1]["decided_by"]]
    shown = [pair for pair in verdicts if pair[1]["shown"] is not None]
    return next(iter([*wanted, *decided, *withheld, *shown]), None)


def person(id: str | None) -> str:
    return (id or "").removeprefix("@")


def _name(one: str) -> str:
    one = one.removeprefix("agent:")
    return one[:1].upper() + one[1:]


def sentence_of(memory: Mapping[str, Any], verdict: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Why, in a sentence about these people. Only what the verdict says is in it."""
    if verdict["shown"] is None:
        return "You may read it and not change it, so who else gets it is not told."
    viewer, item, reason = verdict["viewer"], memory["item"], verdict["reason"]
    place = " + ".join(f"{level}={id}" for level, id in item["space"].items())
    sentences = {
        "not_your_identity": f"It is in {item['space'].get('user', 'somebody')}’s own space.",
        "not_a_member": f"{_name(viewer)} is not a member where it lives, in {place}.",
        "not_where_you_stand": f"{_name(viewer)} does not stand where it lives, in {place}.",
        "not_a_participant": f"{_name(viewer)} is not in this chat.",
        "not_a_reader": f"Its reader list does not name {viewer}.",
    }
    if reason in sentences:
        return sentences[reason]
    if reason == "not_for_this_chat":
        return _room_sentence(memory, verdict, found)
    if reason == "learned_in_private":
        absent = _absent(memory, found["listeners"])
        return "It was said in a private chat" + (f", and {names(absent)} was not there." if absent else ".")
    return why(reason)


def _room_sentence(memory: Mapping[str, Any], verdict: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Why a room may not hear it: somebody is not among its readers, or how private it is."""
    decided, readers = verdict["decided_by"], memory["item"]["readers"]["users"]
    if readers is None or not decided:
        return _level_sentence(memory, verdict, found)
    listen = "listens" if len(decided) == 1 else "listen"
    return f"{_name(names(decided))} {listen}, and its reader list does not name {names(decided)}."


def _level_sentence(memory: Mapping[str, Any], verdict: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    item, decided = memory["item"], verdict["decided_by"]
    judged = (item.get("judgement") or {}).get("reason") not in _NOBODY_JUDGED
    about = names([person(one) for one in item["subjects"] if one.startswith("@")])
    if not judged:
        absent = _absent(memory, found["listeners"])
        begins = f"{_name(names(absent))} was not there when it was said. " if absent else ""
        first = f"{begins}Nobody has judged how private it is, so it counts as personal."
    elif item["sensitivity"] == "public":
        first = "It is public, but not everybody who listens has a reason to hear it."
    else:
        place = {"group": "in a group", "private": "in this chat"}.get(found["room"], "here")
        first = f"It is {item['sensitivity']}{f', and about {about}' if about else ''}. It is not said {place}."
    return first if not decided else f"{first} {_name(names(decided))} decides it."


def _absent(memory: Mapping[str, Any], listeners: list[str]) -> list[str]:
    """Who listens and was not there when it was said, as far as the visitor may know."""
    were_there = memory["were_there"]
    return [] if were_there is None else [one for one in listeners if one not in were_there and ":" not in one]


def _short(verdict: Mapping[str, Any], viewer: str) -> str:
    """Half a sentence, for the matrix."""
    if verdict["shown"] is None:
        return "not told"
    if verdict["shown"]:
        return {"visible": "may hear it", "about_person": "it is about them"}.get(verdict["reason"], "gets it")
    if verdict["decided_by"]:
        return f"{names(verdict['decided_by'])} decides"
    stopped = next((one["name"] for one in verdict["steps"] if one["passed"] is False), "")
    return {
        "room": "not in the chat",
        "sight": "not in sight",
        "readers": "not on its list",
        "force": "not in force",
    }.get(stopped, f"{viewer} may not")


# -- the decision tree -----------------------------------------------------------------------------------------------


def _tree(found: Mapping[str, Any], memory: Mapping[str, Any], verdict: Mapping[str, Any]) -> dict[str, Any]:
    steps = {one["name"]: one for one in verdict["steps"]}
    is_alone = found["room"] == "alone"
    branches = [
        _branch(found, memory, verdict, steps.get(name)) for name in _QUESTIONS if not (name == "room" and is_alone)
    ]
    match = Branch("Does it match the question?", "passed" if verdict["shown"] else "unasked", "matches_query")
    is_asked = bool(found["query"])
    return {
        "memory": memory,
        "verdict": verdict,
        "viewer": verdict["viewer"],
        "branches": [one for one in branches if one is not None] + ([match] if is_asked else []),
        "changes": _changes(memory, verdict),
    }


_QUESTIONS = ("room", "sight", "readers", "listeners", "force")


def _branch(
    found: Mapping[str, Any], memory: Mapping[str, Any], verdict: Mapping[str, Any], step: Mapping[str, Any] | None
) -> Branch | None:
    if step is None:  # it was shown by another way, and this was not asked
        return None
    viewer, readers = verdict["viewer"], memory["item"]["readers"]["users"]
    question = {
        "room": f"Does {viewer} take part in this chat?",
        "sight": f"Is it in {viewer}’s sight?",
        "readers": "Does it have a reader list?" if readers is None else "Does its reader list name who asks?",
        "listeners": "May only you hear it?" if found["room"] == "alone" else "May this room hear it?",
        "force": "Is it in force?",
    }[step["name"]]
    if found["room"] == "alone" and step["name"] == "listeners":
        question = f"May {viewer} hear it, alone?"
    if step["passed"] is None:
        return Branch(question, "unasked", "", "Not asked. The first no decides.")
    state = "passed" if step["passed"] else "stopped"
    ears = _ears(found, memory, verdict) if step["name"] == "listeners" and found["room"] != "alone" else ()
    if step["name"] == "readers" and step["passed"]:
        text = "No list, so no limit from it." if readers is None else f"It names {names(list(readers))}."
        return Branch(question, state, "", text)
    text = sentence_of(memory, verdict, found) if state == "stopped" else why(step["reason"])
    return Branch(question, state, step["reason"], text, ears)


def _ears(
    found: Mapping[str, Any], memory: Mapping[str, Any], verdict: Mapping[str, Any]
) -> tuple[tuple[str, str, bool], ...]:
    decided, were_there = verdict["decided_by"], memory["were_there"]
    ears = []
    for one in found["listeners"]:
        if one == verdict["viewer"]:
            note = "asks"
        elif were_there is None or not memory["item"]["learned_in"]:
            note = "listens"
        else:
            note = "was there" if one in were_there else "was not there then"
        ears.append((one, f"{note}, and decides it" if one in decided else note, one in decided))
    return tuple(ears)


def _changes(memory: Mapping[str, Any], verdict: Mapping[str, Any]) -> list[str]:
    """What would bring it, or withhold it. What was tried by the engine stands first."""
    if verdict["shown"]:
        return [
            "Somebody listens who may not hear it: add them to the room and see.",
            "Or it is judged to be more private.",
        ]
    item, viewer = memory["item"], verdict["viewer"]
    owner = _name(item["space"].get("user", "its owner"))
    unjudged = (item.get("judgement") or {}).get("reason") in _NOBODY_JUDGED
    public = "Whoever said it says that it is public: correct(sensitivity=…). Nobody else can."
    sayings = {
        "without_listener": "{viewer} asks where {who} does not listen.",
        "alone": "{viewer} asks alone, outside any chat.",
        "asked_by": "{who_} asks in this room: {who} gets it.",
        "judged_public": "Somebody judges it to be public: in review, or the encoder." if unjudged else public,
    }
    found = [
        sayings[one["name"]].format(viewer=_name(viewer), who=one["who"], who_=_name(one["who"]))
        for one in verdict["remedies"]
    ]
    more = {
        "not_your_identity": f"{owner} promotes it to a space that {viewer} reads.",
        "not_a_reader": f"Somebody who may change it adds {viewer} to its reader list.",
        "not_a_member": f"An owner of that group adds {viewer}.",
        "not_where_you_stand": f"{_name(viewer)} asks from there.",
        "not_a_participant": f"{_name(viewer)} joins the chat. What was said before stays with those who were there.",
        "learned_in_private": "Whoever said it says it here, or agrees to promote it.",
        "pending_review": "A reviewer approves it.",
    }
    return [*found, *([more[verdict["reason"]]] if verdict["reason"] in more else [])]


# -- what only the other one has -------------------------------------------------------------------------------------


async def _only_theirs(visit: Visit, found: Mapping[str, Any], other: str, chat: str | None) -> Any:
    """What the other one gets that the visitor does not see: only when it is wanted, and recorded in their trail."""
    if not other or not visit.get("own") or not visit.may("act_for") or other.startswith("agent:"):
        return None
    is_real = chat is not None and not visit.has("room")
    at = _outside(visit) + (f", chat={chat}" if is_real else "")
    try:
        theirs = await visit.call(
            "recall", {"query": found["query"], "limit": _MOST}, looks_as=other, at=at.removeprefix(", ")
        )
    except Refused as refused:
        return {"problem": refused.problem, "hits": []}
    known = {one["item"]["id"] for one in found["memories"]}
    return {"problem": None, "hits": [one for one in theirs["hits"] if one["item"]["id"] not in known]}


PAGE = Page("two-people", "Same question, two people", show, group=0, key="b", short="Two people", on_phone=True)
