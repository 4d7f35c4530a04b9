"""`RemoteMemory` and its async twin: the door to a store behind a server, in the shape of `Memory`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Self, Unpack, get_origin
from urllib.parse import quote

from memfort.client._async_methods import AsyncBoundMethods, AsyncStoreMethods
from memfort.client._methods import BoundMethods, StoreMethods
from memfort.client.async_memory import MAX_WAITING, Lines
from memfort.client.places import Places
from memfort.client.remote.answers import error_of, result_of, result_of_events
from memfort.client.remote.encode import encode_fields
from memfort.client.remote.transport import Transport
from memfort.client.threads import Threads
from memfort.engine.call import Progress, Waiter
from memfort.engine.inputs import coordinates_of
from memfort.errors import InvalidInput
from memfort.model.space import check_id
from memfort.operations.table import TABLE, Effect, Http, Operation

_THREADS = 16  # a request waits for the server, not for this interpreter


def connect(url: str, key: str, *, timeout: float = 30.0, retries: int = 3, ca_file: str | None = None) -> RemoteMemory:
    """The store behind a server, with the verbs of `Memory`. `key` is an API key or a token: it says who asks. What is
    not answered within `timeout` seconds is sent again, `retries` times; a write has one effect all the same."""
    return RemoteMemory(Transport(url, key, timeout=timeout, retries=retries, ca_file=ca_file))


def connect_async(
    url: str, key: str, *, timeout: float = 30.0, retries: int = 3, ca_file: str | None = None
) -> AsyncRemoteMemory:
    """The same for async code: `async with memfort.connect_async(url, key) as memory`."""
    return AsyncRemoteMemory(connect(url, key, timeout=timeout, retries=retries, ca_file=ca_file))


class _RemoteVerbs:
    """How a verb goes to the server. This is the one place."""

    _transport: Transport
    _headers: Mapping[str, str]
    _last_trace: str | None = None

    def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        return self.run(TABLE[name], fields, progress)

    def run(
        self,
        operation: Operation,
        fields: Mapping[str, Any],
        progress: Progress | None = None,
        *,
        strict: bool = True,
        waiter: Waiter | None = None,  # noqa: ARG002  # a request that was sent is not given up
        expected_version: tuple[str, int] | None = None,
    ) -> Any:
        """Run a verb by its row of the table of operations. Unless the memory with this id has the `expected_version`,
        nothing is written."""
        sent = encode_fields(operation, fields, strict=strict)
        headers = {**self._headers, **_if_match(operation, sent, expected_version)}
        assert isinstance(operation.http, Http)
        if get_origin(operation.result) is Iterator:
            return self._lines(operation, sent)
        if progress is not None and operation.reports_progress:
            problem, events = self._transport.stream(operation.path, sent, headers, "text/event-stream")
            return result_of(operation, problem) if problem else result_of_events(operation, events, progress)
        answer = self._transport.send(
            operation.path,
            sent,
            headers,
            writes=operation.effect is not Effect.READ,
            repeatable=operation.http.is_kept,
        )
        self._last_trace = answer.headers.get("memfort-trace", self._last_trace)
        return result_of(operation, answer)

    def _lines(self, operation: Operation, fields: Mapping[str, Any]) -> Iterator[Any]:
        problem, lines = self._transport.stream(operation.path, fields, self._headers, "application/x-ndjson")
        if problem is not None:
            raise error_of(json.loads(problem.body))
        return (json.loads(line) for line in lines)


def _if_match(
    operation: Operation, sent: Mapping[str, Any], expected_version: tuple[str, int] | None
) -> dict[str, str]:
    """The header with the version that the one memory of a request has to have."""
    if expected_version is None:
        return {}
    assert isinstance(operation.http, Http)
    id, version = expected_version
    if sent.get(operation.http.edits) not in (id, [id]):
        problem, remedy = f"`{operation.name}` is not asked about that memory alone", "name it alone, or leave it out"
        raise InvalidInput("expected_version", problem, remedy)
    return {"if-match": f'"{version}"'}


class RemoteMemory(_RemoteVerbs, StoreMethods):
    """A store behind a server. Its own verbs are those of upkeep, for a key with the scope `admin`; bind an identity to
    get the others. Close it, or use it in a `with` block."""

    def __init__(self, transport: Transport) -> None:
        self._transport, self._headers = transport, {}

    def __repr__(self) -> str:
        return f"<memory at {self._transport.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. What was answered is on the server's disk already."""
        self._transport.close()

    def as_holder(self, **places: Unpack[Places]) -> RemoteBoundMemory:
        """Memory as the user or the agent has it whose key this is."""
        return self._bound(None, places)

    def as_user(self, user: str, /, **places: Unpack[Places]) -> RemoteBoundMemory:
        """Memory as a user has it: the holder of the key, or another one if the key has the scope `act_for`."""
        return self._bound(f"user:{check_id(user, 'user')}", places)

    def as_agent(self, agent: str, /, *, acting_for: str | None = None, **places: Unpack[Places]) -> RemoteBoundMemory:
        """Memory as an agent has it. To act for a user, the key has to be the agent's own, with the scope `act_for`."""
        own = f"agent:{check_id(agent, 'agent')}"
        return self._bound(own if acting_for is None else f"user:{check_id(acting_for, 'acting_for')}", places)

    def as_system(self) -> RemoteBoundMemory:
        """Memory as the system itself has it, for the token that `memfort serve` prints."""
        return self._bound(None, {})

    def _bound(self, requester: str | None, places: Mapping[str, Any]) -> RemoteBoundMemory:
        stood_at = coordinates_of(places)
        headers = {} if requester is None else {"x-requester-id": quote(requester, safe=":")}
        if stood_at:
            headers["memfort-at"] = ", ".join(f"{one.level.value}={quote(one.id, safe='')}" for one in stood_at)
        return RemoteBoundMemory(self._transport, headers)


