"""Leaks, sown on purpose: small changes of the store, the sight, the policy and the facade, each of which lets bea
notice ada. The purge test must catch every one; a leak it cannot catch means that the storyteller is too weak.

Most have been shipped by somebody. Some were our own, found by this very test, and are kept here so that they stay out.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from memfort.errors import Denied, NotFound
from memfort.memory import (
    accounting,
    audit,
    erasing,
    explaining,
    kin,
    lifetimes,
    observing,
    phasing,
    promoting,
    reading,
    recalling,
    reviewing,
    telling,
    writing,
)
from memfort.memory.engine import Engine
from memfort.memory.transfer import exporting
from memfort.model.actor import SYSTEM, Actor
from memfort.model.hearing import label_of
from memfort.model.item import Item, Kind, Readers, Status, is_expired, is_live
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy import admit, standing
from memfort.policy.sight import maintenance_sight
from memfort.recall import rank
from memfort.store.columns import Columns, columns_of
from memfort.store.port import Entry, Filter
from memfort.store.sqlite import SqliteStore
from memfort.testing import DictStore

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Leak:
    name: str
    says: str
    sow: Callable[[Patch], None]
    on: str = "dict"


LEAKS: list[Leak] = []


def leak(says: str, on: str = "dict") -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def enter(sow: Callable[[Patch], None]) -> Callable[[Patch], None]:
        LEAKS.append(Leak(sow.__name__, says, sow, on))
        return sow

    return enter


def _all(store: DictStore) -> list[Any]:
    return list(store._state.kept.values())


# -- statistics ------------------------------------------------------------------------------------------------------


def burden(count: int) -> Columns:
    """Memories that nothing finds, and that count all the same."""
    return columns_of(99, [(-1 - place, Entry({"nothing": 1})) for place in range(count)], lambda _: 0)


def _columns_with(patch: Patch, also: Callable[[Any, Sight, int], bool]) -> None:
    """Word statistics that count memories out of sight too."""
    original = DictStore.columns

    def columns(self: DictStore, sight: Sight, now: int, mark: bytes = b"", length: int | None = None) -> list[Columns]:
        hidden = [kept for kept in _all(self) if not sight.admits(kept.item) and also(kept, sight, now)]
        entries = [(kept.handle, kept.entry) for kept in hidden if kept.entry is not None]
        return [*original(self, sight, now, mark, length), self._columns(99, entries, mark, length)]

    patch.setattr(DictStore, "columns", columns)


@leak("scores use word statistics over everybody's memories, as one full-text index would")
def statistics_of_all_spaces(patch: Patch) -> None:
    _columns_with(patch, lambda kept, sight, now: is_live(kept.item, now))


@leak("scores use word statistics of memories in the same space that are for other readers")
def statistics_of_other_readers(patch: Patch) -> None:
    _columns_with(patch, lambda kept, sight, now: kept.item.space.id in sight.by_id and is_live(kept.item, now))


@leak("memories for other readers count in the statistics once they have expired")
def statistics_of_the_expired(patch: Patch) -> None:
    _columns_with(patch, lambda kept, sight, now: kept.item.space.id in sight.by_id and is_expired(kept.item, now))


@leak("a shelf's statistics are those of its whole space", on="sqlite")
def statistics_of_the_whole_space(patch: Patch) -> None:
    original = SqliteStore.columns

    def columns(self: SqliteStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        found, whole = original(self, sight, now, *embedder), original(self, replace(sight, whole=True), now, *embedder)
        return [*found, burden(sum(one.count for one in whole) - sum(one.count for one in found))]

    patch.setattr(SqliteStore, "columns", columns)


# -- ids and order ---------------------------------------------------------------------------------------------------


@leak("ids come from one sequence for the whole store")
def one_id_sequence(patch: Patch) -> None:
    patch.setattr(DictStore, "next_number", lambda self, *_: self._state.handles + 1)


@leak("ids come from one sequence for each space, whoever writes and for whomever")
def id_sequence_of_a_space(patch: Patch) -> None:
    def next_number(self: DictStore, sight: Sight, space: Space, *_: Any) -> int:
        return max((next for key, next in self._state.numbers.items() if key[0] == space.id), default=1)

    patch.setattr(DictStore, "next_number", next_number)


@leak("scores that are nearly equal are ordered by the store's own row number")
def ties_by_handle(patch: Patch) -> None:
    def settle(contending: Any, stamps: Any, limit: int) -> Any:
        known = [one for one in contending if one.handle in stamps]
        return sorted(known, key=lambda one: (one.layer, -round(one.score, 1), one.handle % 7))[:limit]

    patch.setattr(rank, "settle", settle)
    patch.setattr(recalling, "settle", settle)


@leak("a cursor holds the number of rows in the store")
def cursor_with_row_number(patch: Patch) -> None:
    original = reading.page

    def page(engine: Engine, standpoint: Any, limit: int, cursor: str | None, *rest: Any) -> Any:
        found = original(engine, standpoint, limit, cursor and cursor.split(".")[0], *rest)
        rows = len(_all(engine.store))  # type: ignore[arg-type]
        return replace(found, cursor=found.cursor and f"{found.cursor}.{rows}")

    patch.setattr(reading, "page", page)


@leak("a listing filters by reader after it has cut to the limit")
def filter_after_limit(patch: Patch) -> None:
    original = DictStore.page

    def page(self: DictStore, sight: Sight, filter: Filter, after: Any, limit: int, now: int) -> list[Item]:
        return [item for item in original(self, replace(sight, whole=True), filter, after, limit, now)
                if sight.admits(item)]  # fmt: skip

    patch.setattr(DictStore, "page", page)


@leak("a recall fetches the best of the whole space and drops what is for others afterwards")
def recall_filters_after_limit(patch: Patch) -> None:
    original = recalling.select

    def select(engine: Engine, sight: Sight, totals: Any, limit: int, filter: Filter, now: int) -> Any:
        whole = engine.store.columns(replace(sight, whole=True), now, engine.meaning.mark)
        best = rank.contenders(weighed(engine, _ASKED[1], sight, whole, _ASKED[0]), limit)
        first = [one.handle for one in sorted(best, key=lambda one: (one.layer, -one.score, one.handle))[:limit]]
        left = {place: _only(layer, np.isin(layer.handles, first)) for place, layer in totals.items()}
        return original(engine, sight, rank.Found(left), limit, filter, now)

    def asking(engine: Engine, standpoint: Any, sight: Sight, columns: Any, query: str, *about: Any) -> Any:
        _ASKED[:] = [query, standpoint]
        return weighed(engine, standpoint, sight, columns, query, *about)

    weighed = recalling.weighed
    patch.setattr(recalling, "weighed", asking)
    patch.setattr(recalling, "select", select)


def _only(layer: rank.Layer, wanted: Any) -> rank.Layer:
    shares = {feature: share[wanted] for feature, share in layer.shares.items()}
    return rank.Layer(*(part[wanted] for part in layer._replace(shares=layer.scores)))._replace(shares=shares)


_ASKED: list[Any] = []


# -- duplicates and rejected values ----------------------------------------------------------------------------------


@leak("a statement is a duplicate if anybody has it")
def dedup_across_spaces(patch: Patch) -> None:
    def rivals(self: DictStore, sight: Sight, space: Space, readers: Any, value: bytes) -> list[Item]:
        return [kept.item for kept in _all(self) if kept.value == value and kept.item.deleted_at is None]

    patch.setattr(DictStore, "rivals", rivals)


@leak("a statement is a duplicate if somebody in the space has it, for whatever readers")
def dedup_across_readers(patch: Patch) -> None:
    def rivals(self: DictStore, sight: Sight, space: Space, readers: Any, value: bytes) -> list[Item]:
        return [kept.item for kept in _all(self)
                if kept.value == value and kept.item.space == space and kept.item.deleted_at is None]  # fmt: skip

    patch.setattr(DictStore, "rivals", rivals)


@leak("a value that anybody rejected is barred everywhere")
def bar_across_spaces(patch: Patch) -> None:
    def bar(self: DictStore, sight: Sight, space: Space, readers: Any, value: bytes) -> Any:
        return next((bar for (_, _, one), bar in self._state.bars.items() if one == value), None)

    patch.setattr(DictStore, "bar", bar)


@leak("a value rejected for some readers of a space is barred for all of them")
def bar_across_readers(patch: Patch) -> None:
    def bar(self: DictStore, sight: Sight, space: Space, readers: Any, value: bytes) -> Any:
        return next((bar for (at, _, one), bar in self._state.bars.items() if (at, one) == (space.id, value)), None)

    patch.setattr(DictStore, "bar", bar)


@leak("bytes that anybody imported are not imported again")
def import_dedup_across_owners(patch: Patch) -> None:
    original = DictStore.sources

    def sources(self: DictStore, sight: Sight) -> Any:
        return list(self._state.sources.values()) if len(sight.spaces) == 1 else original(self, sight)

    patch.setattr(DictStore, "sources", sources)


# -- sight -----------------------------------------------------------------------------------------------------------


def _sight_with(patch: Patch, matches: Callable[[Space, Space], bool]) -> None:
    """A sight that takes other spaces for its own."""
    original = Engine.sight

    def sight(self: Engine, standpoint: Any) -> Sight:
        held = original(self, standpoint)
        also = [replace(seen, space=space) for space in self.store.spaces() if space.id not in held.by_id
                for seen in held.spaces if matches(seen.space, space)]  # fmt: skip
        return replace(held, spaces=(*held.spaces, *{seen.space.id: seen for seen in also}.values()))

    patch.setattr(Engine, "sight", sight)


def _same_levels(one: Space, other: Space) -> bool:
    return one.levels == other.levels


@leak("a name stands for every name that begins with it")
def sight_by_prefix(patch: Patch) -> None:
    _sight_with(patch, lambda mine, other: _same_levels(mine, other) and all(
        b.id.startswith(a.id) for a, b in zip(mine.coordinates, other.coordinates, strict=True)))  # fmt: skip


@leak("a space is looked up by its names joined with a colon")
def sight_by_joined_names(patch: Patch) -> None:
    def joined(space: Space) -> str:
        return ":".join(coordinate.id for coordinate in space.coordinates)

    _sight_with(patch, lambda mine, other: joined(mine) == joined(other))


@leak("names are compared without regard to case, accents and spaces around them")
def sight_by_folded_names(patch: Patch) -> None:
    def folded(space: Space) -> list[str]:
        names = (unicodedata.normalize("NFKD", one.id).casefold().strip() for one in space.coordinates)
        return ["".join(c for c in name if not unicodedata.combining(c)) for name in names]

    _sight_with(patch, lambda mine, other: _same_levels(mine, other) and folded(mine) == folded(other))


@leak("a session is known by its name alone, not by whose it is")
def session_without_owner(patch: Patch) -> None:
    def unowned(space: Space) -> set[Coordinate]:
        return {one for one in space.coordinates if one.level not in {Level.USER, Level.AGENT, Level.VISIBILITY}}

    _sight_with(patch, lambda mine, other: Level.SESSION in mine.levels and unowned(mine) == unowned(other))


@leak("a space with one more coordinate counts as the space above it")
def sight_into_narrower_spaces(patch: Patch) -> None:
    _sight_with(patch, lambda mine, other: set(mine.coordinates) < set(other.coordinates))


@leak("no space in sight means every space")
def empty_sight_sees_all(patch: Patch) -> None:
    original = reading.sight_within

    def sight(engine: Engine, standpoint: Any, within: Any) -> Sight:
        held = original(engine, standpoint, within)
        return held if held.spaces else maintenance_sight(engine.store.spaces())

    for reader in (reading, recalling):
        patch.setattr(reader, "sight_within", sight)


@leak("resolved sights are cached by the places alone, and meet for those who stand together")
def sight_from_a_shared_cache(patch: Patch) -> None:
    original = Engine.sight
    cache: dict[Any, Sight] = {}

    def sight(self: Engine, standpoint: Any) -> Sight:
        places = tuple(one for one in standpoint.coordinates if one.level is not Level.USER)
        key = (id(self), standpoint.actor.kind, places)
        return replace(cache.setdefault(key, original(self, standpoint)), actor=standpoint.actor)

    patch.setattr(Engine, "sight", sight)


@leak("a share goes to every user whose name begins with the reader's")
def share_by_prefix(patch: Patch) -> None:
    original = DictStore.facts

    def facts(self: DictStore, standpoint: Any) -> Any:
        name = str(standpoint.actor.user)
        shared = tuple(one.space for one in self._state.shares.values() if name.startswith(one.reader.id))
        return replace(original(self, standpoint), shared=shared)

    patch.setattr(DictStore, "facts", facts)


@leak("an agent acting for somebody else still sees its owner's private space")
def agent_keeps_its_owners_rights(patch: Patch) -> None:
    original = standing._at_agent

    def at_agent(actor: Any, agent: str, facts: Any) -> Any:
        return original(replace(actor, acting_for=None) if actor.agent == agent else actor, agent, facts)

    patch.setattr(standing, "_at_agent", at_agent)


@leak("who may read an agent's public space may read its private one")
def public_opens_private(patch: Patch) -> None:
    original = standing._reaches

    def reaches(space: Space, coordinate: Any, standings: Any, needed: Any) -> bool:
        held = standings.get(coordinate)
        if held is not None and held.reach is standing.Reach.PUBLIC and needed is standing.Reach.READ:
            return True
        return original(space, coordinate, standings, needed)

    patch.setattr(standing, "_reaches", reaches)


# -- reader lists ----------------------------------------------------------------------------------------------------


def _whole(patch: Patch, *doors: str, store: type = DictStore) -> None:
    """Reader lists that are forgotten at some of the store's doors."""
    for door in doors:
        original = getattr(store, door)

        def through(self: Any, sight: Sight, *rest: Any, original: Any = original) -> Any:
            return original(self, replace(sight, whole=True), *rest)

        patch.setattr(store, door, through)


