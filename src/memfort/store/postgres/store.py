"""The PostgreSQL store: the port of `memfort.store.port` over one database, for any number of processes and machines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memfort.errors import StoreError
from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.store.port import ANALYZER, Backup, Erasure, Progress, Scrub, StoreEngine
from memfort.store.postgres.address import Address
from memfort.store.postgres.connection import PostgresConnections
from memfort.store.sql.checkup import structure
from memfort.store.sql.rows import is_intact
from memfort.store.sql.store import SqlStore
from memfort.trail.keys import Keys


class PostgresStore(SqlStore):
    """Memories in one PostgreSQL database."""

    _connections: PostgresConnections

    def __init__(self, address: Address, *, keys: Keys) -> None:
        self._address = address
        self.keys = keys
        self._connections = PostgresConnections(address)

    @property
    def engine(self) -> StoreEngine:
        from memfort.store.postgres.engine import ENGINE  # which opens stores

        return ENGINE

    def __repr__(self) -> str:
        return self._address.shown

    def _quarantined(self, sight: Sight) -> list[str]:
        visible = self._visible(sight).partitions
        rows = self._rows("items_in_quarantine", self._space_numbers(sight))
        return sorted(row[2] for row in rows if (sight.whole or row[3] in visible) and not is_intact(self.keys, row))

    def scrub(self) -> Scrub:
        return Scrub(None)

    def residue(self) -> Mapping[str, int]:
        return {}

    def unlisted(self, erasure: Erasure) -> list[str]:  # noqa: ARG002  # nothing lies beside a database
        return []

    def backup(self, target: Path, at: Moment, *, with_key: bool, progress: Progress | None = None) -> Backup:
        raise StoreError("a database is backed up by its own tools (`pg_dump`, or a base backup); see the documentation")

    def checkup(self) -> list[tuple[str, str]]:
        with self.reading():
            return list(structure(self._connections.current(), self.keys))

    def info(self) -> Mapping[str, Any]:
        with self.reading():
            return {
                "engine": "postgresql",
                "memories": self._connection.scalar("count_items"),
                "spaces": self._connection.scalar("count_spaces"),
                "key": self.keys.fingerprint,
                "words": self._connection.scalar("get_meta", "words") or ANALYZER,
            }

    def close(self) -> None:
        self._connections.close()
