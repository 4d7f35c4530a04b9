"""Deliberate leaks: small patches of the store, the sight, the policy and the facade, each of which lets bea
notice ada. The purge test must catch every one; a leak it cannot catch means that the generator is too weak.

Most have been shipped by other projects. Some were our own, found by this very test, and are kept here to stay out.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import replace

from memfort.engine import engine as engines
from memfort.engine.engine import Engine
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.errors import Denied, NotFound
from memfort.model.audience import audience_of
from memfort.model.item import Item, Kind, Readers, Status, as_expired, is_expired, is_live
from memfort.model.people.actor import Actor
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.operations.admit import budget, decide, write
from memfort.operations.capture import conversation as conversations
from memfort.operations.capture import window as windows
from memfort.operations.ending import erase, erasures, lineage, removal, selection
from memfort.operations.explain import accounting, explain
from memfort.operations.phase import diff as diffs
from memfort.operations.phase import start as starts
from memfort.operations.read import list as listing
from memfort.operations.recall import recall, search, show_once
from memfort.operations.review import approve
from memfort.operations.trail import export as trail_export
from memfort.operations.trail import lines, show_trace
from memfort.operations.transfer import export
from memfort.operations.upkeep import gc as collection
from memfort.operations.write import check, promote, wording
from memfort.policy import admission, standing
from memfort.policy.sight import maintenance_sight
from memfort.recall import rank
from memfort.store.memory import MemoryStore
from memfort.store.port import WHOLE_STORE, Entry, Filter, Scope, write_until_done
from memfort.store.port.values.columns import Columns, columns_of
from memfort.store.sqlite import SqliteStore

Patch = pytest.MonkeyPatch


class Leak(Struct, frozen=True):
    name: str
    says: str
    apply: Callable[[Patch], None]
    on: str = "dict"


LEAKS: list[Leak] = []


def leak(says: str, on: str = "dict") -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def enter(apply: Callable[[Patch], None]) -> Callable[[Patch], None]:
        LEAKS.append(Leak(apply.__name__, says, apply, on))
        return apply

    return enter


def _all(store: MemoryStore) -> list[Any]:
    return list(store._state.memories.values())


def _as_whole(view: View) -> View:
    """The view without its reader lists."""
    return view.with_sight(replace(view.sight, whole=True))


def _write_anywhere(patch: Patch) -> None:
    """A store that does not check that a write stays in the spaces it names. The check would turn a leak into a fault,
    and a fault is not an answer that could differ."""
    original = MemoryStore.writing
    patch.setattr(MemoryStore, "writing", lambda self, spaces=None: original(self))


# -- statistics -------------------------------------------------------------------------------------------------------


def burden(count: int) -> Columns:
    """Memories that nothing finds, and that count all the same."""
    return columns_of(99, [(-1 - place, Entry({"nothing": 1})) for place in range(count)], lambda _: 0)


def _columns_with(patch: Patch, also: Callable[[Any, Sight, int], bool]) -> None:
    """Word statistics that count memories out of sight too."""
    original = MemoryStore.columns

    def columns(
        self: MemoryStore, sight: Sight, now: int, mark: bytes = b"", length: int | None = None
    ) -> list[Columns]:
        hidden = [kept for kept in _all(self) if not sight.admits(kept.item) and also(kept, sight, now)]
        entries = [(kept.handle, kept.entry) for kept in hidden if kept.entry is not None]
        return [*original(self, sight, now, mark, length), self._columns(99, entries, mark, length)]

    patch.setattr(MemoryStore, "columns", columns)


@leak("scores use word statistics over all users' memories, as one full-text index would")
def statistics_of_all_spaces(patch: Patch) -> None:
    _columns_with(patch, lambda kept, sight, now: is_live(kept.item, now))


@leak("scores use word statistics of memories in the same space that are for other readers")
def statistics_of_other_readers(patch: Patch) -> None:
    _columns_with(patch, lambda kept, sight, now: kept.item.space.id in sight.by_id and is_live(kept.item, now))


@leak("memories for other readers count in the statistics once they have expired")
def statistics_of_the_expired(patch: Patch) -> None:
    _columns_with(patch, lambda kept, sight, now: kept.item.space.id in sight.by_id and is_expired(kept.item, now))


@leak("a partition's statistics are those of its whole space", on="sqlite")
def statistics_of_the_whole_space(patch: Patch) -> None:
    original = SqliteStore.columns

    def columns(self: SqliteStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        found, whole = original(self, sight, now, *embedder), original(self, replace(sight, whole=True), now, *embedder)
        return [*found, burden(sum(one.count for one in whole) - sum(one.count for one in found))]

    patch.setattr(SqliteStore, "columns", columns)


# -- ids and order ----------------------------------------------------------------------------------------------------


@leak("ids come from one sequence for the whole store")
def one_id_sequence(patch: Patch) -> None:
    patch.setattr(MemoryStore, "next_number", lambda self, *_: self._state.handles + 1)


@leak("ids come from one sequence for each space, for all authors and readers")
def id_sequence_of_a_space(patch: Patch) -> None:
    def next_number(self: MemoryStore, sight: Sight, space: Space, *_: Any) -> int:
        return max((next for key, next in self._state.numbers.items() if key[0] == space.id), default=1)

    patch.setattr(MemoryStore, "next_number", next_number)


@leak("scores that are nearly equal are ordered by the store's own row number")
def ties_by_handle(patch: Patch) -> None:
    def break_ties(contending: Any, stamps: Any, limit: int, *step: float) -> Any:
        known = [one for one in contending if one.handle in stamps]
        return sorted(known, key=lambda one: (one.layer, -round(one.score, 1), one.handle % 7))[:limit]

    patch.setattr(search, "break_ties", break_ties)
    patch.setattr(recall, "break_ties", break_ties)


@leak("a cursor holds the number of rows in the store")
def cursor_with_row_number(patch: Patch) -> None:
    position, after = listing._position, listing.cursor_after
    rows = [0]

    def page(self: MemoryStore, *given: Any) -> list[Item]:
        rows[0] = len(_all(self))
        return original(self, *given)

    original = MemoryStore.page
    patch.setattr(MemoryStore, "page", page)
    patch.setattr(listing, "_position", lambda cursor: position(cursor.split(".")[0]))
    patch.setattr(listing, "cursor_after", lambda item: f"{after(item)}.{rows[0]}")


@leak("a listing filters by reader after it has cut to the limit")
def filter_after_limit(patch: Patch) -> None:
    original = MemoryStore.page

    def page(self: MemoryStore, sight: Sight, filter: Filter, after: Any, limit: int, now: int) -> list[Item]:
        return [item for item in original(self, replace(sight, whole=True), filter, after, limit, now)
                if sight.admits(item)]  # fmt: skip

    patch.setattr(MemoryStore, "page", page)


@leak("a recall fetches the best of the whole space and drops what is for others afterwards")
def recall_filters_after_limit(patch: Patch) -> None:
    original = show_once.select

    def select(view: View, totals: Any, limit: int, filter: Filter, *opening: Any) -> Any:
        mark = view.engine.embedding.tag
        whole = view.store.columns(replace(view.sight, whole=True), view.now, mark)
        query = search.bind_query(view, whole, _ASKED[0])
        if totals is None:
            return original(view, totals, limit, filter, *opening)
        best = rank.best_memories(search.score_columns(view, whole, query), limit)
        first = [one.handle for one in sorted(best, key=lambda one: (one.layer, -one.score, one.handle))[:limit]]
        for place, layer in totals.items():
            totals._layers[place] = _only(layer, np.isin(layer.handles, first))
        return original(view, totals, limit, filter, *opening)

    def asking(view: View, text: str) -> Any:
        _ASKED[:] = [text]
        return read_index(view, text)

    read_index = recall.read_index
    patch.setattr(recall, "read_index", asking)
    patch.setattr(show_once, "select", select)


def _only(layer: rank.Layer, wanted: Any) -> rank.Layer:
    def left(part: Any) -> Any:
        return part[wanted] if len(part) == len(wanted) else part

    shares = {feature: left(share) for feature, share in layer.shares.items()}
    return rank.Layer(*(left(part) for part in layer._replace(shares=layer.scores)))._replace(shares=shares)


_ASKED: list[Any] = []


# -- duplicates and rejected values -----------------------------------------------------------------------------------


@leak("a statement is a duplicate if any user has it")
def dedup_across_spaces(patch: Patch) -> None:
    def rivals(self: MemoryStore, sight: Sight, space: Space, readers: Any, value: bytes) -> list[Item]:
        return [kept.item for kept in _all(self) if kept.value == value and kept.item.deleted_at_us is None]

    patch.setattr(MemoryStore, "rivals", rivals)
    _write_anywhere(patch)


@leak("a statement is a duplicate if any user of the space has it, for any readers")
def dedup_across_readers(patch: Patch) -> None:
    def rivals(self: MemoryStore, sight: Sight, space: Space, readers: Any, value: bytes) -> list[Item]:
        return [kept.item for kept in _all(self)
                if kept.value == value and kept.item.space == space and kept.item.deleted_at_us is None]  # fmt: skip

    patch.setattr(MemoryStore, "rivals", rivals)


@leak("a value that any user rejected is refused everywhere")
def rejected_value_across_spaces(patch: Patch) -> None:
    def rejected_values(self: MemoryStore, sight: Sight, space: Space, readers: Any, values: Any) -> Any:
        return [one for one in self._state.rejected_values.values() if one.value in values]

    patch.setattr(MemoryStore, "rejected_values", rejected_values)


@leak("a value rejected for some readers of a space is refused for all of them")
def rejected_value_across_readers(patch: Patch) -> None:
    def rejected_values(self: MemoryStore, sight: Sight, space: Space, readers: Any, values: Any) -> Any:
        return [one for one in self._state.rejected_values.values() if one.space == space and one.value in values]

    patch.setattr(MemoryStore, "rejected_values", rejected_values)


@leak("bytes that any user imported are not imported again")
def import_dedup_across_owners(patch: Patch) -> None:
    original = MemoryStore.sources

    def sources(self: MemoryStore, sight: Sight) -> Any:
        return list(self._state.sources.values()) if len(sight.spaces) == 1 else original(self, sight)

    patch.setattr(MemoryStore, "sources", sources)


# -- sight ------------------------------------------------------------------------------------------------------------


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
    original = View.within

    def within(self: View, space: Any) -> View:
        held = original(self, space)
        return held if held.sight.spaces else self.with_sight(maintenance_sight(self.store.spaces()))

    patch.setattr(View, "within", within)


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
    original = MemoryStore.facts

    def facts(self: MemoryStore, standpoint: Any) -> Any:
        name = str(standpoint.actor.user)
        shares = tuple(one for one in self._state.shares.values() if one.reader and name.startswith(one.reader.id))
        return replace(original(self, standpoint), shares=shares)

    patch.setattr(MemoryStore, "facts", facts)


@leak("an agent acting for another user still sees its owner's private space")
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


# -- reader lists -----------------------------------------------------------------------------------------------------


def _whole(patch: Patch, *methods: str, store: type = MemoryStore) -> None:
    """Ignore reader lists in some methods of the store."""
    for method in methods:
        original = getattr(store, method)

        def through(self: Any, sight: Sight, *rest: Any, original: Any = original) -> Any:
            return original(self, replace(sight, whole=True), *rest)

        patch.setattr(store, method, through)


@leak("listings forget reader lists")
def readers_forgotten_in_listings(patch: Patch) -> None:
    _whole(patch, "page")


@leak("looking up by id forgets reader lists")
def readers_forgotten_by_id(patch: Patch) -> None:
    _whole(patch, "items")


@leak("recall forgets reader lists")
def readers_forgotten_in_recall(patch: Patch) -> None:
    _whole(patch, "columns", "positions", "items_by_handle")


@leak("recall forgets reader lists", on="sqlite")
def readers_forgotten_in_recall_on_sqlite(patch: Patch) -> None:
    _whole(patch, "columns", "positions", "items_by_handle", store=SqliteStore)


@leak("an erase follows lineage to memories for other readers, and counts them")
def receipt_counts_others(patch: Patch) -> None:
    patch.setattr(lineage, "is_within", lambda sight, item: True)


# -- reach of a change ------------------------------------------------------------------------------------------------


@leak("erasing a scope takes all users' memories of the scope")
def scope_without_owner(patch: Patch) -> None:
    patch.setattr(selection, "sights_over", lambda view, spaces: [maintenance_sight(spaces)])


@leak("erase takes any id, wherever it is")
def erase_any_id(patch: Patch) -> None:
    patch.setattr(erase, "_erasable_sight", lambda view: maintenance_sight(view.store.spaces()))


@leak("forget, correct and review take any id, wherever it is")
def change_any_id(patch: Patch) -> None:
    original = View.find

    def find(self: View, id: str) -> Item:
        return original(self.with_sight(maintenance_sight(self.store.spaces())), id)

    patch.setattr(View, "find", find)


@leak("the border is not checked: whoever names a space writes in it")
def no_border(patch: Patch) -> None:
    original = admission.screen

    def screen(actor: Any, seen: Any, placement: Any, policy: Any, **more: Any) -> Any:
        held = maintenance_sight([placement.space]).spaces[0] if seen is None or not seen.writable else seen
        return original(actor, held, placement, policy, **more)

    for module in (decide, wording):
        patch.setattr(module, "screen", screen)


@leak("every user writes in the system space")
def system_space_is_writable(patch: Patch) -> None:
    patch.setattr(standing, "_at_system", lambda actor: (standing.Reach.FULL, Reason.SYSTEM_READABLE))


@leak("every user writes in an agent's public space")
def public_space_is_writable(patch: Patch) -> None:
    original = standing._reaches

    def reaches(space: Space, coordinate: Any, standings: Any, needed: Any) -> bool:
        return original(space, coordinate, standings, standing.Reach.READ)

    patch.setattr(standing, "_reaches", reaches)


@leak("a recall sweeps what will expire within the hour too")
def sweep_too_early(patch: Patch) -> None:
    hour = 3_600 * 1_000_000
    overdue = MemoryStore.overdue
    patch.setattr(MemoryStore, "overdue", lambda self, sight, now, limit=None: overdue(self, sight, now + hour, limit))
    early = _sweep_with(lambda item, now: as_expired(item, now + hour))
    patch.setattr(engines, "sweep", early)
    patch.setattr(collection, "sweep_some", lambda engine, sight, now, limit: early(engine, sight, now))


def _sweep_with(after: Callable[[Item, Any], Item]) -> Callable[..., int]:
    def sweep(engine: Engine, sight: Sight, now: Any) -> int:
        return engine.commit(WHOLE_STORE, lambda: retire(engine, sight, now))

    def retire(engine: Engine, sight: Sight, now: Any) -> int:
        overdue = engine.store.overdue(sight, now)
        for item in overdue:
            event = engine.recorder(item.author, now).change_event("expire", after(item, now), Reason.EXPIRED)
            engine.store.apply([engine.update(after(item, now))], [event])
        return len(overdue)

    return sweep


# -- answers ----------------------------------------------------------------------------------------------------------


def _exists(engine: Engine, id: str) -> bool:
    return bool(engine.store.items(maintenance_sight(engine.store.spaces()), [id]))


@leak("the error says whether a memory is missing or another user's")
def error_names_existence(patch: Patch) -> None:
    original = View.find

    def find(self: View, id: str) -> Item:
        try:
            return original(self, id)
        except NotFound:
            if _exists(self.engine, id):
                raise Denied("border_write", "it is not yours") from None
            raise

    patch.setattr(View, "find", find)


@leak("explain gives an outsider the real reason")
def explain_to_outsiders(patch: Patch) -> None:
    original = explain.explain

    def to_anybody(view: View, id: str, *rest: Any) -> Any:
        found = original(view, id, *rest)
        return replace(found, reason=Reason.NOT_A_READER) if not found.shown and _exists(view.engine, id) else found

    patch.setattr(explain, "explain", to_anybody)


@leak("asked about a query, explain says of what is there and not hers that it does not match")
def explain_says_it_does_not_match(patch: Patch) -> None:
    original = explain.explain

    def without_match(view: View, id: str, viewer: Any = None, question: Any = None) -> Any:
        found = original(view, id, viewer, question)
        is_hidden = question is not None and found.reason is Reason.NOT_FOUND and _exists(view.engine, id)
        return replace(found, reason=Reason.NO_MATCH) if is_hidden else found

    patch.setattr(explain, "explain", without_match)


@leak("a place in the ranking counts those that are for others")
def ranked_among_others(patch: Patch) -> None:
    original = accounting.recall_without_limit
    patch.setattr(accounting, "recall_without_limit", lambda view, question: original(_as_whole(view), question))


@leak("what is withheld is counted whoever it is for")
def withheld_from_others(patch: Patch) -> None:
    original = accounting.withheld
    patch.setattr(accounting, "withheld", lambda view, *rest: original(_as_whole(view), *rest))


@leak("check looks at what is there, not at what can be seen")
def check_sees_everything(patch: Patch) -> None:
    original = check._find_for

    def find_for(view: View, verb: Any, id: str) -> None:
        original(view.with_sight(maintenance_sight(view.store.spaces())), verb, id)

    patch.setattr(check, "_find_for", find_for)


@leak("the inbox shows what waits anywhere")
def inbox_of_all_users(patch: Patch) -> None:
    original = MemoryStore.page

    def page(self: MemoryStore, sight: Sight, filter: Filter, *rest: Any) -> list[Item]:
        everywhere = maintenance_sight(self.spaces())
        return original(self, everywhere if filter.statuses == {Status.PENDING} else sight, filter, *rest)

    patch.setattr(MemoryStore, "page", page)


@leak("the list of sources has those of all users")
def sources_of_all_users(patch: Patch) -> None:
    patch.setattr(MemoryStore, "sources", lambda self, sight: list(self._state.sources.values()))


@leak("the list of erasures has those of all users")
def erasures_of_all_users(patch: Patch) -> None:
    patch.setattr(erasures, "_may_check", lambda actor, erasure: True)


@leak("an export takes along the private spaces of those whose name begins the same")
def export_by_prefix(patch: Patch) -> None:
    original = export.own_spaces_sight

    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        named = [space for space in spaces if str(space.get(Level.USER)).startswith(str(actor.user))]
        return replace(maintenance_sight(named), actor=actor, whole=False) if named else original(actor, [], **rest)

    patch.setattr(export, "own_spaces_sight", own)
    patch.setattr(Engine, "own_spaces", lambda self, _: self.store.spaces())


@leak("the trail shows everything that happened in the spaces one can see")
def trail_of_whole_spaces(patch: Patch) -> None:
    original = trail_export.lines_of

    def lines_of(view: View) -> list[dict[str, Any]]:
        chains = [one for one in view.store.chains() if one[0].kind == "space" and one[0].key in view.sight.by_id]
        return [*original(view), *({"chain": str(chain), "events": length} for chain, length, _ in chains)]

    patch.setattr(trail_export, "lines_of", lines_of)


# -- ticks, budgets and phases ----------------------------------------------------------------------------------------


def _of_space(store: MemoryStore, space: Space) -> list[Item]:
    return [kept.item for kept in _all(store) if kept.item.space == space and is_live(kept.item, 0)]


@leak("a tick counts what comes into force for any readers of the space")
def tick_of_the_whole_space(patch: Patch) -> None:
    def tick(self: MemoryStore, sight: Sight, space: Space, *_: Any) -> int:
        return sum(1 for kept in _all(self) if kept.item.space == space and kept.item.in_force_at_us is not None)

    patch.setattr(MemoryStore, "tick", tick)


@leak("there is one tick for the whole store")
def one_tick_for_all(patch: Patch) -> None:
    patch.setattr(MemoryStore, "tick", lambda self, *_: self._state.handles)


@leak("a memory is aged by what is written for other readers of its space")
def aged_by_other_readers(patch: Patch) -> None:
    def due_by_tick(self: MemoryStore, sight: Sight, space: Space, readers: Readers, tick: int, *_: Any) -> list[Item]:
        return [one for one in _of_space(self, space) if one.expires_tick is not None and one.expires_tick <= tick + 1]

    patch.setattr(MemoryStore, "due_by_tick", due_by_tick)


@leak("a budget is of a space, for all authors and readers")
def budget_of_a_space(patch: Patch) -> None:
    def population(self: MemoryStore, sight: Sight, space: Space, *_: Any) -> Counter[Kind]:
        return Counter(item.kind for item in _of_space(self, space))

    patch.setattr(MemoryStore, "count_by_kind", population)


@leak("an owner's budget covers all users whose name begins the same")
def budget_by_prefix(patch: Patch) -> None:
    def authored_count(self: MemoryStore, author: Actor) -> int:
        names = {kept.item.author.id for kept in _all(self) if kept.item.author.key == author.key} or {"bea"}
        live = [kept.item for kept in _all(self) if is_live(kept.item, 0)]
        return sum(any(item.author.id.startswith(name) for name in names) for item in live)

    patch.setattr(MemoryStore, "authored_count", authored_count)


@leak("a full budget evicts the least important memory of the space, of any author")
def evicts_others(patch: Patch) -> None:
    def least_important(
        self: MemoryStore, sight: Sight, space: Space, readers: Any, author: Any, kinds: Any, count: int, **_: Any
    ) -> Any:
        found = [item for item in _of_space(self, space) if item.kind in kinds]
        return sorted(found, key=lambda item: (item.author.key == author, item.importance, item.id))[:count]

    patch.setattr(MemoryStore, "least_important", least_important)


@leak("phases are numbered for the whole store")
def one_number_for_phases(patch: Patch) -> None:
    original = starts.start_phase

    def start(tx: Transaction, *rest: Any) -> Phase:
        phase = original(tx, *rest)
        return replace(phase, index=tx.store._state.phases_begun + 1)  # type: ignore[attr-defined]

    patch.setattr(starts, "start_phase", start)


@leak("a phase begins at the number of memories in its space, for whatever readers")
def phase_counts_the_whole_space(patch: Patch) -> None:
    original = starts.start_phase

    def start(tx: Transaction, space: Space, *rest: Any) -> Phase:
        phase = original(tx, space, *rest)
        return replace(phase, started_tick=len(_of_space(tx.store, space)))  # type: ignore[arg-type]

    patch.setattr(starts, "start_phase", start)


@leak("memories a phase retired are reported to its starter, for any readers")
def retired_memories_of_other_readers_are_reported(patch: Patch) -> None:
    original = Transaction.retire

    def retire(self: Transaction, item: Item, action: str, *rest: Any, traced: bool = True, **detail: Any) -> Item:
        return original(self, item, action, *rest, traced=traced or action == "retire_phase", **detail)

    patch.setattr(Transaction, "retire", retire)


@leak("a diff between phases forgets reader lists")
def diff_forgets_readers(patch: Patch) -> None:
    original = diffs.view_of_space

    def view_of_space(*given: Any) -> tuple[View, Space]:
        view, space = original(*given)
        return view.with_sight(replace(view.sight, whole=True)), space

    patch.setattr(diffs, "view_of_space", view_of_space)


@leak("what was known then is recalled without reader lists")
def as_of_forgets_readers(patch: Patch) -> None:
    original = recall.known_as_of
    patch.setattr(recall, "known_as_of", lambda view, as_of: original(_as_whole(view), as_of))


@leak("what was known then is scored by the words of all readers")
def as_of_scores_over_all(patch: Patch) -> None:
    original = recall.columns_as_of

    def columns(view: View, items: Any) -> list[Columns]:
        return [*original(view, items), burden(_HIDDEN[0])]

    def known_as_of(view: View, as_of: Any) -> list[Item]:
        here = [kept.item for kept in _all(view.store) if kept.item.space.id in view.sight.by_id]  # type: ignore[arg-type]
        _HIDDEN[0] = sum(not view.sight.admits(item) for item in here)
        return of_its_own(view, as_of)

    of_its_own = recall.known_as_of
    patch.setattr(recall, "known_as_of", known_as_of)
    patch.setattr(recall, "columns_as_of", columns)


_HIDDEN = [0]


# -- conversations, promotions and traces -----------------------------------------------------------------------------


@leak("the window of a conversation has the turns of every session of that name")
def window_by_session_name(patch: Patch) -> None:
    original = windows.conversation

    def conversation(view: View, space: Space) -> Any:
        known, session = original(view, space), view.standpoint.get(Level.SESSION)
        there = [space for space in view.store.spaces() if session and space.get(Level.SESSION) == session]
        turns = Filter(kinds=frozenset({Kind.SHORT_TERM}))
        others = view.store.page(maintenance_sight(there), turns, None, 9, view.now)
        return conversations.Conversation(known.summary, [*known.turns, *others])

    patch.setattr(windows, "conversation", conversation)


@leak("a conversation slides by the turns of every session of that name")
def slides_by_session_name(patch: Patch) -> None:
    original = conversations.conversation

    def conversation(view: View, space: Space) -> Any:
        known = original(view, space)
        same = [kept.item for kept in _all(view.store) if kept.item.kind is Kind.SHORT_TERM]  # type: ignore[arg-type]
        hidden = sum(not view.sight.admits(item) for item in same)
        return conversations.Conversation(known.summary, known.turns[min(hidden, 1) :])

    for module in (conversations, windows):
        patch.setattr(module, "conversation", conversation)


@leak("what is promoted is a duplicate if any user promoted the same")
def promotes_once_for_all(patch: Patch) -> None:
    original = promote.promote_item

    def promote_item(tx: Transaction, source: Item, target: Space, *rest: Any) -> Any:
        there = [item for item in _of_space(tx.store, target) if item.promoted_from is not None]  # type: ignore[arg-type]
        if any(item.text == source.text for item in there):
            raise Denied(Reason.DUPLICATE, "it is there already")
        return original(tx, source, target, *rest)

    patch.setattr(promote, "promote_item", promote_item)


@leak("calls are named by how many events there are in the store")
def traces_count_events(patch: Patch) -> None:
    original = Engine.call

    def call(self: Engine, actor: Any, verb: str, *said: object) -> Any:
        return original(self, actor, verb, *said, sum(length for _, length, _ in self.store.chains()))

    patch.setattr(Engine, "call", call)


@leak("a trace shows how many events its spaces have had")
def trace_with_numbers(patch: Patch) -> None:
    original = show_trace.rebuild_trace

    def numbered(view: View, trace: str, *, expanded: bool) -> Any:
        events = original(view, trace, expanded=expanded)
        count = sum(length for chain, length, _ in view.store.chains() if chain.key in view.sight.by_id)
        return None if events is None else [*events, {"count": count}]

    patch.setattr(show_trace, "rebuild_trace", numbered)


# -- our own, found by this test --------------------------------------------------------------------------------------


@leak("own events in a space's trail come with their number and hash, which count those of all users")
def trail_with_numbers(patch: Patch) -> None:
    original = lines.line_of
    patch.setattr(lines, "line_of", lambda link, event, *, placed: original(link, event, placed=True))


@leak("reads wait to be recorded until the next write, and are then recorded after it")
def reads_recorded_late(patch: Patch) -> None:
    def commit_late(self: Engine, scope: Scope, work: Callable[[], Any], call: Any = None) -> Any:
        def attempt(scope: Scope) -> Any:
            with self.store.writing(scope):
                answer = work()
                self.store.apply([], self._take_reads(scope))
                return answer

        return write_until_done(scope, attempt)

    patch.setattr(Engine, "commit", commit_late)


@leak("the end of an expired memory shows when a recall swept it")
def sweep_shows_who_recalled(patch: Patch) -> None:
    def swept(item: Item, now: Any) -> Item:
        return replace(item, deleted_at_us=now, deleted_reason="expired", updated_at_us=now, version=item.version + 1)

    patch.setattr(engines, "sweep", _sweep_with(swept))


@leak("a receipt says how many bytes of the whole file were overwritten", on="sqlite")
def receipt_with_figures_of_the_file(patch: Patch) -> None:
    patch.setattr(removal, "_figures", lambda actor, scrub: scrub.places)


@leak("expired memories use budget until they are swept")
def expired_memories_use_budget_until_swept(patch: Patch) -> None:
    patch.setattr(budget, "_find_unswept", lambda *_: [])


@leak("a tick ends expired memories again unless they were swept")
def fades_expired_memories(patch: Patch) -> None:
    def expire_by_tick(tx: Transaction, latest: Item, ended: Sequence[Item] | None = None) -> None:
        partition = (latest.space, latest.readers, latest.created_tick, audience_of(latest))
        for item in tx.store.due_by_tick(tx.sight, *partition) if ended is None else ended:
            tx.as_system().retire(item, "expire", Reason.DECAY, deleted=Reason.EXPIRED)

    for module in (write, approve):
        patch.setattr(module, "expire_by_tick", expire_by_tick)


@leak("a phase retires expired memories unless they were swept")
def retires_expired_memories(patch: Patch) -> None:
    patch.setattr(starts, "as_expired", lambda item, now: item)
    patch.setattr(diffs, "_with_ended_phase", lambda item, there, now: as_expired(item, now))


@leak("a diff between phases shows expired memories until they are swept")
def diff_until_swept(patch: Patch) -> None:
    patch.setattr(diffs, "_with_ended_phase", lambda item, there, now: item)


@leak("approving a promotion reveals the state of its source")
def approval_reveals_the_source(patch: Patch) -> None:
    def settle(tx: Transaction, source: Item, copy: Item) -> None:
        tx.retire(source, "promote", Reason.PROMOTED, to=copy.id,
                  target=copy.space.to_dict(), authority=copy.authority.value, why="manual")  # fmt: skip

    patch.setattr(approve, "settle_promotion", settle)


@leak("a promotion can be approved only while its source is in force")
def approval_depends_on_the_source(patch: Patch) -> None:
    original = approve.agree

    def agree(tx: Transaction, item: Item) -> Item | None:
        source = approve.source_of(tx.engine, item)
        if source is None or not is_live(source, tx.now):
            raise Denied(Reason.PROMOTED, "its source is gone")
        return original(tx, item)

    patch.setattr(approve, "agree", agree)
