"""One call of a verb while it is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memfort.errors import Cancelled

Progress = Callable[[int, int], None]  # how many are done, of how many
_QUERIES_KEPT = 64


class Call:
    """A call that is under way in a thread: its trace id, and how many steps of it are on record. A verb called inside
    it enters the same call again. A class with `__enter__`, because every verb goes through it and a generator would
    cost three times as much."""

    def __init__(self, calls: threading.local, trace: str, verb: str = "") -> None:
        self.trace, self.verb, self.steps = trace, verb, 0
        self.progress: Progress | None = None
        self.queries: dict[str, str] = {}  # of the caller's own recalls, by trace: they are written down nowhere
        self.cancelled = False  # set by whoever waits for the answer, from any thread
        self._calls, self._depth = calls, 0

    def check(self) -> None:
        """Stop here if the caller has given up. Asked before each commit and at each report of progress."""
        if self.cancelled:
            raise Cancelled(f"`{self.verb}` was cancelled; nothing more was written")

    def report(self, done: int, total: int) -> None:
        self.check()
        if self.progress is not None:
            self.progress(done, total)

    def note_query(self, query: str) -> None:
        """Keep what was asked, for the caller alone: a trace of the recall can say it again."""
        self.queries[self.trace] = query
        if len(self.queries) > _QUERIES_KEPT:
            del self.queries[next(iter(self.queries))]

    def __enter__(self) -> str:
        self._calls.current = self
        self._depth += 1
        return self.trace

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._calls.current = None
