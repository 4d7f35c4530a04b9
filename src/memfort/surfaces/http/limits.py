"""Limits that hold before anything is parsed: sizes, nesting, how much is in memory, and how often a caller may ask."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from starlette.requests import ClientDisconnect, Request

from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.settings import ServerSettings

# A string, also one that never ends (so that no quote is looked at twice), or a sign of structure.
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)
_CALLERS_KEPT = 10_000
_CHARGED_BYTES = 16 * 1024  # of a body, for one request of the rate


class BodyMemory:
    """How many bytes of bodies are in memory at once: of all callers together, and of one of them."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._taken: Counter[str] = Counter()  # bytes by caller
        self.taken = 0

    @contextmanager
    def of(self, caller: str) -> Iterator[Callable[[int], None]]:
        """Gives what takes bytes for this caller; they are given back at the end. Only the event loop comes here."""
        own = 0

        def take(size: int) -> None:
            nonlocal own
            if self.taken + size > self._most or self._taken[caller] + size > self._most_of_one:
                raise HttpProblem(
                    503,
                    "overloaded",
                    "too many bytes wait to be read already",
                    remedy="send it again later, or send fewer large bodies at once",
                    headers={"retry-after": "1", "connection": "close"},
                )
            own += size
            self.taken += size
            self._taken[caller] += size

        try:
            yield take
        finally:
            self.taken -= own
            self._taken[caller] -= own
            if not self._taken[caller]:
                del self._taken[caller]


async def read_body(request: Request, most: int, seconds: float, take: Callable[[int], None]) -> bytes:
    """The body, as far as it is within the limits of size, memory and time."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > most:
        raise _too_large(most)
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise _too_large(most)
                take(len(chunk))
                chunks.append(chunk)
    except TimeoutError:
        raise HttpProblem(408, "too_slow", "the body did not arrive in time", headers={"connection": "close"}) from None
    except ClientDisconnect:
        raise HttpProblem(400, "invalid_body", "the body ended early") from None
    return b"".join(chunks)


def _too_large(most: int) -> HttpProblem:
    return HttpProblem(
        413,
        "too_large",
        f"a body has at most {most} bytes",
        remedy="send less at once",
        headers={"connection": "close"},
    )


def check_nesting(body: bytes, settings: ServerSettings) -> None:
    """Refuse JSON that is nested too deep or has too many parts, without parsing it. Each byte is looked at once."""
    depth = parts = strings = 0
    for token in _TOKENS.finditer(body):
        sign = body[token.start()]
        if sign in b'"':
            strings += 1
        else:
            parts += 1
            depth += (sign in b"[{") - (sign in b"]}")
        if parts > settings.max_values or strings > 2 * settings.max_values:
            raise HttpProblem(413, "too_large", "the body has too many parts", remedy="send less at once")
        if depth > settings.max_depth:
            most = settings.max_depth
            raise HttpProblem(400, "too_deep", f"a body is nested at most {most} deep", remedy="send it flatter")


def cost_of_body(size: int) -> int:
    """How many requests of the rate a large body counts as, besides the request itself."""
    return size // _CHARGED_BYTES


class RateLimit:
    """How often each caller may ask: so many times a minute, half of them at once. A debt is at most as much again. Old
    callers are forgotten."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self.share(1.0)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # by caller: how many, and when that was
        self._lock = Lock()

    def share(self, part: float) -> None:
        """Allow only this part of the rate from now on; other processes allow the rest."""
        allowed = self._per_minute * part
        self._per_second, self._most = allowed / 60, max(1.0, allowed / 2)

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

    def charge(self, caller: str, cost: int) -> None:
        """Take more for a request that was allowed and cost more than one. The caller waits until it has come back."""
        if cost:
            now = self._clock()
            with self._lock:
                left, at = self._left.get(caller, (self._most, now))
                left = min(self._most, left + (now - at) * self._per_second)
                self._left[caller] = (max(left - cost, -self._most), now)

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
