"""Recall lab: what a query brings, what each feature adds, where everything else was dropped, and the exact prompt.

All of it is `recall` with its counts, `context`, and `explain` for the memory that was expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.render import why
from memfort.surfaces.studio.visit import Refused, Visit

_HEIGHT = 44.0  # of a bar in the strip of stages
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "words": ("words",),
    "meaning": ("meaning",),
    "nearby": ("nearby_words", "nearby_meaning"),
    "about": ("about", "speaker"),
}
_WITHOUT_EMBEDDER = {"meaning": 0.0, "nearby_meaning": 0.0}
_AUDIENCE = frozenset(
    {
        "not_for_this_chat",
        "learned_in_private",
        "learned_outside",
        "provenance_unknown",
        "chat_not_registered",
        "not_portable",
        "not_a_reader",
        "not_a_participant",
    }
)
_OUT_OF_SIGHT = frozenset({"not_your_identity", "not_a_member", "not_where_you_stand", "public_read_only", "not_found"})
_NOT_ASKED = frozenset({"not_asked_for", "other_phase", "outside_asked_space"})
_STAGE_OF = {"no_match": "floor", "shown_once": "once", "below_limit": "limit", "tokens_full": "budget"}


class Stage(Struct, frozen=True):
    """One stage of a recall: how many came through, and what was dropped."""

    name: str
    title: str
    left: int
    dropped: tuple[tuple[str, int], ...]
    top: float  # of the bar, from above
    height: float
    dropped_height: float


_STAGES = {
    "sight": "In sight",
    "force": "In force",
    "audience": "Audience",
    "asked": "Asked for",
    "floor": "Floor",
    "once": "Shown once",
    "limit": "Limit",
    "budget": "Budget",
}


class Placed(Struct, frozen=True):
    """A hit of one of two runs, with its place in both."""

    item: Mapping[str, Any]
    score: float
    place: int
    other: int | None  # its place in the other run


class Branch(Struct, frozen=True):
    """One stage for the memory that was expected."""

    title: str
    state: str  # passed, stopped, unasked
    code: str = ""
    text: str = ""
    gauges: tuple[tuple[str, float, float, bool], ...] = ()  # name, reached, needed, whether more is needed


async def show(visit: Visit) -> Response:
    query = visit.get("q")
    if visit.is_system:
        return visit.page("recall_lab.html", state="system", query=query)
    if not query:
        return visit.page("recall_lab.html", state="empty", query=query)
    limit, budget = visit.number("limit", 10, 100), visit.number("budget", 1000, 100_000)
    try:
        first = await _run(visit, query, limit, as_of=visit.get("as_of") or None)
        prompt = await visit.call(
            "context",
            {"query": query, "limit": limit, "budget_tokens": budget, "as_of": visit.get("as_of") or None},
        )
    except Refused as refused:
        return visit.page("recall_lab.html", refused.status, state="refused", query=query, problem=refused.problem)
    return visit.page(
        "recall_lab.html",
        state="found",
        query=query,
        limit=limit,
        budget=budget,
        found=first,
        columns=[*_COLUMNS, "rest"],
        shares=[_shares(hit["features"]) for hit in first["hits"]],
        scale=_scale(first["hits"]),
        rest=_rest(first["hits"]),
        stages=_stages(first, prompt) if first["withheld"] is not None else [],
        prompt=_prompt(prompt, budget),
        expected=await _expected(visit, query, limit, budget),
        candidates=await _candidates(visit, first),
        second=await _second(visit, query, limit, first),
    )


async def _run(visit: Visit, query: str, limit: int, **more: Any) -> Any:
    explains = {} if more.get("as_of") else {"explain": True}  # of an earlier moment nothing is counted
    return await visit.call("recall", {"query": query, "limit": limit, **explains, **more})


# -- the hits --------------------------------------------------------------------------------------------------------


def _shares(features: Mapping[str, float]) -> dict[str, float]:
    """What each column adds to a score; the rest together is the last one."""
    named = {title: sum(features.get(name, 0.0) for name in parts) for title, parts in _COLUMNS.items()}
    return {**named, "rest": sum(features.values()) - sum(named.values())}


def _scale(hits: Iterable[Mapping[str, Any]]) -> float:
    """The largest share of all, so that bars can be compared."""
    return max((abs(share) for hit in hits for share in _shares(hit["features"]).values()), default=1.0) or 1.0


def _rest(hits: Iterable[Mapping[str, Any]]) -> list[str]:
    """The features that are counted together in the last column."""
    named = {name for parts in _COLUMNS.values() for name in parts}
    found = {name: None for hit in hits for name, share in hit["features"].items() if name not in named and share}
    return [name.replace("_", " ") for name in found]


# -- the stages ------------------------------------------------------------------------------------------------------


def _stages(found: Mapping[str, Any], prompt: Mapping[str, Any]) -> list[Stage]:
    dropped: dict[str, list[tuple[str, int]]] = {name: [] for name in _STAGES}
    for reason, count in found["withheld"].items():
        dropped[_stage_of(reason)].append((reason, count))
    if prompt["left_out"]:
        dropped["budget"].append(("tokens_full", prompt["left_out"]))
    left = len(found["hits"]) + sum(count for name in _STAGES for _, count in dropped[name] if name != "budget")
    most, stages = max(left, 1), []
    for name, title in _STAGES.items():
        before, left = left, left - sum(count for _, count in dropped[name])
        was, height = _bar(before, most), _bar(left, most)
        stages.append(Stage(name, title, left, tuple(dropped[name]), _HEIGHT - height, height, was - height))
    return [one for one in stages if one.dropped or one.name not in {"asked", "once"}]


def _stage_of(reason: str) -> str:
    if reason in _OUT_OF_SIGHT:
        return "sight"
    if reason in _AUDIENCE:
        return "audience"
    return "asked" if reason in _NOT_ASKED else _STAGE_OF.get(reason, "force")


def _bar(count: int, most: int) -> float:
    """Its height on a logarithmic scale; whatever is there at all can be seen."""
    return 0.0 if count <= 0 else max(3.0, _HEIGHT * log(1 + count) / log(1 + most))


# -- the prompt ------------------------------------------------------------------------------------------------------


def _prompt(found: Mapping[str, Any], budget: int) -> dict[str, Any]:
    """The exact text, line by line, with about how many tokens each has. A memory's line holds its quoted words."""
    numbers = {hit["item"]["id"]: place for place, hit in enumerate(found["hits"], start=1)}
    lines = []
    for line in found["text"].splitlines():
        place = next(
            (numbers[hit["item"]["id"]] for hit in found["hits"] if _begins(hit["item"]["text"]) in line), None
        )
        lines.append({"text": line, "place": place, "tokens": (len(line.encode()) + 4) // 4})
    frame = min(sum(one["tokens"] for one in lines if one["place"] is None), found["tokens"])
    shares, x = [], frame
    for one in lines:
        if one["place"] is not None:
            shares.append({"place": one["place"], "x": x, "tokens": one["tokens"]})
            x += one["tokens"]
    return {"found": found, "lines": lines, "frame": frame, "budget": budget, "shares": shares}


def _begins(text: str) -> str:
    """Enough of a memory's words to find its line in the prompt."""
    return " ".join(text.split())[:40]


# -- the one that was expected ---------------------------------------------------------------------------------------


async def _expected(visit: Visit, query: str, limit: int, budget: int) -> dict[str, Any] | None:
    id = visit.get("expect")
    if not id:
        return None
    asked = {"id": id, "query": query, "limit": limit, "budget_tokens": budget}
    try:
        found = await visit.call("explain", asked)
    except Refused as refused:
        return {"problem": refused.problem}
    if found["reason"] == "not_found":
        problem = {"title": "There is no such memory that you can see", "detail": None, "status": 404}
        return {"problem": problem}
    versions = await visit.call("history", {"id": id})
    item = next((one for one in versions if one["id"] == found["subject"]), versions[-1] if versions else None)
    stage = None if found["shown"] else _stage_of(found["reason"])
    return {
        "problem": None,
        "item": item,
        "found": found,
        "stage": stage,
        "branches": _branches(found, stage),
        "remedies": _remedies(visit, found, item, query),
    }


def _branches(found: Mapping[str, Any], stage: str | None) -> list[Branch]:
    names, branches = list(_STAGES), []
    for name, title in _STAGES.items():
        if stage is not None and names.index(name) > names.index(stage):
            branches.append(Branch(title, "unasked", text="Not reached."))
            continue
        is_stop = name == stage
        gauges = _gauges(found["ranking"]) if name == "floor" and found["ranking"] is not None else ()
        code = found["reason"] if is_stop else ""
        branches.append(Branch(title, "stopped" if is_stop else "passed", code, _text(found, name, is_stop), gauges))
    return branches


def _text(found: Mapping[str, Any], name: str, is_stop: bool) -> str:
    ranking = found["ranking"]
    if name == "limit" and ranking is not None and ranking["rank"] is not None:
        return f"Place {ranking['rank']} of {ranking['matches']} that match; at most {ranking['limit']} come."
    return why(found["reason"]) if is_stop else ""


def _gauges(ranking: Mapping[str, Any]) -> tuple[tuple[str, float, float, bool], ...]:
    """What was reached of what is needed. Of words it takes more, of the others as much."""
    reached, floor = ranking["reached"], ranking["floor"]
    return tuple(
        (
            name,
            reached[name],
            floor[name],
            reached[name] > floor[name] if name == "words" else reached[name] >= floor[name],
        )
        for name in ("words", "meaning", "evidence", "best")
        if name in reached and name in floor
    )


def _remedies(visit: Visit, found: Mapping[str, Any], item: Any, query: str) -> list[tuple[str, str]]:
    """What would bring it: a sentence, and a link that tries it."""
    reason, id, rank = found["reason"], found["subject"], (found["ranking"] or {}).get("rank")
    if reason == "no_match":
        words = [] if item is None else _words_of(item["text"], query)
        tries = [(f"Ask with a word that it has: {word}.", visit.here(q=f"{query} {word}")) for word in words]
        return tries or [("Ask with words that it has; its meaning is too far from the query.", "")]
    if reason in _AUDIENCE or reason in _OUT_OF_SIGHT:
        return [("See who may hear it, and in which room.", visit.url("two-people", why=id, who=visit.me, q=query))]
    budget = min(100_000, 2 * visit.number("budget", 1000, 100_000))
    known = {
        "below_limit": (f"Raise the limit to {rank}.", visit.here(limit=min(100, rank or 100))),
        "tokens_full": ("Give the prompt twice the tokens.", visit.here(budget=budget)),
        "superseded": ("Another one is in force in its place.", visit.url("memories", "memory", id=id)),
        "pending_review": ("A reviewer approves it.", visit.url("review")),
        "shown_once": ("Nothing is missing: another hit says the same, or is the turn that it comes from.", ""),
    }
    return [known[reason]] if reason in known else []


def _words_of(text: str, query: str) -> list[str]:
    """The longest words of a memory that the query does not have."""
    asked = {word.strip(".,;:!?\"'()").lower() for word in query.split()}
    words = dict.fromkeys(word.strip(".,;:!?\"'()") for word in text.split())
    return sorted((one for one in words if len(one) > 3 and one.lower() not in asked and one.isalpha()), key=len)[
        :-4:-1
    ]


async def _candidates(visit: Visit, found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Memories that did not come, the newest first: to be pointed at."""
    came = {hit["item"]["id"] for hit in found["hits"]}
    listed = await visit.call("list", {"limit": 60})
    return [one for one in listed["items"] if one["id"] not in came][:40]


# -- a second run ----------------------------------------------------------------------------------------------------


async def _second(visit: Visit, query: str, limit: int, first: Mapping[str, Any]) -> dict[str, Any] | None:
    """The same query with other weights, another policy's ranking, or at an earlier moment; and what differs."""
    tried = {"ranking": visit.get("ranking"), "weights": visit.get("weights"), "as_of": visit.get("then")}
    tried["embedder"] = visit.get("embedder") if visit.get("embedder") == "none" else ""
    at = visit.get("from")
    if not any(tried.values()) and not at:
        return None
    try:
        weights = {**_weights(tried["weights"]), **(_WITHOUT_EMBEDDER if tried["embedder"] else {})}
        second = await visit.call(
            "recall",
            {
                "query": query,
                "limit": limit,
                "ranking": tried["ranking"] or None,
                "weights": weights or None,
                "as_of": tried["as_of"] or None,
            },
            at=at or None,
        )
    except Refused as refused:
        return {"problem": refused.problem, "tried": tried}
    rows = _beside(first, second)
    moved = any(one is not None and one.other not in {None, one.place} for row in rows for one in row)
    return {"problem": None, "tried": tried, "rows": rows, "moved": moved, "words": _words_of_run(tried, at)}


def _words_of_run(tried: Mapping[str, str], at: str) -> str:
    """What is different in the second run."""
    words = {
        "weights": "weights {}",
        "ranking": "the ranking of {}",
        "embedder": "without the embedder",
        "as_of": "as of {}",
    }
    said = [words[name].format(value) for name, value in tried.items() if value]
    return ", ".join([*said, *([f"from {at}"] if at else [])])


def _weights(given: str) -> dict[str, float]:
    """`words=0, meaning=1.5`. What is no number is left to the verb to refuse."""
    parts = (part.strip().partition("=") for part in given.split(",") if part.strip())
    return {name.strip(): _number(value) for name, _, value in parts}


def _number(value: str) -> Any:
    try:
        return float(value)
    except ValueError:
        return value.strip()


def _beside(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[Placed | None, Placed | None]]:
    """Both runs place by place, each hit with its place in the other one."""
    runs = [[hit["item"]["id"] for hit in run["hits"]] for run in (first, second)]

    def placed(run: Mapping[str, Any], other: list[str], place: int) -> Placed | None:
        if place >= len(run["hits"]):
            return None
        hit = run["hits"][place]
        id = hit["item"]["id"]
        return Placed(hit["item"], hit["score"], place + 1, other.index(id) + 1 if id in other else None)

    return [
        (placed(first, runs[1], place), placed(second, runs[0], place))
        for place in range(max(map(len, runs), default=0))
    ]


PAGE = Page("recall", "Recall lab", show, group=0, key="l", on_phone=True)
