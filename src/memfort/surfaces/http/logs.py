"""Structured logs: one JSON line per request, and never contents. A path is logged as its route, without ids."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from typing import Any

from memfort.clock import Clock
from memfort.model.moment import to_text

LOGGER = logging.getLogger("memfort.http")


class JsonLines(logging.Formatter):
    """A line of JSON for each record; its fields are in `record.fields`."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = getattr(record, "fields", {})
        said = {"at": to_text(self._clock.now()), "level": record.levelname.lower(), "event": record.getMessage()}
        return json.dumps(said | fields, ensure_ascii=False)


def use_json_lines(clock: Clock) -> None:
    """Log to stderr, one JSON line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(clock))
    LOGGER.handlers = [handler]
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False


def log_request(**fields: Any) -> None:
    LOGGER.info("request", extra={"fields": fields})


def log_failure(error: BaseException, request_id: str) -> None:
    """An error that is not ours: its type and where it was raised. Its message may quote contents: it is left out."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    fields = {"request_id": request_id, "error": type(error).__name__, "where": places[-5:]}
    LOGGER.error("failure", extra={"fields": fields})
