"""Sight: what a standpoint may see, resolved. It is the only key that opens a store's read methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from memfort.model.actor import Actor
from memfort.model.item import Item, Readers
from memfort.model.phase import FIRST, Phase
from memfort.model.reason import Reason
from memfort.model.space import Space


@dataclass(frozen=True, slots=True)
class SeenSpace:
    """One space in sight."""

    space: Space
    layer: int  # position in the order of recall; equal numbers are ranked together
    writable: bool
    reason: Reason  # why it is in sight


@dataclass(frozen=True)
class Sight:
    """The spaces an actor may read, in order of recall. No spaces: nothing is seen.

    Made by `memfort.policy.sight` and nowhere else; a test walks the code to keep it so.
    """

    actor: Actor  # whom a memory's own reader list is asked about
    spaces: tuple[SeenSpace, ...]
    whole: bool = False  # reader lists do not apply: for maintenance and for erasing, which show nobody anything
    phases: Mapping[bytes, Phase] = field(default_factory=dict)  # by space, where a later one than the first has begun

    @cached_property
    def by_id(self) -> dict[bytes, SeenSpace]:
        return {seen.space.id: seen for seen in self.spaces}

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
        """Whether the item lies in sight and its own reader list allows it: the last check before anything is shown."""
        return item.space.id in self.by_id and (self.whole or item.readers.admits(self.actor))

    def admits_readers(self, readers: Readers) -> bool:
        return self.whole or readers.admits(self.actor)

    def phase_of(self, space: Space) -> Phase:
        """The phase that a space is in now."""
        return self.phases.get(space.id, FIRST)

    def _only(self, spaces: Iterable[SeenSpace]) -> Sight:
        return Sight(self.actor, tuple(spaces), self.whole, self.phases)
