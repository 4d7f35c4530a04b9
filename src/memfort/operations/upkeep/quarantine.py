"""Take damaged memories out of the index."""

from __future__ import annotations

from memfort.engine.transaction import Transaction
from memfort.model.reason import Reason
from memfort.operations.requests import Request
from memfort.operations.touched import whole_store
from memfort.store.port import Quarantine


class QuarantineRequest(Request, frozen=True):
    """No fields."""


touches = whole_store  # damage may be anywhere


def handle(tx: Transaction, request: QuarantineRequest) -> list[str]:  # noqa: ARG001  # handlers have one signature
    """Take damaged memories out of the index, and return their ids."""
    ids = sorted(tx.store.all_damaged())
    if ids:
        event = tx.as_system().recorder.directory_event("quarantine", Reason.CORRUPT, detail={"memories": ids})
        tx.apply([Quarantine(event.at)], [event])
    return ids
