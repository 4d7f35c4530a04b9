"""Show the progress of embedding in the background."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.engine.indexing.missing_vectors import count_missing_vectors
from memfort.engine.view import View
from memfort.model.results import Reembedding
from memfort.operations.requests import Request


class ReembedStatusRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: ReembedStatusRequest) -> Reembedding:  # noqa: ARG001  # handlers have one signature
    """The progress of this process's background thread, and how many memories of the whole store still lack a
    vector."""
    return replace(view.engine.embedding.background, left=count_missing_vectors(view.engine))
