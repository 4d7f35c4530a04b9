"""Show facts about the store."""

from __future__ import annotations

from typing import Any

from memfort.engine.engine import Engine
from memfort.engine.indexing.missing_vectors import count_missing_vectors
from memfort.engine.view import View
from memfort.model.people.actor import ActorKind
from memfort.model.results import StoreInfo
from memfort.operations.requests import Request
from memfort.operations.upkeep.judge import count_waiting
from memfort.store.port import LIVE

# Facts that tell of everybody's memories, or of the machine.
_OF_THE_WHOLE = (
    "bytes",
    "file",
    "key",
    "ballast_bytes",
    "erased_lines",
    "erased_listed",
)


class InfoRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: InfoRequest) -> StoreInfo:  # noqa: ARG001  # handlers have one signature
    """Sizes, versions and what is in use: of the whole store for its host, and for anybody else of what they may see.
    Nobody's memories are shown."""
    policy, embedding = view.policy, view.engine.embedding
    is_host = view.actor.kind is ActorKind.SYSTEM
    counts = _all_counts(view.engine) if is_host else _own_counts(view)
    return StoreInfo(
        **{**view.store.info(), **counts},
        policy=f"{policy.name} {policy.digest}",
        embedder=embedding.name,
        reranker=embedding.reranker,
        classifier=view.engine.classifier.name,
    )


def _all_counts(engine: Engine) -> dict[str, Any]:
    return {"without_vector": count_missing_vectors(engine), "not_judged": count_waiting(engine)}


def _own_counts(view: View) -> dict[str, Any]:
    """What an actor may see, counted."""
    spaces = [item.space for item in view.engine.all_items(view.sight, LIVE)]
    missing = len(view.engine.unembedded(view.sight)) if view.engine.embedding.tag else 0
    return {
        "memories": len(spaces),
        "spaces": len(set(spaces)),
        "without_vector": missing,
        "not_judged": len(view.store.unjudged(view.sight)),
        **dict.fromkeys(_OF_THE_WHOLE),
    }
