"""List shares."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.model.people.directory import Share, principal_of
from memfort.operations.requests import Request
from memfort.policy.sight import shares_held


class SharesRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: SharesRequest) -> list[Share]:  # noqa: ARG001  # it has no fields
    """The shares of every space the actor may write in, and those by which it passes on what is shared with it."""
    return shares_of(view)


def shares_of(view: View) -> list[Share]:
    found = view.store.shares_of([seen.space for seen in view.sight.spaces if seen.writable or seen.may_share])
    writable, actor = view.sight.writable, principal_of(view.actor)
    return [one for one in found if writable.seen(one.space) is not None or principal_of(one.granted_by) == actor]


def held_by(view: View) -> list[Share]:
    """The shares through which the actor reads spaces of others."""
    return shares_held(view.standpoint, view.store.facts(view.standpoint), view.engine.memberships)
