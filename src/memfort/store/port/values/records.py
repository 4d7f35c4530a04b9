"""Records that a store keeps beside memories: rejected values, erasures, queued turns, and what scrubbing achieved."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from memfort.model.audience import PLAIN, Audience
from memfort.model.item import Authority, Readers
from memfort.model.moment import Instant, Microseconds, Moment
from memfort.model.people.actor import Standpoint
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.model.value import Value


class RejectedValue(Struct, frozen=True):
    """A value that does not come back by itself in a space, and with what authority that was decided: a reviewer
    rejected it, or a memory with it was forgotten or erased. The digest of an ended value is another one than that of a
    rejected value."""

    space: Space
    readers: Readers
    value: bytes
    authority: Authority
    ended_at: Moment | None = None  # when it was forgotten or erased; `None`: it was rejected
    audience: Audience = PLAIN  # of the ended memory: who may not hear that one may not know of its end

    @property
    def place(self) -> tuple[bytes, Readers, bytes, str]:
        """What names it in a store."""
        return self.space.id, self.readers, self.value, self.audience.text

    def is_known_to(self, sight: Sight) -> bool:
        """Whether the asker may know of it: of a rejection whoever reads the space, of an ending whoever might have
        been shown the memory."""
        seen = sight.seen(self.space)
        if seen is None or not sight.admits_readers(self.readers):
            return False
        return self.ended_at is None or sight.admits_partition(seen, self.readers, self.audience)


def order_of_rejected(one: RejectedValue) -> tuple[bytes, str, str]:
    """The order in which every store gives rejected values of one space."""
    return one.value, str(one.readers.to_dict()), one.audience.text


class Erasure(Value, frozen=True):
    """An erase that was asked for: what it removed, and whether every byte is gone yet."""

    id: str
    at_us: Microseconds
    actor: bytes  # key of the actor who asked
    items: tuple[tuple[bytes, str], ...]  # (space id, memory id)
    counts: Mapping[str, int]
    pending: str | None  # why it is not finished; `None` when it is
    rewritten: tuple[tuple[bytes, str], ...] = ()  # turns that lost a sentence, likewise

    at = Instant()


class Backup(Struct, frozen=True):
    """What a backup says about itself."""

    at: Moment
    key: str  # the fingerprint of the store's key
    memories: int
    spaces: int
    events: int
    erased_lines: int  # the number of the last line in the list of erased memories then
    with_key: bool = False


class Reply(Struct, frozen=True):
    """The answer to a request that must have one effect however often it is sent. `body` is encrypted with a key that
    only the sender has; without it, the request was begun and not finished, or what it names was erased."""

    key: bytes  # a keyed digest of the sender and the sender's key of the request
    fingerprint: bytes  # a keyed digest of the request
    at: Moment
    body: bytes | None = None
    names: tuple[str, ...] = ()  # ids of memories and people in it


class QueuedTurn(Struct, frozen=True):
    """A turn that a model has still to read, or could not: its id, who observed it and from where; no word of it."""

    space: Space
    turn: str  # its id
    standpoint: Standpoint  # of the call that observed it: what is learned from it is written as that one
    is_named: bool  # whether that call named the space for all that is in the conversation
    is_registered: bool  # whether only registered memberships counted there
    queued_at: Moment
    due_at: Moment | None  # when it is tried next; `None`: it was given up
    attempts: int = 0
    problem: str = ""  # why the last attempt failed

    @property
    def place(self) -> tuple[bytes, str]:
        return self.space.id, self.turn


def order_of_queued(one: QueuedTurn) -> tuple[Moment, bytes, str]:
    """The order in which every store gives queued turns."""
    return one.queued_at, one.space.id, one.turn


class Scrub(Struct, frozen=True):
    """The result of making erased bytes unrecoverable."""

    pending: str | None  # why it could not be finished; `None` when no erased byte is left in the store's files
    places: Mapping[str, int] = field(default_factory=dict)  # what was cleaned, by place
