"""The call that is under way: nested verbs belong to it, and nothing else does, from whatever thread or task."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from memfort import AsyncMemory, BoundMemory, Memory
from memfort.engine.call import call_under_way


@pytest.fixture
def alice(memory: Memory) -> BoundMemory:
    return memory.as_user("alice")


def actions(bound: BoundMemory, trace: str | None) -> str:
    return str(bound.trace.show(trace).events)


def test_a_verb_inside_a_call_is_part_of_it_and_stops_no_progress(alice):
    seen, inner = [], []

    def note(done: int, total: int) -> None:
        seen.append(done)
        inner.append(alice.remember(f"Note {done} was taken on deck {done * 5}").item.id)

    alice.remember_many(["Tea is green", "Coffee is black", "Milk is white"], progress=note)
    assert seen == [1, 2, 3]
    assert all(id in actions(alice, alice.last_trace) for id in inner)
    alice.remember("Water is clear")
    assert not any(id in actions(alice, alice.last_trace) for id in inner)


def test_a_nested_recall_of_another_leaves_the_callers_queries_alone(memory, alice):
    bob = memory.as_user("bob")

    def note(done: int, total: int) -> None:
        outer = call_under_way(memory._engine)
        assert outer is not None
        bob.recall("secret plans")
        assert outer.queries is alice._queries

    alice.remember_many(["Tea is green"], progress=note)
    alice.recall("tea")
    assert list(alice._queries.values()) == ["tea"]
    assert list(bob._queries.values()) == ["secret plans"]


def test_a_call_of_another_memory_is_not_nested(open_memory):
    one, other = open_memory(), open_memory()
    alice, bob = one.as_user("alice"), other.as_user("bob")
    kept: list[str] = []

    def note(done: int, total: int) -> None:
        kept.append(bob.remember("Bob drinks coffee").item.id)
        kept.append(alice.remember("Milk is white").item.id)

    def nested_again(done: int, total: int) -> None:
        bob.remember_many(["Bob drinks water"], progress=note)

    alice.remember_many(["Tea is green"], progress=nested_again)
    assert kept[1] in actions(alice, alice.last_trace)
    assert kept[0] in actions(bob, bob.last_trace)
    assert alice.last_trace != bob.last_trace


def test_a_thread_that_a_context_was_copied_into_makes_calls_of_its_own(memory):
    """As a new thread of free-threaded Python does by itself."""
    with Memory.open(":memory:") as plain:
        alice, traces = plain.as_user("alice"), []

        def note(done: int, total: int) -> None:
            bob = plain.as_user("bob")

            def work() -> None:
                assert call_under_way(plain._engine) is None
                bob.recall("anything")
                traces.append(bob.last_trace)

            assert call_under_way(plain._engine) is not None
            thread = threading.Thread(target=contextvars.copy_context().run, args=(work,))
            thread.start()
            thread.join()

        alice.remember_many(["Tea is green"], progress=note)
        assert traces
        assert traces != [alice.last_trace]
        assert call_under_way(plain._engine) is None


def test_a_task_started_from_a_progress_callback_is_not_part_of_the_call():
    """The callback is scheduled with the context of the call; the task keeps it after the call has ended."""

    async def story() -> None:
        loop, tasks, outer = asyncio.get_running_loop(), [], []
        async with AsyncMemory.open(":memory:", threads=2) as memory:
            alice, bob = memory.as_user("alice"), memory.as_user("bob")

            async def later() -> Any:
                while not outer:
                    await asyncio.sleep(0.001)
                await bob.remember("Bob drinks coffee")
                return bob.last_trace

            def note(done: int, total: int) -> None:
                loop.call_soon_threadsafe(lambda: tasks.append(loop.create_task(later())))

            await alice.remember_many(["Tea is green"], progress=note)
            outer.append(alice.last_trace)
            await asyncio.sleep(0)
            assert tasks
            assert await tasks[0] not in {None, outer[0]}
            assert "Bob" not in str((await alice.trace.show(outer[0])).events)

    asyncio.run(story())


def test_no_call_is_left_behind_when_one_fails(memory, alice):
    def fail(done: int, total: int) -> None:
        assert call_under_way(memory._engine) is not None
        raise LookupError("the bar is full")

    with pytest.raises(LookupError):
        alice.remember_many(["Tea is green"], progress=fail)
    assert call_under_way(memory._engine) is None


def test_many_threads_may_use_one_memory_and_one_bound_memory(memory):
    """Each thread has a user of its own, and all of them share one more."""
    shared, problems = memory.as_user("carol"), []

    def work(number: int) -> None:
        own = memory.as_user(f"user-{number}")
        try:
            for step in range(12):
                own.remember(f"user-{number} keeps box {step * 13} in hall {number}")
                shared.remember(f"Shelf {number}-{step} holds part {number * 100 + step}")
                assert all(f"user-{number}" in hit.text for hit in own.recall("box in the hall"))
                shared.recall("shelf and part")
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert [len(memory.as_user(f"user-{number}").list(limit=100)) for number in range(6)] == [12] * 6
    assert len(shared.list(limit=100)) == 72
    assert memory.trail.verify().ok
    assert memory.as_user("carol").doctor().ok
    assert len(shared._queries) <= 64
