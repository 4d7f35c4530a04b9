"""Stories that run under asyncio and under trio: how to run one, start a call beside it, and cancel that call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import trio

from memfort import FixedClock
from memfort.model.moment import Moment

Story = Callable[[], Awaitable[Any]]
PATIENCE = 30.0  # seconds; reached only when something hangs


class Call:
    """A call that runs beside the story. `outcome` is its answer, an error, or `"cancelled"`."""

    def __init__(self) -> None:
        self.outcome: Any = None
        self.is_over = False

    async def keep(self, story: Story, cancelled: type[BaseException]) -> None:
        try:
            self.outcome = await story()
        except cancelled as error:
            self.outcome = "cancelled" if error.__context__ is None else error.__context__
            raise
        except Exception as error:
            self.outcome = error
        finally:
            self.is_over = True


class AsyncioCall(Call):
    def start(self, story: Story) -> None:
        self._task = asyncio.create_task(self.keep(story, asyncio.CancelledError))

    def cancel(self) -> None:
        self._task.cancel()

    async def wait(self) -> Any:
        await asyncio.wait([self._task], timeout=PATIENCE)
        assert self.is_over
        return self.outcome


class TrioCall(Call):
    def start(self, nursery: trio.Nursery, story: Story) -> None:
        self._scope, self._over = trio.CancelScope(), trio.Event()
        nursery.start_soon(self._run, story)

    async def _run(self, story: Story) -> None:
        with self._scope:
            try:
                await self.keep(story, trio.Cancelled)
            finally:
                self._over.set()

    def cancel(self) -> None:
        self._scope.cancel()

    async def wait(self) -> Any:
        with trio.fail_after(PATIENCE):
            await self._over.wait()
        return self.outcome


class Asyncio:
    name = "asyncio"
    sleep = staticmethod(asyncio.sleep)

    def run(self, story: Story) -> Any:
        return asyncio.run(story())

    @asynccontextmanager
    async def calls(self) -> AsyncIterator[Callable[[Story], AsyncioCall]]:
        def start(story: Story) -> AsyncioCall:
            call = AsyncioCall()
            call.start(story)
            return call

        yield start


class Trio:
    name = "trio"
    sleep = staticmethod(trio.sleep)

    def run(self, story: Story) -> Any:
        return trio.run(story)

    @asynccontextmanager
    async def calls(self) -> AsyncIterator[Callable[[Story], TrioCall]]:
        async with trio.open_nursery() as nursery:

            def start(story: Story) -> TrioCall:
                call = TrioCall()
                call.start(nursery, story)
                return call

            yield start


class Gate:
    """Where a thread stops until it is let through."""

    def __init__(self) -> None:
        self._reached, self._open = threading.Event(), threading.Event()

    def pass_through(self) -> None:
        self._reached.set()
        assert self._open.wait(PATIENCE)

    def open(self) -> None:
        self._open.set()

    @property
    def is_reached(self) -> bool:
        return self._reached.is_set()

    async def reached(self, library: Asyncio | Trio) -> None:
        while not self._reached.is_set():
            await library.sleep(0.001)


class HookedClock(FixedClock):
    """A clock at which the thread that asks for the time can be held up: every verb asks, before it commits."""

    def __init__(self) -> None:
        super().__init__(Moment(1_767_225_600_000_000))
        self.hook: Callable[[], None] = lambda: None

    def now(self) -> Moment:
        self.hook()
        return super().now()
