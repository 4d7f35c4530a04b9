"""How much work a listing is does not depend on what others keep for themselves in a shared space. Counted in the steps
of SQLite's machine, never in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from memfort.model.item import Readers
from memfort.model.people.actor import Actor, ActorKind
from memfort.store.port import Filter, position_of
from memfort.store.sqlite import SqliteStore
from memfort.testing.conformance import HOME, NOW, memory, sight_on
from memfort.testing.conformance.samples import inserted

ALICE = Actor(ActorKind.USER, "alice")
SIGHT = sight_on(HOME, actor=ALICE)
PAGE = 5


def filled(path: Path, foreign: int, *, lists: int) -> SqliteStore:
    """Ten memories that alice may read, the oldest and newest of all, and others of whole lists of readers between."""
    store = SqliteStore(path, ballast_bytes=0)
    own = [memory(text=f"own {number}", number=number, created_at_us=NOW + number * 10**6) for number in range(5)]
    late = [memory(text=f"own {number}", number=number, created_at_us=NOW + 10**12 + number) for number in range(5, 10)]
    others = [
        memory(
            text=f"other {number}",
            number=100 + number,
            created_at_us=NOW + 10**9 + number,
            readers=Readers.of([f"user{number % lists}"]),
        )
        for number in range(foreign)
    ]
    with store.writing():
        store.apply([inserted(one) for one in (*own, *others, *late)], [])
    return store


def steps(store: SqliteStore) -> Iterator[tuple[str, int]]:
    """The work of the first page, of the one after it, and of naming what is damaged."""
    connection: apsw.Connection = store._connection.raw
    total = 0

    def profile(trace: dict[str, object]) -> None:
        nonlocal total
        total += trace["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]  # type: ignore[index]

    connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, profile)
    first = store.page(SIGHT, Filter(), None, PAGE, NOW)
    yield "first page", total
    total = 0
    second = store.page(SIGHT, Filter(), position_of(first[-1]), PAGE, NOW)
    yield "second page", total
    total = 0
    assert store.damaged(SIGHT) == []
    yield "damaged", total
    connection.trace_v2(0, None)
    assert [item.text for item in (*first, *second)] == [f"own {number}" for number in range(9, -1, -1)]


@pytest.mark.parametrize("lists", [1, 10_000])
def test_a_listing_does_not_grow_with_the_reader_lists_of_others(tmp_path: Path, lists: int) -> None:
    few, many = (filled(tmp_path / f"{count}.db", count, lists=lists) for count in (10, 10_000))
    little, much = dict(steps(few)), dict(steps(many))
    assert all(little.values()), "nothing was counted"
    assert {name: much[name] <= little[name] * 1.5 for name in little} == dict.fromkeys(little, True)
    few.close()
    many.close()
