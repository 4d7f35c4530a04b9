"""A memory as a row and back. Every row carries a seal over all of it, checked whenever it is read."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import Any

from memfort.model.canonical import canonical_json
from memfort.model.item import Item, Readers, Status
from memfort.model.record import item_from_dict, item_to_dict

EVERYONE_TEXT = ""

# Columns in the order of the `items_…` queries.
Row = tuple[int, int, str, int, str, int, int, int | None, str | None, bytes, int, int, bytes, bytes, bytes]


def row_of(stored: tuple[Any, ...]) -> Row:
    """A row as it was read. What is no text any more is made one somehow, and then fails its seal."""
    no, space, id, shelf, status, deleted, created_at, expires_at, source, *rest = stored
    return (no, space, text_of(id), shelf, text_of(status), deleted, created_at, expires_at, text_of(source), *rest)


def text_of(value: Any) -> Any:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def readers_text(readers: Readers) -> str:
    """The reader list as the name of a shelf."""
    return EVERYONE_TEXT if readers.is_open else canonical_json(readers.as_dict()).decode()


def readers_from_text(text: str) -> Readers:
    if text == EVERYONE_TEXT:
        return Readers()
    data = json.loads(text)
    return Readers.of(data["users"], data["agents"])


def is_indexed(item: Item) -> bool:
    """Whether the item belongs in the index: kept and not deleted. Whether its time is up is asked at each read."""
    return item.status is Status.APPROVED and item.deleted_at is None


def pack_terms(terms: Mapping[int, int]) -> bytes:
    return struct.pack(f"<{len(terms)}q", *terms)


def unpack_terms(blob: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(blob) // 8}q", blob)


def columns(item: Item, space: int, shelf: int, value: bytes, terms: Mapping[int, int]) -> tuple[Any, ...]:
    """What `add_item` and `change_item` bind."""
    record = canonical_json(item_to_dict(item))
    indexed, length = int(is_indexed(item)), sum(terms.values())
    known = (space, item.id, shelf, item.status.value, int(item.deleted_at is not None), item.created_at,
             item.expires_at, item.source, value, indexed, length)  # fmt: skip
    packed = pack_terms(terms)
    return (*known, packed, record.decode(), seal(known, packed, record))


def seal(known: tuple[Any, ...], terms: bytes, record: bytes) -> bytes:
    """A digest of everything a row says. It is against damage, not against an attacker, so it needs no key."""
    return hashlib.blake2b(repr((*known, terms)).encode() + b"\x00" + record, digest_size=16).digest()


def is_intact(row: Row) -> bool:
    try:
        return seal(row[1:12], row[14], row[12]) == row[13]
    except (TypeError, AttributeError, UnicodeError):
        return False


def item_of(row: Row) -> Item:
    """The memory in an intact row."""
    return item_from_dict(json.loads(row[12]))
