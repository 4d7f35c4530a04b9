"""List the turns that wait for the extractor, or were given up."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.reason import Reason
from memfort.model.results import QueuedMessage
from memfort.operations.extraction.own import find_own
from memfort.operations.requests import Limit, Request
from memfort.store.port import QueuedTurn


class ExtractionListRequest(Request, frozen=True):
    """Which to list."""

    given_up: Annotated[bool, Meta(description="Only those that will not be tried again by themselves.")] = False
    limit: Annotated[Limit, Meta(description="How many at most.")] = 100


def handle(view: View, request: ExtractionListRequest) -> list[QueuedMessage]:
    """The turns of yours that a model has still to read, or could not, those that were queued first before the
    others."""
    found = [one for one in find_own(view) if one.due_at is None or not request.given_up][: request.limit]
    reason = Reason.VISIBLE if found else Reason.NOT_FOUND
    view.note_read("extraction.list", reason, {"ids": [one.turn for one in found]})
    return [queued_message(one) for one in found]


def queued_message(queued: QueuedTurn) -> QueuedMessage:
    return QueuedMessage(queued.turn, queued.space, queued.queued_at, queued.due_at, queued.attempts, queued.problem)
