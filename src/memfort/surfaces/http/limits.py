"""Limits that hold before anything is parsed: sizes, nesting, and how often somebody may ask."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from starlette.requests import ClientDisconnect, Request

from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.settings import ServerSettings

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NOT_STRUCTURE = bytes(set(range(256)) - set(b"[]{},"))
_CALLERS_KEPT = 10_000


async def read_body(request: Request, settings: ServerSettings) -> bytes:
    """The body, as far as it is within the limits of size and time."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > settings.max_body_bytes:
        raise _too_large(settings)
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size > settings.max_body_bytes:
                    raise _too_large(settings)
                chunks.append(chunk)
    except TimeoutError:
        raise HttpProblem(408, "too_slow", "the body did not arrive in time", headers={"connection": "close"}) from None
    except ClientDisconnect:
        raise HttpProblem(400, "invalid_body", "the body ended early") from None
    return b"".join(chunks)


def _too_large(settings: ServerSettings) -> HttpProblem:
    most = settings.max_body_bytes
    return HttpProblem(
        413,
        "too_large",
        f"a body has at most {most} bytes",
        remedy="send less at once",
        headers={"connection": "close"},
    )


def check_nesting(body: bytes, settings: ServerSettings) -> None:
    """Refuse JSON that is nested too deep or has too many parts, without parsing it."""
    structure = _STRINGS.sub(b"", body).translate(None, _NOT_STRUCTURE)
    if len(structure) > settings.max_values:
        raise HttpProblem(413, "too_large", "the body has too many parts", remedy="send less at once")
    depth = 0
    for sign in structure:
        if sign in b"[{":
            depth += 1
            if depth > settings.max_depth:
                most = settings.max_depth
                raise HttpProblem(400, "too_deep", f"a body is nested at most {most} deep", remedy="send it flatter")
        elif sign in b"]}":
            depth -= 1


class RateLimit:
    """How often each caller may ask: so many times a minute, half of them at once. Old callers are forgotten."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._most = max(1.0, per_minute / 2)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # by caller: how many, and when that was
        self._lock = Lock()

    def take(self, caller: str) -> float:
        """Take one; gives the seconds to wait if there is none left, else 0."""
        now = self._clock()
        with self._lock:
            left, at = self._left.pop(caller, (self._most, now))
            left = min(self._most, left + (now - at) * self._per_second)
            allowed = left >= 1
            self._left[caller] = (left - 1 if allowed else left, now)
            if len(self._left) > _CALLERS_KEPT:
                self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._per_second

    def is_spent(self, caller: str) -> bool:
        """Whether there is none left, without taking one."""
        now = self._clock()
        with self._lock:
            left, at = self._left.get(caller, (self._most, now))
        return min(self._most, left + (now - at) * self._per_second) < 1

    def check(self, caller: str) -> None:
        if wait := self.take(caller):
            raise too_many(wait)


def too_many(wait: float) -> HttpProblem:
    seconds = str(max(1, int(wait + 0.999)))
    return HttpProblem(
        429,
        "too_many_requests",
        "you ask too often",
        remedy=f"wait {seconds} s",
        headers={"retry-after": seconds},
    )
