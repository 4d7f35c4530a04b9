"""Let the extractor read the turns that wait for it."""

from __future__ import annotations

from memfort.engine.transaction import Session
from memfort.model.results import ExtractionRun
from memfort.operations.extraction.worker import read_due
from memfort.operations.requests import Request


class ExtractRequest(Request, frozen=True):
    """No fields."""


def handle(session: Session, request: ExtractRequest) -> ExtractionRun:  # noqa: ARG001  # handlers have one signature
    """Read every turn that is due, and keep what passes the gates. A turn that fails is tried again by a later run;
    after an interruption the next run continues."""
    return read_due(session)
