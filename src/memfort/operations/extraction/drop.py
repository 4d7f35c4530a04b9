"""Take turns out of the queue for the extractor."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session, Transaction
from memfort.model.reason import Reason
from memfort.model.results import QueuedMessage
from memfort.model.space import Space
from memfort.operations.extraction.list import queued_message
from memfort.operations.extraction.own import find_named, spaces_of_own
from memfort.operations.requests import OneWord, Request
from memfort.store.port import DropQueuedTurn


class ExtractionDropRequest(Request, frozen=True):
    """The turns."""

    ids: Annotated[
        tuple[OneWord, ...], Meta(description="Turns of the queue; all that were given up, if none is named.")
    ] = ()


def touches(session: Session, request: ExtractionDropRequest) -> list[Space]:  # noqa: ARG001  # what a module has
    return spaces_of_own(session)


def handle(tx: Transaction, request: ExtractionDropRequest) -> list[QueuedMessage]:
    """Take turns out of the queue: all of them or none. They stay as they are; no model reads them. Without ids, those
    that were given up."""
    after = find_named(tx, request.ids)
    detail = {"turns": [one.turn for one in after]}
    events = [tx.actor_event("extraction.drop", "allowed", Reason.QUEUE_DROPPED, detail)] if after else []
    tx.apply([DropQueuedTurn(one.space, one.turn) for one in after], events)
    return [queued_message(one) for one in after]