@leak("listings forget reader lists")
def readers_forgotten_in_listings(patch: Patch) -> None:
    _whole(patch, "page")


@leak("looking up by id forgets reader lists")
def readers_forgotten_by_id(patch: Patch) -> None:
    _whole(patch, "items")


@leak("recall forgets reader lists")
def readers_forgotten_in_recall(patch: Patch) -> None:
    _whole(patch, "columns", "stamps", "opened")


@leak("recall forgets reader lists", on="sqlite")
def readers_forgotten_in_recall_on_sqlite(patch: Patch) -> None:
    _whole(patch, "columns", "stamps", "opened", store=SqliteStore)


@leak("an erase follows lineage to memories for other readers, and counts them")
def receipt_counts_others(patch: Patch) -> None:
    patch.setattr(kin, "is_within", lambda sight, item: True)


# -- reach of a change -----------------------------------------------------------------------------------------------


@leak("delete_by_scope takes everybody's memories of the scope")
def scope_without_owner(patch: Patch) -> None:
    patch.setattr(erasing, "_sights_over", lambda engine, standpoint, spaces: [maintenance_sight(spaces)])


@leak("erase takes any id, wherever it is")
def erase_any_id(patch: Patch) -> None:
    patch.setattr(erasing, "_erasable", lambda engine, standpoint: maintenance_sight(engine.store.spaces()))


