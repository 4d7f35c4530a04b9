"""Records that a store keeps beside memories: rejected values, erasures, and what scrubbing achieved."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from memfort.model.item import Authority, Readers
from memfort.model.moment import Instant, Microseconds
from memfort.model.space import Space
from memfort.model.value import Value


class RejectedValue(Struct, frozen=True):
    """A value that a reviewer rejected in a space, and with what authority."""

    space: Space
    readers: Readers
    value: bytes
    authority: Authority


def order_of_rejected(one: RejectedValue) -> tuple[bytes, str]:
    """The order in which every store gives rejected values of one space."""
    return one.value, str(one.readers.to_dict())


class Erasure(Value, frozen=True):
    """An erase that was asked for: what it removed, and whether every byte is gone yet."""

    id: str
    at_us: Microseconds
    actor: bytes  # key of the actor who asked
    items: tuple[tuple[bytes, str], ...]  # (space id, memory id)
    counts: Mapping[str, int]
    pending: str | None  # why it is not finished; `None` when it is

    at = Instant()


class Scrub(Struct, frozen=True):
    """The result of making erased bytes unrecoverable."""

    pending: str | None  # why it could not be finished; `None` when no erased byte is left in the store's files
    places: Mapping[str, int] = field(default_factory=dict)  # what was cleaned, by place
