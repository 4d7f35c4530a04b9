"""End a share."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session, Transaction
from memfort.errors import Denied, NotFound
from memfort.model.people.directory import principal_of
from memfort.model.reason import Reason, explanation
from memfort.model.results import TakenOut
from memfort.operations.directory.events import share_event
from memfort.operations.directory.shares import shares_of
from memfort.operations.requests import OneWord, Request
from memfort.policy.gates.border import refusal_of
from memfort.store.port import DropShare, Scope


class RevokeRequest(Request, frozen=True):
    """Which share to end."""

    id: Annotated[OneWord, Meta(description="The share's id.")]


def touches(session: Session, request: RevokeRequest) -> Scope:
    with session.view() as view:
        return Scope.of((one.space for one in shares_of(view) if one.id == request.id), directory=True)


def handle(tx: Transaction, request: RevokeRequest) -> TakenOut:
    """End a share, and those by which it was passed on. The next read no longer sees through it."""
    found = [one for one in shares_of(tx) if one.id == request.id]
    if not found:
        raise NotFound("share", request.id)
    seen = tx.sight.seen(found[0].space)
    if principal_of(found[0].granted_by) != principal_of(tx.actor) and (seen is None or not seen.may_share):
        raise Denied(refusal_of(seen), explanation(refusal_of(seen)))
    tx.apply([DropShare(request.id)], [share_event(tx, found[0], "revoke", Reason.REVOKED)])
    return TakenOut(request.id)
