"""Show facts about the store."""

from __future__ import annotations

from memfort.engine.indexing.missing_vectors import count_missing_vectors
from memfort.engine.view import View
from memfort.model.results import StoreInfo
from memfort.operations.requests import Request


class InfoRequest(Request, frozen=True):
    """Nothing to say."""


def handle(view: View, request: InfoRequest) -> StoreInfo:  # noqa: ARG001  # handlers have one signature
    """Sizes, versions and what is in use. Nobody's memories are shown."""
    policy, embedding = view.policy, view.engine.embedding
    return StoreInfo(
        **view.store.info(),
        policy=f"{policy.name} {policy.digest}",
        embedder=embedding.name,
        reranker=embedding.reranker,
        without_vector=count_missing_vectors(view.engine),
    )
