"""A running call of a verb.

The call of the present context is only for naming: the trail's trace, logs, telemetry. Code that decides takes its call
as an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from threading import get_ident
from typing import TYPE_CHECKING

from memfort.engine.recorder import Through
from memfort.errors import Cancelled

if TYPE_CHECKING:
    from memfort.engine.once import Once

Progress = Callable[[int, int], None]  # how many are done, of how many
_QUERIES_KEPT = 64

_current: ContextVar[Call | None] = ContextVar("memfort_call", default=None)


class Waiter:
    """The waiter for a call that another thread makes. It can give up, and it learns the call's trace."""

    __slots__ = ("gave_up", "trace")

    def __init__(self) -> None:
        self.gave_up = False
        self.trace: str | None = None


class Call:
    """A running call: its trace id, and how many of its steps are recorded. A verb called inside it, in the same
    thread, enters the same call again. A class with `__enter__`, because every verb goes through it and a
    generator would cost three times as much."""

    def __init__(self, engine: object, trace: str, verb: str = "") -> None:
        self.engine, self.trace, self.verb, self.steps = engine, trace, verb, 0
        self.progress: Progress | None = None
        self.queries: dict[str, str] = {}  # of the caller's own recalls, by trace: they are stored nowhere else
        self.waiter: Waiter | None = None
        self.via = Through()
        self.expected_version: tuple[str, int] | None = None  # of a memory, without which nothing is written
        self.once: Once | None = None  # of a call that has one effect however often it is made
        self._thread = self._depth = 0
        self._outer: Call | None = None  # of another engine, or left behind in a context that was copied
        self._token: Token[Call | None] | None = None

    def check(self) -> None:
        """Raise if the caller has given up. Checked before each commit and at each report of progress."""
        if self.waiter is not None and self.waiter.gave_up:
            raise Cancelled(f"`{self.verb}` was cancelled; nothing more was written")

    def ignore_cancelling(self) -> None:
        """What is left follows from what is on record: from here on, giving up stops nothing."""
        self.waiter = None

    def report(self, done: int, total: int) -> None:
        self.check()
        if self.progress is not None:
            self.progress(done, total)

    def note_query(self, query: str) -> None:
        """Keep a query for the caller only, so that a trace of the recall can show it. Several threads may do this at
        once, so the oldest is found in a copy."""
        self.queries[self.trace] = query
        for trace in list(self.queries)[:-_QUERIES_KEPT]:
            self.queries.pop(trace, None)

    @property
    def is_under_way(self) -> bool:
        """Whether this thread is inside the call. A context can be copied into another thread, or into a task that
        outlives the call; code there makes a call of its own."""
        return self._depth > 0 and self._thread == get_ident()

    def __enter__(self) -> str:
        if not self._depth:
            self._thread, self._outer = get_ident(), _current.get()
            self._token = _current.set(self)
        self._depth += 1
        return self.trace

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            assert self._token is not None
            _current.reset(self._token)
            self._outer = self._token = None


def call_under_way(engine: object) -> Call | None:
    """The call of this engine that this thread is running, if any."""
    call = _current.get()
    while call is not None and not (call.engine is engine and call.is_under_way):
        call = call._outer
    return call
