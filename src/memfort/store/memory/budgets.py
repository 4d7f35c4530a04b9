"""Questions about memories that are counted: numbers, ticks, and how many memories an author has where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memfort.model.audience import PLAIN, Audience
from memfort.model.item import EVERYONE, Item, Kind, Readers
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.memory.transactions import Transactions


class BudgetQuestions(Transactions):
    def next_number(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kind: Kind, audience: Audience = PLAIN
    ) -> int:
        if sight.seen(space) is None:
            return 1
        return self._state.numbers.get((space.id, readers, audience, author, kind), 1)

    def tick(self, sight: Sight, space: Space, readers: Readers = EVERYONE, audience: Audience = PLAIN) -> int:
        if not _sees_partition(sight, space, readers, audience):
            return 0
        return self._state.ticks.get((space.id, readers, audience), 0)

    def due_by_tick(
        self, sight: Sight, space: Space, readers: Readers, tick: int, audience: Audience = PLAIN
    ) -> list[Item]:
        if not _sees_partition(sight, space, readers, audience):
            return []
        fading = [stored.item for stored in self._state.group("fading", (space.id, readers, audience))]
        found = [item for item in fading if item.expires_tick is not None and item.expires_tick <= tick]
        return sorted(found, key=lambda item: item.id)

    def count_by_kind(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, audience: Audience = PLAIN
    ) -> Mapping[Kind, int]:
        if not _sees_partition(sight, space, readers, audience):
            return {}
        partition = (space.id, readers, audience)
        counts = {kind: len(self._state.groups.get(("partition", partition, author, kind), ())) for kind in Kind}
        return {kind: count for kind, count in counts.items() if count}

    def least_important(
        self,
        sight: Sight,
        space: Space,
        readers: Readers,
        author: bytes,
        kinds: Sequence[Kind],
        count: int,
        *,
        oldest: bool = False,
        before: Moment | None = None,
        audience: Audience = PLAIN,
    ) -> list[Item]:
        if not _sees_partition(sight, space, readers, audience):
            return []
        partition = (space.id, readers, audience)
        groups = (self._state.group("partition", partition, author, kind) for kind in set(kinds))
        return _eviction_order((stored.item for group in groups for stored in group), before, oldest=oldest)[:count]

    def authored_count(self, author: Actor) -> int:
        return len(self._state.groups.get(("budget", author.key), ()))

    def author_spaces(self, author: Actor) -> list[Space]:
        found = {stored.item.space for stored in self._state.group("budget", author.key)}
        return sorted(found, key=lambda space: space.id)

    def eviction_candidates(
        self, sight: Sight, author: Actor, *, oldest: bool = False, before: Moment | None = None
    ) -> Iterator[Item]:
        lasting = [stored.item for stored in self._state.group("lasting", author.key)]
        in_sight = [item for item in lasting if item.space.id in sight.by_id and sight.admits(item)]
        yield from _eviction_order(in_sight, before, oldest=oldest)


def _sees_partition(sight: Sight, space: Space, readers: Readers, audience: Audience) -> bool:
    seen = sight.seen(space)
    return seen is not None and sight.admits_partition(seen, readers, audience)


def _eviction_order(items: Iterable[Item], before: Moment | None, *, oldest: bool) -> list[Item]:
    due = [item for item in items if before is None or item.created_at_us <= before]
    return sorted(due, key=lambda item: (0 if oldest else item.importance, item.created_at_us, item.id, item.space.id))