@leak("forget, correct and review take any id, wherever it is")
def change_any_id(patch: Patch) -> None:
    original = writing.find

    def find(engine: Engine, sight: Sight, id: str) -> Item:
        return original(engine, maintenance_sight(engine.store.spaces()), id)

    patch.setattr(writing, "find", find)


@leak("the border is not checked: whoever names a space writes in it")
def no_border(patch: Patch) -> None:
    original = admit.screen

    def screen(actor: Any, seen: Any, space: Space, candidate: Any, policy: Any, **more: Any) -> Any:
        held = maintenance_sight([space]).spaces[0] if seen is None or not seen.writable else seen
        return original(actor, held, space, candidate, policy, **more)

    patch.setattr(writing, "screen", screen)


@leak("anybody writes in the system space")
def system_space_is_writable(patch: Patch) -> None:
    patch.setattr(standing, "_at_system", lambda actor: (standing.Reach.FULL, Reason.SYSTEM_READABLE))


@leak("anybody writes in an agent's public space")
def public_space_is_writable(patch: Patch) -> None:
    original = standing._reaches

    def reaches(space: Space, coordinate: Any, standings: Any, needed: Any) -> bool:
        return original(space, coordinate, standings, standing.Reach.READ)

    patch.setattr(standing, "_reaches", reaches)


