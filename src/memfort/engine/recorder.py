"""Making events: what happened, for the chain that it belongs to. Nothing is written here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from memfort.model.item import Item, Status
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor
from memfort.model.reason import Reason
from memfort.model.results import Source, source_to_dict
from memfort.model.serialize.encoding import canonical_json
from memfort.model.serialize.record import item_record
from memfort.model.space import Space
from memfort.trail.event import DIRECTORY_CHAIN, ChainId, Event, chain_of_actor, chain_of_space
from memfort.trail.keys import Keys


class Through(Struct, frozen=True):
    """What a call came through, for the trail."""

    credential: str | None = None  # whose it is, if it acts for the actor and is another's
    surface: str | None = None  # if it is not that of the engine: one server speaks several protocols


class Recorder(Struct, frozen=True):
    """Makes the events of one actor at one moment, through one surface, under one policy."""

    actor: Actor
    now: Moment
    surface: str
    policy: str  # its digest
    keys: Keys
    via: str | None = None  # whose credential acts for the actor, if it is another's

    def change_event(self, action: str, item: Item, reason: str, *, gone: bool = False, **detail: Any) -> Event:
        """A change of a memory, for the chain of its space."""
        after = None if gone else labels(item, self.keys)
        return self.space_event(
            item.space,
            action,
            reason,
            decision="allowed" if item.status is not Status.PENDING else "pending",
            item=item.id,
            digest=self.keys.digest(item.text) if after is None else after["digest"],
            detail={**detail, "phase": item.phase, "after": after},
        )

    def batch_event(self, action: str, source: Source) -> Event:
        """An import batch that is entered or taken out, for the chain of the space it belongs to."""
        batch = {"id": source.id, "digest": batch_digest(self.keys, source), "key": self.keys.fingerprint}
        return self.space_event(source.space, action, Reason.IMPORTED, detail={"batch": batch})

    def space_event(self, space: Space, action: str, reason: str, **more: Any) -> Event:
        """Anything else that happened in a space."""
        return self._event(chain_of_space(space), action, reason, space=space, **more)

    def directory_event(self, action: str, reason: str, **more: Any) -> Event:
        """What concerns the store as a whole: agents, chats, members, people whom all may know, upkeep."""
        return self._event(DIRECTORY_CHAIN, action, reason, **more)

    def actor_event(
        self, action: str, decision: str, reason: str, detail: Mapping[str, Any], digest: str | None = None
    ) -> Event:
        """A read or a refusal, for the chain of the actor who asked."""
        chain = chain_of_actor(self.actor)
        return self._event(chain, action, reason, decision=decision, digest=digest, detail=detail)

    def _event(self, chain: ChainId, action: str, reason: str, *, decision: str = "allowed", **more: Any) -> Event:
        return Event(
            chain=chain,
            at=self.now,
            action=action,
            actor=self.actor,
            surface=self.surface,
            decision=decision,
            reason=reason,
            policy=self.policy,
            via=self.via,
            **more,
        )


def labels(item: Item, keys: Keys) -> dict[str, Any]:
    """The state of an item without its contents: what replaying the trail must give again. The digest of the whole
    record tells of a change to anything else, its reader list and its author for example."""
    return {
        "status": str(item.status),
        "version": item.version,
        "digest": keys.digest(item.text),
        "expires_at": item.expires_at_us,
        "deleted_at": item.deleted_at_us,
        "deleted_reason": item.deleted_reason,
        "superseded_by": item.superseded_by,
        "record": keys.digest_of_bytes(item_record(item)),
    }


def batch_digest(keys: Keys, source: Source) -> str:
    return keys.digest(canonical_json(source_to_dict(source)).decode())
