"""Account for a recall: why a memory was returned or not, and how many were withheld for which reason.

It runs the same steps as a recall, over the same sight, so its answer agrees with the recall's. It is a separate module
because only callers who ask why should pay for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from memfort.engine.engine import ALL_STATES
from memfort.engine.lifecycle.copies import is_void
from memfort.engine.view import View
from memfort.model.item import Item, Status, out_of_force
from memfort.model.reason import Reason
from memfort.model.results import Hit, Ranking
from memfort.operations.explain.question import Question
from memfort.operations.recall.briefing import briefing
from memfort.operations.recall.search import (
    floor_of,
    hits_of,
    read_index,
    redact_hit,
    rerank,
    rounded_features,
    score_columns,
    show_for,
)
from memfort.operations.recall.show_once import select_once, select_with_weak
from memfort.operations.recall.turn_history import TurnHistory
from memfort.recall.bind_query import BoundQuery
from memfort.recall.overview import Overview, find_overview
from memfort.recall.rank import NOT_MEASURED, RankedLayers, ScoredMemory, measure_memory
from memfort.recall.render import count_fence_tokens, count_item_tokens, fit_hits
from memfort.store.port import Filter, position_of
from memfort.store.port.values.columns import Columns


class Account(NamedTuple):
    """The result for one memory in a recall."""

    reason: Reason
    ranking: Ranking | None
    lines: list[str]


def account(view: View, item: Item, question: Question) -> Account:
    """The result for a memory in the actor's sight, when the actor asks this query."""
    view = view.within(question.space)
    if not view.sight.admits(item):
        return Account(Reason.OUTSIDE_ASKED_SPACE, None, [])
    if unmet := _unmet(view, question.filter, item):
        return Account(Reason.NOT_ASKED_FOR, None, [f"  it is of other {', '.join(unmet)}"])
    if (overview := find_overview(question.query)) is not None:
        return _account_briefing(view, item, question, overview)
    return _account_search(view, item, question)


def _account_search(view: View, item: Item, question: Question) -> Account:
    everything = recall_without_limit(view, question)
    ranking = _ranking(view, everything, item, question.limit)
    if ranking.rank is None:
        is_folded = bool(everything.folded) and _handle(view, everything.columns, item) in everything.folded
        return Account(Reason.SHOWN_ONCE if is_folded else Reason.NO_MATCH, ranking, _lines(ranking))
    if ranking.rank > question.limit:
        return Account(Reason.BELOW_LIMIT, ranking, _lines(ranking))
    hits = everything.hits[: question.limit]
    hit = hits[ranking.rank - 1]
    kept = hits if question.budget_tokens is None else fit_hits(hits, question.budget_tokens)
    if any(one is hit for one in kept):
        return Account(hit.reason, ranking, _lines(ranking))
    return Account(Reason.TOKENS_FULL, ranking, [*_lines(ranking), _room_reason(hit, len(kept), question)])


def _account_briefing(view: View, item: Item, question: Question, overview: Overview) -> Account:
    is_asked = bool(question.query.strip())
    hits = briefing(view, overview, question.filter, question.limit, is_asked=is_asked)
    kept = hits if question.budget_tokens is None else fit_hits(hits, question.budget_tokens)
    hit = next((one for one in hits if (one.id, one.item.space) == (item.id, item.space)), None)
    if hit is None:
        return Account(Reason.NO_MATCH, None, ["  an overview is asked for, and it is not in it"])
    reason = Reason.BRIEFING if any(one is hit for one in kept) else Reason.TOKENS_FULL
    return Account(reason, None, [f"  an overview is asked for; it is among its {hit.section}"])


def _room_reason(hit: Hit, others: int, question: Question) -> str:
    """Why a hit does not fit. The fence is mentioned, or the numbers would not add up: 15 tokens do not fit into 30."""
    among = f"{others} other is" if others == 1 else f"{others} others are"
    needs = f"it takes about {count_item_tokens(hit.item)} tokens and the fence {count_fence_tokens()}"
    return f"  {needs}, of {question.budget_tokens}, and {among} in"


def withheld(
    view: View,
    columns: Sequence[Columns],
    totals: RankedLayers | None,
    chosen: Sequence[ScoredMemory],
    filter: Filter,
    query: str,
) -> dict[str, int]:
    """How many memories were not returned, by the reason that `explain` would give for each. Memories not in force are
    counted only if the asker could change them; memories out of the asker's sight are not counted."""
    came, matching = {one.handle for one in chosen}, _matching(totals)
    once = select_once(view, totals, len(matching), filter, query, TurnHistory(view, filter))
    folded = once.folded | _left_out(totals)
    counts = Counter(
        Reason.SHOWN_ONCE if handle in folded else _why_not(view, filter, item, matches=handle in matching)
        for handle, item in view.store.items_by_handle(view.sight, _shown(columns)).items()
        if handle not in came
    )
    counts += Counter(
        out_of_force(item, view.now)
        for item in view.engine.all_items(view.sight.writable, ALL_STATES)
        if view.may_list(item) and (item.status is not Status.PENDING or not is_void(view.engine, item))
    )
    return {reason.value: count for reason, count in sorted(counts.items(), key=str) if reason is not None}


