"""List shares."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.model.people.directory import Share
from memfort.operations.requests import Request


class SharesRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: SharesRequest) -> list[Share]:  # noqa: ARG001  # it has no fields
    """The shares of every space the actor may write in."""
    return shares_of(view)


def shares_of(view: View) -> list[Share]:
    return view.store.shares_of([seen.space for seen in view.sight.writable.spaces])
