"""Let a user, an agent or the members of a group read a space."""

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
from memfort.model.space import GROUP_LEVELS, Coordinate, Space
from memfort.operations.directory.events import share_event
from memfort.operations.directory.member_list import group_of
from memfort.operations.directory.shares import held_by
from memfort.operations.requests import Coordinates, Request
from memfort.operations.touched import places_of
from memfort.policy.gates.border import refusal_of
from memfort.store.port import PutShare, Scope


class ShareRequest(Request, frozen=True):
    """The space to share, and its reader: a user, an agent or a group."""

    space: Annotated[Coordinates | None, Meta(description="The space; your own when none is named.")] = None
    user: Annotated[str | None, Meta(description="The user who may read it.")] = None
    agent: Annotated[str | None, Meta(description="The agent that may read it.")] = None
    group: Annotated[
        Coordinates | None, Meta(description="The group whose members may read it, for example project=apollo.")
    ] = None
    may_pass_on: Annotated[
        bool, Meta(description="Whether those who read it may share it, and copy memories into other spaces.")
    ] = False


def touches(session: Session, request: ShareRequest) -> Scope:
    return Scope.of(places_of(session, [request.space]), directory=True)


def handle(tx: Transaction, request: ShareRequest) -> Share:
    """Let a user, an agent or the members of a group read one space, exactly that one. Who is a member is looked up at
    each read. Only those may share a space who own it, or who read it through a share that may be passed on."""
    space, holder = tx.space_of(request.space), _holder(request)
    if tx.actor.kind is ActorKind.AGENT and tx.actor.acting_for is not None:
        raise Denied(Reason.NEEDS_A_PERSON, explanation(Reason.NEEDS_A_PERSON))
    seen = tx.sight.seen(space)
    if seen is None or not seen.may_share:
        raise Denied(refusal_of(seen), explanation(refusal_of(seen)))
    if holder == principal_of(tx.actor):
        raise InvalidInput("reader", f"`{holder}` is the one who shares", "name another reader")
    via = None if seen.writable else _upstream(tx, space)
    made = Share(
        id=_id(space, holder, None if via is None else principal_of(tx.actor)),
        space=space,
        reader=holder if isinstance(holder, Principal) else None,
        group=holder if isinstance(holder, Coordinate) else None,
        granted_by=tx.actor,
        granted_at_us=tx.now,
        may_pass_on=request.may_pass_on,
        via=via,
    )
    tx.apply([PutShare(made)], [share_event(tx, made, "share", Reason.REGISTERED)])
    return made


def _holder(request: ShareRequest) -> Principal | Coordinate:
    if request.group is None:
        return principal_of_names(request.user, request.agent, "reader")
    if request.user is not None or request.agent is not None:
        raise InvalidInput("reader", "exactly one is needed", "give one of `user`, `agent` and `group`")
    group = group_of(request.group)
    if group.level not in GROUP_LEVELS:
        known = ", ".join(sorted(GROUP_LEVELS))
        raise InvalidInput("group", f"a space cannot be shared with a {group.level}", f"use one of {known}")
    return group


def _upstream(tx: Transaction, space: Space) -> str:
    """The share through which the actor reads the space and may pass it on."""
    return next(share.id for share in held_by(tx) if share.space == space and share.may_pass_on)


def _id(space: Space, holder: Principal | Coordinate, passed_on_by: Principal | None) -> str:
    """Sharing twice is one share; but who passes a space on makes a share of their own, beside those of its owner."""
    kind = holder.kind if isinstance(holder, Principal) else holder.level
    giver = [] if passed_on_by is None else [passed_on_by.kind.value, passed_on_by.id]
    return short_name("shr_", canonical_json([space.id.hex(), kind.value, holder.id, *giver]))