@leak("a recall sweeps what will expire within the hour too")
def sweep_too_early(patch: Patch) -> None:
    hour = 3_600 * 1_000_000
    overdue, lapsed = DictStore.overdue, lifetimes.lapsed
    patch.setattr(DictStore, "overdue", lambda self, sight, now, limit=None: overdue(self, sight, now + hour, limit))
    patch.setattr(reading, "sweep", _sweep_with(lambda item, now: lapsed(item, now + hour)))


def _sweep_with(after: Callable[[Item, Any], Item]) -> Callable[..., int]:
    def sweep(engine: Engine, sight: Sight, now: Any) -> int:
        with engine.writing():
            overdue = engine.store.overdue(sight, now)
            for item in overdue:
                event = engine.changed("expire", item.author, after(item, now), Reason.EXPIRED, now)
                engine.store.apply([engine.update(after(item, now))], [event])
        return len(overdue)

    return sweep


# -- answers ---------------------------------------------------------------------------------------------------------


def _exists(engine: Engine, id: str) -> bool:
    return bool(engine.store.items(maintenance_sight(engine.store.spaces()), [id]))


@leak("the error says whether a memory is absent or somebody else's")
def error_names_existence(patch: Patch) -> None:
    original = writing.find

    def find(engine: Engine, sight: Sight, id: str) -> Item:
        try:
            return original(engine, sight, id)
        except NotFound:
            if _exists(engine, id):
                raise Denied("border_write", "it is not yours") from None
            raise

    for module in (writing, reading, erasing, explaining):
        patch.setattr(module, "find", find, raising=False)


