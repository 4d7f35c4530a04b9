"""What is said of a store whose structures contradict each other. Such a store answers nothing that could be less than
what it holds: it says what is wrong and what mends it."""

from __future__ import annotations

from typing import Any

from memfort.errors import StoreBroken, StoreError
from memfort.store.sql.connection import Connection

REBUILD = "run `store.reindex()`, which makes it anew from the memories"
RESTORE = "restore the store from a copy"


class IdTaken(StoreError, ValueError):
    """A new memory has the id of another, because the sequence that ids are made from has gone back."""

    def __init__(self, id: str) -> None:
        super().__init__(f"`{id}` is already in its space, so its author's sequence is damaged; {REBUILD}")


def index_damaged(what: str) -> StoreBroken:
    """Damage to something that is made from the memories."""
    return StoreBroken(f"{what}; {REBUILD}")


def memory_missing() -> StoreBroken:
    """A memory that is counted or indexed, and not there. What it said is lost; the trail knows its name."""
    return StoreBroken(f"a memory is missing or not where it belongs; {RESTORE}, or run `doctor()`, which names it")


def required_number(connection: Connection, query: str, *values: Any, what: str, remedy: str = REBUILD) -> int:
    """A number that has to be there."""
    found = connection.scalar(query, *values)
    if type(found) is not int:
        raise StoreBroken(f"{what} is damaged; {remedy}")
    return found
