"""Make an API key."""

from __future__ import annotations

from secrets import token_bytes
from typing import Annotated, Any

from msgspec import Meta

from memfort.engine.inputs import principal_of_names, space_of
from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput
from memfort.model.moment import Moment
from memfort.model.people.access_key import (
    SECRET_BYTES,
    AccessKey,
    KeptKey,
    KeyScope,
    NewKey,
    key_to_dict,
    make_token,
)
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal
from memfort.model.space import Space
from memfort.operations.directory.events import directory_event
from memfort.operations.requests import Coordinates, Request, Time
from memfort.operations.touched import in_directory
from memfort.store.port import PutKey

_MAX_NOTE = 200


class CreateKeyRequest(Request, frozen=True):
    """Whose key it is, and what it may be used for."""

    user: Annotated[str | None, Meta(description="The user whose key it is.")] = None
    agent: Annotated[str | None, Meta(description="The registered agent whose key it is.")] = None
    scopes: Annotated[
        tuple[KeyScope, ...], Meta(description="What it may be used for: read, write, review, admin, act_for.")
    ] = (KeyScope.READ, KeyScope.WRITE)
    space: Annotated[
        Coordinates | None, Meta(description="It reaches this space alone; everything of its holder if not given.")
    ] = None
    expires_at: Annotated[Time | None, Meta(description="When it expires, in ISO 8601 with a zone.")] = None
    note: Annotated[str, Meta(description="What it is for, to know it again in the list.", extra={"longest": 200})] = ""


touches = in_directory


def handle(tx: Transaction, request: CreateKeyRequest) -> NewKey:
    """Make an API key for a user or an agent. The answer shows the key, once: the store keeps a digest of it."""
    holder = principal_of_names(request.user, request.agent, "holder")
    expires = None if request.expires_at is None else Moment(int(request.expires_at))
    _check(tx, holder, request, expires)
    return new_key(
        tx,
        "create_key",
        holder=holder,
        scopes=tuple(sorted(set(request.scopes), key=list(KeyScope).index)),
        note=request.note,
        spaces=() if request.space is None else (_space_of(holder, tx, request.space),),
        expires_at_us=expires,
    )


def new_key(tx: Transaction, action: str, replaced: KeptKey | None = None, **fields: Any) -> NewKey:
    """Keep a new key and record it, with the one that it replaces."""
    id, token, digest = make_token(token_bytes(SECRET_BYTES), token_bytes(SECRET_BYTES))
    made = KeptKey(AccessKey(id=id, created_at_us=tx.now, **fields), digest)
    changed = [made] if replaced is None else [replaced, made]
    event = directory_event(tx, action, keys=[key_to_dict(one) for one in changed])
    tx.apply([PutKey(one) for one in changed], [event])
    return NewKey(made.key, token)


def _check(tx: Transaction, holder: Principal, request: CreateKeyRequest, expires: Moment | None) -> None:
    if not request.scopes:
        raise InvalidInput("scopes", "it has none", f"give some of {', '.join(KeyScope)}")
    if expires is not None and expires <= tx.now:
        raise InvalidInput("expires_at", "the time has passed", "give a later one, or leave it out")
    if holder.kind is ActorKind.AGENT and tx.store.agent(holder.id) is None:
        raise InvalidInput("agent", f"the agent `{holder.id}` is not registered", "register it with `agent.register`")
    if request.space is not None and KeyScope.ADMIN in request.scopes:
        raise InvalidInput("space", "an admin key reaches the whole store", "leave out the space, or the scope `admin`")


def _space_of(holder: Principal, tx: Transaction, given: dict[str, str]) -> Space:
    if holder.kind is ActorKind.USER and "user" not in given and {"session", "paper", "track"} & given.keys():
        given = {**given, "user": holder.id}
    return space_of(tx.standpoint, given)
