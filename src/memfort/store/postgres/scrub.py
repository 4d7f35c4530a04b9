"""Making what was erased unrecoverable from a server's files: the parts of the tables that held it are rewritten, and
then it lies in the server's log alone, until a checkpoint and every replication slot have passed that place.

What is outside the server stays out of reach: standbys that lag, archives of the log, and backups.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
from psycopg import errors

from memfort.store.port import Scrub
from memfort.store.postgres.schema import UPKEEP, partition_names

REWRITTEN_AT = "rewritten_at"  # in `meta`: how far the log was when the tables had been rewritten
_PATIENCE = "5s"  # how long a rewriting waits for those who read that part of a table
_PAUSES = (0.05, 0.2, 0.5, 1, 1.5, 2, 0)  # a connection that is being made holds a view, on a busy server for longer
_PARTITIONED = ("item", "entry", "change_key", "subject", "lineage")
_SMALL = ("reply", "reply_name", "queued_turn", "source", "person", "person_name", "relation", "quarantine")
_PLACES = """
select part
from generate_series(0, %(parts)s - 1) as part
where satisfies_hash_partition('memfort.item'::regclass, %(parts)s, part, %(space)s)
"""
_DISTANCE = """
select greatest(0, %(at)s::pg_lsn - least(redo_lsn, (select min(restart_lsn) from pg_replication_slots)))::bigint
from pg_control_checkpoint()
"""
_NUMBER = re.compile(r"\d+")
IN_USE = "somebody still reads an older view of the store; run `finish_erasures()` later"
IN_LOG = (
    "the server's log still holds a copy until its next checkpoint (or until a replication slot moves on); "
    "run `finish_erasures()` later"
)


def rewrite(connection: psycopg.Connection[Any], spaces: Sequence[UUID]) -> int | None:
    """Rewrite the parts of the tables in which these spaces lie; gives how many, or `None` if somebody still reads from
    them. `connection` runs each statement in a transaction of its own, and ends with this."""
    left: list[int] = []

    def note(said: psycopg.errors.Diagnostic) -> None:
        if found := _NUMBER.search(said.message_detail or ""):
            left.append(int(found[0]))  # "0 dead row versions cannot be removed yet", in any language

    connection.execute(f"set role {UPKEEP}")
    connection.execute("set client_min_messages = info")
    connection.execute(f"set lock_timeout = '{_PATIENCE}'")
    row = connection.execute("select partitions from memfort.layout").fetchone()
    assert row is not None
    parts = {part for space in spaces for (part,) in connection.execute(_PLACES, {"parts": row[0], "space": space})}
    names = [partition_names(table, row[0])[part] for table in _PARTITIONED for part in sorted(parts)]
    connection.add_notice_handler(note)
    waiting = [*names, *_SMALL]
    for pause in _PAUSES:
        try:
            waiting = [name for name in waiting if _keeps_dead_rows(connection, name, left)]
        except errors.LockNotAvailable:
            return None
        if not waiting:
            return len(names) + len(_SMALL)
        time.sleep(pause)
    return None


def _keeps_dead_rows(connection: psycopg.Connection[Any], name: str, left: list[int]) -> bool:
    """Rewrite a table; whether somebody else can still see what was deleted from it."""
    left.clear()
    connection.execute(f"vacuum (full, verbose) memfort.{name}".encode())
    return any(left)


def log_position(connection: psycopg.Connection[Any]) -> str:
    row = connection.execute("select pg_current_wal_insert_lsn()::text").fetchone()
    assert row is not None
    return str(row[0])


def bytes_in_log(connection: psycopg.Connection[Any], position: str) -> int:
    """How far the server is from having passed a place in its log; 0 if it has. Asks for a checkpoint if it may."""
    if _distance(connection, position) and _may_checkpoint(connection):
        connection.execute(f"set role {UPKEEP}")
        connection.execute("checkpoint")
        connection.execute("reset role")
    return _distance(connection, position)


def _distance(connection: psycopg.Connection[Any], position: str) -> int:
    row = connection.execute(_DISTANCE, {"at": position}).fetchone()
    assert row is not None
    return int(row[0])


def _may_checkpoint(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute("select pg_has_role(%s, 'pg_checkpoint', 'usage')", (UPKEEP,)).fetchone()
    return row is not None and bool(row[0])


def scrubbed(rewritten: int, left: int) -> Scrub:
    places = {"table_parts_rewritten": rewritten, "log_bytes_left": left}
    return Scrub(IN_LOG if left else None, places)
