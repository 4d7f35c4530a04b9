"""Bulk questions: everything that a write has to know about a list of statements, or a read about a sight, at once.

A store on another machine pays for every question with a round trip. What a store answers here follows from its other
methods; `contexts_by_parts`, `read_context_by_parts` and `found_items_by_parts` say how, and serve a store for which
asking costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from memfort.model.audience import Audience
from memfort.model.item import ChangeKeys, Item, Kind, Origin, Readers, Status, parents_of
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port.values.records import RejectedValue

if TYPE_CHECKING:  # the protocols name these questions
    from memfort.store.port import Store

MOST_REPLACEMENTS = 8  # steps from a superseded memory to the one in force
BESIDE_BEFORE, BESIDE_AFTER = 4, 1  # turns around a found one: an answer is to one of the turns before it
MOST_ALIKE = 64  # memories with the change keys of a statement that are compared with it in full: the latest


class Statement(Struct, frozen=True):
    """A statement that is about to be decided upon, as far as a store has to know it."""

    space: Space
    readers: Readers
    audience: Audience
    author: Actor
    kind: Kind
    value: bytes | None  # digest of what it says; `None`: no rivals are wanted
    wordings: tuple[bytes, ...]  # digests of its words, in every form that a reviewer may have rejected
    change_keys: ChangeKeys | None = None  # `None`: no memories with its change keys are wanted
    wants_counts: bool = False  # whether a budget asks how many memories its author has
    ticks: int = 1  # how many memories will have come into force there when it does, itself included


class WriteContext(Struct, frozen=True):
    """What a store knows that a decision about a statement depends on."""

    rivals: Sequence[Item]  # `Memories.rivals`
    alike: Sequence[Item]  # `Memories.with_change_keys`, the latest `MOST_ALIKE`
    rejected: Sequence[RejectedValue]  # `Memories.rejected_values`
    next_number: int  # `Memories.next_number`
    tick: int  # `Memories.tick`
    due_by_tick: Sequence[Item]  # `Memories.due_by_tick` by the tick at which the statement comes into force
    counts: Mapping[Kind, int]  # `Memories.count_by_kind`; empty unless wanted
    authored_count: int  # `Memories.authored_count`; 0 unless wanted

    @property
    def is_clear(self) -> bool:
        """Whether no other memory has to do with the statement."""
        return not self.rivals and not self.alike and not self.rejected and not self.due_by_tick


class ReadContext(Struct, frozen=True):
    """What a read has to know about a sight besides the memories it shows."""

    overdue: Sequence[Item]  # `Memories.overdue`
    quarantined: Sequence[str]  # `Memories.quarantined`
    knows_people: bool  # `Directory.knows_people`


class FoundItems(Struct, frozen=True):
    """Memories that a search found, and whether the turns among them hold as they stand."""

    items: Mapping[int, Item]  # `Memories.items_by_handle`
    around: Mapping[str, tuple[Sequence[Item], Sequence[Item]]]  # `Memories.turns_around`, by the id of the turn
    ended: Sequence[Item]  # `Memories.derived_not_in_force` of all these turns
    made: Sequence[Item]  # `Memories.derived` of the turns that `ended` were made from
    newer: Sequence[Item]  # what replaced those of `ended` that were superseded, and what replaced that


def contexts_by_parts(store: Store, sight: Sight, statements: Sequence[Statement]) -> list[WriteContext]:
    """The answer of `Memories.write_contexts`, from a store's other methods."""
    return [_context(store, sight, one) for one in statements]


def _context(store: Store, sight: Sight, one: Statement) -> WriteContext:
    place, author = (sight, one.space, one.readers), one.author.key
    tick = store.tick(*place, one.audience)
    return WriteContext(
        rivals=[] if one.value is None else store.rivals(*place, one.value),
        alike=[] if one.change_keys is None else store.with_change_keys(*place, one.change_keys, MOST_ALIKE),
        rejected=store.rejected_values(*place, one.wordings),
        next_number=store.next_number(*place, author, one.kind, one.audience),
        tick=tick,
        due_by_tick=store.due_by_tick(*place, tick + one.ticks, one.audience),
        counts=store.count_by_kind(*place, author, one.audience) if one.wants_counts else {},
        authored_count=store.authored_count(one.author) if one.wants_counts else 0,
    )


def read_context_by_parts(store: Store, sight: Sight, now: Moment, limit: int | None) -> ReadContext:
    """The answer of `Memories.read_context`, from a store's other methods."""
    return ReadContext(store.overdue(sight, now, limit), store.quarantined(sight), store.knows_people(sight))


def found_items_by_parts(store: Store, sight: Sight, handles: Sequence[int], beside: int) -> FoundItems:
    """The answer of `Memories.found_items`, from a store's other methods."""
    items = store.items_by_handle(sight, handles)
    turns = [item for handle in handles if (item := items.get(handle)) is not None and item.kind is Kind.SHORT_TERM]
    said = [turn for turn in turns if turn.conversation is not None]
    wanted = [turn for place, turn in enumerate(said) if place < beside or turn.origin is not Origin.USER]
    lines = store.turns_around(sight, wanted, BESIDE_BEFORE, BESIDE_AFTER) if wanted else []
    beside_them = [one.id for before, after in lines for one in (*before, *after)]
    ids = list(dict.fromkeys([*(turn.id for turn in turns), *beside_them]))
    ended = store.derived_not_in_force(sight, ids) if ids else []
    changed = {turn for one in ended if one.kind is not Kind.SHORT_TERM for turn in parents_of(one)}.intersection(ids)
    return FoundItems(
        items=items,
        around={turn.id: line for turn, line in zip(wanted, lines, strict=True)},
        ended=ended,
        made=store.derived(sight, sorted(changed)) if changed else [],
        newer=_replacements(store, sight, ended),
    )


def _replacements(store: Store, sight: Sight, ended: Sequence[Item]) -> list[Item]:
    """What replaced these, and what replaced that: all of them a step at a time."""
    known = {(one.space.id, one.id) for one in ended}
    found: list[Item] = []
    current = [one for one in ended if one.status is Status.SUPERSEDED]
    for _ in range(MOST_REPLACEMENTS):
        wanted = {(one.space.id, one.superseded_by) for one in current if one.superseded_by is not None} - known
        if not wanted:
            break
        current = store.items(sight, sorted({id for _, id in wanted}))
        found += [one for one in current if (one.space.id, one.id) not in known]
        known |= wanted | {(one.space.id, one.id) for one in current}
    return found
