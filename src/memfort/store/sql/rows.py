"""A memory as a row and back, and the seals of rows: each is over the whole row, and checked whenever it is read."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from memfort.model.item import EVERYONE, Item, Readers
from memfort.model.serialize.encoding import canonical_json
from memfort.model.serialize.record import item_of_record, item_record
from memfort.trail.keys import Keys

EVERYONE_TEXT = ""
_DIGEST_BYTES = 16

# Columns in the order of the `items_…` queries.
Row = tuple[int, int, str, int, str, int, int, int | None, str | None, bytes, int, bytes, bytes]


def row_of(stored: tuple[Any, ...]) -> Row:
    """A row as it was read. What is no text any more is made one somehow, and then fails its seal."""
    no, space, id, partition, status, deleted, created_at, expires_at, source, value, indexed, record, seal = stored
    id, status = text_of(id), text_of(status)
    source = None if source is None else text_of(source)
    return no, space, id, partition, status, deleted, created_at, expires_at, source, value, indexed, record, seal


def text_of(value: Any) -> Any:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def readers_text(readers: Readers) -> str:
    """The reader list as the name of a partition."""
    if readers is EVERYONE or readers.is_open:
        return EVERYONE_TEXT
    return canonical_json(readers.to_dict()).decode()


def readers_from_text(text: str) -> Readers:
    if text == EVERYONE_TEXT:
        return Readers()
    data = json.loads(text)
    return Readers.of(data["users"], data["agents"])


def columns(
    keys: Keys, item: Item, space: int, partition: int, value: bytes, stamp: int, record: bytes | None = None
) -> tuple[Any, ...]:
    """What `add_item` and `change_item` bind; `stamp` is that of its entry in the index, 0 if it has none. If nothing
    about the memory itself changes, its `record` is given as it is: the trail has a digest of those very bytes, which
    an earlier version may have written otherwise."""
    record = item_record(item) if record is None else record
    known = (
        space,
        item.id,
        partition,
        str(item.status),
        int(item.deleted_at_us is not None),
        item.created_at_us,
        item.expires_at_us,
        item.source,
        value,
        stamp,
    )
    digest = _digest(known, record)
    return (*known, record.decode(), digest + seal(keys, "item", digest))


def is_intact(keys: Keys, row: Row) -> bool:
    """Whether a row says what this store wrote."""
    return is_undamaged(row) and row[12][_DIGEST_BYTES:] == seal(keys, "item", row[12][:_DIGEST_BYTES])


def is_undamaged(row: Row) -> bool:
    """Whether a row is still what somebody wrote: all that can be known of it when the key is lost."""
    try:
        return row[12].startswith(_digest(row[1:11], row[11]))
    except (TypeError, AttributeError, UnicodeError):
        return False


def seal(keys: Keys, table: str, *values: Any) -> bytes:
    """The seal of the store's key on these values in a row of this table."""
    return keys.seal(table, repr(values).encode())


def _digest(known: tuple[Any, ...], record: bytes) -> bytes:
    """A digest of everything a memory's row says. It needs no key, so that damage shows even when the key is lost."""
    hash = _BEGUN.copy()  # which costs half of what beginning anew does
    hash.update(repr(known).encode() + b"\x00" + record)
    return hash.digest()


_BEGUN = hashlib.blake2b(digest_size=_DIGEST_BYTES)


def item_of(row: Row) -> Item:
    """The memory in an intact row."""
    return item_of_record(row[11])
