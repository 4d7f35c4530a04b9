"""Sight: what a standpoint may see, resolved. It is the only key that opens a store's read methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from memfort.model.actor import Actor
from memfort.model.hearing import Label, Room, RoomKind, label_of, told_part
from memfort.model.item import Item, Readers, Status
from memfort.model.person import person_of_user
from memfort.model.phase import FIRST, Phase
from memfort.model.reason import Reason
from memfort.model.space import Level, Space


@dataclass(frozen=True, slots=True)
class SeenSpace:
    """One space in sight."""

    space: Space
    layer: int  # position in the order of recall; equal numbers are ranked together
    writable: bool
    reason: Reason  # why it is in sight


class Hearing(Protocol):
    """What a room may hear. Made by `memfort.policy.disclosure`."""

    @property
    def room(self) -> Room: ...

    def hears(self, seen: SeenSpace, readers: Readers, label: Label) -> bool:
        """Whether what stands in a space in sight, for these readers and with this label, may be said in the room."""

    def is_told(self, readers: Readers, label: Label, person: str, owner: str | None) -> bool:
        """Whether what others know of this person may be said in the room, wherever it stands. Only the part of the
        label comes that decides this (`told_part`). `owner` is the person whose space it stands in, if it is a
        user's."""


@dataclass(frozen=True)
class Sight:
    """The spaces an actor may read, in order of recall. No spaces: nothing is seen.

    Made by `memfort.policy.sight` and nowhere else; a test walks the code to keep it so.
    """

    actor: Actor  # whom a memory's own reader list is asked about
    spaces: tuple[SeenSpace, ...]
    whole: bool = False  # reader lists do not apply: for maintenance and for erasing, which show nobody anything
    phases: Mapping[bytes, Phase] = field(default_factory=dict)  # by space, where a later one than the first has begun
    hearing: Hearing | None = (
        None  # of the room the answer is for; `None`: nobody hears it, it is for the engine itself
    )
    about: frozenset[str] = frozenset()  # persons of whom is told what others know; a ranked recall has one at most
    memo: dict[Any, Any] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )  # what was worked out for it

    @cached_property
    def by_id(self) -> dict[bytes, SeenSpace]:
        return {seen.space.id: seen for seen in self.spaces}

    @property
    def takes_part(self) -> bool:
        """Whether the asker takes part in the chat they name, if they name one. Who does not sees nothing and may write
        nothing, not even what is theirs."""
        return self.hearing is None or self.hearing.room.kind is not RoomKind.CLOSED

    @property
    def last_layer(self) -> int:
        """After all spaces in sight: where what is told of somebody comes in the order of recall."""
        return 1 + max((seen.layer for seen in self.spaces), default=0)

    def seen(self, space: Space) -> SeenSpace | None:
        return self.by_id.get(space.id)

    def narrowed(self, spaces: Iterable[Space]) -> Sight:
        """The same sight with only these spaces left; a space that is not in sight does not come in this way."""
        wanted = {space.id for space in spaces}
        return self._only(seen for seen in self.spaces if seen.space.id in wanted)

    @property
    def writable(self) -> Sight:
        return self._only(seen for seen in self.spaces if seen.writable)

    def admits(self, item: Item) -> bool:
        """Whether the item lies in sight, its own reader list allows it and the room may hear it, or it is told of
        somebody present: the last check before anything is shown."""
        seen = self.by_id.get(item.space.id)
        return self.is_told(item) if seen is None else self.admits_shelf(seen, item.readers, label_of(item))

    def admits_shelf(self, seen: SeenSpace, readers: Readers, label: Label) -> bool:
        """Whether what stands in a space in sight for these readers and with this label is shown: they admit the asker,
        and everybody who listens may hear it."""
        if self.whole:
            return True
        return readers.admits(self.actor) and (self.hearing is None or self.hearing.hears(seen, readers, label))

    def admits_readers(self, readers: Readers) -> bool:
        """Whether these readers admit the asker, whoever listens."""
        return self.whole or readers.admits(self.actor)

    def is_told(self, item: Item) -> bool:
        """Whether an item out of sight comes all the same: an enduring fact about a person who is asked about."""
        if self.about.isdisjoint(item.subjects):  # as most are: this is asked of everything out of sight
            return False
        if not item.portable or item.status is not Status.APPROVED or item.deleted_at is not None:
            return False
        user = item.space.get(Level.USER)
        return self.is_told_shelf(item.readers, label_of(item), item.subjects, user)

    def is_told_shelf(self, readers: Readers, label: Label, subjects: Iterable[str], user: str | None) -> bool:
        """The same of everything with this label in one space; `user` is whose space it is, if it is a user's."""
        hearing = self.hearing
        if hearing is None or not readers.admits(self.actor):
            return False
        asked, owner = self.about.intersection(subjects), None if user is None else person_of_user(user)
        return any(hearing.is_told(readers, told_part(label, one), one, owner) for one in asked)

    def phase_of(self, space: Space) -> Phase:
        """The phase that a space is in now."""
        return self.phases.get(space.id, FIRST)

    def _only(self, spaces: Iterable[SeenSpace]) -> Sight:
        return Sight(self.actor, tuple(spaces), self.whole, self.phases, self.hearing)
