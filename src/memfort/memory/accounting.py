"""Accounts for a recall: why one memory came or did not come, and how many did not for which reason.

It goes the way of a recall, over the same sight and with the same steps, so that it cannot tell another story. Apart
from it because only who asks why shall pay for the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

from memfort.memory.engine import ALL_STATES, Engine
from memfort.memory.explaining import Question, out_of_force
from memfort.memory.promoting import is_void
from memfort.memory.prompting import fitting, tokens_for, tokens_of_the_fence
from memfort.memory.reading import sight_within
from memfort.memory.recalling import are_of_use, columns_now, floor_of, hits_of, in_numbers, ranked, select, told
from memfort.memory.results import Hit, Ranking
from memfort.memory.writing import is_current
from memfort.model.actor import Standpoint
from memfort.model.item import Item, Status
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.policy.disclosure import as_told
from memfort.recall.features import Query
from memfort.recall.rank import NOTHING, Found, Scored, Totals, measured, score
from memfort.store.columns import Columns
from memfort.store.port import Filter, position_of


class Account(NamedTuple):
    """What became of one memory in a recall."""

    reason: Reason
    ranking: Ranking | None
    lines: list[str]


def account(engine: Engine, standpoint: Standpoint, item: Item, question: Question, now: Moment) -> Account:
    """What became of a memory that the standpoint is shown, when it asks this."""
    sight = sight_within(engine, standpoint, question.within)
    if not sight.admits(item):
        return Account(Reason.OUTSIDE_ASKED_SPACE, None, [])
    if unmet := _unmet(sight, question.filter, item):
        return Account(Reason.NOT_ASKED_FOR, None, [f"  it is of other {', '.join(unmet)}"])
    race = _race(engine, standpoint, sight, question, now)
    ranking = _ranking(engine, sight, race, item, question.limit)
    if ranking.rank is None:
        return Account(Reason.NO_MATCH, ranking, _lines(ranking))
    if ranking.rank > question.limit:
        return Account(Reason.BELOW_LIMIT, ranking, _lines(ranking))
    hits = race.hits[: question.limit]
    hit = hits[ranking.rank - 1]
    kept = hits if question.budget_tokens is None else fitting(hits, question.budget_tokens)
    if any(one is hit for one in kept):
        return Account(hit.reason, ranking, _lines(ranking))
    return Account(Reason.TOKENS_FULL, ranking, [*_lines(ranking), _room(hit, len(kept), question.budget_tokens)])


def _room(hit: Hit, others: int, budget_tokens: int | None) -> str:
    """Why there was none for a hit. Without the fence the numbers would not add up: 15 tokens do not fit into 30."""
    among = f"{others} other is" if others == 1 else f"{others} others are"
    needs = f"it takes about {tokens_for(hit.item)} tokens and the fence {tokens_of_the_fence()}"
    return f"  {needs}, of {budget_tokens}, and {among} in"


def withheld(
    engine: Engine, sight: Sight, columns: Sequence[Columns], totals: Totals, chosen: Sequence[Scored], filter: Filter,
    now: Moment,
) -> dict[str, int]:  # fmt: skip
    """How many memories did not come, by the reason that `explain` would give for each. Of what is not in force, those
    that the asker could change; what it may not know of is no number either."""
    came, matching = {one.handle for one in chosen}, _matching(totals)
    counts = Counter(
        _why_not(engine, sight, filter, item, matches=handle in matching)
        for handle, item in engine.store.opened(sight, _shown(columns)).items()
        if handle not in came
    )
    counts += Counter(
        out_of_force(item, now)
        for item in engine.everything(sight.writable, ALL_STATES)
        if item.status is not Status.PENDING or not is_void(engine, item)
    )
    return {reason.value: count for reason, count in sorted(counts.items(), key=str) if reason is not None}


def _why_not(engine: Engine, sight: Sight, filter: Filter, item: Item, *, matches: bool) -> Reason | None:
    """Why a memory in force did not come. `None`: nobody is told, for it is past where the asker may not write."""
    if not is_current(engine, sight, item):
        seen = sight.seen(item.space)
        return Reason.OTHER_PHASE if seen is not None and seen.writable else None
    if _unmet(sight, filter, item):
        return Reason.NOT_ASKED_FOR
    return Reason.BELOW_LIMIT if matches else Reason.NO_MATCH


def _unmet(sight: Sight, filter: Filter, item: Item) -> list[str]:
    """What of the filter a memory does not meet, as it is shown."""
    shown = item if sight.seen(item.space) is not None else as_told(item)
    met = {
        "kinds": filter.kinds is None or shown.kind in filter.kinds,
        "types": filter.types is None or shown.type in filter.types,
        "tags": filter.tags <= set(shown.tags),
    }
    return [name for name, is_met in met.items() if not is_met]


class _Race(NamedTuple):
    """A recall without a limit."""

    columns: Sequence[Columns]
    query: Query | None
    handles: list[int]  # of everything that matches, in the order in which it comes
    hits: list[Hit]


def _race(engine: Engine, standpoint: Standpoint, sight: Sight, question: Question, now: Moment) -> _Race:
    columns = columns_now(engine, sight, now)
    query = in_numbers(engine, standpoint, sight, columns, question.query)
    if not are_of_use(engine, columns):
        columns = columns_now(engine, sight, now)
        query = in_numbers(engine, standpoint, sight, columns, question.query)
    totals = Found({}) if query is None else score(columns, query, engine.policy.recall.weights, floor_of(engine))
    chosen, items, _ = select(engine, sight, totals, len(_matching(totals)), question.filter, now)
    order = ranked(engine, question.query, hits_of(engine, sight, items, chosen))
    return _Race(columns, query, [chosen[place].handle for place, _ in order], [hit for _, hit in order])


def _ranking(engine: Engine, sight: Sight, race: _Race, item: Item, limit: int) -> Ranking:
    handle, weights = _handle(engine, sight, race.columns, item), engine.policy.recall.weights
    found = NOTHING
    if race.query is not None and handle is not None:
        found = measured(race.columns, race.query, weights, handle, floor_of(engine))
    rank = next((place for place, one in enumerate(race.handles, start=1) if one == handle), None)
    hit = None if rank is None else race.hits[rank - 1]
    return Ranking(
        rank=rank,
        level=None if hit is None else hit.level,
        matches=len(race.hits),
        limit=limit,
        score=found.score if hit is None else hit.score,  # as it was among those that match
        features=told(found.shares) if hit is None else hit.features,
        reached=found.reached,
        floor=asdict(floor_of(engine)),
        reached_from=None if hit is None else hit.reached_from,
    )


def _handle(engine: Engine, sight: Sight, columns: Sequence[Columns], item: Item) -> int | None:
    """The store's own name for a memory; it has none that cannot be found by anything."""
    place = position_of(item)
    stamps = engine.store.stamps(sight, _shown(columns))
    return next((handle for handle, stamp in stamps.items() if stamp == place), None)


def _shown(columns: Sequence[Columns]) -> list[int]:
    return [handle for one in columns for handle in one.handles[one.shown].tolist()]


def _matching(totals: Totals) -> set[int]:
    return {handle for layer in totals.values() for handle in layer.handles.tolist()}


def _lines(ranking: Ranking) -> list[str]:
    shares = ", ".join(f"{name} {share:.3f}" for name, share in ranking.features.items()) or "too little to be weighed"
    score = f"  score {ranking.score:.3f}: {shares}"
    if ranking.rank is not None:
        place = f"place {ranking.rank} of the {ranking.matches} that match"
        led = [] if ranking.reached_from is None else [f"  a second step led to it from {ranking.reached_from}"]
        return [f"  {place}, found at level {ranking.level}; at most {ranking.limit} come", score, *led]
    of = {name: f"{name} {part:.3f} ({ranking.floor[name]:.3f} is needed)" for name, part in ranking.reached.items()}
    said = of["words"].replace("(", "(more than ")
    needed = f"{said} or {of['meaning']}, and {of['evidence']}, {of['best']}"
    return [f"  not among the {ranking.matches} that match", score, f"  the floor: {needed}"]
