"""`AsyncMemory`: the same verbs and the same answers, under asyncio and trio, in a bounded number of threads."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from async_support import Asyncio, Gate, HookedClock, Trio
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from memfort import (
    AsyncBoundMemory,
    AsyncMemory,
    Denied,
    FixedClock,
    InvalidInput,
    MemfortError,
    Memory,
    NotFound,
    Overloaded,
    StoreError,
)
from memfort.model.moment import Moment
from memfort.telemetry import traced


@pytest.fixture(params=[Asyncio(), Trio()], ids=lambda library: library.name)
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["memory", "sqlite"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return ":memory:" if request.param == "memory" else str(tmp_path / "memory.db")


def clock() -> FixedClock:
    return FixedClock(Moment(1_767_225_600_000_000))


# -- the same answers -------------------------------------------------------------------------------------------------


def test_async_verbs_answer_as_sync_ones(library, path, tmp_path):
    async def story() -> list[Any]:
        async with AsyncMemory.open(path, clock=clock()) as memory:
            alice = memory.as_user("alice", project="apollo")
            kept = await alice.remember("Alice drinks green tea", tags=["drink"])
            many = await alice.remember_many(["The launch is on Friday", {"text": "Bob leads the project"}])
            found = await alice.recall("tea")
            shown = await alice.trace.show()
            people = await alice.people.list()
            review = await alice.review.list()
            helper = await memory.as_agent("helper", owner="alice")
            agent = await memory.agent.get("helper")
            system = await memory.as_system().doctor()
            explained = await alice.explain(kept.item.id, viewer=memory.as_user("bob"))
            return [kept, many, found, shown, people, review, helper.actor, agent, system.ok, explained]

    def same_in_sync() -> list[Any]:
        with Memory.open(":memory:" if path == ":memory:" else tmp_path / "sync.db", clock=clock()) as memory:
            alice = memory.as_user("alice", project="apollo")
            kept = alice.remember("Alice drinks green tea", tags=["drink"])
            many = alice.remember_many(["The launch is on Friday", {"text": "Bob leads the project"}])
            found = alice.recall("tea")
            shown = alice.trace.show()
            people = alice.people.list()
            review = alice.review.list()
            helper = memory.as_agent("helper", owner="alice")
            agent = memory.agent.get("helper")
            system = memory.as_system().doctor()
            explained = alice.explain(kept.item.id, viewer=memory.as_user("bob"))
            return [kept, many, found, shown, people, review, helper.actor, agent, system.ok, explained]

    awaited, direct = library.run(story), same_in_sync()
    # Keys are random, so ids of traces differ; everything else is the same.
    assert [str(one.item.text) for one in awaited[1]] == [str(one.item.text) for one in direct[1]]
    assert [hit.text for hit in awaited[2]] == [hit.text for hit in direct[2]] == ["Alice drinks green tea"]
    assert awaited[0].decision.verdict == direct[0].decision.verdict
    assert [type(one) for one in awaited] == [type(one) for one in direct]
    assert awaited[4:9] == direct[4:9]


def test_a_store_can_be_awaited_wrapped_and_closed_twice(library, path):
    async def story() -> None:
        memory = await AsyncMemory.open(path)
        assert isinstance(memory.as_user("alice"), AsyncBoundMemory)
        await memory.as_user("alice").remember("Alice drinks tea")
        await memory.close()
        await memory.close()
        with pytest.raises(StoreError, match="closed"):
            await memory.as_user("alice").recall("tea")
        async with AsyncMemory(Memory.open(path)) as wrapped:
            found = await wrapped.as_user("alice").recall("tea")
            assert len(found) == (0 if path == ":memory:" else 1)
        with pytest.raises(StoreError, match="closed"):
            wrapped._memory.as_user("alice").recall("tea")

    library.run(story)


def test_iterators_become_async_iterators(library, path):
    async def story() -> None:
        async with AsyncMemory.open(path) as memory:
            alice = memory.as_user("alice")
            await alice.remember_many([f"Room number {number} is in wing {number * 7}" for number in range(600)])
            lines = [line async for line in alice.export()]
            assert lines == list(memory._memory.as_user("alice").export())
            assert sum("memory" in line for line in lines) == 600
            assert [line["event"]["action"] async for line in alice.trail.export()]
            async for _ in alice.export():  # one that is left early leaves nothing open
                break
            with pytest.raises(InvalidInput, match="format"):
                _ = [line async for line in alice.trail.export(format="papyrus")]

    library.run(story)


def test_an_export_comes_back_by_an_import(library, path):
    async def story() -> None:
        async with AsyncMemory.open(path) as memory, AsyncMemory.open(":memory:") as other:
            await memory.as_user("alice").remember("Alice drinks tea")
            data = "\n".join([json.dumps(line) async for line in memory.as_user("alice").export()]).encode()
            report = await other.as_user("alice").import_(data)
            assert report.counts["read"] == 1
            assert [hit.text for hit in await other.as_user("alice").recall("tea")] == ["Alice drinks tea"]

    library.run(story)


def test_errors_are_the_same_and_carry_no_thread(library, path):
    async def story() -> None:
        async with AsyncMemory.open(path, memberships="registered") as memory:
            alice = memory.as_user("alice")
            for expected, call in (
                (InvalidInput, lambda: alice.remember("")),
                (InvalidInput, lambda: alice.recall("tea", limit=-1)),
                (NotFound, lambda: alice.forget("mem_aaaaaaaaaaaaaaaa")),
                (InvalidInput, lambda: memory.as_agent("helper")),
                (Denied, lambda: memory.as_user("alice", chat="team").phase.start("a new round")),
            ):
                with pytest.raises(expected) as caught:
                    await call()
                assert isinstance(caught.value, MemfortError)
                assert caught.value.__cause__ is None or isinstance(caught.value.__cause__, MemfortError | ValueError)
                assert "concurrent.futures" not in str(caught.value)
                shown = "".join(traceback.format_exception(caught.value))
                assert "The above exception was the direct cause" not in shown or caught.value.__cause__ is not None
            with pytest.raises(InvalidInput, match="user"):
                memory.as_user("")
            assert await alice.get("mem_aaaaaaaaaaaaaaaa") is None

    library.run(story)


def test_progress_is_reported_and_an_error_in_it_undoes_the_call(library, path):
    async def story() -> None:
        async with AsyncMemory.open(path) as memory:
            alice, seen, threads = memory.as_user("alice"), [], set()

            def note(done: int, total: int) -> None:
                seen.append((done, total))
                threads.add(threading.current_thread())

            await alice.remember_many(["Tea is green", "Coffee is black"], progress=note)
            assert seen == [(1, 2), (2, 2)]
            assert threading.main_thread() not in threads

            def fail(done: int, total: int) -> None:
                raise LookupError("the bar is full")

            with pytest.raises(LookupError, match="the bar is full"):
                await alice.remember_many(["Milk is white"], progress=fail)
            assert sorted(item.text for item in await alice.list()) == ["Coffee is black", "Tea is green"]

    library.run(story)


def test_each_task_reads_its_own_last_trace(library):
    async def story() -> None:
        async with AsyncMemory.open(":memory:") as memory, library.calls() as start:
            alice = memory.as_user("alice")
            assert alice.last_trace is None

            async def ask(number: int) -> tuple[str | None, str]:
                outcome = await alice.remember(f"Locker {number} belongs to team {number * 3}")
                return alice.last_trace, outcome.item.id

            answers = [await call.wait() for call in [start(lambda number=number: ask(number)) for number in range(20)]]
            assert len({trace for trace, _ in answers}) == 20
            for trace, id in answers:
                assert id in str((await alice.trace.show(trace)).events)

    library.run(story)


# -- a bounded number of threads --------------------------------------------------------------------------------------


def test_no_more_threads_than_allowed_and_none_of_the_loop(library):
    hooked, running, most, names = HookedClock(), set(), [], set()
    arrived = threading.Barrier(3)

    def hook() -> None:
        thread = threading.current_thread()
        if not thread.name.startswith("memfort_") or thread in running:
            return
        running.add(thread)
        names.add(thread.name)
        most.append(len(running))
        arrived.wait(30)  # three are in here at once, or this breaks
        running.discard(thread)

    async def story() -> None:
        async with AsyncMemory.open(":memory:", clock=hooked, threads=3) as memory, library.calls() as start:
            alice = memory.as_user("alice")
            hooked.hook = hook
            calls = [start(lambda: alice.spaces()) for _ in range(12)]
            for call in calls:
                assert isinstance(await call.wait(), list)
            hooked.hook = lambda: None

    library.run(story)
    assert max(most) == 3
    assert len(names) == 3


def test_too_many_waiting_calls_are_refused_and_later_ones_are_not(library):
    hooked, gate = HookedClock(), Gate()

    async def story() -> None:
        async with (
            AsyncMemory.open(":memory:", clock=hooked, threads=1, max_waiting=2) as memory,
            library.calls() as start,
        ):
            alice = memory.as_user("alice")
            hooked.hook = gate.pass_through
            first = start(lambda: alice.remember("One is first"))
            await gate.reached(library)
            waiting = [start(lambda: alice.remember("Two waits")), start(lambda: alice.remember("Three waits as well"))]
            await library.sleep(0.01)
            with pytest.raises(Overloaded, match="3 calls"):
                await alice.remember("Four is too many")
            gate.open()
            assert [bool((await call.wait()).item) for call in (first, *waiting)] == [True] * 3
            await alice.remember("Five comes later")
            texts = {item.text for item in await alice.list()}
            assert texts == {"One is first", "Two waits", "Three waits as well", "Five comes later"}

    library.run(story)


@pytest.mark.parametrize("limits", [{"threads": 0}, {"threads": True}, {"max_waiting": -1}, {"threads": "8"}], ids=str)
def test_impossible_limits_are_refused_and_leave_nothing_open(library, tmp_path, limits):
    async def story() -> None:
        with pytest.raises(InvalidInput, match="whole number"):
            await AsyncMemory.open(tmp_path / "memory.db", **limits)
        async with AsyncMemory.open(tmp_path / "memory.db") as memory:
            await memory.as_user("alice").remember("Alice drinks tea")

    library.run(story)


def test_closing_waits_for_running_and_queued_calls(library, tmp_path):
    hooked, gate = HookedClock(), Gate()

    async def story() -> None:
        memory = await AsyncMemory.open(tmp_path / "memory.db", clock=hooked, threads=1)
        alice = memory.as_user("alice")
        async with library.calls() as start:
            hooked.hook = gate.pass_through
            calls = [start(lambda: alice.remember("Tea is green")), start(lambda: alice.remember("Coffee is black"))]
            await gate.reached(library)
            closing = start(memory.close)
            await library.sleep(0.01)
            assert not closing.is_over
            with pytest.raises(StoreError, match="closed"):
                await alice.remember("Milk is white")
            closing.cancel()  # it is closed all the same
            gate.open()
            assert [bool((await call.wait()).item) for call in calls] == [True, True]
            assert await closing.wait() == "cancelled"
        with pytest.raises(StoreError, match="closed"):
            memory._memory.as_user("alice").recall("tea")

    library.run(story)
    with Memory.open(tmp_path / "memory.db") as memory:
        assert {item.text for item in memory.as_user("alice").list()} == {"Tea is green", "Coffee is black"}


def test_no_thread_is_left_after_closing(library, tmp_path):
    def ours() -> set[str]:
        return {thread.name for thread in threading.enumerate() if thread.name.startswith("memfort_")}

    async def story() -> None:
        async with AsyncMemory.open(tmp_path / "memory.db") as memory:
            await memory.as_user("alice").remember("Alice drinks tea")
            assert ours()

    library.run(story)
    assert not ours()


def test_a_coroutine_that_is_never_awaited_does_nothing(tmp_path):
    with Memory.open(tmp_path / "memory.db") as memory:
        coroutine = AsyncMemory(memory).as_user("alice").remember("Alice drinks tea")
        with pytest.raises(RuntimeError, match="no running event loop"):
            coroutine.send(None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            AsyncMemory(memory).as_user("alice").remember("Alice drinks tea")
            gc.collect()
        assert not len(memory.as_user("alice").list())


def test_several_loops_in_several_threads_share_a_memory(tmp_path):
    with Memory.open(tmp_path / "memory.db") as plain:
        memory = AsyncMemory(plain, threads=4)

        async def story(user: str) -> None:
            bound = memory.as_user(user)
            await asyncio.gather(*(bound.remember(f"{user} owns ticket {number * 11}") for number in range(10)))

        loops = [threading.Thread(target=lambda user=user: asyncio.run(story(user))) for user in ("alice", "bob")]
        for loop in loops:
            loop.start()
        for loop in loops:
            loop.join()
        assert [len(plain.as_user(user).list()) for user in ("alice", "bob")] == [10, 10]
        assert plain.trail.verify().ok
        asyncio.run(memory.close())


# -- imports and error messages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["asyncio", "trio", "anyio"])
def test_a_library_is_loaded_only_where_it_runs(name):
    code = f"import sys, memfort; memfort.Memory; memfort.AsyncMemory; print({name!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_importing_the_sync_memory_loads_nothing_of_the_async_one():
    code = "import sys, memfort; memfort.Memory; print([name for name in sys.modules if 'async' in name])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    return InMemorySpanExporter()


def test_spans_of_async_calls_have_the_span_of_their_caller_as_parent(library, exporter):
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("story")

    async def story() -> None:
        async with AsyncMemory.open(":memory:") as memory, library.calls() as start:
            alice = traced(memory.as_user("alice"), tracer_provider=provider)

            async def handle(name: str) -> None:
                with tracer.start_as_current_span(name):
                    await alice.remember(f"{name} was here")

            for call in [start(lambda name=name: handle(name)) for name in ("request-1", "request-2")]:
                assert await call.wait() is None

    library.run(story)
    spans = {span.context.span_id: span for span in exporter.get_finished_spans()}
    parents = sorted(spans[span.parent.span_id].name for span in spans.values() if span.name == "upsert_memory")
    assert parents == ["request-1", "request-2"]
