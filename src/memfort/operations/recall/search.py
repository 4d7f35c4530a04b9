"""The steps of a recall: read the index, bind the query to it, score, select and rank.

`recall` runs them, and `accounting` runs the same ones to explain why a memory was returned or not. They work on numpy
arrays, which no other read needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from msgspec.structs import replace

from memfort.engine.indexing.embedding import speaker_name
from memfort.engine.redact import redact_all
from memfort.engine.view import View
from memfort.model.item import Item, Kind
from memfort.model.moment import day_of
from memfort.model.reason import Reason
from memfort.model.results import Hit
from memfort.operations.people.resolve.query_people import Concerning, resolve_people
from memfort.policy.disclosure import redact_for_disclosure
from memfort.recall.bind_query import BoundQuery, QueryContext
from memfort.recall.bind_query import bind_query as bind_to_columns
from memfort.recall.parse_query import parse_query
from memfort.recall.rank import (
    SCORE_DIGITS,
    Floor,
    RankedLayers,
    ScoredMemory,
    best_memories,
    break_ties,
    round_score,
    score_memories,
)
from memfort.recall.units import Show
from memfort.store.port import LIVE, Filter, position_of
from memfort.store.port.values.columns import Columns

ABOUT_ME = "about_me"  # the level of other users' memories about the asker
RERANK = "rerank"  # the feature name of a reranker's share in a score
RERANKED = 50  # hits that a reranker scores
_OPEN_DIRECTLY = 64  # up to so many tied candidates are opened at once instead of comparing their ages first
_FARTHER = 8  # so many times as many are opened in the next step, if too few were wanted


class Selection(NamedTuple):
    """The memories that a recall chose, in order, with what was opened to choose them."""

    chosen: list[ScoredMemory]
    items: dict[int, Item]  # by handle; all of them may be shown
    damaged: list[str]  # ids of memories that match and cannot be opened
    folded: set[int]  # those that are left out, because another memory stands for them


def read_index(view: View, text: str) -> tuple[Sequence[Columns], BoundQuery | None]:
    """The index of what is in sight, and the query bound to it. An embedder may reveal its vector length only when it
    embeds the query: if the columns have another length, both are made again."""
    columns = read_columns(view)
    query = bind_query(view, columns, text)
    if not _have_right_length(view, columns):
        columns = read_columns(view)
        query = bind_query(view, columns, text)
    return columns, query


def read_columns(view: View) -> Sequence[Columns]:
    """The index with the vectors of the embedder in use, as far as its tag is known."""
    embedding = view.engine.embedding
    return view.store.columns(view.sight, view.now, embedding.tag, embedding.length)


def _have_right_length(view: View, columns: Sequence[Columns]) -> bool:
    length = view.engine.embedding.length
    return length is None or all(one.vectors.shape[1] in {0, length} for one in columns)


def bind_query(
    view: View, columns: Sequence[Columns], text: str, concerning: Concerning | None = None
) -> BoundQuery | None:
    """The query bound to these columns. `None`: it has no words, or the columns are empty.
    `handles_about` finds the memories about people; without it, the store does."""
    wanted, user, embedding = parse_query(text), view.actor.user, view.engine.embedding
    if not wanted.words or not columns:
        return None
    find = concerning or partial(view.store.handles_about, view.sight)
    context = QueryContext(
        number=view.store.keys.term,
        embed=embedding.embed_query,
        asker_names=[] if user is None else [speaker_name(user)],
        today=day_of(view.now),
        people=resolve_people(view, wanted, find),
        embeds_sentences=embedding.reads_sentences,
    )
    return bind_to_columns(wanted, columns, context)


def score_columns(
    view: View, columns: Sequence[Columns], query: BoundQuery | None, show: Show = Show.ALL
) -> RankedLayers | None:
    """Every memory in these columns that answers the query, with its features. `None`: there is no query."""
    return None if query is None else score_memories(columns, query, view.ranking.weights, floor_of(view), show)


def show_for(filter: Filter) -> Show:
    """Of a turn and its statements only one is shown; but which of them a filter admits shows only when they are
    opened, unless it admits no turns."""
    if filter is LIVE:
        return Show.ONE
    return Show.ALL if filter.kinds is None or Kind.SHORT_TERM in filter.kinds else Show.STATEMENTS


def floor_of(view: View) -> Floor:
    ranking = view.ranking
    return Floor(ranking.least_words, ranking.least_meaning, ranking.least_evidence, ranking.least_best)


Open = Callable[[Sequence[int]], Mapping[int, Item]]  # the memories behind handles, the best first


def select(
    view: View, totals: RankedLayers | None, limit: int, filter: Filter, opening: Open | None = None
) -> Selection:
    """The first `limit` memories that are live, admitted and wanted, of each unit one: filters before the limit, never
    after. However many match, they are opened in a fixed number of steps: if few of them are wanted, all are opened in
    the end."""
    found = Selection([], {}, [], set())
    open_items = opening or partial(view.store.items_by_handle, view.sight)
    seen: set[int] = set()
    some, step = limit + _OPEN_DIRECTLY, view.ranking.step
    if totals is None:
        return found
    for reach in (limit, some, _FARTHER * some, None):
        contending = best_memories(totals, count_matches(totals) if reach is None else reach, step)
        fresh = [one for one in contending if one.handle not in seen]
        if reach is not None and len(fresh) > (most := reach - len(seen) + _OPEN_DIRECTLY):
            fresh = break_ties(fresh, view.store.positions(view.sight, [one.handle for one in fresh]), most, step)
        if not fresh:
            break
        fresh.sort(key=lambda one: (one.layer, -one.score, -one.handle))
        opened = open_items([one.handle for one in fresh])
        found.damaged.extend(_note_damaged(view, [one.handle for one in fresh if one.handle not in opened]))
        wanted = {handle: item for handle, item in opened.items() if is_wanted(view, filter, item)}
        if totals.show is Show.ONE and any(one.turn and one.handle not in wanted for one in fresh):
            # Others of its unit may come in its place.
            return select(view, totals.showing(Show.ALL), limit, filter, opening)
        places = {handle: position_of(item) for handle, item in wanted.items()}
        _choose(found, break_ties(fresh, places, len(fresh), step), wanted, limit)
        seen |= {one.handle for one in fresh}
        if len(found.chosen) >= limit or (reach is not None and len(contending) < reach):
            break
    return found


def _choose(found: Selection, ranked: Sequence[ScoredMemory], items: Mapping[int, Item], limit: int) -> None:
    """Add memories in their order until there are so many. A turn comes for all of its statements, and a statement that
    comes first for its turn."""
    units = {one.turn: found.items[one.handle] for one in found.chosen if one.turn}
    for one in ranked:
        if len(found.chosen) >= limit:
            break
        first = units.setdefault(one.turn, items[one.handle]) if one.turn else items[one.handle]
        found.items[one.handle] = items[one.handle]
        if first is items[one.handle] or Kind.SHORT_TERM not in {first.kind, items[one.handle].kind}:
            found.chosen.append(one)
        else:
            found.folded.add(one.handle)


def count_matches(totals: RankedLayers | None) -> int:
    return 0 if totals is None else sum(len(layer.handles) for layer in totals.values())


def is_wanted(view: View, filter: Filter, item: Item) -> bool:
    """Whether a memory in sight is in force, of the present phase, and what the filter asks for. A memory disclosed
    from another user's space is filtered as it is disclosed: it cannot be found by a tag that is not disclosed."""
    if not view.is_shown(item):
        return False
    return filter is LIVE or filter.admits(redact_hit(view, item), view.now)


