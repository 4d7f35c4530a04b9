"""Answers that come piece by piece: server-sent events with progress for long work, and lines of JSON for exports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any

import msgspec
from starlette.responses import StreamingResponse

from memfort.engine.call import Waiter
from memfort.model.value import plain
from memfort.surfaces.http.logs import log_failure
from memfort.surfaces.http.problems import HttpProblem, Problem, problem_of
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.verbs import Prepared, perform

EVENTS = "text/event-stream"
LINES = "application/x-ndjson"
_LINES_AT_ONCE = 256
_KEEP_ALIVE_SECONDS = 15.0


def lines_response(server: Server, lines: Iterator[Any]) -> StreamingResponse:
    """The lines of an export, each a JSON document."""

    async def body() -> AsyncIterator[bytes]:
        while some := await server.threads.run(lambda: list(islice(lines, _LINES_AT_ONCE))):
            yield b"".join(msgspec.json.encode(plain(one)) + b"\n" for one in some)

    return StreamingResponse(body(), media_type=LINES)


def events_response(server: Server, prepared: Prepared, request_id: str) -> StreamingResponse:
    """Progress as events, then `result` or `problem`. A client that hangs up gives the verb up."""
    waiter, loop = Waiter(), asyncio.get_running_loop()
    said: asyncio.Queue[tuple[str, bytes] | None] = asyncio.Queue()

    def note(done: int, total: int) -> None:  # called in the verb's thread
        loop.call_soon_threadsafe(said.put_nowait, ("progress", msgspec.json.encode({"done": done, "total": total})))

    def give_up() -> None:
        waiter.gave_up = True

    async def work() -> None:
        try:
            response = await server.threads.run(lambda: perform(server, prepared, note, waiter), give_up)
            name = "result" if response.status_code < 400 else "problem"
            said.put_nowait((name, bytes(response.body)))
        except Exception as error:  # noqa: BLE001  # the status is sent already: every error is told here
            said.put_nowait(("problem", msgspec.json.encode(_problem(error, request_id))))
        finally:
            said.put_nowait(None)

    async def body() -> AsyncIterator[bytes]:
        task = asyncio.create_task(work())
        try:
            while True:
                try:
                    event = await asyncio.wait_for(said.get(), _KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield b": still at work\n\n"
                    continue
                if event is None:
                    return
                yield b"event: %s\ndata: %s\n\n" % (event[0].encode(), event[1])
        finally:
            give_up()
            await task

    return StreamingResponse(body(), media_type=EVENTS, headers={"cache-control": "no-store"})


def _problem(error: Exception, request_id: str) -> Problem:
    if isinstance(error, HttpProblem):
        return error.problem
    made = problem_of(error)
    if made.status == 500:
        log_failure(error, request_id)
    return made
