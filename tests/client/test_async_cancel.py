"""A cancelled await leaves no half write: nothing before the commit, everything after it, no thread that goes on."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from async_support import Asyncio, Gate, HookedClock, Trio

from memfort import AsyncBoundMemory, AsyncMemory, Memory
from memfort.store.memory import MemoryStore
from memfort.store.sqlite import SqliteStore

TEA = "Alice drinks green tea"


@pytest.fixture(params=[Asyncio(), Trio()], ids=lambda library: library.name)
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def clock() -> HookedClock:
    return HookedClock()


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: HookedClock) -> Memory:
    store = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "memory.db")
    return Memory(store, clock=clock)


def texts(memory: Memory, user: str = "alice") -> set[str]:
    return {item.text for item in memory.as_user(user).list(limit=1000)}


def check_whole(memory: Memory) -> None:
    """Nothing is half there: the store's structure, the contents and the trail agree."""
    diagnosis = memory.as_system().doctor()
    assert diagnosis.ok, diagnosis.problems
    assert memory.as_user("alice").doctor().ok
    assert memory.trail.verify().ok


def archive(count: int) -> bytes:
    with Memory.open(":memory:") as other:
        alice = other.as_user("alice")
        alice.remember_many([f"Locker {number} belongs to team {number * 3}" for number in range(count)])
        return "\n".join(json.dumps(line) for line in alice.export()).encode()


FILE = archive(20)
Verb = Callable[[AsyncBoundMemory], Any]
WRITES: dict[str, Verb] = {
    "remember": lambda alice: alice.remember("Coffee is black"),
    "remember_many": lambda alice: alice.remember_many([f"Ticket {number} costs {number * 7}" for number in range(30)]),
    "import": lambda alice: alice.import_(FILE),
    "forget": lambda alice: alice.forget(*FORGOTTEN),
    "erase": lambda alice: alice.erase(scope={"user": "alice"}),
}
FORGOTTEN: list[str] = []
writes = pytest.mark.parametrize("write", WRITES)


def begin(memory: Memory) -> set[str]:
    """What alice has before the call that is cancelled."""
    FORGOTTEN[:] = [memory.as_user("alice").remember(TEA).item.id]
    return texts(memory)


def changed(write: str) -> set[str]:
    """What alice has after the same call on a store of its own, in sync."""
    with Memory(MemoryStore()) as other:
        begin(other)

        class Sync:
            def __getattr__(self, name: str) -> Any:
                return getattr(other.as_user("alice"), name)

        WRITES[write](Sync())
        found = texts(other)
    FORGOTTEN.clear()
    return found


# -- before the commit ------------------------------------------------------------------------------------------------


@writes
@pytest.mark.parametrize("times", [1, 3])
def test_cancelled_before_the_commit_nothing_is_written(library, memory, clock, write, times):
    """The thread is held up inside the call; however often it is cancelled, the await goes on until it has ended."""
    after = changed(write)
    before, gate = begin(memory), Gate()
    assert before != after  # the control: uncancelled, it does change something

    async def story() -> None:
        async with AsyncMemory(memory, threads=1) as wrapped:
            alice = wrapped.as_user("alice")
            async with library.calls() as start:
                clock.hook = gate.pass_through
                call = start(lambda: WRITES[write](alice))
                await gate.reached(library)
                for _ in range(times):
                    call.cancel()
                    await library.sleep(0.005)
                    assert not call.is_over
                gate.open()
                assert await call.wait() == "cancelled"
                clock.hook = lambda: None
            assert texts(memory) == before
            check_whole(memory)
            assert not memory.as_user("alice").erasures()
            await WRITES[write](alice)  # and the same call, not cancelled, goes through
            assert texts(memory) == after
            check_whole(memory)

    library.run(story)


def test_cancelled_at_a_report_of_progress_nothing_is_written(library, memory):
    before, gate = begin(memory), Gate()

    async def story() -> None:
        async with AsyncMemory(memory) as wrapped, library.calls() as start:
            alice, seen = wrapped.as_user("alice"), []

            def note(done: int, total: int) -> None:
                seen.append(done)
                if done == 5:
                    gate.pass_through()

            call = start(lambda: alice.import_(FILE, progress=note))
            await gate.reached(library)
            call.cancel()
            await library.sleep(0.005)
            gate.open()
            assert await call.wait() == "cancelled"
            assert seen == [1, 2, 3, 4, 5]
            assert texts(memory) == before
            check_whole(memory)
            assert (await alice.import_(FILE)).counts["read"] == 20

    library.run(story)


