"""Recall: what the standpoint knows that answers a query. It goes through the same sight as every other read.

Apart from those because it works on arrays, whose library nothing else needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from memfort.errors import InvalidInput
from memfort.memory.engine import Engine
from memfort.memory.hindsight import about_then, columns_then, known_then
from memfort.memory.input import Time, limit_of, query_of, space_of
from memfort.memory.meaning import voice_of
from memfort.memory.people.whom import Concerning, whom
from memfort.memory.reading import retire_overdue, sight_within
from memfort.memory.results import Hit, Recall
from memfort.memory.showing import shown_to
from memfort.memory.vectorless import note_vectorless
from memfort.memory.writing import is_shown
from memfort.model.actor import Standpoint
from memfort.model.item import Item, Status
from memfort.model.moment import Moment, day_of
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.policy.disclosure import as_told
from memfort.recall.asked import asked
from memfort.recall.features import Query, against
from memfort.recall.rank import SCORE_DIGITS, Floor, Found, Scored, Totals, contenders, rounded, score, settle
from memfort.store.columns import Columns
from memfort.store.port import LIVE, Filter, position_of
from memfort.trace.public import deterministic_hash

ABOUT_ME = "about_me"  # the level of what others know of the asker
RERANK = "rerank"  # what a reranker's share in a score is called
_RERANKED = 50  # hits that a reranker looks at
_OPEN_DIRECTLY = 64  # that many tied contenders are opened at once rather than asked for their age first


def recall(
    engine: Engine, standpoint: Standpoint, query: str, limit: int, within: Mapping[str, str] | None, filter: Filter,
    trace: str, as_of: Time | None = None, *, explain: bool = False,
) -> Recall:  # fmt: skip
    """What the standpoint knows that answers the query. No match: nothing, never something else instead."""
    with engine.meaning.noting() as noted:
        found = _recall(engine, standpoint, query, limit, within, filter, trace, as_of, explain=explain)
    return replace(found, warnings=tuple(noted)) if noted else found


def _recall(
    engine: Engine, standpoint: Standpoint, query: str, limit: int, within: Mapping[str, str] | None, filter: Filter,
    trace: str, as_of: Time | None, *, explain: bool,
) -> Recall:  # fmt: skip
    query, limit, now = query_of(query), limit_of(limit), engine.clock.now()
    if as_of is not None:
        if explain:
            raise InvalidInput("explain", "`as_of` is given too", "what was withheld is counted for the present alone")
        return _recall_then(engine, standpoint, query, limit, within, filter, trace, as_of)
    with engine.store.reading():
        sight = sight_within(engine, standpoint, within)
        columns = columns_now(engine, sight, now)
        totals = weighed(engine, standpoint, sight, columns, query)
        if not are_of_use(engine, columns):
            columns = columns_now(engine, sight, now)
            totals = weighed(engine, standpoint, sight, columns, query)
        note_vectorless(engine, columns)
        chosen, items, damaged = select(engine, sight, totals, _reach(engine, limit), filter, now)
        damaged += engine.store.quarantined(sight)  # no word finds those, so they may be what was looked for
        withheld = _withheld(engine, sight, columns, totals, chosen[:limit], filter, now) if explain else None
        overdue = engine.store.overdue(sight, now)
    retire_overdue(engine, sight, overdue, now)
    hits = _first(limit, ranked(engine, query, hits_of(engine, sight, items, chosen)))
    found = _recorded(engine, standpoint, query, limit, hits, tuple(damaged), now, trace, sight, within)
    return found if withheld is None else replace(found, withheld=withheld)


def _recall_then(
    engine: Engine, standpoint: Standpoint, query: str, limit: int, within: Mapping[str, str] | None, filter: Filter,
    trace: str, as_of: Time,
) -> Recall:  # fmt: skip
    """The same as of an earlier moment or phase."""
    now, wanted = engine.clock.now(), replace(filter, statuses=frozenset({Status.APPROVED, Status.SUPERSEDED}))
    with engine.store.reading():
        sight = sight_within(engine, standpoint, within)
        known = [item for item in known_then(engine, sight, as_of, now) if wanted.admits(item, now)]
    then = columns_then(engine, sight, known)
    totals = weighed(engine, standpoint, sight, then, query, lambda persons: about_then(known, persons))
    places = {no: position_of(item) for no, item in enumerate(known)}
    chosen = settle(contenders(totals, len(known) + 1), places, _reach(engine, limit))
    hits = _first(limit, ranked(engine, query, hits_of(engine, sight, dict(enumerate(known)), chosen)))
    return _recorded(engine, standpoint, query, limit, hits, (), now, trace, sight, within)


def columns_now(engine: Engine, sight: Sight, now: Moment) -> Sequence[Columns]:
    """The index of what is in sight, with the vectors of the embedder in use as far as it is known which those are."""
    return engine.store.columns(sight, now, engine.meaning.mark, engine.meaning.length)


def are_of_use(engine: Engine, columns: Sequence[Columns]) -> bool:
    """Whether the vectors in these columns are as long as those of the embedder in use. It may have told that only when
    it was asked about the query that was put to them."""
    return engine.meaning.length is None or all(one.vectors.shape[1] in {0, engine.meaning.length} for one in columns)


def weighed(
    engine: Engine, standpoint: Standpoint, sight: Sight, columns: Sequence[Columns], query: str,
    concerning: Concerning | None = None,
) -> Totals:  # fmt: skip
    """Every memory in these columns that answers the query, with what speaks for it."""
    wanted = in_numbers(engine, standpoint, sight, columns, query, concerning)
    return Found({}) if wanted is None else score(columns, wanted, engine.policy.recall.weights, floor_of(engine))


def in_numbers(
    engine: Engine, standpoint: Standpoint, sight: Sight, columns: Sequence[Columns], query: str,
    concerning: Concerning | None = None,
) -> Query | None:  # fmt: skip
    """The query as these columns can answer it. `None`: there are no words, or nothing to answer with."""
    wanted, user = asked(query), standpoint.actor.user
    if not wanted.words or not columns:
        return None
    about = whom(engine, standpoint, sight, wanted, concerning or partial(engine.store.concerning, sight))
    asker, today = [] if user is None else [voice_of(user)], day_of(engine.clock.now())
    term, meaning = engine.store.keys.term, engine.meaning
    as_sentence = meaning.reads_sentences
    return against(wanted, columns, term, asker, meaning.of_query, today, about, as_sentence=as_sentence)


def floor_of(engine: Engine) -> Floor:
    policy = engine.policy.recall
    return Floor(policy.least_words, policy.least_meaning, policy.least_evidence, policy.least_best)


def select(
    engine: Engine, sight: Sight, totals: Totals, limit: int, filter: Filter, now: Moment
) -> tuple[list[Scored], dict[int, Item], list[str]]:
    """The first `limit` memories that are live, admitted and wanted: filters before the limit, never after."""
    chosen: list[Scored] = []
    damaged: list[str] = []
    items: dict[int, Item] = {}
    seen: set[int] = set()
    reach, there_are_more = limit, True
    while len(chosen) < limit and there_are_more:
        found = contenders(totals, reach)
        there_are_more = len(found) >= reach
        fresh = [one for one in found if one.handle not in seen]
        if len(fresh) > limit + _OPEN_DIRECTLY:
            fresh = settle(fresh, engine.store.stamps(sight, [one.handle for one in fresh]), limit + _OPEN_DIRECTLY)
        if not fresh:
            break
        opened = engine.store.opened(sight, [one.handle for one in fresh])
        damaged += _names_of_damaged(engine, sight, [one.handle for one in fresh if one.handle not in opened])
        wanted = {h: one for h, one in opened.items() if is_wanted(engine, sight, filter, one, now)}
        places = {handle: position_of(item) for handle, item in wanted.items()}
        chosen += settle(fresh, places, limit - len(chosen))
        items |= wanted
        seen |= {one.handle for one in fresh}
        reach = len(seen) + max(limit, _OPEN_DIRECTLY)
    return chosen, items, damaged


def is_wanted(engine: Engine, sight: Sight, filter: Filter, item: Item, now: Moment) -> bool:
    """Whether a memory in sight is in force, of the present phase, and what the filter asks for. What is told out of
    somebody else's space is looked at as it is told: nobody finds it by a tag that they are not shown."""
    if not is_shown(engine, sight, item, now):
        return False
    return filter is LIVE or filter.admits(item if sight.seen(item.space) is not None else as_told(item), now)


