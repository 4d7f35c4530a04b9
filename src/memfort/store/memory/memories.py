"""Questions about memories: found by id, by place, by words, and listed in order. Every read takes a sight first."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memfort.model.audience import PLAIN, audience_of
from memfort.model.item import (
    ChangeKeys,
    Item,
    Kind,
    Readers,
    Status,
    conversation_of,
    is_expired,
    is_in_force,
    is_live,
    waits_for_judgement,
)
from memfort.model.moment import Moment
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.model.serialize.record import item_record
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.store.memory.state import Stored, words_of
from memfort.store.memory.transactions import Transactions
from memfort.store.port import (
    Entry,
    Filter,
    FoundItems,
    Position,
    QueuedTurn,
    ReadContext,
    RejectedValue,
    Statement,
    WriteContext,
    contexts_by_parts,
    found_items_by_parts,
    position_of,
    read_context_by_parts,
)
from memfort.store.port.values.records import order_of_queued, order_of_rejected
from memfort.trail.keys import Keys

if TYPE_CHECKING:
    from memfort.store.port.values.columns import Columns


class MemoryQuestions(Transactions):
    keys: Keys

    # -- the index that recall ranks by ------------------------------------------------------------------------------

    def columns(self, sight: Sight, now: Moment, tag: bytes = b"", length: int | None = None) -> list[Columns]:
        groups: dict[tuple[bytes, Readers], list[tuple[int, Entry]]] = defaultdict(list)
        for stored in self._in_sight(sight):
            if is_live(stored.item, now):
                groups[stored.item.space.id, stored.item.readers].append((stored.handle, stored.entry or Entry({})))
        found = [self._columns(sight.by_id[space].layer, group, tag, length) for (space, _), group in groups.items()]
        disclosed: dict[str | None, list[tuple[int, Entry]]] = defaultdict(list)
        for stored in self._disclosed(sight):
            if stored.disclosed_entry and is_live(stored.item, now):
                item = stored.item
                about = sight.disclosed_about(item.readers, audience_of(item), item.space.get(Level.USER))
                disclosed[about].append((stored.handle, stored.disclosed_entry))
        return found + [self._columns(sight.last_layer, group, tag, length) for group in disclosed.values()]

    def _columns(self, layer: int, entries: Sequence[tuple[int, Entry]], tag: bytes, length: int | None) -> Columns:
        from memfort.store.port.values.columns import columns_of  # loads numpy, which only a recall needs

        return columns_of(layer, sorted(entries, key=lambda one: one[0]), self.keys.term, tag, length)

    def unembedded(self, sight: Sight, tag: bytes, length: int | None = None) -> list[int]:
        in_force = [stored for stored in self._in_sight(sight) if is_in_force(stored.item)]
        vectors = {stored.handle: b"" if stored.entry is None else stored.entry.vector for stored in in_force}
        if not tag:
            return sorted(handle for handle, vector in vectors.items() if vector)
        sizes = None if length is None else {len(tag), len(tag) + length}
        embedded = {
            handle
            for handle, vector in vectors.items()
            if vector.startswith(tag) and (sizes is None or len(vector) in sizes)
        }
        return sorted(vectors.keys() - embedded)

    def unjudged(self, sight: Sight) -> list[int]:
        return sorted(stored.handle for stored in self._in_sight(sight) if waits_for_judgement(stored.item))

    def positions(self, sight: Sight, handles: Sequence[int]) -> dict[int, Position]:
        return {handle: position_of(item) for handle, item in self.items_by_handle(sight, handles).items()}

    def items_by_handle(self, sight: Sight, handles: Sequence[int]) -> dict[int, Item]:
        wanted = [stored for handle in dict.fromkeys(handles) for stored in self._state.group("handle", handle)]
        return {stored.handle: stored.item for stored in _shown(sight, wanted)}

    def found_items(self, sight: Sight, handles: Sequence[int], beside: int) -> FoundItems:
        return found_items_by_parts(self, sight, handles, beside)  # type: ignore[arg-type]

    # -- memories by id, in lists and by person ----------------------------------------------------------------------

    def items(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        wanted = [stored for id in dict.fromkeys(ids) for stored in self._state.group("id", id)]
        found = [stored.item for stored in _shown(sight, wanted)]
        return sorted(found, key=lambda item: (item.id, _place(sight, item), item.space.id))

    def ids_with_prefix(self, sight: Sight, prefix: str, limit: int) -> list[str]:
        found = {stored.item.id for stored in self._in_sight(sight) if stored.item.id.startswith(prefix)}
        return sorted(found)[:limit]

    def page(self, sight: Sight, filter: Filter, after: Position | None, limit: int, now: Moment) -> list[Item]:
        kinds = tuple(Kind) if filter.kinds is None else filter.kinds
        found = [stored.item for stored in self._in_sight(sight, kinds) if filter.admits(stored.item, now)]
        found.sort(key=lambda item: _newest_first(position_of(item)))
        if after is not None:
            found = [item for item in found if _newest_first(position_of(item)) > _newest_first(after)]
        return found[:limit]

    def turns(
        self,
        sight: Sight,
        space: Space,
        conversation: str,
        limit: int,
        *,
        before: str | None = None,
        after: str | None = None,
        ended: bool = False,
    ) -> list[Item]:
        said = self._state.group("conversation", space.id, conversation)
        named = {stored.item.id: stored.handle for stored in self._state.group("space", space.id, Kind.SHORT_TERM)}
        first = named.get(after, math.inf) if after is not None else -math.inf
        last = named.get(before, -math.inf) if before is not None else math.inf
        found = [
            stored.item
            for stored in _in_sight(sight, said)
            if first < stored.handle < last and (ended or is_in_force(stored.item))
        ]
        return found[:limit] if after is not None else found[max(len(found) - limit, 0) :]

    def turns_around(
        self, sight: Sight, turns: Sequence[Item], before: int, after: int
    ) -> list[tuple[list[Item], list[Item]]]:
        return [
            ([], [])
            if (said := conversation_of(turn)) is None
            else (
                self.turns(sight, turn.space, said, before, before=turn.id),
                self.turns(sight, turn.space, said, after, after=turn.id),
            )
            for turn in turns
        ]

    def queued_turns(self, sight: Sight, ids: Sequence[str] | None = None) -> list[QueuedTurn]:
        known, wanted = self._state.queued_turns, None if ids is None else set(ids)
        queued = {place: one for place, one in known.items() if wanted is None or one.turn in wanted}
        seen = {stored.place for stored in _in_sight(sight, [self._state.memories[place] for place in queued])}
        return sorted((one for place, one in queued.items() if place in seen), key=order_of_queued)

    def turns_with_values(self, sight: Sight, space: Space, values: Sequence[bytes]) -> dict[bytes, Item]:
        stored = [one for value in values for one in self._state.group("value", space.id, value)]
        turns = [one for one in _in_sight(sight, stored) if one.item.kind is Kind.SHORT_TERM]
        return {one.value: one.item for one in sorted(turns, key=lambda one: -one.handle)}

    def items_with_values(self, sight: Sight, values: Sequence[bytes]) -> list[Item]:
        stored = [
            one
            for seen in sight.spaces
            for value in dict.fromkeys(values)
            for one in self._state.group("value", seen.space.id, value)
        ]
        found = [one.item for one in _in_sight(sight, stored) if one.item.deleted_at_us is None]
        places = {seen.space.id: place for place, seen in enumerate(sight.spaces)}
        wanted = [item for item in found if item.status in {Status.APPROVED, Status.PENDING}]
        return sorted(wanted, key=lambda item: (item.id, places[item.space.id]))

    def about(self, sight: Sight, persons: Sequence[str], filter: Filter, limit: int, now: Moment) -> list[Item]:
        found = [stored.item for stored in _shown(sight, self._with_subjects(persons))]
        wanted = [item for item in found if is_in_force(item) and filter.admits(item, now)]
        return sorted(wanted, key=lambda item: _newest_first(position_of(item)))[:limit]

    def handles_about(self, sight: Sight, persons: Sequence[str]) -> list[int]:
        found = _in_sight(sight, self._with_subjects(persons))
        return [stored.handle for stored in found if is_in_force(stored.item)]

    # -- what a new statement meets ----------------------------------------------------------------------------------

    def with_change_keys(
        self, sight: Sight, space: Space, readers: Readers, change_keys: ChangeKeys, limit: int
    ) -> list[Item]:
        found = {
            stored.handle: stored.item
            for stored in _in_sight(sight, self._with_similar_words(space, change_keys))
            if stored.item.readers == readers and stored.entry is not None and stored.entry.change_keys is not None
            if _can_replace(change_keys, stored.entry.change_keys)
        }
        latest = [found[handle] for handle in sorted(found, reverse=True)[:limit]]
        return sorted(latest, key=lambda item: item.id)

    def _with_similar_words(self, space: Space, change_keys: ChangeKeys) -> Iterator[Stored]:
        """The memories in force whose change keys share an attribute, or have the same words or all but one."""
        words = words_of(change_keys)
        all_but_one = {words[:at] + words[at + 1 :] for at in range(len(words))}
        for similar in {words, *all_but_one}:
            yield from self._state.group("words", space.id, similar)
        for attribute in change_keys.attributes:
            yield from self._state.group("attribute", space.id, attribute)

    def write_contexts(self, sight: Sight, statements: Sequence[Statement]) -> list[WriteContext]:
        return contexts_by_parts(self, sight, statements)  # type: ignore[arg-type]  # only the whole store has all parts

    def read_context(self, sight: Sight, now: Moment, limit: int | None = None) -> ReadContext:
        return read_context_by_parts(self, sight, now, limit)  # type: ignore[arg-type]

    def rivals(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> list[Item]:
        found = [
            stored.item
            for stored in _in_sight(sight, self._state.group("value", space.id, value))
            if stored.item.readers == readers
            and stored.item.deleted_at_us is None
            and stored.item.status in {Status.APPROVED, Status.PENDING}
        ]
        return sorted(found, key=lambda item: item.id)

    def rejected_value(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> RejectedValue | None:
        if sight.seen(space) is None or not sight.admits_readers(readers):
            return None
        return self._state.rejected_values.get((space.id, readers, value, PLAIN.text))

    def rejected_values(
        self, sight: Sight, space: Space, readers: Readers, values: Sequence[bytes]
    ) -> list[RejectedValue]:
        if sight.seen(space) is None:
            return []
        found = [one for one in self._state.rejected_values.values() if one.space == space and one.value in values]
        known = (one for one in found if one.is_known_to(sight) and readers.are_among(one.readers))
        return sorted(known, key=order_of_rejected)

    # -- where memories come from ------------------------------------------------------------------------------------

    def derived(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        made = {stored.handle: stored for id in ids for stored in self._state.group("derived", id)}
        items = [stored.item for stored in _in_sight(sight, made.values())]
        found = sorted(items, key=lambda item: (item.id, _place(sight, item)))
        return [*found, *self._promoted(sight, set(ids))] if sight.whole else found

    def derived_not_in_force(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        made = {stored.handle: stored for id in ids for stored in self._state.group("derived", id)}
        items = [stored.item for stored in _in_sight(sight, made.values()) if not is_in_force(stored.item)]
        return sorted(items, key=lambda item: (item.id, _place(sight, item)))

    def count_entries(self, sight: Sight, ids: Sequence[str]) -> int:
        found = self._in_sight(sight) if sight.whole else []
        wanted = set(ids)
        entries = [stored.entry for stored in found if stored.item.id in wanted and stored.entry is not None]
        return sum(len(one.terms) + (one.change_keys.count if one.change_keys is not None else 0) for one in entries)

    def _promoted(self, sight: Sight, ids: set[str]) -> list[Item]:
        copies = [
            self._state.memories[place].item
            for place, (space, id) in self._state.origins.items()
            if id in ids and sight.seen(space) is not None
        ]
        return sorted(copies, key=lambda item: (item.id, item.space.id))

    def origins(self, sight: Sight, item: Item) -> list[tuple[Space, str]]:
        if not sight.whole or sight.seen(item.space) is None:
            return []
        origin = self._state.origins.get((item.space.id, item.id))
        return [] if origin is None else [origin]

    def sources(self, sight: Sight) -> list[Source]:
        found = [source for source in self._state.sources.values() if sight.seen(source.space) is not None]
        return sorted(found, key=lambda source: (source.imported_at_us, source.id))

    # -- time --------------------------------------------------------------------------------------------------------

    def phases(self, sight: Sight) -> Mapping[bytes, tuple[Phase, ...]]:
        return {space: phases for space, phases in self._state.phases.items() if phases and space in sight.by_id}

    def overdue(self, sight: Sight, now: Moment, limit: int | None = None) -> list[Item]:
        in_sight = (stored.item for stored in self._in_sight(sight))
        found = [item for item in in_sight if is_expired(item, now) and item.deleted_at_us is None]
        return sorted(found, key=lambda item: (item.id, _place(sight, item)))[:limit]

    def records(self, sight: Sight) -> Iterator[tuple[str, bytes]]:
        found = [stored.item for stored in self._in_sight(sight)] if sight.whole else []
        return iter([(item.id, item_record(item)) for item in found])

    # -- what a sight shows ------------------------------------------------------------------------------------------

    def _in_sight(self, sight: Sight, kinds: Iterable[Kind] = tuple(Kind)) -> list[Stored]:
        """The memories in the spaces of a sight that it shows, in the order of writing."""
        groups = (self._state.group("space", space, kind) for space in sight.by_id for kind in kinds)
        found = _in_sight(sight, (stored for group in groups for stored in group))
        return sorted(found, key=lambda stored: stored.handle)

    def _disclosed(self, sight: Sight) -> list[Stored]:
        return _disclosed(sight, self._with_subjects(sorted(sight.about)))

    def _with_subjects(self, persons: Sequence[str]) -> list[Stored]:
        found = {stored.handle: stored for person in persons for stored in self._state.group("about", person)}
        return [found[handle] for handle in sorted(found)]


def _in_sight(sight: Sight, among: Iterable[Stored]) -> list[Stored]:
    return [stored for stored in among if stored.item.space.id in sight.by_id and sight.admits(stored.item)]


def _disclosed(sight: Sight, among: Iterable[Stored]) -> list[Stored]:
    """The memories out of sight that are disclosed to the people they are about."""
    outside = (stored for stored in among if stored.item.space.id not in sight.by_id)
    return [stored for stored in outside if stored.disclosed_entry is not None and sight.is_disclosed(stored.item)]


def _shown(sight: Sight, among: Sequence[Stored]) -> list[Stored]:
    return [*_in_sight(sight, among), *_disclosed(sight, among)]


def _can_replace(new: ChangeKeys, known: ChangeKeys) -> bool:
    """Whether a statement can update another: it is about the same people, and either about an attribute of it, or says
    the same words, or, if it may update a shorter statement, the same words and one more."""
    if (set(new.persons) or {""}).isdisjoint(known.persons or ("",)):
        return False
    if not set(new.attributes).isdisjoint(known.attributes):
        return True
    said, before = Counter(new.words), Counter(known.words)
    return said == before or (new.is_news_of_less and before < said and (said - before).total() == 1)


def _place(sight: Sight, item: Item) -> int:
    """Where the item's space stands in the order of recall; an item out of sight comes after all others."""
    places = (index for index, seen in enumerate(sight.spaces) if seen.space == item.space)
    return next(places, len(sight.spaces))


def _newest_first(position: Position) -> tuple[int, str, bytes]:
    return -position.created_at, position.id, position.space
