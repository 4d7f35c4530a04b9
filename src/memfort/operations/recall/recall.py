"""Find the memories that answer a query."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.indexing.missing_vectors import note_missing_vectors
from memfort.engine.inputs import query_of
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.errors import InvalidInput, did_you_mean
from memfort.model.item import Status
from memfort.model.reason import Reason, explanation
from memfort.model.results import Feature, Hit, Recall
from memfort.operations.explain import accounting
from memfort.operations.people.resolve.named_in_query import with_named_people
from memfort.operations.policy.policy_argument import PolicyGiven
from memfort.operations.read.filters import FilteredRequest, filter_of
from memfort.operations.recall.about_somebody import with_all_about
from memfort.operations.recall.as_of import about_as_of, columns_as_of, known_as_of
from memfort.operations.recall.briefing import briefing
from memfort.operations.recall.neighbours import with_neighbours
from memfort.operations.recall.recall_reasons import recall_reasons
from memfort.operations.recall.search import (
    RERANKED,
    bind_query,
    hits_of,
    read_index,
    rerank,
    score_columns,
    show_for,
)
from memfort.operations.recall.show_once import select_with_weak
from memfort.operations.recall.withheld_in_chat import withheld_in_chat
from memfort.operations.requests import AsOf, Limit, Text
from memfort.recall.overview import Overview, find_overview
from memfort.recall.rank import best_memories, break_ties
from memfort.recall.units import Show
from memfort.store.port import LIVE, position_of
from memfort.trail.public.builders import deterministic_hash

DEFAULT_LIMIT = 10
MOST_WEIGHT = 10.0


class RecallRequest(FilteredRequest, frozen=True, kw_only=True):
    """What to look for."""

    query: Annotated[
        Text, Meta(description="What to look for, in words. Without words: a briefing.", extra={"words": True})
    ] = ""
    limit: Annotated[Limit, Meta(description="How many at most.")] = DEFAULT_LIMIT
    as_of: Annotated[
        AsOf | None,
        Meta(
            description="What was known then: a time in ISO 8601 with a zone, or the end of a phase (`phase-1`).",
            extra={"metavar": "WHEN"},
        ),
    ] = None
    ranking: Annotated[
        PolicyGiven | None,
        Meta(description="Weigh memories as this policy would. Of it only `[recall]` counts, never who may see what."),
    ] = None
    weights: Annotated[
        dict[str, float] | None,
        Meta(description="Weigh them with these weights, by feature; the others stay.", extra={"most": len(Feature)}),
    ] = None
    weak: Annotated[
        bool, Meta(description="Fill up an answer of few hits with weak ones, which are marked and come last.")
    ] = True
    explain: Annotated[bool, Meta(description="Show the features of each, and count withheld memories by reason.")] = (
        False
    )


class _Answer(NamedTuple):
    """The result of a search, before reranking."""

    hits: list[Hit]
    damaged: tuple[str, ...] = ()
    withheld: dict[str, int] | None = None


def handle(session: Session, request: RecallRequest) -> Recall:
    """The memories in sight that answer the query: the most specific level first, each level ranked. Without a match
    the answer is empty."""
    query = query_of(request.query)
    if request.explain and request.as_of is not None:
        raise InvalidInput("explain", "`as_of` is given too", "withheld memories are counted only for the present")
    with session.engine.embedding.collect_notes() as warnings:
        with session.view() as whole:
            view = with_named_people(_weighed(whole, request).within(request.space), query)
            answer = _answer(view, request)
            withheld = _withheld_in_chat(view, request, answer)
        # A reranker may be a remote server: it is called after the snapshot of the store is released.
        is_briefing = any(hit.section for hit in answer.hits)
        ranked = answer.hits if is_briefing else [hit for _, hit in rerank(view, query, answer.hits)]
        hits = tuple(ranked[: request.limit])
    warnings += withheld
    if view.sight.is_in_unregistered_chat:
        warnings.append(explanation(Reason.CHAT_NOT_REGISTERED))
    hash = deterministic_hash([hit.item for hit in hits])
    _record(view, request, hits, hash)
    session.call.note_query(query)
    return Recall(query, hits, session.call.trace, hash, answer.damaged, tuple(warnings), answer.withheld)


def _weighed(view: View, request: RecallRequest) -> View:
    """The view with the weights and the floor that are tried, if any are."""
    if request.ranking is None and request.weights is None:
        return view
    ranking = view.ranking if request.ranking is None else request.ranking.policy.recall
    known = {feature.value: feature for feature in Feature}
    for name, weight in (request.weights or {}).items():
        if name not in known:
            raise InvalidInput("weights", f"`{name}` is not a feature", did_you_mean(name, known))
        if not -MOST_WEIGHT <= weight <= MOST_WEIGHT:
            raise InvalidInput("weights", f"`{name}` is out of range", f"give a number of at most {MOST_WEIGHT:g}")
    given = {known[name]: weight for name, weight in (request.weights or {}).items()}
    return view.ranked_by(replace(ranking, weights={**ranking.weights, **given}))


def _withheld_in_chat(view: View, request: RecallRequest, answer: _Answer) -> list[str]:
    """Whether the chat hears only a part of what matches now. An answer that is full says enough."""
    is_search = request.as_of is None and request.query.strip() and not any(hit.section for hit in answer.hits)
    if not is_search or len(answer.hits) >= request.limit:
        return []
    strong = sum(not hit.weak for hit in answer.hits)
    return withheld_in_chat(view, request.query, filter_of(view, request), strong)


def _answer(view: View, request: RecallRequest) -> _Answer:
    if request.as_of is not None:
        return _search_as_of(view, request, request.as_of)
    overview = find_overview(request.query)
    return _search(view, request) if overview is None else _brief(view, request, overview)


def _brief(view: View, request: RecallRequest, overview: Overview) -> _Answer:
    """What is known, in sections. Nothing is searched for, so nothing is counted as withheld."""
    is_asked = bool(request.query.strip())
    hits = briefing(view, overview, filter_of(view, request), request.limit, is_asked=is_asked)
    if view.context.overdue:
        view.sweep_later()
    return _Answer(hits, tuple(view.context.quarantined))


def _search(view: View, request: RecallRequest) -> _Answer:
    filter = filter_of(view, request)
    columns, query = read_index(view, request.query)
    totals = score_columns(view, columns, query, show_for(filter))
    note_missing_vectors(view.engine, columns)
    reach, most_weak = _reach(view, request.limit), min(request.limit, _most_weak(view, request))
    found, history = select_with_weak(view, totals, reach, filter, request.query, most_weak)
    withheld = None
    if request.explain:
        withheld = accounting.withheld(view, columns, totals, found.chosen[: request.limit], filter, request.query)
    if view.context.overdue:
        view.sweep_later()
    damaged = (*found.damaged, *view.context.quarantined)  # no word finds the latter: they may be what was looked for
    hits = hits_of(view, found.items, found.chosen)
    handles = {hit.id: one.handle for hit, one in zip(hits, found.chosen, strict=True)}
    if filter is LIVE:
        hits = with_all_about(view, request.query, hits, reach)
    return _Answer(with_neighbours(view, hits, handles, history), damaged, withheld)


def _search_as_of(view: View, request: RecallRequest, as_of: AsOf) -> _Answer:
    """The same as of an earlier moment or phase."""
    wanted = replace(filter_of(view, request), statuses=frozenset({Status.APPROVED, Status.SUPERSEDED}))
    known = [item for item in known_as_of(view, as_of) if wanted.admits(item, view.now)]
    columns = columns_as_of(view, known)
    query = bind_query(view, columns, request.query, lambda persons: about_as_of(known, persons))
    places = {position: position_of(item) for position, item in enumerate(known)}
    totals, step = score_columns(view, columns, query, Show.ONE), view.ranking.step
    if totals is None:
        return _Answer([])
    chosen = break_ties(best_memories(totals, len(known) + 1, step), places, _reach(view, request.limit), step)
    room = min(request.limit, _most_weak(view, request)) - len(chosen)
    if room > 0 and not totals.needs_no_more:
        strong = {one.handle for one in chosen}
        weak = break_ties(best_memories(totals.weak(), len(known) + 1, step), places, len(known), step)
        chosen += [replace(one, weak=True) for one in weak if one.handle not in strong][:room]
    return _Answer(hits_of(view, dict(enumerate(known)), chosen))


def _most_weak(view: View, request: RecallRequest) -> int:
    return view.ranking.weak if request.weak else 0


def _reach(view: View, limit: int) -> int:
    """How many to select: as many as are asked for, or with a reranker all that it scores."""
    return max(limit, RERANKED) if view.engine.embedding.has_reranker else limit


def _beside(hits: tuple[Hit, ...]) -> list[list[Any]]:
    """The turns that are shown with a hit and are none themselves: id, id of the hit, level and reason of each."""
    found = {hit.id for hit in hits}
    turns = {turn.id: hit for hit in reversed(hits) for turn in hit.around if turn.id not in found}
    return [[id, hit.id, hit.level, Reason.BESIDE_A_HIT] for id, hit in turns.items()]


def _record(view: View, request: RecallRequest, hits: tuple[Hit, ...], hash: str) -> None:
    detail: dict[str, Any] = {
        "limit": request.limit,
        "hash": hash,
        "recalled": [[hit.item.id, hit.score, hit.level, recall_reasons(hit)] for hit in hits],
        "consulted": list(dict.fromkeys([str(seen.space.primary) for seen in view.sight.spaces])),
    }
    if beside := _beside(hits):
        detail["beside"] = beside
    if view.ranking is not view.policy.recall:
        detail["weighed_otherwise"] = True
    if request.space is not None and not view.sight.spaces:
        detail["refused"] = view.space_of(request.space).primary.value
    is_briefing = any(hit.section for hit in hits)
    reason = Reason.BRIEFING if is_briefing else Reason.MATCHES_QUERY if hits else Reason.NO_MATCH
    digest = view.store.keys.digest(request.query)
    view.engine.note_read(view.recorder.actor_event("recall", "allowed", reason, detail, digest))
