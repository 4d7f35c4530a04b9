"""Tokens of an identity provider (JWT, OIDC): pinned algorithms, a mandatory issuer and audience, a cached key set."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from msgspec import Struct

from memfort.clock import Clock
from memfort.errors import InvalidInput
from memfort.model.moment import MICROSECONDS_PER_SECOND
from memfort.model.people.access_key import KeyScope
from memfort.model.space import check_id
from memfort.surfaces.http.settings import LOOPBACK, JwtSettings

_PREFIX = "memfort:"  # of our scopes among those of a token
_SIGNATURES = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
_FETCH_SECONDS = 5.0
_MAX_KEYS_BYTES = 1024 * 1024
_REFETCH_SECONDS = 30.0  # a token with an unknown key asks for the set again at most so often
_LEEWAY_SECONDS = 30


class Claims(Struct, frozen=True):
    """What a valid token says."""

    user: str
    scopes: frozenset[KeyScope]


class TokenChecker:
    """Checks tokens against the key set of one issuer."""

    def __init__(self, settings: JwtSettings, clock: Clock, fetch: Callable[[str], bytes] | None = None) -> None:
        if unknown := set(settings.algorithms) - _SIGNATURES:
            raise InvalidInput(
                "algorithms", f"`{min(unknown)}` is not possible", f"use some of {', '.join(sorted(_SIGNATURES))}"
            )
        if not settings.issuer or not settings.audience or not settings.algorithms:
            raise InvalidInput("jwt", "issuer, audience and algorithms are needed", "give all of them")
        self._settings, self._clock, self._fetch = settings, clock, fetch or read_keys
        self._lock = Lock()
        self._keys: KeySet | None = None
        self._read_at = float("-inf")

    def claims(self, token: str) -> Claims | None:
        """What the token says; `None` if it is not a valid token of this issuer for this audience."""
        try:
            decoded = self._decode(token)
        except (JoseError, ValueError, TypeError, KeyError, OSError):
            return None
        claims = decoded.claims
        return self._read(claims) if self._is_valid(claims) else None

    def _decode(self, token: str) -> jwt.Token:
        algorithms = list(self._settings.algorithms)
        try:
            return jwt.decode(token, self._key_set(self._settings.keys_seconds), algorithms=algorithms)
        except (JoseError, ValueError):
            return jwt.decode(token, self._key_set(_REFETCH_SECONDS), algorithms=algorithms)  # the keys may be new

    def _key_set(self, max_age: float) -> KeySet:
        with self._lock:
            if self._keys is None or time.monotonic() - self._read_at > max_age:
                self._keys = KeySet.import_key_set(json.loads(self._fetch(self._settings.keys)))
                self._read_at = time.monotonic()
            return self._keys

    def _is_valid(self, claims: dict[str, Any]) -> bool:
        now = self._clock.now() / MICROSECONDS_PER_SECOND
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        expires, begins = claims.get("exp"), claims.get("nbf", 0)
        return (
            claims.get("iss") == self._settings.issuer
            and self._settings.audience in audiences
            and isinstance(expires, int | float)
            and now < expires + _LEEWAY_SECONDS
            and isinstance(begins, int | float)
            and begins - _LEEWAY_SECONDS <= now
        )

    def _read(self, claims: dict[str, Any]) -> Claims | None:
        try:
            user = check_id(claims.get(self._settings.user_claim), "user")
        except InvalidInput:
            return None
        named = claims.get("scope", claims.get("scp", ()))
        words = named.split() if isinstance(named, str) else [str(one) for one in named or ()]
        ours = {word.removeprefix(_PREFIX) for word in words if word.startswith(_PREFIX)}
        known = {scope.value for scope in KeyScope}
        scopes = (ours & known) or (set(self._settings.scopes) & known)
        return Claims(user, frozenset(map(KeyScope, scopes)))


def read_keys(place: str) -> bytes:
    """The key set in a file or at an address. An address is the operator's, never a token's."""
    parts = urlsplit(place)
    if parts.scheme not in {"http", "https"}:
        return Path(place).read_bytes()
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise OSError("a key set is fetched over TLS only")
    with urlopen(Request(place), timeout=_FETCH_SECONDS) as answer:  # noqa: S310  # the scheme is checked above
        data: bytes = answer.read(_MAX_KEYS_BYTES)
    return data