def _why_not(view: View, filter: Filter, item: Item, *, matches: bool) -> Reason | None:
    """Why a memory in force was not returned. `None`: it belongs to an earlier phase of a space where the asker may not
    write, and is not counted."""
    if not view.is_current(item):
        seen = view.sight.seen(item.space)
        return Reason.OTHER_PHASE if seen is not None and seen.writable else None
    if _unmet(view, filter, item):
        return Reason.NOT_ASKED_FOR
    return Reason.BELOW_LIMIT if matches else Reason.NO_MATCH


def _unmet(view: View, filter: Filter, item: Item) -> list[str]:
    """The fields of the filter that a memory, as shown, does not match."""
    shown = redact_hit(view, item)
    met = {
        "kinds": filter.kinds is None or shown.kind in filter.kinds,
        "types": filter.types is None or shown.type in filter.types,
        "tags": filter.tags <= set(shown.tags),
    }
    return [name for name, is_met in met.items() if not is_met]


class Everything(NamedTuple):
    """A recall without a limit."""

    columns: Sequence[Columns]
    query: BoundQuery | None
    handles: list[int]  # every match, in order
    hits: list[Hit]
    folded: set[int]  # matches that others stand for


def recall_without_limit(view: View, question: Question) -> Everything:
    columns, query = read_index(view, question.query)
    totals = score_columns(view, columns, query, show_for(question.filter))
    limit, most_weak = max(len(_matching(totals)), question.limit), min(question.limit, view.ranking.weak)
    found = select_with_weak(view, totals, limit, question.filter, question.query, most_weak).selection
    order = rerank(view, question.query, hits_of(view, found.items, found.chosen))
    handles = [found.chosen[place].handle for place, _ in order]
    return Everything(columns, query, handles, [hit for _, hit in order], found.folded | _left_out(totals))


def _ranking(view: View, everything: Everything, item: Item, limit: int) -> Ranking:
    handle, weights = _handle(view, everything.columns, item), view.ranking.weights
    found = NOT_MEASURED
    if everything.query is not None and handle is not None:
        found = measure_memory(everything.columns, everything.query, weights, handle)
    rank = next((place for place, one in enumerate(everything.handles, start=1) if one == handle), None)
    hit = None if rank is None else everything.hits[rank - 1]
    return Ranking(
        rank=rank,
        level=None if hit is None else hit.level,
        matches=len(everything.hits),
        limit=limit,
        score=found.score if hit is None else hit.score,  # its position among the matches
        features=rounded_features(found.shares) if hit is None else hit.features,
        reached=found.reached,
        floor=structs.asdict(floor_of(view)),
    )


def _handle(view: View, columns: Sequence[Columns], item: Item) -> int | None:
    """The store's handle of a memory. A memory that is not in the index has none."""
    place = position_of(item)
    stamps = view.store.positions(view.sight, _shown(columns))
    return next((handle for handle, stamp in stamps.items() if stamp == place), None)


def _shown(columns: Sequence[Columns]) -> list[int]:
    return [handle for one in columns for handle in one.handles[one.shown].tolist()]


def _matching(totals: RankedLayers | None) -> set[int]:
    return set() if totals is None else {handle for layer in totals.values() for handle in layer.handles.tolist()}


def _left_out(totals: RankedLayers | None) -> set[int]:
    """Those that match, and of which another of the same unit comes."""
    return set() if totals is None else {handle for layer in totals.values() for handle in layer.left_out.tolist()}


def _lines(ranking: Ranking) -> list[str]:
    shares = ", ".join(f"{name} {share:.3f}" for name, share in ranking.features.items()) or "too little to count"
    score = f"  score {ranking.score:.3f}: {shares}"
    if ranking.rank is not None:
        place = f"place {ranking.rank} of the {ranking.matches} that match"
        return [f"  {place}, found at level {ranking.level}; at most {ranking.limit} come", score]
    of = {name: f"{name} {part:.3f} ({ranking.floor[name]:.3f} is needed)" for name, part in ranking.reached.items()}
    said = of["words"].replace("(", "(more than ")
    needed = f"{said} or {of['meaning']}, and {of['evidence']}, {of['best']}"
    return [f"  not among the {ranking.matches} that match", score, f"  the floor: {needed}"]
