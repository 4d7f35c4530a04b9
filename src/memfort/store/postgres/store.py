"""The PostgreSQL store: the port of `memfort.store.port` over one database, for many processes and machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.store.port import (
    ANALYZER,
    Backup,
    Capability,
    Change,
    DropPerson,
    DropRelation,
    DropSource,
    Erase,
    Erasure,
    Progress,
    Scope,
    Scrub,
    StoreEngine,
    Update,
    refuse,
)
from memfort.store.postgres import scrub
from memfort.store.postgres.address import Address
from memfort.store.postgres.connection import PostgresConnections
from memfort.store.postgres.errors import translate_errors
from memfort.store.postgres.transaction import Transaction
from memfort.store.sql.checkup import structure
from memfort.store.sql.rows import is_intact
from memfort.store.sql.store import SqlStore
from memfort.trail.event import Event
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

    def _before_commit(self, changes: Sequence[Change], events: Sequence[Event]) -> None:  # noqa: ARG002
        """Note where something is erased, so that its part of the tables is rewritten whoever finishes the erasure."""
        write = self._connections.current_write()
        if write is not None and any(map(_erases, changes)):
            assert isinstance(write.connection, Transaction)
            write.connection.run("put_rewrites", write.connection.changed_spaces())

    def scrub(self) -> Scrub:
        if self._address.behind_pgbouncer:
            return Scrub(
                "tables cannot be rewritten through pgbouncer; run `finish_erasures()` over a direct connection"
            )
        with translate_errors():
            waiting = self._connection.rows("rewrites")
            rewritten = self._rewrite(waiting) if waiting else 0
            if rewritten is None:
                return Scrub(scrub.IN_USE)
            position = self._connection.scalar("get_meta", scrub.REWRITTEN_AT)
            if position is None:
                return Scrub(None)
            with self._connections.new_connection() as connection:
                return scrub.scrubbed(rewritten, scrub.bytes_in_log(connection, position))

    def _rewrite(self, waiting: Sequence[tuple[UUID, str]]) -> int | None:
        with self._connections.new_connection() as connection:
            rewritten = scrub.rewrite(connection, list({space for space, _ in waiting}))
            position = scrub.log_position(connection)
        if rewritten is not None:
            with self.writing(Scope()):
                self._connection.run("set_meta", scrub.REWRITTEN_AT, position)
                self._connection.run(
                    "drop_rewrites", [space for space, _ in waiting], [writer for _, writer in waiting]
                )
        return rewritten

    def residue(self) -> Mapping[str, int]:
        with translate_errors():
            waiting = len(self._connection.rows("rewrites"))
            position = self._connection.scalar("get_meta", scrub.REWRITTEN_AT)
            if waiting:
                return {"parts_of_tables": waiting}
            if position is None:
                return {}
            with self._connections.new_connection() as connection:
                left = scrub.bytes_in_log(connection, position)
        return {"log_bytes": left} if left else {}

    def unlisted(self, erasure: Erasure) -> list[str]:  # noqa: ARG002  # nothing lies beside a database
        return []

    def backup(self, target: Path, at: Moment, *, with_key: bool, progress: Progress | None = None) -> Backup:  # noqa: ARG002
        refuse(self.engine, Capability.BACKUP)

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


def _erases(change: Change) -> bool:
    return isinstance(change, Erase | DropPerson | DropRelation | DropSource) or (
        isinstance(change, Update) and change.redacts
    )
