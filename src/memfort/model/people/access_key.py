"""API keys: the credential of a program. The store keeps a digest of each, never the key itself."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from memfort.model.moment import Instant, Microseconds, Moment, OptionalInstant
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal
from memfort.model.serialize.encoding import is_short_name, short_name
from memfort.model.space import Space
from memfort.model.value import Value, shortened

PREFIX = "mfk_"  # of a key: secret scanners, and our own gate for secrets, know a key by it
_ID_PREFIX = "key_"
SECRET_BYTES = 32
_SIGNS = "abcdefghijklmnopqrstuvwxyz234567"
_SECRET_SIGNS = 52  # 32 bytes in base 32


class KeyScope(StrEnum):
    """What a key may be used for."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    ADMIN = "admin"  # upkeep, the directory and keys
    ACT_FOR = "act_for"  # name another user with `X-Requester-Id` and act for them


class AccessKey(Value, frozen=True):
    """An API key as it is kept and listed: whose it is, what it may be used for, and until when."""

    id: str
    holder: Principal  # the user or the agent that whoever has the key is
    scopes: tuple[KeyScope, ...]
    created_at_us: Microseconds
    note: str = ""
    spaces: tuple[Space, ...] = ()  # it reaches these alone; none: whatever its holder reaches
    expires_at_us: Microseconds | None = None
    revoked_at_us: Microseconds | None = None
    last_used_at_us: Microseconds | None = None  # to within a minute

    created_at = Instant()
    expires_at = OptionalInstant()
    revoked_at = OptionalInstant()
    last_used_at = OptionalInstant()

    def __repr__(self) -> str:
        return f"<AccessKey {self.id} of {self.holder}: {shortened(', '.join(self.scopes))}>"

    def is_valid(self, now: Moment) -> bool:
        """Whether it is neither revoked nor expired."""
        return (self.revoked_at_us is None or now < self.revoked_at_us) and (
            self.expires_at_us is None or now < self.expires_at_us
        )


class NewKey(Value, frozen=True):
    """A key that was just made. This is the only time that `token` is shown: the store keeps a digest of it."""

    key: AccessKey
    token: str

    def __repr__(self) -> str:
        return f"<NewKey {self.key.id} of {self.key.holder}>"


class KeptKey(Value, frozen=True):
    """A key with the digest by which it is recognised."""

    key: AccessKey
    digest: bytes


def make_token(name: bytes, secret: bytes) -> tuple[str, str, bytes]:
    """The key with this secret of 256 random bits: its id, the key itself, and its digest."""
    id = short_name(_ID_PREFIX, name)
    token = f"{PREFIX}{id.removeprefix(_ID_PREFIX)}_{_base32(secret)}"
    return id, token, digest_of(token)


def id_of_token(token: str) -> str | None:
    """The id of the key that a text has the shape of; `None` if it has another shape."""
    name, _, secret = token.removeprefix(PREFIX).partition("_")
    id = f"{_ID_PREFIX}{name}"
    is_secret = len(secret) == _SECRET_SIGNS and not secret.strip(_SIGNS)
    return id if token.startswith(PREFIX) and is_short_name(_ID_PREFIX, id) and is_secret else None


def digest_of(token: str) -> bytes:
    """A plain digest is enough: 256 random bits cannot be guessed, and a new key of the store leaves it as it is."""
    return hashlib.sha256(b"memfort/key\x00" + token.encode(errors="surrogatepass")).digest()


def has_digest(token: str, kept: KeptKey | None) -> bool:
    """Whether this is the key. It takes the same time whether or not there is such a key, and however much of it is
    right."""
    return hmac.compare_digest(digest_of(token), _NO_DIGEST if kept is None else kept.digest) and kept is not None


def key_to_dict(kept: KeptKey) -> dict[str, Any]:
    """A key as its record and the trail have it: everything but its last use."""
    key = kept.key
    return {
        "id": key.id,
        "holder": [key.holder.kind.value, key.holder.id],
        "scopes": [scope.value for scope in key.scopes],
        "note": key.note,
        "spaces": [space.to_dict() for space in key.spaces],
        "created_at": key.created_at_us,
        "expires_at": key.expires_at_us,
        "revoked_at": key.revoked_at_us,
        "digest": kept.digest.hex(),
    }


def key_from_dict(data: Mapping[str, Any], last_used: int | None = None) -> KeptKey:
    """The key that `key_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else."""
    kind, name = data["holder"]
    key = AccessKey(
        id=data["id"],
        holder=Principal(ActorKind(kind), name),
        scopes=tuple(KeyScope(scope) for scope in data["scopes"]),
        note=data["note"],
        spaces=tuple(Space.of(space) for space in data["spaces"]),
        created_at_us=Moment(int(data["created_at"])),
        expires_at_us=_moment(data["expires_at"]),
        revoked_at_us=_moment(data["revoked_at"]),
        last_used_at_us=_moment(last_used),
    )
    return KeptKey(key, bytes.fromhex(data["digest"]))


def _moment(value: int | None) -> Moment | None:
    return None if value is None else Moment(int(value))


def _base32(secret: bytes) -> str:
    number = int.from_bytes(secret, "big") << 4  # 256 bits and 4 to fill the last sign
    return "".join(_SIGNS[number >> place & 31] for place in range(255, -1, -5))


_NO_DIGEST = bytes(32)
