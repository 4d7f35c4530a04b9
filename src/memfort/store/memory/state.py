"""Everything a memory store holds, as dicts, and the groups in which its memories are looked up.

A transaction works on a copy of the whole state, so that a rollback is to drop the copy. Copying one level is enough
because the values in the dicts are replaced and never changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.model.audience import Audience, audience_of
from memfort.model.item import ChangeKeys, Item, Kind, Readers, conversation_of, is_in_force, parents_of
from memfort.model.people.access_key import KeptKey
from memfort.model.people.directory import Agent, ChatKind, Principal, Share, Trust
from memfort.model.people.person import Person, Relation
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.model.space import Coordinate, Space
from memfort.store.port import Entry, Erasure, QueuedTurn, RejectedValue, Reply
from memfort.trail.checkpoint import Checkpoint
from memfort.trail.event import ChainId, Link

Place = tuple[bytes, str]  # space id and memory id: where a memory is kept
Partition = tuple[bytes, Readers, Audience]  # memories of one space, for the same readers and with the same audience
Sequence = tuple[bytes, Readers, Audience, bytes, Kind]  # the memories of one author and kind in a partition
Group = Hashable  # a property that memories have in common, see `groups_of`


class Stored(Struct, frozen=True):
    """A memory with what was written beside it."""

    handle: int
    item: Item
    value: bytes
    entry: Entry | None
    disclosed_entry: Entry | None = None  # by which it is found when it is disclosed to the people it is about

    @property
    def place(self) -> Place:
        return self.item.space.id, self.item.id


class State(Struct):
    """What is in the store at one moment."""

    memories: dict[Place, Stored] = field(default_factory=dict)
    groups: dict[Group, Mapping[Place, Stored]] = field(default_factory=dict)
    spaces: dict[bytes, Space] = field(default_factory=dict)
    numbers: dict[Sequence, int] = field(default_factory=dict)  # the next of each sequence
    ticks: dict[Partition, int] = field(default_factory=dict)
    origins: dict[Place, tuple[Space, str]] = field(default_factory=dict)  # of promoted copies
    phases: dict[bytes, tuple[Phase, ...]] = field(default_factory=dict)
    rejected_values: dict[tuple[bytes, Readers, bytes, str], RejectedValue] = field(default_factory=dict)
    queued_turns: dict[Place, QueuedTurn] = field(default_factory=dict)
    sources: dict[tuple[bytes, str], Source] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    person_numbers: dict[tuple[Space | None, Readers, bytes], int] = field(default_factory=dict)
    agents: dict[str, Agent] = field(default_factory=dict)
    chats: dict[str, ChatKind] = field(default_factory=dict)
    members: dict[Coordinate, Mapping[Principal, Trust]] = field(default_factory=dict)
    shares: dict[str, Share] = field(default_factory=dict)
    access_keys: dict[str, KeptKey] = field(default_factory=dict)
    replies: dict[bytes, Reply] = field(default_factory=dict)
    policies: dict[str, str] = field(default_factory=dict)
    chains: dict[ChainId, tuple[Link, ...]] = field(default_factory=dict)
    checkpoints: dict[ChainId, tuple[Checkpoint, ...]] = field(default_factory=dict)
    erasures: dict[str, Erasure] = field(default_factory=dict)
    policy: str | None = None  # digest of the one in use
    phases_begun: int = 0
    directory_version: int = 0
    handles: int = 0

    def copy(self) -> State:
        tables = ((name, getattr(self, name)) for name in self.__struct_fields__)
        copied: dict[str, Any] = {name: table.copy() for name, table in tables if type(table) is dict}
        return replace(self, **copied)

    def put(self, stored: Stored) -> None:
        """Keep a memory, in place of the version before it if there is one."""
        self._leave_groups(stored.place)
        self.memories[stored.place] = stored
        for group in groups_of(stored):
            self.groups[group] = {**self.groups.get(group, {}), stored.place: stored}

    def remove(self, place: Place) -> None:
        self._leave_groups(place)
        del self.memories[place]

    def _leave_groups(self, place: Place) -> None:
        before = self.memories.get(place)
        for group in () if before is None else groups_of(before):
            left = dict(self.groups.pop(group))
            del left[place]
            if left:
                self.groups[group] = left

    def group(self, *group: Hashable) -> list[Stored]:
        """The memories of a group, those that were written first before the others."""
        return sorted(self.groups.get(group, {}).values(), key=lambda stored: stored.handle)


def partition_of(item: Item) -> Partition:
    return item.space.id, item.readers, audience_of(item)


def groups_of(stored: Stored) -> Iterator[Group]:
    """The groups that a memory is looked up in. Each only narrows down a walk: the question itself is asked of every
    memory in the group."""
    item = stored.item
    yield "space", item.space.id, item.kind
    yield "id", item.id
    yield "handle", stored.handle
    yield "value", item.space.id, stored.value
    yield from (("about", person) for person in item.subjects)
    yield from (("derived", id) for id in parents_of(item))
    if (conversation := conversation_of(item)) is not None:
        yield "conversation", item.space.id, conversation
    if is_in_force(item):
        if item.kind is not Kind.SHORT_TERM:
            yield "lasting", item.author.key
            if item.readers.admits(item.author):
                yield "budget", item.author.key
        yield "partition", partition_of(item), item.author.key, item.kind
        if item.expires_tick is not None:
            yield "fading", partition_of(item)
        if stored.entry is not None and stored.entry.change_keys is not None:
            yield "words", item.space.id, words_of(stored.entry.change_keys)
            for attribute in stored.entry.change_keys.attributes:
                yield "attribute", item.space.id, attribute


def words_of(change_keys: ChangeKeys) -> tuple[str, ...]:
    """The words of change keys, whatever their order."""
    return tuple(sorted(change_keys.words))
