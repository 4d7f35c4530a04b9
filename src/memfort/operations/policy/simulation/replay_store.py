"""The store of a replay: a memory store that starts empty, and asks the recorded store who belongs where.

It lets the very code that decides a write decide it again. It keeps no trail: events are handed to the replay. Only
memories that the asker of the simulation may see ever come in.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext

from memfort.model.audience import PLAIN, Audience, audience_of
from memfort.model.item import EVERYONE, Item, Kind, Readers, as_expired
from memfort.model.moment import Moment
from memfort.model.people.actor import Standpoint
from memfort.model.people.directory import Chat, Facts, Principal, Trust
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.sight import maintenance_sight
from memfort.store.memory import MemoryStore
from memfort.store.port import Change, Insert, Scope, Store, Update
from memfort.trail.event import Event

Partition = tuple[bytes, Readers, Audience]
NumberSequence = tuple[bytes, Readers, Audience, bytes, Kind]  # of one author and kind in a partition


class ReplayStore(MemoryStore):
    """What is kept at one point of a replay."""

    def __init__(self, recorded: Store, on_event: Callable[[Event], None]) -> None:
        super().__init__(recorded.keys)
        self.forced_number: int | None = None  # the place in its author's sequence that the next memory gets
        self._recorded = recorded
        self._on_event = on_event
        self._joined: dict[Standpoint, dict[Coordinate, Trust]] = {}
        self._last_changes: dict[str, Insert | Update] = {}  # the last change of each memory
        self._reserved: dict[NumberSequence, int] = {}
        self._skipped_ticks: dict[Partition, int] = {}
        self._expiries: list[tuple[Moment, str]] = []

    # -- what a replay asks ------------------------------------------------------------------------------------------

    def get(self, id: str) -> Item | None:
        latest = self._last_changes.get(id)
        return None if latest is None else latest.item

    def sweep(self, now: Moment) -> None:
        """End expired memories. The time of a sweep makes no visible difference, so here it comes at once."""
        while self._expiries and self._expiries[0][0] <= now:
            _, id = heapq.heappop(self._expiries)
            latest = self._last_changes[id]
            self.apply([Update(as_expired(latest.item, now), latest.value, latest.entry, latest.disclosed)], [])

    def reserve(self, items: Iterable[Item]) -> None:
        """Keep the numbers of these memories for them, whatever else is written before."""
        for item in items:
            sequence = (*_partition_of(item), item.author.key, item.kind)
            self._reserved[sequence] = max(self._reserved.get(sequence, 0), item.number)

    def ticks(self, item: Item) -> int:
        return self.tick(maintenance_sight([item.space]), item.space, item.readers, audience_of(item))

    def skip_ticks(self, item: Item, count: int) -> None:
        """Let the memories beside an item grow older by memories that came into force there and cannot be replayed."""
        self._skipped_ticks[_partition_of(item)] = self.ticks(item) + count

    # -- where it differs from a memory store ------------------------------------------------------------------------

    def writing(self, scope: Scope | None = None) -> AbstractContextManager[None]:  # noqa: ARG002
        """Write in place: one thread replays, and an operation that is refused has changed nothing."""
        return nullcontext()

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        super().apply(changes, [])
        for change in changes:
            if isinstance(change, Insert | Update):
                self._last_changes[change.item.id] = change
            if isinstance(change, Insert) and change.item.expires_at_us is not None:
                heapq.heappush(self._expiries, (change.item.expires_at_us, change.item.id))
        for event in events:
            self._on_event(event)

    def facts(self, standpoint: Standpoint) -> Facts:
        """Whoever did something stood where they did it: that was decided then, and by no policy. So no group is
        registered here that could refuse it; membership counts for places where an author does not stand."""
        actor = standpoint.actor
        if (joined := self._joined.get(standpoint)) is None:
            joined = dict.fromkeys(self._recorded.facts(standpoint).joined, Trust.OWNER)
            self._joined[standpoint] = joined
        agents = [one.id for one in standpoint.coordinates if one.level is Level.AGENT]
        owners = dict.fromkeys(agents, actor.user or actor.owner or actor.id)
        return Facts(owners, frozenset(), joined, (), phases=super().facts(standpoint).phases)

    def chat(self, id: str) -> Chat | None:
        return self._recorded.chat(id)

    def trust(self, coordinate: Coordinate, member: Principal) -> Trust | None:
        return self._recorded.trust(coordinate, member)

    def next_number(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kind: Kind, audience: Audience = PLAIN
    ) -> int:
        if sight.seen(space) is None:
            return 1
        if self.forced_number is not None:
            return self.forced_number
        free = super().next_number(sight, space, readers, author, kind, audience)
        return max(free, self._reserved.get((space.id, readers, audience, author, kind), 0) + 1)

    def tick(self, sight: Sight, space: Space, readers: Readers = EVERYONE, audience: Audience = PLAIN) -> int:
        seen = sight.seen(space)
        if seen is None or not sight.admits_partition(seen, readers, audience):
            return 0
        return max(
            super().tick(sight, space, readers, audience), self._skipped_ticks.get((space.id, readers, audience), 0)
        )

    def overdue(self, sight: Sight, now: Moment, limit: int | None = None) -> list[Item]:  # noqa: ARG002
        return []  # swept already


def _partition_of(item: Item) -> Partition:
    return item.space.id, item.readers, audience_of(item)
