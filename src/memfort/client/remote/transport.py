"""HTTP to a server: connections that are kept, limits on time, and retries that have one effect."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from msgspec import Struct

from memfort import __version__
from memfort.errors import InvalidInput, ServerFailed

_JSON, _LINES, _EVENTS = "application/json", "application/x-ndjson", "text/event-stream"
_BUSY = frozenset({429, 502, 503, 504})
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_IDLE_KEPT = 16
_MOST_WAIT_SECONDS = 10.0


class Answer(Struct, frozen=True):
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_in_progress(self) -> bool:
        """Whether the request was sent before, and the server still carries it out."""
        return self.status == 409 and "retry-after" in self.headers  # no other conflict passes by itself


class Transport:
    """Sends requests to one server, with one key. Any number of threads may share it."""

    def __init__(self, url: str, key: str, *, timeout: float, retries: int, ca_file: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or parts.hostname is None or parts.query or parts.fragment:
            raise InvalidInput("url", "it is not the address of a server", "write it like `https://memory.example`")
        if not isinstance(key, str) or not key.strip() or not key.isascii():
            raise InvalidInput("key", "it is empty or no key", "give an API key; `keys.create` makes one")
        if parts.scheme == "http" and parts.hostname not in LOOPBACK:
            warnings.warn(
                f"the key and all memories go to `{parts.hostname}` unencrypted; use https", UserWarning, stacklevel=3
            )
        self.url = url.rstrip("/")
        self._host, self._port, self._base = parts.hostname, parts.port, parts.path.rstrip("/")
        self._key, self._timeout, self._retries = key, timeout, retries
        self._tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None
        self._idle: deque[http.client.HTTPConnection] = deque()
        self._lock = Lock()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, deque()
        for connection in idle:
            connection.close()

    def send(
        self, path: str, fields: Mapping[str, Any], headers: Mapping[str, str], *, writes: bool, repeatable: bool
    ) -> Answer:
        """Send a request until it is answered, at most so often. A write carries a key, so that it has one effect; one
        that cannot is sent once. While the server still carries it out, its answer is asked for again, for as long as
        all attempts may take."""
        sent = {**headers, "idempotency-key": str(uuid4())} if writes and repeatable else headers
        body = json.dumps(fields, ensure_ascii=False).encode()
        attempts = self._retries + 1 if repeatable else 1
        until = time.monotonic() + attempts * self._timeout
        for attempt in range(1, attempts + 1):
            try:
                answer = self._send_until_done(path, body, sent, until)
            except (OSError, http.client.HTTPException) as error:
                if attempt == attempts:
                    raise ServerFailed(
                        f"`{self.url}` does not answer ({type(error).__name__}); try again later"
                    ) from error
                _wait(attempt, None)
                continue
            if answer.status not in _BUSY or attempt == attempts:
                return answer
            _wait(attempt, answer.headers.get("retry-after"))
        raise AssertionError("unreachable")

    def stream(
        self, path: str, fields: Mapping[str, Any], headers: Mapping[str, str], accept: str
    ) -> tuple[Answer | None, Iterator[bytes]]:
        """The lines of an answer that comes piece by piece; or a whole answer, if it is a problem."""
        connection = self._connect()
        try:
            body = json.dumps(fields, ensure_ascii=False).encode()
            connection.request("POST", f"{self._base}{path}", body, {**self._headers(headers), "accept": accept})
            response = connection.getresponse()
            if response.status >= 400:
                answer = _whole(response)
                connection.close()
                return answer, iter(())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ServerFailed(f"`{self.url}` does not answer ({type(error).__name__}); try again later") from error
        return None, self._lines(connection, response)

    def _lines(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> Iterator[bytes]:
        try:
            yield from response
        except (OSError, http.client.HTTPException) as error:
            raise ServerFailed(f"the answer of `{self.url}` broke off ({type(error).__name__})") from error
        finally:
            connection.close()

    def _send_until_done(self, path: str, body: bytes, headers: Mapping[str, str], until: float) -> Answer:
        while (answer := self._send_once(path, body, headers)).is_in_progress and time.monotonic() < until:
            _wait(1, answer.headers.get("retry-after"))
        return answer

    def _send_once(self, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        connection = self._take()
        try:
            connection.request("POST", f"{self._base}{path}", body, self._headers(headers))
            answer = _whole(connection.getresponse())
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)
        return answer

    def _headers(self, more: Mapping[str, str]) -> dict[str, str]:
        known = {"authorization": f"Bearer {self._key}", "content-type": _JSON, "accept": _JSON}
        return {**known, "user-agent": f"memfort/{__version__}", **more}

    def _take(self) -> http.client.HTTPConnection:
        with self._lock:
            return self._idle.pop() if self._idle else self._connect()

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _IDLE_KEPT:
                self._idle.append(connection)
                return
        connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._tls)


def _whole(response: http.client.HTTPResponse) -> Answer:
    return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def _wait(attempt: int, retry_after: str | None) -> None:
    """Wait as long as the server asks, or longer after each attempt, and never all clients at the same time."""
    asked = float(retry_after) if retry_after is not None and retry_after.isdigit() else 0.1 * 2**attempt
    time.sleep(min(_MOST_WAIT_SECONDS, asked) * random.uniform(0.5, 1.0))  # noqa: S311  # no secret
