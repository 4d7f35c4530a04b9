"""`AsyncMemory` in the programs that people write: a FastAPI application, a notebook, and under mypy."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from async_support import Asyncio, Gate, HookedClock
from fastapi import FastAPI, Request
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from memfort import AsyncBoundMemory, AsyncMemory, Memory, Overloaded


def application(path: Path, **options: Any) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncMemory.open(path, **options) as memory:
            app.state.memory = memory
            yield

    app = FastAPI(lifespan=lifespan)

    def memory_of(request: Request, user: str) -> AsyncBoundMemory:
        bound: AsyncBoundMemory = request.app.state.memory.as_user(user)
        return bound

    @app.post("/{user}/memories")
    async def remember(request: Request, user: str, text: str) -> dict[str, Any]:
        outcome = await memory_of(request, user).remember(text)
        return {"verdict": outcome.decision.verdict, "id": outcome.item.id if outcome.item else None}

    @app.get("/{user}/memories")
    async def recall(request: Request, user: str, query: str) -> list[str]:
        return [hit.text for hit in await memory_of(request, user).recall(query)]

    return app


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://memory") as client,
    ):
        yield client


def test_a_fastapi_application_serves_many_users_at_once(tmp_path):
    async def story() -> None:
        async with serving(application(tmp_path / "memory.db")) as client:
            users = [f"user-{number}" for number in range(20)]
            kept = await asyncio.gather(
                *(client.post(f"/{user}/memories", params={"text": f"{user} drinks green tea"}) for user in users)
            )
            assert [answer.json()["verdict"] for answer in kept] == ["allowed"] * 20
            found = await asyncio.gather(
                *(client.get(f"/{user}/memories", params={"query": "what tea"}) for user in users)
            )
            assert [answer.json() for answer in found] == [[f"{user} drinks green tea"] for user in users]

    asyncio.run(story())
    with Memory.open(tmp_path / "memory.db") as memory:  # it was closed, and is whole
        assert memory.trail.verify().ok
        assert len(memory.as_user("user-7").list()) == 1


def test_an_overloaded_application_can_say_so(tmp_path):
    clock, gate = HookedClock(), Gate()
    app = application(tmp_path / "memory.db", clock=clock, threads=1, max_waiting=0)

    async def story() -> None:
        async with serving(app) as client:
            clock.hook = gate.pass_through
            first = asyncio.create_task(client.post("/alice/memories", params={"text": "Tea is green"}))
            await gate.reached(Asyncio())
            with pytest.raises(Overloaded):
                await client.post("/alice/memories", params={"text": "Coffee is black"})
            gate.open()
            assert (await first).status_code == 200

    asyncio.run(story())


# -- a notebook -------------------------------------------------------------------------------------------------------

CELLS = (
    "from memfort import AsyncMemory\nmemory = await AsyncMemory.open(':memory:')\nalice = memory.as_user('alice')",
    "outcome = await alice.remember('Alice drinks green tea')",
    "import asyncio\nfound = await asyncio.gather(*(alice.recall('tea') for _ in range(10)))",
    "lines = [line async for line in alice.export()]",
    "await memory.close()",
)


def test_cells_of_a_notebook_await_it(monkeypatch, tmp_path):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))

    async def story() -> InteractiveShell:
        shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
        for cell in CELLS:
            result = await shell.run_cell_async(cell, store_history=False, transformed_cell=cell)
            result.raise_error()
        return shell

    names = asyncio.run(story()).user_ns
    assert [[hit.text for hit in found] for found in names["found"]] == [["Alice drinks green tea"]] * 10
    assert [line for line in names["lines"] if "memory" in line]


# -- mypy -------------------------------------------------------------------------------------------------------------

PROGRAM = """\
import asyncio

from memfort import AsyncBoundMemory, AsyncMemory, Memory


async def main() -> None:
    async with AsyncMemory.open("memory.db", threads=4, memberships="registered") as memory:
        alice: AsyncBoundMemory = memory.as_user("alice", project="apollo")
        outcome = await alice.remember("Alice drinks tea", kind="profile", tags=["drink"])
        texts: list[str] = [hit.text for hit in await alice.recall("tea", limit=3)]
        waiting = await alice.review.list(limit=5)
        async for line in alice.export():
            print(line["memory"])
        helper = await memory.as_agent("helper", owner="alice")
        print(outcome.decision.verdict, texts, len(waiting), helper.actor, (await memory.store.info()).memories)
        await alice.import_(b"", progress=lambda done, total: print(done, total))
    opened = await AsyncMemory.open("memory.db")
    await opened.close()
    await AsyncMemory(Memory.open(":memory:")).trail.verify()
{wrong}

asyncio.run(main())
"""
WRONG = {
    'await alice.remembr("tea")': "attr-defined",
    'await alice.remember("tea", kindd="profile")': "call-arg",
    'await alice.remember("tea", kind="profil")': "arg-type",
    'await alice.recall("tea", limit="3")': "arg-type",
    'alice.recall("tea").hits': "attr-defined",
    "await alice.export()": "misc",
    "await alice.review.lst()": "attr-defined",
    'AsyncMemory.open("memory.db", thread=4)': "call-arg",
    'AsyncMemory.open("memory.db", memberships=4)': "arg-type",
    'memory.as_agent("helper").actor': "attr-defined",
    "await alice.explain('mem_x', viewer='bob')": "arg-type",
    "alice.remember('tea')": "unused-coroutine",
}


def check(program: str, folder: Path) -> list[tuple[str, str]]:
    """The lines that mypy strict finds fault with, each with the code of the fault."""
    file = folder / "program.py"
    file.write_text(program)
    source = Path(sys.modules["memfort"].__file__ or "").parent.parent
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), str(file)]
    run = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env={**os.environ, "MYPYPATH": str(source)}, check=False
    )
    lines = program.splitlines()
    found = re.findall(r"program\.py:(\d+): error: .*\[([\w-]+)\]", run.stdout)
    assert found or "Success" in run.stdout, run.stdout + run.stderr
    return [(lines[int(number) - 1].strip(), code) for number, code in found]


def test_mypy_strict_passes_a_right_program_and_finds_each_typo(tmp_path):
    assert check(PROGRAM.format(wrong=""), tmp_path) == []
    wrong = "".join(f"    {line}\n" for line in WRONG)
    found = dict(check(PROGRAM.format(wrong=wrong), tmp_path))
    assert set(found) == set(WRONG)
    assert found == WRONG
