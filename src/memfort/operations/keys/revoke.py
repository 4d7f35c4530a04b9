"""End an API key."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.transaction import Transaction
from memfort.errors import NotFound
from memfort.model.people.access_key import AccessKey, KeptKey, key_to_dict
from memfort.operations.directory.events import directory_event
from memfort.operations.requests import OneWord, Request
from memfort.operations.touched import in_directory
from memfort.store.port import PutKey


class RevokeKeyRequest(Request, frozen=True):
    """Which key to end."""

    id: Annotated[OneWord, Meta(description="The key's id.")]


touches = in_directory


def handle(tx: Transaction, request: RevokeKeyRequest) -> AccessKey:
    """End an API key. The next request with it is refused."""
    kept = find_valid_key(tx, request.id)
    gone = replace(kept, key=replace(kept.key, revoked_at_us=tx.now))
    tx.apply([PutKey(gone)], [directory_event(tx, "revoke_key", keys=[key_to_dict(gone)])])
    return gone.key


def find_valid_key(tx: Transaction, id: str) -> KeptKey:
    kept = tx.store.access_key(id)
    if kept is None or not kept.key.is_valid(tx.now):
        raise NotFound("key", id, "`keys.list` shows those there are")
    return kept
