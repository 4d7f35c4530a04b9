"""List imports."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.engine.view import View
from memfort.model.results import Source
from memfort.operations.requests import Request


class SourcesRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: SourcesRequest) -> list[Source]:  # noqa: ARG001  # it has no fields
    """The import batches of the spaces where the actor may write."""
    return [replace(source, items=None) for source in view.store.sources(view.sight.writable)]
