"""A store for one world of a replay: the doors that a write opens, in memory, quick to ask and gone afterwards.

It lets the very code that decides a write decide it again, so that there is no second engine to keep in step. It keeps
no trail: what would be recorded is handed on. Only what the asker of a replay may see ever comes in.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from memfort.memory.lifetimes import lapsed
from memfort.model.actor import Actor, Standpoint
from memfort.model.directory import Chat, Facts, Principal, Trust
from memfort.model.hearing import PLAIN, Label, label_of
from memfort.model.item import EVERYONE, Item, Kind, Readers, Status
from memfort.model.marks import Marks
from memfort.model.moment import Moment
from memfort.model.phase import Phase
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.budget import LASTING
from memfort.store import port
from memfort.store.marks import asked_numbers, own_numbers
from memfort.store.port import Bar, Change, Entry, Filter, Position, position_of
from memfort.trace.event import Event
from memfort.trace.keys import Keys

ShelfId = tuple[bytes, Readers, Label | None]  # `None`: whatever the label
Rank = tuple[float, Moment, str]  # the importance, the age and the id of a memory
_WAITS_OR_HOLDS = frozenset({Status.APPROVED, Status.PENDING})


class WorldStore:
    """What one world holds. Chats and groups are asked in the directory of the store that is replayed."""

    def __init__(self, replayed: port.Store, record: Callable[[Event], None]) -> None:
        self.keys = replayed.keys
        self.number: int | None = None  # the place in its author's sequence that the next memory has
        self._replayed = replayed
        self._record = record
        self._joined: dict[Standpoint, frozenset[Coordinate]] = {}
        self._items: dict[str, Item] = {}
        self._handles: dict[str, int] = {}
        self._under: dict[str, list[object]] = {}  # what each is found by
        self._found: defaultdict[object, set[str]] = defaultdict(set)  # and the other way round
        self._ranked: defaultdict[object, list[Rank]] = defaultdict(list)
        self._values: dict[str, tuple[bytes, Entry | None]] = {}
        self._spaces: dict[bytes, Space] = {}
        self._numbers: Counter[tuple[ShelfId, bytes, Kind]] = Counter()
        self._ticks: Counter[ShelfId] = Counter()
        self._phases: dict[bytes, tuple[Phase, ...]] = {}
        self._phases_begun = 0
        self._bars: dict[tuple[bytes, Readers, bytes], Bar] = {}
        self._origins: dict[str, tuple[Space, str]] = {}
        self._made_from: defaultdict[str, set[str]] = defaultdict(set)
        self._ends: list[tuple[Moment, str]] = []

    # -- what a replay asks ------------------------------------------------------------------------------------------

    def get(self, id: str) -> Item | None:
        return self._items.get(id)

    def sweep(self, now: Moment) -> None:
        """End what has expired. When somebody sweeps makes no difference to anybody, so here it is at once."""
        while self._ends and self._ends[0][0] <= now:
            _, id = heapq.heappop(self._ends)
            self._put(lapsed(self._items[id], now), *self._values[id])

    def reserve(self, items: Iterable[Item]) -> None:
        """Keep the names that these memories have for them, whatever else is written before."""
        for item in items:
            sequence = (_shelf(item), item.author.key, item.kind)
            self._numbers[sequence] = max(self._numbers[sequence], item.number)

    def ticks(self, item: Item) -> int:
        return self._ticks[item.space.id, item.readers, label_of(item)]

    def pass_ticks(self, item: Item, count: int) -> None:
        """Let the memories beside an item grow older by what came into force there and cannot be played again."""
        self._ticks[item.space.id, item.readers, label_of(item)] += count

    # -- the doors ---------------------------------------------------------------------------------------------------

    def reading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def writing(self) -> AbstractContextManager[None]:
        return nullcontext()

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        for change in changes:
            self._change(change)
        for event in events:
            self._record(event)

    def facts(self, standpoint: Standpoint) -> Facts:
        """Whoever did something stood where they did it: that was decided then, and by no policy. So no group is known
        here that could refuse it; who is a member counts for places where an author does not stand."""
        actor = standpoint.actor
        if (joined := self._joined.get(standpoint)) is None:
            joined = self._joined[standpoint] = self._replayed.facts(standpoint).joined
        named = [one.id for one in standpoint.coordinates if one.level is Level.AGENT]
        owners = dict.fromkeys(named, actor.user or actor.owner or actor.id)
        return Facts(owners, frozenset(), joined, (), self._phases_begun)

    def chat(self, id: str) -> Chat | None:
        return self._replayed.chat(id)

    def trust(self, coordinate: Coordinate, member: Principal) -> Trust | None:
        return self._replayed.trust(coordinate, member)

    def spaces(self, user: str | None = None) -> list[Space]:
        return [one for one in self._spaces.values() if user is None or one.get(Level.USER) == user]

    def items(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        found = (self._items.get(id) for id in dict.fromkeys(ids))
        return [item for item in found if item is not None and sight.admits(item)]

    def page(self, sight: Sight, filter: Filter, after: Position | None, limit: int, now: Moment) -> list[Item]:
        found = [item for seen in sight.spaces for item in self._pool(seen.space, filter) if sight.admits(item)]
        wanted = sorted((item for item in found if filter.admits(item, now)), key=_newest_first)
        if after is not None:
            wanted = [item for item in wanted if _newest_first(item) > (-after.created_at, after.id, after.space)]
        return wanted[:limit]

    def marked(self, sight: Sight, space: Space, readers: Readers, marks: Marks, limit: int) -> list[Item]:
        asked = asked_numbers(self.keys, marks)
        found = {id for mark in asked for id in self._found.get(("mark", space.id, mark), ())}
        latest = (self._items[id] for id in sorted(found, key=self._handles.__getitem__, reverse=True))
        items = [item for item in latest if item.readers == readers and sight.admits(item)]
        return sorted(items[:limit], key=lambda item: item.id)

    def rivals(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> list[Item]:
        return self._all(sight, ("rival", space.id, readers, value))

    def bar(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> Bar | None:
        return self._bars.get((space.id, readers, value)) if _reads(sight, space, readers) else None

    def next_number(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kind: Kind, label: Label = PLAIN
    ) -> int:
        if sight.seen(space) is None:
            return 1
        return self.number or self._numbers[(space.id, readers, label), author, kind] + 1

    def derived(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        made = sorted({id for one in ids for id in self._made_from[one]})
        copies = [self._items[id] for id in made if id in self._origins and sight.whole]
        return [*self.items(sight, [id for id in made if id not in self._origins]), *copies]

    def origins(self, sight: Sight, item: Item) -> list[tuple[Space, str]]:
        return [self._origins[item.id]] if sight.whole and item.id in self._origins else []

    def tick(self, sight: Sight, space: Space, readers: Readers = EVERYONE, label: Label = PLAIN) -> int:
        return self._ticks[space.id, readers, label] if _reads(sight, space, readers) else 0

    def faded(self, sight: Sight, space: Space, readers: Readers, tick: int, label: Label = PLAIN) -> list[Item]:
        ageing = self._all(sight, ("ageing", (space.id, readers, label)))
        return [item for item in ageing if item.expires_tick is not None and item.expires_tick <= tick]

    def population(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, label: Label = PLAIN
    ) -> Mapping[Kind, int]:
        if not _reads(sight, space, readers):
            return {}
        return {kind: len(self._found["mine", (space.id, readers, label), author, kind]) for kind in Kind}

    def authored(self, author: Actor) -> int:
        return len(self._found["lasting", author.key])

    def places(self, author: Actor) -> list[Space]:
        return [space for space in self._spaces.values() if self._found["lasting in", author.key, space.id]]

    def least(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kinds: Sequence[Kind], count: int,
        *, oldest: bool = False, before: Moment | None = None, label: Label = PLAIN,
    ) -> list[Item]:  # fmt: skip
        if not _reads(sight, space, readers):
            return []
        ranked = [self._ranked["mine", (space.id, readers, label), author, kind] for kind in kinds]
        return list(self._first_to_go(heapq.merge(*ranked), oldest=oldest, before=before))[:count]

    def spare(
        self, sight: Sight, author: Actor, *, oldest: bool = False, before: Moment | None = None
    ) -> Iterator[Item]:
        found = self._first_to_go(list(self._ranked["lasting", author.key]), oldest=oldest, before=before)
        return (item for item in found if sight.admits(item))

    def phases(self, sight: Sight) -> Mapping[bytes, tuple[Phase, ...]]:
        return {seen.space.id: self._phases[seen.space.id] for seen in sight.spaces if self._phases.get(seen.space.id)}

    def overdue(self, sight: Sight, now: Moment, limit: int | None = None) -> list[Item]:  # noqa: ARG002
        return []  # swept already

    # -- inside ------------------------------------------------------------------------------------------------------

    def _change(self, change: Change) -> None:
        match change:
            case port.Insert(item, value, entry, _, origin):
                self._insert(item, value, entry, origin)
            case port.Update(item, value, entry):
                self._put(item, value, entry)
            case port.PutPhase(space, phase):
                self._spaces[space.id] = space
                self._phases[space.id] = (*self._phases.get(space.id, ()), phase)
                self._phases_begun += 1
            case port.DropPhases(space, last):
                self._phases[space.id] = tuple(one for one in self._phases.get(space.id, ()) if one.index > last)
            case port.PutBar(bar):
                self._bars[bar.space.id, bar.readers, bar.value] = bar
            case port.DropBar(bar):
                self._bars.pop((bar.space.id, bar.readers, bar.value), None)
            case _:
                raise TypeError(f"a replay makes no {type(change).__name__}")

    def _insert(self, item: Item, value: bytes, entry: Entry | None, origin: tuple[Space, str] | None) -> None:
        self.reserve([item])
        self._handles[item.id] = len(self._handles)
        if origin is not None:
            self._origins[item.id] = origin
            self._made_from[origin[1]].add(item.id)
        for id in item.derived_from:
            self._made_from[id].add(item.id)
        if item.expires_at is not None:
            heapq.heappush(self._ends, (item.expires_at, item.id))
        self._put(item, value, entry)

    def _put(self, item: Item, value: bytes, entry: Entry | None) -> None:
        """Enter a memory as it is now, under everything it is asked for by."""
        rank = (item.importance, item.created_at, item.id)
        for place in self._under.get(item.id, ()):
            self._found[place].discard(item.id)
            if _is_ranked(place):
                ranks = self._ranked[place]
                del ranks[bisect_left(ranks, rank)]
        self._items[item.id], self._values[item.id], self._spaces[item.space.id] = item, (value, entry), item.space
        for shelf in _shelves(item):
            self._ticks[shelf] = max(self._ticks[shelf], item.created_tick)
        self._under[item.id] = list(_places(self.keys, item, value, entry))
        for place in self._under[item.id]:
            self._found[place].add(item.id)
            if _is_ranked(place):
                insort(self._ranked[place], rank)

    def _pool(self, space: Space, filter: Filter) -> Iterable[Item]:
        """The memories of a space among which are all that the filter wants."""
        if filter.kinds is None or filter.deleted or filter.statuses != {Status.APPROVED}:
            return [self._items[id] for id in self._found["here", space.id]]
        return [self._items[id] for kind in filter.kinds for id in self._found["kind", space.id, kind]]

    def _all(self, sight: Sight, place: object) -> list[Item]:
        return self.items(sight, sorted(self._found[place])) if place in self._found else []

    def _first_to_go(self, ranks: Iterable[Rank], *, oldest: bool, before: Moment | None) -> Iterator[Item]:
        due = (rank for rank in ranks if before is None or rank[1] <= before)
        return (self._items[id] for _, _, id in (sorted(due, key=lambda rank: rank[1:]) if oldest else due))


def _shelf(item: Item) -> ShelfId:
    return item.space.id, item.readers, label_of(item)


def _shelves(item: Item) -> tuple[ShelfId, ShelfId]:
    return _shelf(item), (item.space.id, item.readers, None)


def _places(keys: Keys, item: Item, value: bytes, entry: Entry | None) -> Iterable[tuple[object, ...]]:
    """What a memory is asked for by."""
    yield "here", item.space.id
    if item.deleted_at is None and item.status in _WAITS_OR_HOLDS:
        yield "rival", item.space.id, item.readers, value
    if item.status is not Status.APPROVED or item.deleted_at is not None:
        return
    yield "kind", item.space.id, item.kind
    yield from (("mine", shelf, item.author.key, item.kind) for shelf in _shelves(item))
    if entry is not None and entry.marks is not None:
        yield from (("mark", item.space.id, mark) for mark in own_numbers(keys, entry.marks))
    if item.expires_tick is not None:
        yield from (("ageing", shelf) for shelf in _shelves(item))
    if item.kind in LASTING and item.readers.admits(item.author):
        yield "lasting", item.author.key
        yield "lasting in", item.author.key, item.space.id


def _is_ranked(place: object) -> bool:
    return isinstance(place, tuple) and place[0] in {"mine", "lasting"}


def _reads(sight: Sight, space: Space, readers: Readers) -> bool:
    return sight.seen(space) is not None and sight.admits_readers(readers)


def _newest_first(item: Item) -> tuple[int, str, bytes]:
    at = position_of(item)
    return -at.created_at, at.id, at.space
