"""The threads in which verbs run, shared out among callers: nobody has all of them, however much they ask."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

from memfort.client.threads import Threads
from memfort.errors import Overloaded
from memfort.surfaces.http.limits import RateLimit
from memfort.surfaces.http.settings import ServerSettings

_Answer = TypeVar("_Answer")
CALLER: ContextVar[str] = ContextVar("memfort_http_caller", default="")  # whose request this task answers


class _Line:
    """The calls of one caller: so many run, the others wait."""

    def __init__(self, most_running: int) -> None:
        self.turns, self.calls = asyncio.Semaphore(most_running), 0


class ThreadShares:
    """The threads of a worker process. What a caller's work costs of the processor counts against its rate."""

    def __init__(self, settings: ServerSettings, rates: RateLimit) -> None:
        self._settings, self._rates = settings, rates
        self._threads = Threads(settings.threads, settings.max_waiting)
        self._most_of_one = settings.threads_of_one_caller + settings.max_waiting // 2
        self._lines: dict[str, _Line] = {}
        self.calls = 0  # running or waiting

    async def run(self, work: Callable[[], _Answer], give_up: Callable[[], object] = lambda: None) -> _Answer:
        """The answer of `work`, done in a thread when it is the caller's turn."""
        caller = CALLER.get()
        line = self._lines.get(caller) or _Line(self._settings.threads_of_one_caller)
        if line.calls >= self._most_of_one or self.calls >= self._settings.threads + self._settings.max_waiting:
            raise Overloaded("too many calls run or wait already; try again later")
        self._lines[caller] = line
        self.calls += 1
        line.calls += 1
        try:
            async with line.turns:
                return await self._threads.run(lambda: self._charged(caller, work), give_up)
        finally:
            self.calls -= 1
            line.calls -= 1
            if not line.calls:
                self._lines.pop(caller, None)

    async def close(self, last: Callable[[], None]) -> None:
        """Take no more work, wait for what was accepted, and do one last thing."""
        await self._threads.close(last)

    def _charged(self, caller: str, work: Callable[[], _Answer]) -> _Answer:
        begun = time.thread_time()
        try:
            return work()
        finally:
            self._rates.charge(caller, int((time.thread_time() - begun) / self._settings.charged_seconds))
