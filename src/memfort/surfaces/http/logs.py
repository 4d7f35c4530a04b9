"""Structured logs: one JSON line per request, and never contents. A path is logged as its route, without ids."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from memfort.clock import Clock
from memfort.model.moment import to_text

LOGGER = logging.getLogger("memfort.http")
_BELOW = ("uvicorn.error", "asyncio")
_MINUTE_SECONDS = 60.0


class JsonLines(logging.Formatter):
    """A line of JSON for each record; its fields are in `record.fields`."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = getattr(record, "fields", {})
        said = {"at": to_text(self._clock.now()), "level": record.levelname.lower(), "event": record.getMessage()}
        if record.exc_info and record.exc_info[0] is not None:
            said["error"] = record.exc_info[0].__name__
        return json.dumps(said | fields, ensure_ascii=False)


class FewOfStrangers(logging.Filter):
    """So many lines a minute of what anybody can cause without a credential. The next line that is written says how
    many were not: a log that strangers can fill hides the rest, and fills the disk."""

    def __init__(self, per_minute: int = 60, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._per_minute, self._now = per_minute, now
        self._since, self._written, self._left_out = float("-inf"), 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        fields: dict[str, Any] | None = getattr(record, "fields", None)
        if fields is not None and not _is_strangers(fields):
            return True
        if self._now() - self._since >= _MINUTE_SECONDS:
            self._since, self._written = self._now(), 0
        if self._written >= self._per_minute:
            self._left_out += 1
            return False
        self._written += 1
        if self._left_out:
            record.fields = {**(fields or {}), "left_out_before": self._left_out}
            self._left_out = 0
        return True


def _is_strangers(fields: dict[str, Any]) -> bool:
    return fields.get("caller") is None and 400 <= fields.get("status", 0) < 500


def use_json_lines(clock: Clock) -> None:
    """Log to stderr, one JSON line each; also what the libraries below report, without tracebacks."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(clock))
    handler.addFilter(FewOfStrangers())
    for logger, level in ((LOGGER, logging.INFO), *((logging.getLogger(one), logging.WARNING) for one in _BELOW)):
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False


def log_request(**fields: Any) -> None:
    LOGGER.info("request", extra={"fields": fields})


def log_failure(error: BaseException, request_id: str) -> None:
    """An error that is not ours: its type and where it was raised. Its message may quote contents: it is left out."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    fields = {"request_id": request_id, "error": type(error).__name__, "where": places[-5:]}
    LOGGER.error("failure", extra={"fields": fields})