@leak("explain tells an outsider the real reason")
def explain_to_outsiders(patch: Patch) -> None:
    original = explaining.explain

    def explain(engine: Engine, standpoint: Any, id: str, *rest: Any) -> Any:
        found = original(engine, standpoint, id, *rest)
        return replace(found, reason=Reason.NOT_A_READER) if not found.shown and _exists(engine, id) else found

    patch.setattr(explaining, "explain", explain)


@leak("asked about a query, explain says of what is there and not hers that it does not match")
def explain_says_it_does_not_match(patch: Patch) -> None:
    original = explaining.explain

    def explain(engine: Engine, standpoint: Any, id: str, viewer: Any, question: Any = None) -> Any:
        found = original(engine, standpoint, id, viewer, question)
        is_hidden = question is not None and found.reason is Reason.NOT_FOUND and _exists(engine, id)
        return replace(found, reason=Reason.NO_MATCH) if is_hidden else found

    patch.setattr(explaining, "explain", explain)


@leak("a place in the ranking counts those that are for others")
def ranked_among_others(patch: Patch) -> None:
    original = accounting._race

    def race(engine: Engine, standpoint: Any, sight: Sight, *rest: Any) -> Any:
        return original(engine, standpoint, replace(sight, whole=True), *rest)

    patch.setattr(accounting, "_race", race)


@leak("what is withheld is counted whoever it is for")
def withheld_from_others(patch: Patch) -> None:
    original = accounting.withheld

    def withheld(engine: Engine, sight: Sight, *rest: Any) -> Any:
        return original(engine, replace(sight, whole=True), *rest)

    patch.setattr(accounting, "withheld", withheld)


@leak("check looks at what is there, not at what can be seen")
def check_sees_everything(patch: Patch) -> None:
    original = explaining._find_for

    def find_for(verb: str, engine: Engine, sight: Sight, id: str, now: Any) -> None:
        original(verb, engine, maintenance_sight(engine.store.spaces()), id, now)

    patch.setattr(explaining, "_find_for", find_for)


@leak("the inbox shows what waits anywhere")
def inbox_of_everybody(patch: Patch) -> None:
    original = DictStore.page

    def page(self: DictStore, sight: Sight, filter: Filter, *rest: Any) -> list[Item]:
        everywhere = maintenance_sight(self.spaces())
        return original(self, everywhere if filter.statuses == {Status.PENDING} else sight, filter, *rest)

    patch.setattr(DictStore, "page", page)


