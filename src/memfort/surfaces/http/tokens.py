"""Tokens of an identity provider (JWT, OIDC): pinned algorithms, a mandatory issuer and audience. What a token says of
itself is looked at before its signature, so that junk costs little and fetches nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jws import extract_compact
from msgspec import DecodeError, Struct
from msgspec.json import decode

from memfort.clock import Clock
from memfort.errors import InvalidInput
from memfort.model.moment import MICROSECONDS_PER_SECOND
from memfort.model.people.access_key import KeyScope
from memfort.model.space import check_id
from memfort.surfaces.http.key_sets import KeySets, read_keys
from memfort.surfaces.http.settings import JwtSettings

_PREFIX = "memfort:"  # of our scopes among those of a token
_SIGNATURES = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
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
        self._settings, self._clock = settings, clock
        self._sets = KeySets(settings, fetch or read_keys)

    async def keys_for(self, token: str) -> KeySet | None:
        """The key set to check the token with; `None` if it cannot be valid, whatever its signature."""
        try:
            content = extract_compact(token.encode())
            claims = decode(content.payload, type=dict[str, Any])
        except (JoseError, DecodeError, ValueError, TypeError, KeyError):
            return None
        header = content.headers()
        if header.get("alg") not in self._settings.algorithms or not self._is_valid(claims):
            return None
        key_id = header.get("kid")
        return await self._sets.keys_for(key_id if isinstance(key_id, str) else None)

    def claims(self, token: str, keys: KeySet) -> Claims | None:
        """What the token says; `None` if it is not a valid token of this issuer for this audience."""
        try:
            claims = jwt.decode(token, keys, algorithms=list(self._settings.algorithms)).claims
        except (JoseError, ValueError, TypeError, KeyError):
            return None
        return self._read(claims) if self._is_valid(claims) else None

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
