"""Sign the trail."""

from __future__ import annotations

from collections import deque

from memfort.engine.transaction import Transaction
from memfort.model.reason import Reason
from memfort.operations.requests import Request
from memfort.operations.touched import whole_store
from memfort.store.port import Sign, Store
from memfort.trail.checkpoint import Anchors
from memfort.trail.event import ChainId
from memfort.trail.verify import NOT_OURS


class CheckpointRequest(Request, frozen=True):
    """No fields."""


touches = whole_store  # it signs every chain


def handle(tx: Transaction, request: CheckpointRequest) -> Anchors:  # noqa: ARG001  # it has no fields
    """Sign every chain that has grown, and return the last checkpoint of each, to be kept elsewhere as an anchor. The
    event about signing is covered too, so that a second call has nothing to sign."""
    store = tx.store
    if grown := _chains_to_sign(store):
        event = tx.as_system().recorder.directory_event("checkpoint", Reason.SIGNED, detail={"chains": len(grown)})
        store.apply([Sign(event.at)], [event])
    last = (deque(store.checkpoints(chain), maxlen=1) for chain, _, _ in store.chains())
    return Anchors(store.keys.fingerprint, tuple(one for signed in last for one in signed))


def _chains_to_sign(store: Store) -> list[ChainId]:
    """The chains that have grown since they were last signed. A chain that is not this store's is not signed."""
    return [
        chain
        for chain, length, head in store.chains()
        if head != NOT_OURS and not any(store.checkpoints(chain, length - 1))
    ]