@leak("the list of sources has everybody's")
def sources_of_everybody(patch: Patch) -> None:
    patch.setattr(DictStore, "sources", lambda self, sight: list(self._state.sources.values()))


@leak("the list of erasures has everybody's")
def erasures_of_everybody(patch: Patch) -> None:
    patch.setattr(erasing, "_may_check", lambda actor, erasure: True)


@leak("an export takes along the private spaces of those whose name begins the same")
def export_by_prefix(patch: Patch) -> None:
    original = exporting.own_spaces_sight

    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        named = [space for space in spaces if str(space.get(Level.USER)).startswith(str(actor.user))]
        return replace(maintenance_sight(named), actor=actor, whole=False) if named else original(actor, [], **rest)

    patch.setattr(exporting, "own_spaces_sight", own)
    patch.setattr(Engine, "own_spaces", lambda self, _: self.store.spaces())


@leak("the trail shows everything that happened in the spaces one can see")
def trail_of_whole_spaces(patch: Patch) -> None:
    original = audit.export

    def export(engine: Engine, standpoint: Any) -> Iterator[dict[str, Any]]:
        yield from original(engine, standpoint)
        for chain, length, _ in engine.store.chains():
            if chain.kind == "space" and chain.key in engine.sight(standpoint).by_id:
                yield {"chain": str(chain), "events": length}

    patch.setattr(audit, "export", export)


# -- ticks, budgets and phases ---------------------------------------------------------------------------------------


def _of_space(store: DictStore, space: Space) -> list[Item]:
    return [kept.item for kept in _all(store) if kept.item.space == space and is_live(kept.item, 0)]


@leak("a tick counts what comes into force for any readers of the space")
def tick_of_the_whole_space(patch: Patch) -> None:
    def tick(self: DictStore, sight: Sight, space: Space, *_: Any) -> int:
        return sum(1 for kept in _all(self) if kept.item.space == space and kept.item.in_force_at is not None)

    patch.setattr(DictStore, "tick", tick)


@leak("there is one tick for the whole store")
def one_tick_for_all(patch: Patch) -> None:
    patch.setattr(DictStore, "tick", lambda self, *_: self._state.handles)


@leak("a memory is aged by what is written for other readers of its space")
def aged_by_other_readers(patch: Patch) -> None:
    def faded(self: DictStore, sight: Sight, space: Space, readers: Readers, tick: int, *_: Any) -> list[Item]:
        return [one for one in _of_space(self, space) if one.expires_tick is not None and one.expires_tick <= tick + 1]

    patch.setattr(DictStore, "faded", faded)


@leak("a budget is of a space, whoever wrote in it and for whomever")
def budget_of_a_space(patch: Patch) -> None:
    def population(self: DictStore, sight: Sight, space: Space, *_: Any) -> Counter[Kind]:
        return Counter(item.kind for item in _of_space(self, space))

    patch.setattr(DictStore, "population", population)


@leak("an owner's budget is of everybody whose name begins the same")
def budget_by_prefix(patch: Patch) -> None:
    def authored(self: DictStore, author: Actor) -> int:
        names = {kept.item.author.id for kept in _all(self) if kept.item.author.key == author.key} or {"bea"}
        live = [kept.item for kept in _all(self) if is_live(kept.item, 0)]
        return sum(any(item.author.id.startswith(name) for name in names) for item in live)

    patch.setattr(DictStore, "authored", authored)


@leak("whoever has no room left puts out the least important memory of the space, whosever it is")
def evicts_others(patch: Patch) -> None:
    def least(
        self: DictStore, sight: Sight, space: Space, readers: Any, author: Any, kinds: Any, count: int, **_: Any
    ) -> Any:
        found = [item for item in _of_space(self, space) if item.kind in kinds]
        return sorted(found, key=lambda item: (item.author.key == author, item.importance, item.id))[:count]

    patch.setattr(DictStore, "least", least)


@leak("phases are numbered for the whole store")
def one_number_for_phases(patch: Patch) -> None:
    def start(engine: Engine, *rest: Any) -> Phase:
        phase = start_of_its_own(engine, *rest)
        return replace(phase, index=engine.store._state.phases_begun + 1)  # type: ignore[attr-defined]

    start_of_its_own = phasing.start
    patch.setattr(phasing, "start", start)


