"""Finish erasures that had to wait."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

from msgspec.structs import replace

from memfort.engine.transaction import Session
from memfort.model.item import Item
from memfort.model.people.actor import SYSTEM, Actor
from memfort.model.results import FinishedErasures
from memfort.model.serialize.record import actor_from_dict
from memfort.operations.ending.lineage import ErasureTarget, ItemName, by_space, find_stored
from memfort.operations.ending.removal import remove_in_chunks, remove_unseen, scrub, state_event
from memfort.operations.requests import Request
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Erasure, PutErasure, Store
from memfort.trail.event import ChainId


class FinishErasuresRequest(Request, frozen=True):
    """No fields."""


def handle(session: Session, request: FinishErasuresRequest) -> FinishedErasures:  # noqa: ARG001  # it has no fields
    """Continue every erasure that could not be finished when it was requested."""
    tried = [_finish(session, one) for one in session.store.erasures() if one.pending is not None]
    return FinishedErasures(
        tuple(one.id for one in tried if one.pending is None),
        {one.id: one.pending for one in tried if one.pending is not None},
    )


def _finish(session: Session, erasure: Erasure) -> Erasure:
    """Any process that opens the store may do this, so it is recorded in the system's chain: an actor's own chain must
    not change by another actor's call."""
    now = session.now
    remove_in_chunks(session, memories_left(session.store, erasure), now)
    remove_unseen(session, _visibility_to_asker(session.store, erasure), _find_event(session.store, erasure), now)
    after = replace(erasure, pending=scrub(session).pending)
    if after != erasure:
        session.apply([PutErasure(after)], [state_event(session, SYSTEM, after, now)])
    return after


def memories_left(store: Store, erasure: Erasure) -> list[ErasureTarget]:
    """Memories of an erasure that are still stored."""
    listed = by_space(erasure.items)
    here = [space for space in store.spaces() if space.id in listed]
    return [one for space in here for one in find_stored(store, maintenance_sight([space]), listed[space.id])]


def _find_event(store: Store, erasure: Erasure) -> list[ItemName]:
    listed = by_space(erasure.items)
    return [ItemName(space, id) for space in store.spaces() for id in listed.get(space.id, ())]


def _visibility_to_asker(store: Store, erasure: Erasure) -> Callable[[Item], bool]:
    """The sight of the asker of an erasure, as far as it can be reconstructed: the spaces that the record names,
    restricted by reader lists. Memories in sight elsewhere are listed in the record."""
    asker, spaces = _asker(store, erasure), {space for space, _ in erasure.items}
    return lambda item: asker is not None and item.space.id in spaces and item.readers.admits(asker)


def _asker(store: Store, erasure: Erasure) -> Actor | None:
    """The actor who requested an erasure. The record has only a key, but the request is in the actor's own chain; if
    that is unreadable, the asker's sight is unknown, and everything derived from the erased memories is erased."""
    for link in store.links(ChainId("actor", erasure.actor)):
        with suppress(ValueError, KeyError, TypeError):
            return actor_from_dict(json.loads(link.body)["actor"])
    return None
