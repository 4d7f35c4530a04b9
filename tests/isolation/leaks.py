"""Leaks, sown on purpose: small changes of the store, the sight, the policy and the facade, each of which lets bea
notice ada. The purge test must catch every one; a leak it cannot catch means that the storyteller is too weak.

Most have been shipped by somebody. Four were our own, found by this very test, and are kept here so that they stay out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from memfort.errors import Denied, NotFound
from memfort.memory import audit, erasing, explaining, reading, transfer, writing
from memfort.memory.engine import Engine
from memfort.model.item import Item, Status, is_expired, is_live
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy import admit, standing
from memfort.policy.sight import maintenance_sight
from memfort.recall import rank
from memfort.store.port import Filter, Shelf
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


def _shelves_with(patch: Patch, also: Callable[[Any, Sight, int], bool]) -> None:
    """Word statistics that count memories out of sight too."""
    original = DictStore.shelves

    def shelves(self: DictStore, sight: Sight, terms: Any, now: int) -> list[Shelf]:
        hidden = [kept for kept in _all(self) if not sight.admits(kept.item) and also(kept, sight, now)]
        return [*original(self, sight, terms, now), self._shelf(99, hidden, terms)]

    patch.setattr(DictStore, "shelves", shelves)


@leak("scores use word statistics over everybody's memories, as one full-text index would")
def statistics_of_all_spaces(patch: Patch) -> None:
    _shelves_with(patch, lambda kept, sight, now: is_live(kept.item, now))


@leak("scores use word statistics of memories in the same space that are for other readers")
def statistics_of_other_readers(patch: Patch) -> None:
    _shelves_with(patch, lambda kept, sight, now: kept.item.space.id in sight.by_id and is_live(kept.item, now))


@leak("memories for other readers count in the statistics once they have expired")
def statistics_of_the_expired(patch: Patch) -> None:
    _shelves_with(patch, lambda kept, sight, now: kept.item.space.id in sight.by_id and is_expired(kept.item, now))


@leak("a shelf's statistics are those of its whole space", on="sqlite")
def statistics_of_the_whole_space(patch: Patch) -> None:
    original = SqliteStore._visible_shelves

    def visible(self: SqliteStore, sight: Sight) -> Any:
        found = original(self, sight)
        whole = original(self, replace(sight, whole=True))
        totals = {no: sum(other[1] for other in whole.values() if other[0] == shelf[0]) for no, shelf in found.items()}
        return {no: (shelf[0], totals[no] if shelf[1] else 0, shelf[2]) for no, shelf in found.items()}

    patch.setattr(SqliteStore, "_visible_shelves", visible)


# -- ids and order ---------------------------------------------------------------------------------------------------


@leak("ids come from one sequence for the whole store")
def one_id_sequence(patch: Patch) -> None:
    patch.setattr(DictStore, "next_number", lambda self, *_: self._state.handles + 1)


@leak("ids come from one sequence for each space, whoever writes and for whomever")
def id_sequence_of_a_space(patch: Patch) -> None:
    def next_number(self: DictStore, sight: Sight, space: Space, *_: Any) -> int:
        return max((next for key, next in self._state.numbers.items() if key[0] == space.id), default=1)

    patch.setattr(DictStore, "next_number", next_number)


@leak("equal scores are ordered by the store's own row number")
def ties_by_handle(patch: Patch) -> None:
    def settle(contending: Any, stamps: Any, limit: int) -> Any:
        known = [one for one in contending if one.handle in stamps]
        return sorted(known, key=lambda one: (one.layer, -one.score, one.handle % 7))[:limit]

    patch.setattr(rank, "settle", settle)
    patch.setattr(reading, "settle", settle)


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
    original = reading._select

    def select(engine: Engine, sight: Sight, scored: Any, limit: int, filter: Filter, now: int) -> Any:
        terms = [term for shelf in _ASKED for term in shelf.postings]
        best = rank.score(engine.store.shelves(replace(sight, whole=True), terms, now), terms)
        first = {one.handle for one in sorted(best, key=lambda one: (one.layer, -one.score, one.handle))[:limit]}
        return original(engine, sight, [one for one in scored if one.handle in first], limit, filter, now)

    def score(shelves: Any, terms: Any) -> Any:
        _ASKED[:] = [Shelf(0, 0, 0, dict.fromkeys(terms, ()))]
        return rank.score(shelves, terms)

    patch.setattr(reading, "score", score)
    patch.setattr(reading, "_select", select)


_ASKED: list[Shelf] = []


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
        return Sight(held.actor, (*held.spaces, *{seen.space.id: seen for seen in also}.values()), held.whole)

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
    original = reading._sight

    def sight(engine: Engine, standpoint: Any, within: Any) -> Sight:
        held = original(engine, standpoint, within)
        return held if held.spaces else maintenance_sight(engine.store.spaces())

    patch.setattr(reading, "_sight", sight)


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
    _whole(patch, "shelves", "stamps", "opened")


@leak("recall forgets reader lists", on="sqlite")
def readers_forgotten_in_recall_on_sqlite(patch: Patch) -> None:
    _whole(patch, "shelves", "stamps", "opened", store=SqliteStore)


@leak("an erase follows lineage to memories for other readers, and counts them")
def receipt_counts_others(patch: Patch) -> None:
    _whole(patch, "derived")


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

    def screen(actor: Any, seen: Any, space: Space, candidate: Any, policy: Any) -> Any:
        held = maintenance_sight([space]).spaces[0] if seen is None or not seen.writable else seen
        return original(actor, held, space, candidate, policy)

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
    overdue, lapsed = DictStore.overdue, writing.lapsed
    patch.setattr(DictStore, "overdue", lambda self, sight, now: overdue(self, sight, now + hour))
    patch.setattr(writing, "sweep", _sweep_with(lambda item, now: lapsed(item, now + hour)))
    patch.setattr(reading, "sweep", writing.sweep)


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

    def explain(engine: Engine, standpoint: Any, id: str, viewer: Any) -> Any:
        found = original(engine, standpoint, id, viewer)
        return replace(found, reason=Reason.NOT_A_READER) if not found.shown and _exists(engine, id) else found

    patch.setattr(explaining, "explain", explain)


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
    original = transfer.own_spaces_sight

    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        named = [space for space in spaces if str(space.get(Level.USER)).startswith(str(actor.user))]
        return replace(maintenance_sight(named), actor=actor, whole=False) if named else original(actor, [], **rest)

    patch.setattr(transfer, "own_spaces_sight", own)


@leak("the trail shows everything that happened in the spaces one can see")
def trail_of_whole_spaces(patch: Patch) -> None:
    original = audit.export

    def export(engine: Engine, standpoint: Any) -> Iterator[dict[str, Any]]:
        yield from original(engine, standpoint)
        for chain, length, _ in engine.store.chains():
            if chain.kind == "space" and chain.key in engine.sight(standpoint).by_id:
                yield {"chain": str(chain), "events": length}

    patch.setattr(audit, "export", export)


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
        return replace(item, deleted_at=now, deleted_reason="expired", updated_at=now, version=item.version + 1)

    patch.setattr(writing, "sweep", _sweep_with(swept))
    patch.setattr(reading, "sweep", writing.sweep)


@leak("a receipt says how many bytes of the whole file were overwritten", on="sqlite")
def receipt_with_figures_of_the_file(patch: Patch) -> None:
    patch.setattr(erasing, "_figures", lambda actor, scrub: scrub.places)
