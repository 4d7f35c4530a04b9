"""Events: what happened, who did it and why. A keyed digest replaces the text.

So an auditor can follow a memory through its life, and erasing it leaves no readable text in the trail.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from memfort.model.moment import Moment
from memfort.model.people.actor import Actor
from memfort.model.serialize.record import actor_to_dict
from memfort.model.space import Space
from memfort.model.value import Value


class ChainId(Value, frozen=True, gc=False):
    """The chain an event belongs to: that of the space it changed, or of the actor who asked."""

    kind: str  # space, actor or directory
    key: bytes

    def __str__(self) -> str:
        return f"{self.kind}:{self.key.hex()[:16]}"


def chain_of_space(space: Space) -> ChainId:
    return ChainId("space", space.id)


def chain_of_actor(actor: Actor) -> ChainId:
    return ChainId("actor", actor.key)


DIRECTORY_CHAIN = ChainId("directory", b"")


class Event(Struct, frozen=True, kw_only=True, gc=False):
    """One thing that happened."""

    chain: ChainId
    at: Moment
    action: str  # the verb: remember, recall, approve, erase, …
    actor: Actor
    surface: str  # python, cli, …
    decision: str  # allowed, pending, denied
    reason: str
    policy: str  # digest of the policy in force
    space: Space | None = None
    item: str | None = None
    digest: str | None = None  # keyed digest of the text
    detail: Mapping[str, Any] = {}  # counts, ids and labels; never contents
    via: str | None = None  # whose credential acted for the actor, if it is another's

    def body(self) -> dict[str, Any]:
        delegated = {} if self.via is None else {"via": self.via}
        return delegated | {
            "at": self.at,
            "action": self.action,
            "actor": actor_to_dict(self.actor),
            "surface": self.surface,
            "decision": self.decision,
            "reason": str(self.reason),
            "policy": self.policy,
            "space": None if self.space is None else self.space.to_dict(),
            "item": self.item,
            "digest": self.digest,
            "detail": dict(self.detail),
        }

    def record(self) -> bytes:
        """The body as canonical JSON, as stored in a chain."""
        return _ENCODER.encode(self.body())


class Link(Struct, frozen=True):
    """An event at its position in a chain."""

    chain: ChainId
    number: int  # 1, 2, 3, … without gaps
    body: bytes  # canonical JSON of the event
    hash: bytes


GENESIS = bytes(32)


def next_link(chain: ChainId, number: int, previous: bytes, body: bytes) -> Link:
    """Append a body to a chain: its hash covers the chain's name, its number, the previous hash, and the body."""
    return Link(chain, number, body, link_hash(chain, number, previous, body))


def link_hash(chain: ChainId, number: int, previous: bytes, body: bytes) -> bytes:
    head = b"memfort/event\x00" + chain.kind.encode() + b"\x00" + chain.key + number.to_bytes(8, "big")
    return hashlib.sha256(head + previous + body).digest()


def link_event(event: Event, number: int, previous: bytes) -> Link:
    return next_link(event.chain, number, previous, event.record())


_ENCODER = msgspec.json.Encoder(order="sorted")