def redact_hit(view: View, item: Item) -> Item:
    """A memory with the fields that this actor may see: only a few of one disclosed from another user's space."""
    return item if view.sight.seen(item.space) is not None else redact_for_disclosure(item)


def _note_damaged(view: View, handles: Sequence[int]) -> list[str]:
    """Report a memory that matches but cannot be opened: it is damaged."""
    return sorted(stamp.id for stamp in view.store.positions(view.sight, handles).values()) if handles else []


def hits_of(view: View, items: Mapping[int, Item], chosen: Sequence[ScoredMemory]) -> list[Hit]:
    """The chosen memories as they are shown."""
    levels, hits = view.policy.spaces.read_order, []
    found = [items[one.handle] for one in chosen]
    for one, item, shown in zip(chosen, found, redact_all(view.engine, view.sight, found), strict=True):
        if view.sight.seen(item.space) is None:
            level, reason = ABOUT_ME, Reason.ABOUT_PERSON
        else:
            level = str(levels[one.layer] if one.layer < len(levels) else item.space.primary)
            reason = Reason.WEAK_MATCH if one.weak else Reason.MATCHES_QUERY
        hits.append(Hit(shown, one.score, level, reason, rounded_features(one.shares), weak=one.weak))
    return hits


def rounded_features(shares: Mapping[str, float]) -> dict[str, float]:
    """The features of a memory and their shares in the score, to the digits that are shown."""
    return {name: round_score(share) for name, share in shares.items() if share}


def rerank(view: View, query: str, hits: Sequence[Hit]) -> list[tuple[int, Hit]]:
    """The hits in their final order, each with its position before. A reranker adds a share to the score of the hits it
    scores and reorders each level; it moves no level before another."""
    embedding = view.engine.embedding
    looked_at = hits[:RERANKED]
    shares = embedding.rerank(query, [hit.text for hit in looked_at]) if embedding.has_reranker else None
    if shares is None:
        return list(enumerate(hits))
    judged = enumerate(
        _with_share(hit, round(share, SCORE_DIGITS)) for hit, share in zip(looked_at, shares, strict=True)
    )
    reordered = [
        one
        for _, level in groupby(judged, lambda one: (one[1].weak, one[1].level))
        for one in sorted(level, key=lambda one: -one[1].score)
    ]
    return [*reordered, *enumerate(hits[RERANKED:], start=RERANKED)]


def _with_share(hit: Hit, share: float) -> Hit:
    return replace(hit, score=round(hit.score + share, SCORE_DIGITS), features={**hit.features, RERANK: share})
