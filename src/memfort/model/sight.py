"""Sight: what a standpoint may see, resolved. It is the only key that opens a store's read methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Protocol

from msgspec import Struct

from memfort.model.audience import Audience, Listeners, ListenersKind, audience_of, disclosed_part
from memfort.model.item import Item, Readers, Status
from memfort.model.people.actor import Actor
from memfort.model.people.person import person_of_user
from memfort.model.phase import FIRST, Phase
from memfort.model.reason import Reason
from memfort.model.space import Level, Space


class SeenSpace(Struct, frozen=True):
    """One space in sight."""

    space: Space
    layer: int  # position in the order of recall; equal numbers are ranked together
    writable: bool
    reason: Reason  # why it is in sight


class DisclosureCheck(Protocol):
    """What a room may hear. Made by `memfort.policy.disclosure`."""

    @property
    def listeners(self) -> Listeners: ...

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        """Whether what stands in a space in sight, for these readers and with this audience, may be said in the
        room."""

    def is_disclosed(self, readers: Readers, audience: Audience, person: str, owner: str | None) -> bool:
        """Whether what others know of this person may be said in the room, wherever it stands. Only the part of the
        audience comes that decides this (`disclosed_part`). `owner` is the person whose space it stands in, if it is a
        user's."""


class Sight(Struct, frozen=True, dict=True):
    """The spaces an actor may read, in order of recall. No spaces: nothing is seen.

    Made by `memfort.policy.sight` and nowhere else; a test walks the code to keep it so.
    """

    actor: Actor  # whom a memory's own reader list is asked about
    spaces: tuple[SeenSpace, ...]
    whole: bool = False  # reader lists do not apply: for maintenance and for erasing, which show nobody anything
    phases: Mapping[bytes, Phase] = {}  # by space, where a later one than the first has begun
    disclosure: DisclosureCheck | None = None  # who listens to the answer; `None`: nobody, it is for the engine itself
    about: frozenset[str] = frozenset()  # persons of whom is told what others know; a ranked recall has one at most

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """What was worked out for this very sight; a changed copy begins with none."""
        return {}

    @cached_property
    def by_id(self) -> dict[bytes, SeenSpace]:
        return {seen.space.id: seen for seen in self.spaces}

    @property
    def takes_part(self) -> bool:
        """Whether the asker takes part in the chat they name, if they name one. Who does not sees nothing and may write
        nothing, not even what is theirs."""
        return self.disclosure is None or self.disclosure.listeners.kind is not ListenersKind.CLOSED

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
        return self.is_disclosed(item) if seen is None else self.admits_partition(seen, item.readers, audience_of(item))

    def admits_partition(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        """Whether what stands in a space in sight for these readers and with this audience is shown: they admit the
        asker, and everybody who listens may hear it."""
        if self.whole:
            return True
        return readers.admits(self.actor) and (
            self.disclosure is None or self.disclosure.may_hear(seen, readers, audience)
        )

    def admits_readers(self, readers: Readers) -> bool:
        """Whether these readers admit the asker, whoever listens."""
        return self.whole or readers.admits(self.actor)

    def is_disclosed(self, item: Item) -> bool:
        """Whether an item out of sight comes all the same: an enduring fact about a person who is asked about."""
        if self.about.isdisjoint(item.subjects):  # as most are: this is asked of everything out of sight
            return False
        if not item.portable or item.status is not Status.APPROVED or item.deleted_at_us is not None:
            return False
        user = item.space.get(Level.USER)
        return self.is_disclosed_partition(item.readers, audience_of(item), item.subjects, user)

    def is_disclosed_partition(
        self, readers: Readers, audience: Audience, subjects: Iterable[str], user: str | None
    ) -> bool:
        """The same of everything with this audience in one space; `user` is whose space it is, if it is a user's."""
        disclosure = self.disclosure
        if disclosure is None or not readers.admits(self.actor):
            return False
        asked, owner = self.about.intersection(subjects), None if user is None else person_of_user(user)
        return any(disclosure.is_disclosed(readers, disclosed_part(audience, one), one, owner) for one in asked)

    def phase_of(self, space: Space) -> Phase:
        """The phase that a space is in now."""
        return self.phases.get(space.id, FIRST)

    def _only(self, spaces: Iterable[SeenSpace]) -> Sight:
        return Sight(self.actor, tuple(spaces), self.whole, self.phases, self.disclosure)
