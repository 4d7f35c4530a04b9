"""What a write meets on the way is locked without waiting, and if somebody else holds it the write starts again with
that named: where a store has locks of its own for persons and budgets, which SQLite needs not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memfort.model.item import Kind
from memfort.store.port import DropPerson, Erase, OutsideScope, PutPerson, Scope
from memfort.store.sqlite import SqliteStore
from memfort.store.sqlite.connection import SqliteConnection
from memfort.testing.conformance import ALICE, BOB, HOME, inserted, listed, memory, put, sight_on, texts
from memfort.testing.conformance.samples import person, updated

HERE = Scope.of([HOME])
ABOUT_BOB = memory(text="bob sings", subjects=("@bob",))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The locks that writes have asked for on the way."""
    asked: list[bytes] = []

    def lock_at_once(_: SqliteConnection, keys: Sequence[bytes]) -> bool:
        asked.extend(keys)
        return True

    monkeypatch.setattr(SqliteConnection, "lock_at_once", lock_at_once)
    return asked


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else holds every lock that is not named."""
    monkeypatch.setattr(SqliteConnection, "lock_at_once", lambda _, __: False)


def write(store: SqliteStore, scope: Scope, *changes) -> None:
    with store.writing(scope):
        store.apply(changes, [])


def test_whom_a_memory_is_about_is_locked_when_it_comes_changes_and_goes(
    store: SqliteStore, asked: list[bytes]
) -> None:
    for change in (inserted(ABOUT_BOB), updated(ABOUT_BOB), Erase(HOME, ABOUT_BOB.id)):
        write(store, HERE, change)
        assert asked == Scope(people=frozenset(["@bob"])).locks()
        asked.clear()
        assert texts(listed(store, sight_on(HOME))) == ([] if isinstance(change, Erase) else ["bob sings"])


def test_what_is_named_is_not_locked_again(store: SqliteStore, asked: list[bytes]) -> None:
    named = Scope.of([HOME], people=["@bob", person(HOME).id], authors=[ALICE])
    write(store, named, inserted(ABOUT_BOB), PutPerson(person(HOME)))
    with store.writing(named):
        assert store.authored_count(ALICE) == 1
    with store.writing():
        put(store, memory(text="bob dances", number=2, subjects=("@bob",)))
    assert asked == []


def test_each_lock_is_asked_for_once(store: SqliteStore, asked: list[bytes]) -> None:
    with store.writing(HERE):
        for number in (1, 2, 3):
            put(store, memory(text=f"bob {number}", number=number, subjects=("@bob",)))
        assert store.authored_count(BOB) == store.authored_count(BOB) == 0
    assert asked == [*Scope(people=frozenset(["@bob"])).locks(), *Scope.of(authors=[BOB]).locks()]


@pytest.mark.parametrize("change", [inserted(ABOUT_BOB), PutPerson(person(HOME)), DropPerson("per_x")])
@pytest.mark.usefixtures("held")
def test_a_write_that_cannot_have_a_lock_keeps_nothing_and_says_what_it_needs(store: SqliteStore, change) -> None:
    with pytest.raises(OutsideScope) as refused:
        write(store, HERE, inserted(memory(text="before", number=5)), change)
    assert listed(store, sight_on(HOME)) == []
    write(store, HERE | refused.value.needs, inserted(memory(text="before", number=5)), change)
    assert "before" in texts(listed(store, sight_on(HOME)))


@pytest.mark.usefixtures("held")
def test_a_write_of_its_own_starts_again_with_what_it_needs(store: SqliteStore) -> None:
    store.apply([inserted(ABOUT_BOB)], [])
    store.apply([Erase(HOME, ABOUT_BOB.id)], [])  # which says itself nothing of whom it was about
    assert listed(store, sight_on(HOME)) == []


@pytest.mark.usefixtures("held")
def test_a_budget_is_counted_under_its_lock(store: SqliteStore) -> None:
    put(store, memory())
    with pytest.raises(OutsideScope) as refused, store.writing(HERE):
        store.authored_count(ALICE)
    assert refused.value.needs == Scope.of(authors=[ALICE])
    with store.writing(HERE | refused.value.needs):
        assert store.authored_count(ALICE) == 1
        assert store.count_by_kind(sight_on(HOME), HOME, memory().readers, ALICE.key) == {Kind.SEMANTIC: 1}