def test_cancelled_while_it_waits_for_a_thread_it_is_never_begun(library, memory, clock):
    gate = Gate()

    async def story() -> None:
        async with AsyncMemory(memory, threads=1, max_waiting=1) as wrapped, library.calls() as start:
            alice = wrapped.as_user("alice")
            clock.hook = gate.pass_through
            first = start(lambda: alice.remember(TEA))
            await gate.reached(library)
            for _ in range(5):  # each gives its place up, or the next would be one too many
                second = start(lambda: alice.remember("Coffee is black"))
                await library.sleep(0.005)
                second.cancel()
                assert await second.wait() == "cancelled"
            assert not first.is_over
            gate.open()
            await first.wait()
            assert texts(memory) == {TEA}

    library.run(story)


# -- after the commit -------------------------------------------------------------------------------------------------


def test_cancelled_after_the_commit_everything_is_written(library, memory, clock):
    gate = Gate()

    async def story() -> None:
        async with AsyncMemory(memory) as wrapped, library.calls() as start:
            clock.hook = gate.pass_through
            call = start(lambda: wrapped.as_user("alice").remember(TEA))
            await gate.reached(library)
            gate.open()
            while texts(memory) != {TEA}:  # the loop stands still, so it learns of the end after the cancellation
                time.sleep(0.001)
            call.cancel()
            assert await call.wait() == "cancelled"
            assert texts(memory) == {TEA}
            check_whole(memory)

    library.run(story)


def test_an_erasure_on_record_goes_through(library, memory):
    alice = memory.as_user("alice")
    alice.remember_many([f"Locker {number} belongs to team {number * 3}" for number in range(600)])
    memory.as_user("bob").remember("Bob drinks coffee")
    gate = Gate()

    async def story() -> None:
        async with AsyncMemory(memory) as wrapped, library.calls() as start:

            def note(done: int, total: int) -> None:
                if done < total:
                    gate.pass_through()

            call = start(lambda: wrapped.as_user("alice").erase(scope={"user": "alice"}, progress=note))
            await gate.reached(library)
            assert 0 < len(texts(memory)) < 600  # some are gone, and some are not
            call.cancel()
            await library.sleep(0.005)
            gate.open()
            assert await call.wait() == "cancelled"
            assert texts(memory) == set()
            [erasure] = alice.erasures()
            assert erasure.pending is None
            assert texts(memory, "bob") == {"Bob drinks coffee"}
            check_whole(memory)

    library.run(story)


# -- at any moment ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", ["remember", "remember_many", "import", "erase"])
def test_cancelled_at_any_moment_it_is_there_or_not(library, memory, write):
    """Real races: the moment is drawn anew each time, from the start of a call to past its end."""
    after, rng = changed(write), random.Random(7)
    before = begin(memory)

    async def story() -> None:
        async with AsyncMemory(memory, threads=2) as wrapped:
            alice = wrapped.as_user("alice")
            start_of_call = time.perf_counter()
            await WRITES[write](alice)
            seconds = time.perf_counter() - start_of_call
            assert texts(memory) == after
            for _ in range(12):
                for source in await alice.sources():
                    await alice.erase(source=source.id)
                await alice.erase(scope={"user": "alice"})
                FORGOTTEN[:] = [(await alice.remember(TEA)).item.id]
                async with library.calls() as start:
                    call = start(lambda: WRITES[write](alice))
                    await library.sleep(rng.uniform(0, 1.2 * seconds))
                    call.cancel()
                    outcome = await call.wait()
                found = texts(memory)
                assert found in (before, after)
                assert found == after or outcome == "cancelled"
                assert all(erasure.pending is None for erasure in memory.as_user("alice").erasures())
            check_whole(memory)

    library.run(story)


# -- the ways to cancel -----------------------------------------------------------------------------------------------


def held_up(memory: Memory, clock: HookedClock, gate: Gate) -> tuple[AsyncMemory, AsyncBoundMemory]:
    wrapped = AsyncMemory(memory, threads=1)
    clock.hook = gate.pass_through
    return wrapped, wrapped.as_user("alice")


