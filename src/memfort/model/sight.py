"""Sight: what a standpoint may see, resolved. It is the only key that opens a store's read methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Protocol

from msgspec import Struct

from memfort.model.audience import Audience, Listeners, ListenersKind, audience_of, may_disclose_from
from memfort.model.item import Item, Readers, Status
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.person import person_of_user, user_of_person
from memfort.model.phase import FIRST, Phase
from memfort.model.reason import Reason
from memfort.model.space import Level, Space


class SeenSpace(Struct, frozen=True):
    """One space in sight."""

    space: Space
    layer: int  # position in the order of recall; equal numbers are ranked together
    writable: bool
    reason: Reason  # why it is in sight
    owner: str | None = None  # the person it belongs to: the user of the space, or the owner of its agent
    may_end_others: bool = False  # also review and end what others wrote there
    may_share: bool = False  # also let others read it
    is_leaving: bool = False  # what is read there leaves the space: a share, or the public space of another's agent


class DisclosureCheck(Protocol):
    """What the listeners may hear. Made by `memfort.policy.disclosure`."""

    @property
    def listeners(self) -> Listeners: ...

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        """Whether the listeners may hear memories of a space in sight, for these readers and with this audience."""

    def is_disclosed(
        self, readers: Readers, audience: Audience, person: str, owner: str | None, *, is_named: bool
    ) -> bool:
        """Whether they may hear memories about this person from a space out of sight. `owner` is the person whose space
        it is, if it is a user's; `is_named`: the asker names the person, who is not only present."""


class Sight(Struct, frozen=True, dict=True):
    """The spaces an actor may read, in order of recall. No spaces: nothing is seen.

    Made by `memfort.policy.sight` and nowhere else; a test walks the code to keep it so.
    """

    actor: Actor  # the reader that a memory's own reader list is checked for
    spaces: tuple[SeenSpace, ...]
    whole: bool = False  # reader lists do not apply: for maintenance and erasing, which show nothing
    phases: Mapping[bytes, Phase] = {}  # by space, if a later phase than the first has begun
    disclosure: DisclosureCheck | None = None  # of those present; `None`: for the engine itself
    about: frozenset[str] = frozenset()  # persons about whom memories of other spaces are disclosed
    named: frozenset[str] = frozenset()  # those of them whom the asker names, and who are not only present
    names_anyone: bool = False  # a memory is asked for by its id: whoever it is about counts as named

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Values cached for this sight; a changed copy begins without any."""
        return {}

    @cached_property
    def by_id(self) -> dict[bytes, SeenSpace]:
        return {seen.space.id: seen for seen in self.spaces}

    @property
    def takes_part(self) -> bool:
        """Whether the asker takes part in the chat they name, if any. An asker who does not sees nothing and may write
        nothing, not even their own memories."""
        return self.disclosure is None or self.disclosure.listeners.kind is not ListenersKind.CLOSED

    @property
    def is_in_chat(self) -> bool:
        """Whether the asker stands in a chat, so that others may hear the answer."""
        return self.disclosure is not None and self.disclosure.listeners.chat is not None

    @property
    def is_in_unregistered_chat(self) -> bool:
        return self.disclosure is not None and self.disclosure.listeners.kind is ListenersKind.UNKNOWN

    @property
    def sees_directory(self) -> bool:
        """Whether listed people are in sight: of whoever sees a space, and of the system, even if the policy does not
        read the system's own space."""
        return bool(self.spaces) or (self.actor.kind is ActorKind.SYSTEM and not self.whole)

    @property
    def last_layer(self) -> int:
        """The layer after all spaces in sight: the place of disclosed memories in the order of recall."""
        return 1 + max((seen.layer for seen in self.spaces), default=0)

    def seen(self, space: Space) -> SeenSpace | None:
        return self.by_id.get(space.id)

    def narrowed(self, spaces: Iterable[Space]) -> Sight:
        """The same sight with only these spaces; a space that is not in sight is not added."""
        wanted = {space.id for space in spaces}
        return self._only(seen for seen in self.spaces if seen.space.id in wanted)

    @property
    def writable(self) -> Sight:
        return self._only(seen for seen in self.spaces if seen.writable)

    def admits(self, item: Item) -> bool:
        """Whether the item is in sight, its own reader list allows it and the room may see it, or it is disclosed about
        a person present: the last check before anything is shown."""
        seen = self.by_id.get(item.space.id)
        if seen is None:
            return self.is_disclosed(item)
        return self.whole or self.admits_partition(seen, item.readers, audience_of(item))

    def admits_partition(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        """Whether memories of a space in sight for these readers and with this audience are shown: the readers admit
        the asker, and everyone present may see them."""
        if self.whole:
            return True
        return readers.admits(self.actor) and (
            self.disclosure is None or self.disclosure.may_hear(seen, readers, audience)
        )

    def admits_readers(self, readers: Readers) -> bool:
        """Whether these readers admit the asker, whoever is present."""
        return self.whole or readers.admits(self.actor)

    def is_disclosed(self, item: Item) -> bool:
        """Whether an item out of sight is disclosed: it is about a person who is present or named."""
        if not self._asked_about(item.subjects):  # the usual case: this is checked for everything out of sight
            return False
        if item.status is not Status.APPROVED or item.deleted_at_us is not None or not may_disclose_from(item.space):
            return False
        return self.disclosed_about(item.readers, audience_of(item), item.space.get(Level.USER)) is not None

    def disclosed_about(self, readers: Readers, audience: Audience, user: str | None) -> str | None:
        """Of the persons asked about, the first one because of whom memories for these readers with this audience are
        disclosed; `user` is the owner of their space, if it is a user's."""
        disclosure = self.disclosure
        if disclosure is None or not readers.admits(self.actor):
            return None
        owner = None if user is None else person_of_user(user)
        for person in sorted(self._asked_about(audience.subjects)):
            is_named = self.names_anyone or person in self.named
            if disclosure.is_disclosed(readers, audience, person, owner, is_named=is_named):
                return person
        return None

    def _asked_about(self, subjects: Iterable[str]) -> frozenset[str]:
        """Of the persons a memory is about, those who are asked about."""
        if self.names_anyone:
            return frozenset(one for one in subjects if user_of_person(one) is not None)
        return self.about.intersection(subjects) if self.about else self.about

    def phase_of(self, space: Space) -> Phase:
        """The present phase of a space."""
        return self.phases.get(space.id, FIRST)

    def _only(self, spaces: Iterable[SeenSpace]) -> Sight:
        return Sight(self.actor, tuple(spaces), self.whole, self.phases, self.disclosure)
