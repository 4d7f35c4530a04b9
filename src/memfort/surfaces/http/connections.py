"""Connections: how many there are, how long each may take, how much of a refused one is read, and how it is closed."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import socket
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from memfort.surfaces.http.settings import ServerSettings

CONNECTION = "memfort_connection"  # in the state of a request
_ACCEPTED_AT_ONCE = 64
_OTHER_FILES = 256  # of the store, its threads, and connections that are taken before one is closed for them
_READ_BYTES = 32_768  # at once
_STRANGERS_BYTES = 65_536  # of a refused request without a valid credential
_DRAIN_SECONDS = 2.0
_MOST_JOINED_BYTES = 65_536
_BARE_LINE_FEED = re.compile(rb"[^\r]\n")
# The answer to a connection more than there may be.
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n"


class Connections:
    """The open connections of a worker process, and their limits."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.most = min(settings.max_connections, _allow_files(settings.max_connections))
        self.idle: dict[GuardedProtocol, None] = {}  # no request of theirs is under way; the longest idle first


def _allow_files(connections: int) -> int:
    """Let the process open as many files as connections and the store need, and give how many connections that allows.
    Without a file for it a connection could not even be refused."""
    needed = connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return connections if soft == resource.RLIM_INFINITY else max(1, soft - _OTHER_FILES)


class Connection:
    """What a connection and its requests know of each other."""

    def __init__(self) -> None:
        self.is_known = False  # whether the request under way has a valid credential
        self.is_gone = False
        self.on_gone: Callable[[], object] | None = None  # what to do when the client hangs up


class JoinedWrites:
    """A transport that sends in one piece what is written in one turn of the event loop: the head and the body of an
    answer take one system call, and wake the client once."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop, finish: Callable[[], object]) -> None:
        self._transport, self._loop, self._finish = transport, loop, finish
        self._waiting = bytearray()
        self._is_finished = False

    def write(self, data: bytes) -> None:
        if data and not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting += data
        if len(self._waiting) > _MOST_JOINED_BYTES:
            self._send()

    def close(self) -> None:
        self._send()
        if not self._is_finished:
            self._is_finished = True
            self._finish()

    def is_closing(self) -> bool:
        return self._is_finished or bool(self._transport.is_closing())

    def _send(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, bytearray()
            self._transport.write(waiting)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class GuardedLoop(asyncio.SelectorEventLoop):
    """An event loop that takes few new connections at once, so that the limit on them holds before the next are taken.
    The others wait with the system."""

    async def create_server(self, *args: Any, **options: Any) -> Any:
        seconds = GuardedProtocol.open_connections.settings.header_seconds
        if options.get("ssl") is not None:
            options["ssl_handshake_timeout"] = seconds
        waiting, options["backlog"] = options["backlog"], _ACCEPTED_AT_ONCE
        made = await super().create_server(*args, **options)
        for one in made.sockets:
            with socket.socket(fileno=os.dup(one.fileno())) as listening:
                listening.listen(waiting)
        return made


class GuardedProtocol(H11Protocol):
    """HTTP/1.1 of a connection that may be a stranger's. The head of a request has to come in time; of its body nothing
    is read until the application asks for it; a body that is not wanted is thrown away, a little of it."""

    open_connections: Connections  # of the process
    _raw: asyncio.Transport
    _head_timer: asyncio.TimerHandle | None = None
    _answer_timer: asyncio.TimerHandle | None = None
    _drain_left: int | None = None  # bytes that are still thrown away before it is closed
    _body_bytes = 0  # read of the request under way, head and all
    _head_end = b""  # the last bytes of a head that is not complete

    # -- from the transport -------------------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        self._raw, self._shared = transport, Connection()
        self.app_state = {**self.app_state, CONNECTION: self._shared}
        if hasattr(transport, "max_size"):
            transport.max_size = _READ_BYTES
        super().connection_made(JoinedWrites(transport, self.loop, self._finish))  # type: ignore[arg-type]
        self._wait_for_head()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.open_connections.idle.pop(self, None)
        for timer in (self._head_timer, self._answer_timer):
            if timer is not None:
                timer.cancel()
        self._shared.is_gone = True
        if self._shared.on_gone is not None and self._is_under_way:
            self._shared.on_gone()

    def data_received(self, data: bytes) -> None:
        self._body_bytes += len(data)
        if self._drain_left is not None:
            self._drain(len(data))
        elif not self._is_under_way and self._has_bare_line_feed(data):
            self.send_400_response("Invalid HTTP request received.")
        else:
            super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        if self._is_under_way:
            self.open_connections.idle.pop(self, None)
            if self.cycle.more_body:
                self.flow.pause_reading()  # until the application asks for more

    def on_response_complete(self) -> None:
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.close()
        self._shared.is_known, self._body_bytes = False, 0
        super().on_response_complete()
        if not self.transport.is_closing() and not self._is_under_way:
            self._wait_for_head()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._answer_timer = self.loop.call_later(self._settings.answer_seconds, self._raw.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._answer_timer is not None:
            self._answer_timer.cancel()

    # -- what is allowed ----------------------------------------------------------------------------------------------

    @property
    def _settings(self) -> ServerSettings:
        return self.open_connections.settings

    @property
    def _is_under_way(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._shared.on_gone = None
        self.open_connections.idle[self] = None
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._head_timer = self.loop.call_later(self._settings.header_seconds, self._close_if_idle)

    def _close_if_idle(self) -> None:
        """Close the connection if no request is under way. One that is under way sets the next limit when it ends."""
        if not self._is_under_way and not self.transport.is_closing():
            self._raw.close()

    def _make_room(self) -> None:
        """Close the connection that is idle for longest if there is one too many; if all are busy, this one."""
        if len(self.connections) > self.open_connections.most:
            longest = next(iter(self.open_connections.idle))
            self.open_connections.idle.pop(longest)
            if longest is self:
                self._raw.write(_FULL)
                self._raw.close()
            else:
                longest._raw.abort()

    def _has_bare_line_feed(self, data: bytes) -> bool:
        """Whether a line of the head ends without a carriage return: another program may see another request there."""
        head, end, _ = (self._head_end + data).partition(b"\r\n\r\n")
        self._head_end = b"" if end else (self._head_end + data)[-3:]
        return _BARE_LINE_FEED.search(head) is not None

    # -- the end ------------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Close the connection. If the client is still sending, take a little of it first: the system answers what is
        sent to a closed connection with a reset, and that can overtake the answer."""
        if self.conn.their_state is not h11.SEND_BODY or self._raw.is_closing():
            self._raw.close()
            return
        most = 2 * self._settings.max_body_bytes if self._shared.is_known else _STRANGERS_BYTES
        self._drain_left = most
        if self._raw.can_write_eof():
            self._raw.write_eof()
        self.open_connections.idle[self] = None
        self.flow.resume_reading()
        self.loop.call_later(_DRAIN_SECONDS, self._raw.close)
        self._drain(self._body_bytes)

    def _drain(self, size: int) -> None:
        assert self._drain_left is not None
        self._drain_left -= size
        if self._drain_left <= 0:
            self._raw.close()
