"""The SQLite store. SQL on memory tables stands here and nowhere else; a test walks the code to keep it so."""

from __future__ import annotations

from memfort.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
