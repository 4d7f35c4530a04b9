"""List imports."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.engine.view import View
from memfort.model.people.actor import ActorKind
from memfort.model.results import Source
from memfort.operations.requests import Request
from memfort.operations.transfer.batches import batches_sight


class SourcesRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: SourcesRequest) -> list[Source]:  # noqa: ARG001  # it has no fields
    """The import batches of the spaces where the actor may write, and of its own. In a chat none is listed: a batch
    counts memories that the chat may not hear."""
    if view.sight.is_in_chat and view.actor.kind is not ActorKind.SYSTEM:
        return []
    return [replace(source, items=None) for source in view.store.sources(batches_sight(view))]