@leak("a phase begins at the number of memories in its space, for whatever readers")
def phase_counts_the_whole_space(patch: Patch) -> None:
    original = phasing.start

    def start(engine: Engine, standpoint: Any, given: Any, *rest: Any) -> Phase:
        phase = original(engine, standpoint, given, *rest)
        space = phasing.named_or_home(standpoint, given, engine.policy)
        return replace(phase, started_at=len(_of_space(engine.store, space)))  # type: ignore[arg-type]

    patch.setattr(phasing, "start", start)


@leak("what a phase retired is part of the call that began it, for whatever readers it was")
def retired_phase_is_told(patch: Patch) -> None:
    def retire(*given: Any, told: bool, **detail: Any) -> Item:
        return lifetimes.retire(*given, **detail)

    patch.setattr(phasing, "retire", retire)


@leak("a diff between phases forgets reader lists")
def diff_forgets_readers(patch: Patch) -> None:
    original = phasing._seen
    patch.setattr(phasing, "_seen", lambda *given: replace(original(*given), whole=True))


@leak("what was known then is recalled without reader lists")
def hindsight_forgets_readers(patch: Patch) -> None:
    original = recalling.known_then

    def known_then(engine: Engine, sight: Sight, *rest: Any) -> list[Item]:
        return original(engine, replace(sight, whole=True), *rest)

    patch.setattr(recalling, "known_then", known_then)


@leak("what was known then is scored by the words of all readers")
def hindsight_scores_over_all(patch: Patch) -> None:
    original = recalling.columns_then

    def columns(engine: Engine, sight: Sight, items: Any) -> list[Columns]:
        return [*original(engine, sight, items), burden(_HIDDEN[0])]

    def known_then(engine: Engine, sight: Sight, *rest: Any) -> list[Item]:
        here = [kept.item for kept in _all(engine.store) if kept.item.space.id in sight.by_id]  # type: ignore[arg-type]
        _HIDDEN[0] = sum(not sight.admits(item) for item in here)
        return of_its_own(engine, sight, *rest)

    of_its_own = recalling.known_then
    patch.setattr(recalling, "known_then", known_then)
    patch.setattr(recalling, "columns_then", columns)


_HIDDEN = [0]


# -- conversations, promotions and traces ----------------------------------------------------------------------------


@leak("the window of a conversation has the turns of every session of that name")
def window_by_session_name(patch: Patch) -> None:
    original = observing.window

    def window(engine: Engine, standpoint: Any, given: Any) -> list[Item]:
        session = standpoint.get(Level.SESSION)
        there = [space for space in engine.store.spaces() if session and space.get(Level.SESSION) == session]
        others = engine.store.page(maintenance_sight(there), observing._TURNS, None, 9, engine.clock.now())
        return [*original(engine, standpoint, given), *others]

    patch.setattr(observing, "window", window)


@leak("a conversation slides by the turns of every session of that name")
def slides_by_session_name(patch: Patch) -> None:
    original = observing._conversation

    def conversation(engine: Engine, actor: Any, sight: Sight, space: Space, now: Any) -> Any:
        summary, turns = original(engine, actor, sight, space, now)
        same = [kept.item for kept in _all(engine.store) if kept.item.kind is Kind.SHORT_TERM]  # type: ignore[arg-type]
        hidden = sum(not sight.admits(item) for item in same)
        return summary, turns[min(hidden, 1) :]

    patch.setattr(observing, "_conversation", conversation)


@leak("what is promoted is a duplicate if anybody promoted the same")
def promotes_once_for_all(patch: Patch) -> None:
    original = promoting.promote_item

    def promote_item(engine: Engine, actor: Any, sight: Sight, source: Item, target: Space, *rest: Any) -> Any:
        there = [item for item in _of_space(engine.store, target) if item.promoted_from is not None]  # type: ignore[arg-type]
        if any(item.text == source.text for item in there):
            raise Denied(Reason.DUPLICATE, "it is there already")
        return original(engine, actor, sight, source, target, *rest)

    patch.setattr(promoting, "promote_item", promote_item)