def _reach(engine: Engine, limit: int) -> int:
    """How many are chosen: those that are asked for, or with a reranker all that it looks at."""
    return max(limit, _RERANKED) if engine.meaning.reranks else limit


def ranked(engine: Engine, query: str, hits: Sequence[Hit]) -> list[tuple[int, Hit]]:
    """The hits as they come, each with its place before. A reranker has a share in the score of those it looks at, and
    orders each level anew; no level comes before another by it."""
    looked_at = hits[:_RERANKED]
    shares = engine.meaning.answering(query, [hit.text for hit in looked_at]) if engine.meaning.reranks else None
    if shares is None:
        return list(enumerate(hits))
    judged = enumerate(
        _with_share(hit, round(share, SCORE_DIGITS)) for hit, share in zip(looked_at, shares, strict=True)
    )
    anew = [one for _, level in groupby(judged, lambda one: one[1].level)
            for one in sorted(level, key=lambda one: -one[1].score)]  # fmt: skip
    return [*anew, *enumerate(hits[_RERANKED:], start=_RERANKED)]


def _first(limit: int, ranked: Sequence[tuple[int, Hit]]) -> tuple[Hit, ...]:
    return tuple(hit for _, hit in ranked[:limit])


def _with_share(hit: Hit, share: float) -> Hit:
    return hit.but(score=round(hit.score + share, SCORE_DIGITS), features={**hit.features, RERANK: share})