def test_a_timeout_of_asyncio_is_a_timeout(memory, clock):
    gate = Gate()

    async def story() -> None:
        wrapped, alice = held_up(memory, clock, gate)
        asyncio.get_running_loop().call_later(0.05, gate.open)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await alice.remember(TEA)
        assert gate.is_reached
        assert asyncio.current_task().cancelling() == 0
        assert texts(memory) == set()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(alice.remember(TEA), 0)
        await alice.remember(TEA)
        assert texts(memory) == {TEA}
        await wrapped.close()

    asyncio.run(story())


def test_a_failing_sibling_in_a_task_group_cancels(memory, clock):
    gate = Gate()

    async def fail() -> None:
        await gate.reached(Asyncio())
        asyncio.get_running_loop().call_later(0.01, gate.open)
        raise LookupError("sibling")

    async def story() -> None:
        wrapped, alice = held_up(memory, clock, gate)

        async def both() -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(alice.remember(TEA))
                group.create_task(fail())

        with pytest.raises(ExceptionGroup) as caught:
            await both()
        assert [type(error) for error in caught.value.exceptions] == [LookupError]
        assert texts(memory) == set()
        await wrapped.close()

    asyncio.run(story())


def test_asyncio_run_that_ends_waits_for_the_thread(memory, clock):
    gate = Gate()

    async def story() -> None:
        _, alice = held_up(memory, clock, gate)
        asyncio.create_task(alice.remember(TEA))  # noqa: RUF006  # left behind on purpose
        await gate.reached(Asyncio())
        asyncio.get_running_loop().call_later(0.02, gate.open)

    asyncio.run(story())
    assert texts(memory) == set()
    check_whole(memory)
    memory.close()


def test_trio_moves_on(memory, clock):
    gate = Gate()

    async def story() -> None:
        wrapped, alice = held_up(memory, clock, gate)

        async def open_later() -> None:
            await gate.reached(Trio())
            await trio.sleep(0.05)
            gate.open()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(open_later)
            with trio.move_on_after(0.02) as scope:
                await alice.remember(TEA)
        assert scope.cancelled_caught
        assert texts(memory) == set()
        with trio.move_on_after(0) as scope:
            await alice.remember(TEA)
        assert scope.cancelled_caught
        await alice.remember(TEA)
        assert texts(memory) == {TEA}
        with trio.CancelScope() as scope:  # closing in a scope that is cancelled closes all the same
            scope.cancel()
            await wrapped.close()

    trio.run(story)


def test_a_scope_of_anyio_cancels(memory, clock):
    """FastAPI and Starlette cancel by these, again at each turn of the loop."""
    import anyio

    gate = Gate()

    async def story() -> None:
        wrapped, alice = held_up(memory, clock, gate)
        asyncio.get_running_loop().call_later(0.05, gate.open)
        with anyio.move_on_after(0.01) as scope:
            await alice.remember(TEA)
        assert scope.cancelled_caught
        assert texts(memory) == set()
        await alice.remember(TEA)
        assert texts(memory) == {TEA}
        await wrapped.close()

    asyncio.run(story())


def test_a_coroutine_that_is_thrown_away_writes_nothing(memory, clock):
    gate = Gate()

    async def story() -> None:
        wrapped, alice = held_up(memory, clock, gate)
        coroutine = alice.remember(TEA)
        coroutine.send(None)
        await gate.reached(Asyncio())
        coroutine.close()
        gate.open()
        while wrapped._threads._accepted:
            await asyncio.sleep(0.001)
        assert texts(memory) == set()
        await alice.remember(TEA)
        assert texts(memory) == {TEA}
        await wrapped.close()

    asyncio.run(story())


def test_opening_that_is_cancelled_leaves_the_store_closed(library, tmp_path):
    async def story() -> None:
        for milliseconds in range(8):
            async with library.calls() as start:
                call = start(lambda: AsyncMemory.open(tmp_path / "memory.db"))
                await library.sleep(milliseconds / 1000)
                call.cancel()
                outcome = await call.wait()
                if isinstance(outcome, AsyncMemory):
                    await outcome.close()
        async with AsyncMemory.open(tmp_path / "memory.db") as memory:
            await memory.as_user("alice").remember(TEA)

    library.run(story)
