"""List API keys."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.model.people.access_key import AccessKey
from memfort.operations.requests import Request


class ListKeysRequest(Request, frozen=True):
    """All of them."""


def handle(view: View, request: ListKeysRequest) -> list[AccessKey]:  # noqa: ARG001  # it has no fields
    """The API keys of the store, revoked and expired ones too. None of them is shown itself."""
    return [kept.key for kept in view.store.access_keys()]
