"""The key set of the identity provider: fetched once for all who wait for it, kept, and used on while the provider is
away. Fetching runs in a thread of its own, and nobody but callers with a token waits for it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from memfort.client.remote.transport import LOOPBACK
from memfort.client.threads import run_alone
from memfort.surfaces.http.logs import LOGGER
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.settings import JwtSettings

_FETCH_SECONDS = 5.0
_MAX_KEYS_BYTES = 1024 * 1024
_REFETCH_SECONDS = 30.0  # a token with an unknown key asks for the set again at most so often
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 5.0, 300.0  # after a failure, and after many
_MOST_STALE_SECONDS = 24 * 3600.0


class KeySets:
    """The key set as it is known now. Only the event loop comes here."""

    def __init__(
        self, settings: JwtSettings, fetch: Callable[[str], bytes], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings, self._fetch, self._now = settings, fetch, now
        self._keys: KeySet | None = None
        self._read_at = float("-inf")
        self._under_way: asyncio.Task[KeySet] | None = None
        self._pause = _FIRST_PAUSE_SECONDS
        self._not_before = float("-inf")  # after a failure, nothing is fetched until then

    async def keys_for(self, key_id: str | None) -> KeySet:
        """The key set, fetched again if it is old or does not have this key; a stale one if it cannot be had."""
        if self._is_wanted(key_id) and self._now() >= self._not_before:
            await self._refresh()
        if self._keys is None or self._age > _MOST_STALE_SECONDS:
            raise HttpProblem(
                503,
                "provider_away",
                "the keys of the identity provider cannot be had",
                remedy="try again later, or use an API key",
                headers={"retry-after": "5", "connection": "close"},
            )
        return self._keys

    @property
    def _age(self) -> float:
        return self._now() - self._read_at

    def _is_wanted(self, key_id: str | None) -> bool:
        if self._keys is None or self._age > self._settings.keys_seconds:
            return True
        return self._age > _REFETCH_SECONDS and key_id not in {one.kid for one in self._keys.keys}

    async def _refresh(self) -> None:
        """Wait for the fetch that is under way, or begin one; not longer than it may take."""
        if self._under_way is None:
            self._under_way = asyncio.ensure_future(run_alone(lambda: _parse(self._fetch(self._settings.keys))))
            self._under_way.add_done_callback(self._note)
        task = self._under_way
        await asyncio.wait({task}, timeout=_FETCH_SECONDS)
        if not task.done() and self._now() >= self._not_before:
            self._failed("TimeoutError")

    def _note(self, task: asyncio.Task[KeySet]) -> None:
        self._under_way = None
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            self._failed(type(error).__name__)
            return
        self._keys, self._read_at = task.result(), self._now()
        self._pause, self._not_before = _FIRST_PAUSE_SECONDS, float("-inf")

    def _failed(self, error: str) -> None:
        self._not_before = self._now() + self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
        LOGGER.warning("identity provider", extra={"fields": {"error": error}})


def _parse(data: bytes) -> KeySet:
    try:
        return KeySet.import_key_set(json.loads(data))
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise OSError("it is no key set") from error


def read_keys(place: str) -> bytes:
    """The key set in a file or at an address. An address is the operator's, never a token's."""
    parts = urlsplit(place)
    if parts.scheme not in {"http", "https"}:
        return Path(place).read_bytes()
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise OSError("a key set is fetched over TLS only")
    until, data = time.monotonic() + _FETCH_SECONDS, bytearray()
    with urlopen(Request(place), timeout=_FETCH_SECONDS) as answer:  # noqa: S310  # the scheme is checked above
        while more := answer.read1(_MAX_KEYS_BYTES):
            data += more
            if time.monotonic() > until or len(data) > _MAX_KEYS_BYTES:
                raise OSError("the key set takes too long or is too large")
    return bytes(data)