class RemoteBoundMemory(_RemoteVerbs, BoundMethods):
    """Memory as one actor has it, behind a server. Made by `RemoteMemory.as_user` and its like."""

    def __init__(self, transport: Transport, headers: Mapping[str, str]) -> None:
        self._transport, self._headers = transport, headers

    def __repr__(self) -> str:
        who = self._headers.get("x-requester-id", "the holder of the key")
        return f"<memory of {who} at {self._transport.url}>"

    @property
    def last_trace(self) -> str | None:
        """The id of the last traced call that was made here; `trace.show` gives its events."""
        return self._last_trace


class _AsyncRemoteVerbs:
    """The same in threads."""

    _remote: RemoteMemory | RemoteBoundMemory
    _threads: Threads

    async def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        return await self._threads.run(lambda: self._remote.run(TABLE[name], fields, progress))

    def _stream(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> AsyncIterator[Any]:
        return Lines(lambda: self._ask(name, fields, progress), self._threads)


class AsyncRemoteMemory(_AsyncRemoteVerbs, AsyncStoreMethods):
    """A store behind a server, for async code. Use it in an `async with` block, or close it."""

    _remote: RemoteMemory

    def __init__(self, remote: RemoteMemory) -> None:
        self._remote, self._threads = remote, Threads(_THREADS, MAX_WAITING)

    def __repr__(self) -> str:
        return f"<async {str(self._remote).removeprefix('<')}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for the requests that were sent, and close the connections."""
        await self._threads.close(self._remote.close)

    def as_holder(self, **places: Unpack[Places]) -> AsyncRemoteBoundMemory:
        """Memory as the user or the agent has it whose key this is."""
        return AsyncRemoteBoundMemory(self._remote.as_holder(**places), self._threads)

    def as_user(self, user: str, /, **places: Unpack[Places]) -> AsyncRemoteBoundMemory:
        """Memory as a user has it: the holder of the key, or another one if the key has the scope `act_for`."""
        return AsyncRemoteBoundMemory(self._remote.as_user(user, **places), self._threads)

    async def as_agent(
        self, agent: str, /, *, acting_for: str | None = None, **places: Unpack[Places]
    ) -> AsyncRemoteBoundMemory:
        """Memory as an agent has it. Awaited like `AsyncMemory.as_agent`, although nothing is looked up here."""
        return AsyncRemoteBoundMemory(self._remote.as_agent(agent, acting_for=acting_for, **places), self._threads)

    def as_system(self) -> AsyncRemoteBoundMemory:
        """Memory as the system itself has it, for the token that `memfort serve` prints."""
        return AsyncRemoteBoundMemory(self._remote.as_system(), self._threads)


class AsyncRemoteBoundMemory(_AsyncRemoteVerbs, AsyncBoundMethods):
    """Memory as one actor has it, behind a server, for async code. Any number of tasks may share it."""

    _remote: RemoteBoundMemory

    def __init__(self, remote: RemoteBoundMemory, threads: Threads) -> None:
        self._remote, self._threads = remote, threads

    def __repr__(self) -> str:
        return f"<async {str(self._remote).removeprefix('<')}"

    @property
    def sync(self) -> RemoteBoundMemory:
        """The same memory for code that does not await."""
        return self._remote

    @property
    def last_trace(self) -> str | None:
        """The id of the last traced call that was awaited here."""
        return self._remote.last_trace
