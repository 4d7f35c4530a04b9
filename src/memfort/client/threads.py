"""A bounded number of threads in which async callers have work done, under asyncio or trio.

An await here returns when its work has ended and not before, also when it is cancelled: nothing happens behind a
caller's back, and the limit on threads holds. Neither library is imported unless it is the one that runs.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread
from typing import Any, TypeVar

from memfort.errors import InvalidInput, Overloaded, StoreError

_Answer = TypeVar("_Answer")
Action = Callable[[], object]


def _nothing() -> None:
    pass


class Threads:
    """So many threads, and so many pieces of work at most that wait for one, the oldest first."""

    def __init__(self, count: int, max_waiting: int) -> None:
        _check_number(count, "threads", least=1)
        _check_number(max_waiting, "max_waiting", least=0)
        self._most = count + max_waiting
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="memfort")
        self._lock = Lock()
        self._accepted = 0  # running or waiting
        self._closed: Future[None] | None = None

    async def run(self, work: Callable[[], _Answer], give_up: Action = _nothing) -> _Answer:
        """The answer of `work`, done in one of the threads, in a copy of the caller's context. Cancelled while it
        waits, it is not done; cancelled while it runs, it is told by `give_up`, and its end is waited for."""
        ended = _way_to_wait()
        future = self._accept(work)

        def cancel() -> None:
            if not future.cancel():
                give_up()

        await ended(future, cancel)
        return future.result()

    async def close(self, last: Callable[[], None]) -> None:
        """Take no more work, wait for what was accepted, and do one last thing. Cancelled, it is done all the same."""
        ended = _way_to_wait()
        with self._lock:
            if self._closed is None:
                self._closed = _begin(lambda: self._finish(last))
            closed = self._closed
        await ended(closed, _nothing)
        closed.result()

    def _accept(self, work: Callable[[], _Answer]) -> Future[_Answer]:
        with self._lock:
            if self._closed is not None:
                raise StoreError("the store is closed; open it again")
            if self._accepted >= self._most:
                raise Overloaded(f"{self._accepted} calls run or wait already; try again, or allow more to wait")
            self._accepted += 1
            future = self._pool.submit(copy_context().run, work)
        future.add_done_callback(self._release)
        return future

    def _release(self, _: Future[Any]) -> None:
        with self._lock:
            self._accepted -= 1

    def _finish(self, last: Callable[[], None]) -> None:
        self._pool.shutdown(wait=True)
        last()


async def run_alone(work: Callable[[], _Answer]) -> _Answer:
    """The answer of `work`, done in a thread of its own, and to its end even if the caller is cancelled."""
    ended = _way_to_wait()
    future = _begin(work)
    await ended(future, _nothing)
    return future.result()


def _begin(work: Callable[[], _Answer]) -> Future[_Answer]:
    future: Future[_Answer] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  # raised where it is waited for
            future.set_exception(error)

    Thread(target=run, name="memfort").start()
    return future


def _check_number(given: object, name: str, *, least: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise InvalidInput(name, f"`{given}` is not possible", f"give a whole number, {least} or more")


def _way_to_wait() -> Callable[[Future[Any], Action], Awaitable[None]]:
    """How the library that runs here waits until a future is done. Each time that the caller is cancelled meanwhile,
    the action is taken. Where none runs that is known, nothing is begun."""
    if _is_in_trio():
        return _ended_in_trio
    import asyncio

    asyncio.get_running_loop()
    return _ended_in_asyncio


def _is_in_trio() -> bool:
    if "trio" not in sys.modules:
        return False
    import trio

    return trio.lowlevel.in_trio_task()


async def _ended_in_asyncio(future: Future[Any], cancel: Action) -> None:
    import asyncio

    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def wake(_: Future[Any]) -> None:
        with suppress(RuntimeError):  # the loop was closed, and nobody waits any more
            loop.call_soon_threadsafe(ended.set)

    future.add_done_callback(wake)
    cancelled: asyncio.CancelledError | None = None
    while not ended.is_set():
        try:
            await ended.wait()
        except asyncio.CancelledError as error:
            cancelled = cancelled or error
            cancel()
        except GeneratorExit:  # the coroutine is thrown away: nothing can be waited for
            cancel()
            raise
    if cancelled is not None:
        raise cancelled


async def _ended_in_trio(future: Future[Any], cancel: Action) -> None:
    import trio

    token, ended = trio.lowlevel.current_trio_token(), trio.Event()

    def wake(_: Future[Any]) -> None:
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(ended.set)

    future.add_done_callback(wake)
    try:
        await ended.wait()
    except GeneratorExit:
        cancel()
        raise
    except BaseException:  # `Cancelled`, or Ctrl-C
        cancel()
        with trio.CancelScope(shield=True):
            await ended.wait()
        raise