@leak("calls are named by how many events there are in the store")
def traces_count_events(patch: Patch) -> None:
    original = Engine.call

    def call(self: Engine, actor: Any, verb: str, *said: object) -> Any:
        return original(self, actor, verb, *said, sum(length for _, length, _ in self.store.chains()))

    patch.setattr(Engine, "call", call)


@leak("a trace tells how many events its spaces have had")
def trace_with_numbers(patch: Patch) -> None:
    original = telling.trace

    def trace(engine: Engine, standpoint: Any, *asked: Any, **more: Any) -> Any:
        events = original(engine, standpoint, *asked, **more)
        seen = engine.sight(standpoint).by_id
        return [*events, sum(length for chain, length, _ in engine.store.chains() if chain.key in seen)]

    patch.setattr(telling, "trace", trace)


# -- our own, found by this test -------------------------------------------------------------------------------------


@leak("own events in a space's trail come with their number and hash, which count everybody's")
def trail_with_numbers(patch: Patch) -> None:
    original = audit._line
    patch.setattr(audit, "_line", lambda link, event, *, placed: original(link, event, placed=True))


@leak("reads wait to be written down until somebody writes, and then come after what was written")
def reads_written_down_late(patch: Patch) -> None:
    @contextmanager
    def writing_late(self: Engine) -> Iterator[None]:
        with self.store.writing():
            yield
            self.store.apply([], self._take_reads())

    patch.setattr(Engine, "writing", writing_late)


@leak("what has expired is dated by whoever's recall swept it")
def sweep_shows_who_recalled(patch: Patch) -> None:
    def swept(item: Item, now: Any) -> Item:
        return item.but(deleted_at=now, deleted_reason="expired", updated_at=now, version=item.version + 1)

    patch.setattr(reading, "sweep", _sweep_with(swept))


@leak("a receipt says how many bytes of the whole file were overwritten", on="sqlite")
def receipt_with_figures_of_the_file(patch: Patch) -> None:
    patch.setattr(erasing, "_figures", lambda actor, scrub: scrub.places)


@leak("what has expired takes room in a budget until somebody sweeps it")
def room_until_swept(patch: Patch) -> None:
    patch.setattr(lifetimes, "_unswept", lambda *_: [])


@leak("a tick ends once more what had expired already, unless somebody has swept it")
def fades_what_has_expired(patch: Patch) -> None:
    def fade(engine: Engine, sight: Sight, beside: Item, now: Any) -> None:
        shelf = (beside.space, beside.readers, beside.created_tick, label_of(beside))
        for item in engine.store.faded(sight, *shelf):
            lifetimes.retire(engine, SYSTEM, item, "expire", Reason.DECAY, now, deleted=Reason.EXPIRED)

    patch.setattr(writing, "fade", fade)


@leak("a phase retires what had expired already, unless somebody has swept it")
def retires_what_has_expired(patch: Patch) -> None:
    patch.setattr(phasing, "lapsed", lambda item, now: item)
    patch.setattr(phasing, "_as_swept", lambda item, there, now: lifetimes.lapsed(item, now))


@leak("a diff between phases has what has expired until somebody sweeps it")
def diff_until_swept(patch: Patch) -> None:
    patch.setattr(phasing, "_as_swept", lambda item, there, now: item)


@leak("who approves a promotion is told what became of its source")
def approval_tells_of_the_source(patch: Patch) -> None:
    def settle(engine: Engine, actor: Any, sight: Sight, source: Item, copy: Item, now: Any) -> None:
        lifetimes.retire(engine, actor, source, "promote", Reason.PROMOTED, now, to=copy.id,
                         target=copy.space.as_dict(), authority=copy.authority.value, why="manual")  # fmt: skip

    patch.setattr(reviewing, "settle_promotion", settle)


@leak("a promotion can be approved only while its source is in force")
def approval_hangs_on_the_source(patch: Patch) -> None:
    original = reviewing.agree

    def agree(engine: Engine, actor: Any, item: Item) -> Item | None:
        source = promoting.source_of(engine, item)
        if source is None or not is_live(source, engine.clock.now()):
            raise Denied(Reason.PROMOTED, "its source is gone")
        return original(engine, actor, item)

    patch.setattr(reviewing, "agree", agree)
