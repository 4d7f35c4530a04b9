"""Who is signed in: sessions of browsers, each with the credential that it was begun with.

A session lives in the memory of the process and nowhere else. The browser keeps a random name for it; here only the
digest of that name is kept. The credential is checked anew at every request, so a revoked key ends its sessions.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from secrets import token_hex, token_urlsafe
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from memfort.clock import Clock
from memfort.model.moment import Moment

IDLE_SECONDS = 8 * 3600
LONGEST_SECONDS = 24 * 3600
_MOST = 1000  # of all; the longest idle one goes for a new one
_SECOND = 1_000_000


class BrowserSession(Struct, frozen=True):
    """A browser that is signed in."""

    id: str  # for lists; it opens nothing
    credential: str
    name: str  # of the credential, for lists
    csrf: str
    begun_at: Moment
    seen_at: Moment

    def is_over(self, now: Moment) -> bool:
        return now - self.seen_at >= IDLE_SECONDS * _SECOND or now - self.begun_at >= LONGEST_SECONDS * _SECOND


class Sessions:
    """The sessions of a process, and the start token that begins one of them."""

    def __init__(self, clock: Clock, start_token: str | None) -> None:
        self._clock, self._start_token = clock, start_token
        self._by_digest: dict[bytes, BrowserSession] = {}
        self._lock = Lock()

    def take_start_token(self, given: str) -> bool:
        """Whether this is the start token. It works once."""
        with self._lock:
            if self._start_token is None or not hmac.compare_digest(given.encode(), self._start_token.encode()):
                return False
            self._start_token = None
            return True

    def begin(self, credential: str, name: str) -> str:
        """A new session; the answer is what its browser has to keep."""
        token, now = token_urlsafe(32), self._clock.now()
        with self._lock:
            self._drop_old(now)
            self._by_digest[_digest(token)] = BrowserSession(
                token_hex(4), credential, name, token_urlsafe(32), now, now
            )
        return token

    def find(self, token: str) -> BrowserSession | None:
        """The session of a browser, which is in use now."""
        now, digest = self._clock.now(), _digest(token)
        with self._lock:
            found = self._by_digest.get(digest)
            if found is None or found.is_over(now):
                self._by_digest.pop(digest, None)
                return None
            found = self._by_digest[digest] = replace(found, seen_at=now)
        return found

    def all_of(self, name: str | None) -> list[BrowserSession]:
        """The sessions with this credential, the latest first; all of them if none is named."""
        now = self._clock.now()
        with self._lock:
            found = [one for one in self._by_digest.values() if name in {None, one.name} and not one.is_over(now)]
        return sorted(found, key=lambda one: one.seen_at, reverse=True)

    def end(self, id: str, name: str | None = None) -> bool:
        """End one session, if it is of this credential, or whoever's it is if none is named."""
        with self._lock:
            for digest, one in self._by_digest.items():
                if one.id == id and name in {None, one.name}:
                    del self._by_digest[digest]
                    return True
        return False

    def _drop_old(self, now: Moment) -> None:
        self._by_digest = {digest: one for digest, one in self._by_digest.items() if not one.is_over(now)}
        if len(self._by_digest) >= _MOST:
            del self._by_digest[min(self._by_digest, key=lambda digest: self._by_digest[digest].seen_at)]


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
