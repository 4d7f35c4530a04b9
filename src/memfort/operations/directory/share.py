"""Let a user or an agent read a space."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import principal_of_names
from memfort.engine.transaction import Session, Transaction
from memfort.errors import Denied, InvalidInput
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal, Share, principal_of
from memfort.model.reason import Reason, explanation
from memfort.model.serialize.encoding import canonical_json, short_name
from memfort.model.space import Space
from memfort.operations.directory.events import share_event
from memfort.operations.requests import Coordinates, Request
from memfort.operations.touched import places_of
from memfort.policy.gates.border import refusal_of
from memfort.store.port import PutShare, Spaces


class ShareRequest(Request, frozen=True):
    """The space to share, and its reader: a user or an agent."""

    space: Annotated[Coordinates | None, Meta(description="The space; your own when none is named.")] = None
    user: Annotated[str | None, Meta(description="The user who may read it.")] = None
    agent: Annotated[str | None, Meta(description="The agent that may read it.")] = None


def touches(session: Session, request: ShareRequest) -> Spaces:
    return places_of(session, [request.space])


def handle(tx: Transaction, request: ShareRequest) -> Share:
    """Let a user or an agent read one space, exactly that one. Only actors who may write there may share it."""
    space, reader = tx.space_of(request.space), principal_of_names(request.user, request.agent, "reader")
    if tx.actor.kind is ActorKind.AGENT and tx.actor.acting_for is not None:
        raise Denied(Reason.NEEDS_A_PERSON, explanation(Reason.NEEDS_A_PERSON))
    seen = tx.sight.seen(space)
    if seen is None or not seen.may_share:
        raise Denied(refusal_of(seen), explanation(refusal_of(seen)))
    if reader == principal_of(tx.actor):
        raise InvalidInput("reader", f"`{reader}` is the one who shares", "name another reader")
    made = Share(_id(space, reader), space, reader, tx.actor, tx.now)
    tx.apply([PutShare(made)], [share_event(tx, made, "share", Reason.REGISTERED)])
    return made


def _id(space: Space, reader: Principal) -> str:
    return short_name("shr_", canonical_json([space.id.hex(), reader.kind.value, reader.id]))
