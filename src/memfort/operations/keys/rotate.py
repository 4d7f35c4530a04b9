"""Replace an API key by a new one."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.model.people.access_key import NewKey
from memfort.operations.keys.create import new_key
from memfort.operations.keys.revoke import find_valid_key
from memfort.operations.requests import OneWord, Request
from memfort.operations.touched import in_directory

_MAX_OVERLAP_SECONDS = 30 * 24 * 3600


class RotateKeyRequest(Request, frozen=True):
    """Which key to replace."""

    id: Annotated[OneWord, Meta(description="The key's id.")]
    overlap_seconds: Annotated[
        float, Meta(description="How long the old one works besides, in seconds.", extra={"metavar": "SECONDS"})
    ] = 0


touches = in_directory


def handle(tx: Transaction, request: RotateKeyRequest) -> NewKey:
    """Make a new key with the same holder, scopes, space and expiry. The old one ends now, or after the overlap."""
    if not 0 <= request.overlap_seconds <= _MAX_OVERLAP_SECONDS:
        raise InvalidInput(
            "overlap_seconds", "it is not possible", f"give at least 0 and at most {_MAX_OVERLAP_SECONDS}"
        )
    old = find_valid_key(tx, request.id)
    ends = Moment(tx.now + int(request.overlap_seconds * MICROSECONDS_PER_SECOND))
    return new_key(
        tx,
        "rotate_key",
        replaced=replace(old, key=replace(old.key, revoked_at_us=ends)),
        holder=old.key.holder,
        scopes=old.key.scopes,
        note=old.key.note,
        spaces=old.key.spaces,
        expires_at_us=old.key.expires_at_us,
    )
