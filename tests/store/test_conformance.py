"""Both stores are what the shipped suite says a store is."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from memfort.store.memory import MemoryStore
from memfort.store.port import Store
from memfort.store.sqlite import SqliteStore
from memfort.testing import StoreConformance
from memfort.testing.conformance import HOME, shown, sight_on


class TestMemoryStore(StoreConformance):
    def make_store(self, tmp_path: Path) -> Store:
        return MemoryStore()


class TestSqliteStore(StoreConformance):
    def make_store(self, tmp_path: Path) -> Store:
        return SqliteStore(tmp_path / "memories.db", ballast_bytes=0)


def test_the_suite_asks_every_read_method_of_the_port() -> None:
    reads = {
        name
        for name, method in inspect.getmembers(Store, inspect.isfunction)
        if list(inspect.signature(method).parameters)[1:2] == ["sight"]
    }
    assert set(shown(MemoryStore(), sight_on(HOME), [HOME], [], 0)) == reads


def test_a_suite_without_make_store_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match="make_store"):
        StoreConformance().make_store(tmp_path)
