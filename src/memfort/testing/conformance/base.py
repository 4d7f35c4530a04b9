"""The base of every part of the suite: a new store for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memfort.store.port import (
    Store,
)


class Claims:
    """Claims about a store."""

    def make_store(self, tmp_path: Path) -> Store:
        """Return a new, empty store. `tmp_path` is a directory of its own for each call."""
        raise NotImplementedError("say how a store is made: def make_store(self, tmp_path): return MyStore(tmp_path)")

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        made = self.make_store(tmp_path)
        yield made
        made.close()