def _names_of_damaged(engine: Engine, sight: Sight, handles: Sequence[int]) -> list[str]:
    """A memory that matches but cannot be opened is damaged: it is named, and not shown."""
    return sorted(stamp.id for stamp in engine.store.stamps(sight, handles).values()) if handles else []


def hits_of(engine: Engine, sight: Sight, items: Mapping[int, Item], chosen: Sequence[Scored]) -> list[Hit]:
    """Memories as they come. What led to one is named only if it is itself among `items`, which may all be shown."""
    levels, hits = engine.policy.spaces.read_order, []
    for one in chosen:
        item = items[one.handle]
        found_from = items[one.source].id if one.source in items else None
        if sight.seen(item.space) is None:
            level, reason = ABOUT_ME, Reason.ABOUT_YOU
        else:
            level = str(levels[one.layer] if one.layer < len(levels) else item.space.primary)
            reason = Reason.MATCHES_QUERY
        hits.append(Hit(shown_to(engine, sight, item), one.score, level, reason, told(one.shares), found_from))
    return hits


def told(shares: Mapping[str, float]) -> dict[str, float]:
    """What speaks for a memory, to the digits that are shown."""
    return {name: rounded(share) for name, share in shares.items() if share}


def _withheld(
    engine: Engine, sight: Sight, columns: Sequence[Columns], totals: Totals, chosen: Sequence[Scored], filter: Filter,
    now: Moment,
) -> dict[str, int]:  # fmt: skip
    from memfort.memory.accounting import withheld

    return withheld(engine, sight, columns, totals, chosen, filter, now)


def _recorded(
    engine: Engine, standpoint: Standpoint, query: str, limit: int, hits: tuple[Hit, ...], damaged: tuple[str, ...],
    now: Moment, trace: str, sight: Sight, within: Mapping[str, str] | None,
) -> Recall:  # fmt: skip
    hash = deterministic_hash([hit.item for hit in hits])
    detail: dict[str, Any] = {
        "limit": limit,
        "hash": hash,
        "recalled": [[hit.item.id, hit.score, hit.level] for hit in hits],
        "consulted": list(dict.fromkeys([str(seen.space.primary) for seen in sight.spaces])),
    }
    if within is not None and not sight.spaces:
        detail["refused"] = space_of(standpoint, within).primary.value
    reason = Reason.MATCHES_QUERY if hits else Reason.NO_MATCH
    digest = engine.store.keys.digest(query)
    engine.note_read(engine.asked("recall", standpoint.actor, "allowed", reason, now, detail, digest))
    return Recall(query, hits, trace, hash, damaged)
