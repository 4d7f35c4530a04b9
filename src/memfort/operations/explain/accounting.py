"""Accounts for a recall: why one memory came or did not come, and how many did not for which reason.

It takes the same steps as a recall, over the same sight, so that it cannot give another answer. It is a module of its
own because only callers who ask why should pay for the answer.
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
from memfort.operations.recall.search import (
    floor_of,
    hits_of,
    read_index,
    redact_hit,
    rerank,
    rounded_features,
    score_columns,
    select,
)
from memfort.recall.bind_query import BoundQuery
from memfort.recall.rank import NOT_MEASURED, Layers, ScoredMemory, measure_memory
from memfort.recall.render import count_fence_tokens, count_item_tokens, fit_hits
from memfort.store.port import Filter, position_of
from memfort.store.port.values.columns import Columns


class Account(NamedTuple):
    """What became of one memory in a recall."""

    reason: Reason
    ranking: Ranking | None
    lines: list[str]


def account(view: View, item: Item, question: Question) -> Account:
    """What becomes of a memory that the view's actor is shown, when the actor asks this."""
    view = view.within(question.space)
    if not view.sight.admits(item):
        return Account(Reason.OUTSIDE_ASKED_SPACE, None, [])
    if unmet := _unmet(view, question.filter, item):
        return Account(Reason.NOT_ASKED_FOR, None, [f"  it is of other {', '.join(unmet)}"])
    everything = recall_without_limit(view, question)
    ranking = _ranking(view, everything, item, question.limit)
    if ranking.rank is None:
        return Account(Reason.NO_MATCH, ranking, _lines(ranking))
    if ranking.rank > question.limit:
        return Account(Reason.BELOW_LIMIT, ranking, _lines(ranking))
    hits = everything.hits[: question.limit]
    hit = hits[ranking.rank - 1]
    kept = hits if question.budget_tokens is None else fit_hits(hits, question.budget_tokens)
    if any(one is hit for one in kept):
        return Account(hit.reason, ranking, _lines(ranking))
    return Account(Reason.TOKENS_FULL, ranking, [*_lines(ranking), _room_reason(hit, len(kept), question)])


def _room_reason(hit: Hit, others: int, question: Question) -> str:
    """Why a hit does not fit. Without the fence the numbers would not add up: 15 tokens do not fit into 30."""
    among = f"{others} other is" if others == 1 else f"{others} others are"
    needs = f"it takes about {count_item_tokens(hit.item)} tokens and the fence {count_fence_tokens()}"
    return f"  {needs}, of {question.budget_tokens}, and {among} in"


def withheld(
    view: View, columns: Sequence[Columns], totals: Layers, chosen: Sequence[ScoredMemory], filter: Filter
) -> dict[str, int]:
    """How many memories did not come, by the reason that `explain` would give for each. Of those that are not in force,
    the ones that the asker could change; what the asker may not know of is not counted either."""
    came, matching = {one.handle for one in chosen}, _matching(totals)
    counts = Counter(
        _why_not(view, filter, item, matches=handle in matching)
        for handle, item in view.store.items_by_handle(view.sight, _shown(columns)).items()
        if handle not in came
    )
    counts += Counter(
        out_of_force(item, view.now)
        for item in view.engine.all_items(view.sight.writable, ALL_STATES)
        if item.status is not Status.PENDING or not is_void(view.engine, item)
    )
    return {reason.value: count for reason, count in sorted(counts.items(), key=str) if reason is not None}


def _why_not(view: View, filter: Filter, item: Item, *, matches: bool) -> Reason | None:
    """Why a memory in force did not come. `None`: it belongs to an earlier phase of a space where the asker may not
    write, and is counted for nobody."""
    if not view.is_current(item):
        seen = view.sight.seen(item.space)
        return Reason.OTHER_PHASE if seen is not None and seen.writable else None
    if _unmet(view, filter, item):
        return Reason.NOT_ASKED_FOR
    return Reason.BELOW_LIMIT if matches else Reason.NO_MATCH


def _unmet(view: View, filter: Filter, item: Item) -> list[str]:
    """What of the filter a memory does not meet, as it is shown."""
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
    handles: list[int]  # of everything that matches, in the order in which it comes
    hits: list[Hit]


def recall_without_limit(view: View, question: Question) -> Everything:
    columns, query = read_index(view, question.query)
    totals = score_columns(view, columns, query)
    found = select(view, totals, len(_matching(totals)), question.filter)
    order = rerank(view, question.query, hits_of(view, found.items, found.chosen))
    return Everything(columns, query, [found.chosen[place].handle for place, _ in order], [hit for _, hit in order])


def _ranking(view: View, everything: Everything, item: Item, limit: int) -> Ranking:
    handle, weights = _handle(view, everything.columns, item), view.policy.recall.weights
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
        score=found.score if hit is None else hit.score,  # as it was among those that match
        features=rounded_features(found.shares) if hit is None else hit.features,
        reached=found.reached,
        floor=structs.asdict(floor_of(view)),
    )


def _handle(view: View, columns: Sequence[Columns], item: Item) -> int | None:
    """The store's own name for a memory. A memory that nothing can find has none."""
    place = position_of(item)
    stamps = view.store.positions(view.sight, _shown(columns))
    return next((handle for handle, stamp in stamps.items() if stamp == place), None)


def _shown(columns: Sequence[Columns]) -> list[int]:
    return [handle for one in columns for handle in one.handles[one.shown].tolist()]


def _matching(totals: Layers) -> set[int]:
    return {handle for layer in totals.values() for handle in layer.handles.tolist()}


def _lines(ranking: Ranking) -> list[str]:
    shares = ", ".join(f"{name} {share:.3f}" for name, share in ranking.features.items()) or "too little to be weighed"
    score = f"  score {ranking.score:.3f}: {shares}"
    if ranking.rank is not None:
        place = f"place {ranking.rank} of the {ranking.matches} that match"
        return [f"  {place}, found at level {ranking.level}; at most {ranking.limit} come", score]
    of = {name: f"{name} {part:.3f} ({ranking.floor[name]:.3f} is needed)" for name, part in ranking.reached.items()}
    said = of["words"].replace("(", "(more than ")
    needed = f"{said} or {of['meaning']}, and {of['evidence']}, {of['best']}"
    return [f"  not among the {ranking.matches} that match", score, f"  the floor: {needed}"]
