"""`AsyncMemory` and `AsyncBoundMemory`: the same verbs for async code. They have no logic of their own: every verb is
run by `Memory` or `BoundMemory`, in one of a bounded number of threads."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, Unpack

from memfort.client._async_methods import AsyncBoundMethods, AsyncStoreMethods
from memfort.client.bound import BoundMemory, missing_attribute
from memfort.client.memory import Memory
from memfort.client.options import MemoryOptions
from memfort.client.places import Places
from memfort.client.threads import Threads, run_alone
from memfort.engine.call import Progress, Waiter
from memfort.model.people.actor import Actor, Standpoint
from memfort.operations.table import TABLE, Operation

if TYPE_CHECKING:
    from memfort.model.results import RestoreReport

THREADS = 4  # more let CPU-bound recalls contend for the interpreter: 8 give 475 recalls a second where 4 give 622
MAX_WAITING = 1000
_LINES_AT_ONCE = 256  # of an iterator: a hop to a thread costs more than making a line


class _AsyncVerbs:
    """How a verb leaves the event loop. This is the one place."""

    _memory: Memory | BoundMemory
    _threads: Threads
    _last_trace: str | None = None

    async def run(
        self, operation: Operation, fields: Mapping[str, Any], progress: Progress | None = None, *, strict: bool = True
    ) -> Any:
        """Run a verb by its row of the table of operations. `progress` is called in the thread of the call."""
        waiter = Waiter()

        def work() -> Any:
            return self._memory.run(operation, fields, progress, strict=strict, waiter=waiter)

        def give_up() -> None:
            waiter.gave_up = True

        try:
            return await self._threads.run(work, give_up)
        finally:
            self._last_trace = waiter.trace or self._last_trace

    async def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        return await self.run(TABLE[name], fields, progress)

    def _stream(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> AsyncIterator[Any]:
        return Lines(lambda: self._ask(name, fields, progress), self._threads)


class Lines(AsyncIterator[Any]):
    """The lines of a verb that gives an iterator. The verb runs when the first is asked for. No generator, so that one
    that is left early needs no closing."""

    def __init__(self, ask: Callable[[], Awaitable[Iterator[Any]]], threads: Threads) -> None:
        self._ask, self._threads = ask, threads
        self._lines: Iterator[Any] | None = None
        self._ready: deque[Any] = deque()

    async def __anext__(self) -> Any:
        if not self._ready:
            lines = self._lines = self._lines or await self._ask()
            self._ready = await self._threads.run(lambda: deque(islice(lines, _LINES_AT_ONCE)))
        if not self._ready:
            raise StopAsyncIteration
        return self._ready.popleft()


class AsyncMemory(_AsyncVerbs, AsyncStoreMethods):
    """One store for async code, under asyncio and trio. Use it in an `async with` block, or close it.

    At most `threads` calls run at once. `max_waiting` more wait their turn, the oldest first; a call beyond these is
    refused with `Overloaded` and does nothing. A call that is cancelled before its commit leaves nothing, after it all
    of its work; either way the await returns when the call has ended.
    """

    _memory: Memory

    def __init__(self, memory: Memory, *, threads: int = THREADS, max_waiting: int = MAX_WAITING) -> None:
        """Wrap a memory that is open. Closing this closes it."""
        self._memory = memory
        self._threads = Threads(threads, max_waiting)

    @staticmethod
    def open(
        path: Path | str,
        *,
        read_only: bool = False,
        threads: int = THREADS,
        max_waiting: int = MAX_WAITING,
        **options: Unpack[MemoryOptions],
    ) -> Opening:
        """Open a store as `Memory.open` does, which takes the same options: `async with AsyncMemory.open(path) as
        memory`, or `memory = await AsyncMemory.open(path)`."""
        return Opening(lambda: Memory.open(path, read_only=read_only, **options), threads, max_waiting)

    @staticmethod
    async def restore(
        backup: Path | str,
        path: Path | str,
        *,
        key: Path | str | None = None,
        erased: Path | str | None = None,
        progress: Progress | None = None,
    ) -> RestoreReport:
        """Make a store from a backup, as `Memory.restore` does, in a thread of its own."""
        return await run_alone(lambda: Memory.restore(backup, path, key=key, erased=erased, progress=progress))

    def __repr__(self) -> str:
        return f"<async {str(self._memory).removeprefix('<')}"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise missing_attribute(self, name, AsyncBoundMemory)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Take no more calls, wait for those that were made, and close the memory. Cancelled, it is closed all the
        same."""
        await self._threads.close(self._memory.close)

    # -- who asks ----------------------------------------------------------------------------------------------------

    def as_user(self, user: str, /, **places: Unpack[Places]) -> AsyncBoundMemory:
        """Memory as a user has it, from the places named: `as_user("alice", project="apollo", org="acme")`."""
        return AsyncBoundMemory(self._memory.as_user(user, **places), self._threads)

    async def as_agent(
        self, agent: str, /, *, owner: str | None = None, acting_for: str | None = None, **places: Unpack[Places]
    ) -> AsyncBoundMemory:
        """Memory as an agent has it, as `Memory.as_agent` says. This one is awaited: the agent is looked up in the
        store, and registered if it is new."""
        bound = await self._threads.run(
            lambda: self._memory.as_agent(agent, owner=owner, acting_for=acting_for, **places)
        )
        return AsyncBoundMemory(bound, self._threads)

    def as_system(self) -> AsyncBoundMemory:
        """Memory as the system itself has it: the system space, and the power to erase, but no sight of anybody's."""
        return AsyncBoundMemory(self._memory.as_system(), self._threads)


class AsyncBoundMemory(_AsyncVerbs, AsyncBoundMethods):
    """Memory as one actor has it, from one place, for async code. Made by `AsyncMemory.as_user`, `as_agent` and
    `as_system`. Any number of tasks may share it."""

    _memory: BoundMemory

    def __init__(self, memory: BoundMemory, threads: Threads) -> None:
        self._memory = memory
        self._threads = threads

    def __repr__(self) -> str:
        return f"<async memory of {self.standpoint}>"

    @property
    def sync(self) -> BoundMemory:
        """The same memory for code that does not await."""
        return self._memory

    @property
    def actor(self) -> Actor:
        return self._memory.actor

    @property
    def standpoint(self) -> Standpoint:
        """Who asks, and from where."""
        return self._memory.standpoint

    @property
    def default_type(self) -> str:
        """The type of a statement whose author names none and whose words show none."""
        return self._memory.default_type

    @property
    def last_trace(self) -> str | None:
        """The id of the last traced call that was awaited here; `trace.show` gives its events. A task that reads it
        right after its own await reads its own."""
        return self._last_trace


class Opening:
    """A store that is about to be opened: await it, or enter it in an `async with` block, which closes it again."""

    def __init__(self, open_memory: Callable[[], Memory], threads: int, max_waiting: int) -> None:
        self._open_memory = open_memory
        self._threads, self._max_waiting = threads, max_waiting
        self._opened: AsyncMemory | None = None

    def __await__(self) -> Generator[Any, Any, AsyncMemory]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncMemory:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        assert self._opened is not None
        await self._opened.close()

    async def _open(self) -> AsyncMemory:
        opened: list[Memory] = []
        try:
            await run_alone(lambda: opened.append(self._open_memory()))
            return AsyncMemory(opened[0], threads=self._threads, max_waiting=self._max_waiting)
        except BaseException:
            for memory in opened:  # cancelled when it was just open, or the limits are not possible
                memory.close()
            raise
