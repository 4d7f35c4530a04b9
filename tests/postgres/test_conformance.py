"""The PostgreSQL store is what the shipped suite says a store is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memfort.store.port import Store
from memfort.store.postgres.store import PostgresStore
from memfort.testing import StoreConformance


class TestPostgresStore(StoreConformance):
    @pytest.fixture(autouse=True)
    def _makes_stores(self, new_store: Callable[[], PostgresStore]) -> None:
        self._new_store = new_store

    def make_store(self, tmp_path: Path) -> Store:
        return self._new_store()
