"""Rebuild the index."""

from __future__ import annotations

from memfort.engine.transaction import Session, Transaction
from memfort.model.reason import Reason
from memfort.model.results import Reindexed
from memfort.operations.requests import Request
from memfort.store.port import WHOLE_STORE, Reindex


class ReindexRequest(Request, frozen=True):
    """No fields."""


def handle(session: Session, request: ReindexRequest) -> Reindexed:  # noqa: ARG001  # handlers have one signature
    """Rebuild the text index in one transaction, with the vectors of the embedder in use."""
    return session.write(WHOLE_STORE, lambda tx: _rebuild(session, tx))


def _rebuild(session: Session, tx: Transaction) -> Reindexed:
    embedding, count = session.engine.embedding, int(tx.store.info()["memories"])
    event = tx.as_system().recorder.directory_event("reindex", Reason.INDEXED, detail={"memories": count})
    tx.apply([Reindex(embedding.entry_of, session.progress, session.engine.disclosed_entry_of)], [event])
    return Reindexed(count, embedding.name)
