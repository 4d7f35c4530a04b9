"""Let turns wait for the extractor again."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.transaction import Session, Transaction
from memfort.model.reason import Reason
from memfort.model.results import QueuedMessage
from memfort.model.space import Space
from memfort.operations.extraction.list import queued_message
from memfort.operations.extraction.own import find_named, spaces_of_own
from memfort.operations.requests import OneWord, Request
from memfort.store.port import PutQueuedTurn


class ExtractionRetryRequest(Request, frozen=True):
    """The turns."""

    ids: Annotated[
        tuple[OneWord, ...], Meta(description="Turns of the queue; all that were given up, if none is named.")
    ] = ()


def touches(session: Session, request: ExtractionRetryRequest) -> list[Space]:  # noqa: ARG001  # what a module has
    return spaces_of_own(session)


def handle(tx: Transaction, request: ExtractionRetryRequest) -> list[QueuedMessage]:
    """Try turns again at the next run of a worker, as if they were new: all of them or none. Without ids, those that
    were given up."""
    after = [replace(one, attempts=0, due_at=tx.now, problem="") for one in find_named(tx, request.ids)]
    detail = {"turns": [one.turn for one in after]}
    events = [tx.actor_event("extraction.retry", "allowed", Reason.QUEUED_AGAIN, detail)] if after else []
    tx.apply([PutQueuedTurn(one) for one in after], events)
    return [queued_message(one) for one in after]
