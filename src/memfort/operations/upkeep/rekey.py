"""Make a new key for a store that has lost its own, and record it in the trail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from memfort.clock import SystemClock
from memfort.engine.engine import ended_text, rejected_text, value_text
from memfort.engine.indexing.embedding import Embedding
from memfort.engine.recorder import labels
from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.model.people.actor import SYSTEM
from memfort.model.reason import Reason
from memfort.policy.disclosure import can_be_disclosed
from memfort.policy.settings.policy import Policy
from memfort.store.opening import engine_at
from memfort.store.port import Capability, Keyed, PutPolicy, refuse
from memfort.trail.event import DIRECTORY_CHAIN, Event, chain_of_space
from memfort.trail.keys import Keys

Progress = Callable[[int, int], None]


def renew_key(path: Path, *, policy: Policy, surface: str, progress: Progress | None = None) -> int:
    """Give the store a new key; returns the number of its memories.

    The digests of their texts in the trail were made with the old key, so each text is recorded again under the new
    one, and every chain is signed, all in one transaction. Earlier events can no longer be checked against the texts.
    """
    from memfort.embed.words import WordEmbedder

    engine = engine_at(str(path))
    if Capability.REKEY not in engine.capabilities:
        refuse(engine, Capability.REKEY)
    now, meaning = SystemClock().now(), Embedding(WordEmbedder())
    keyed = Keyed(
        meaning.entry_of,
        lambda item: meaning.disclosed_entry_of(item) if can_be_disclosed(item, policy.disclosure) else None,
        value_text,
        rejected_text,
        ended_text,
        partial(_events, policy=policy, surface=surface, now=now),
    )
    return engine.renew_key(str(path), keyed, now, progress)


def _events(
    keys: Keys, items: Sequence[Item], in_use: PutPolicy | None, *, policy: Policy, surface: str, now: Moment
) -> list[Event]:
    made = Event(
        chain=DIRECTORY_CHAIN,
        at=now,
        action="new_key",
        actor=SYSTEM,
        surface=surface,
        decision="allowed",
        reason=Reason.NEW_KEY,
        policy=policy.digest,
        detail={"key": keys.fingerprint},
    )
    events = [
        replace(
            made,
            chain=chain_of_space(item.space),
            space=item.space,
            item=item.id,
            digest=keys.digest(item.text),
            detail={"after": labels(item, keys)},
        )
        for item in items
    ]
    if in_use is not None:
        detail = {"policy": in_use.digest, "document_digest": keys.digest(in_use.document)}
        events.append(replace(made, action="use_policy", detail=detail))
    return [made, *events]
