"""The tables of a store in a database: made once, brought up to date by numbered files, and closed by row-level
security. Whoever serves from them owns none of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
from msgspec import Struct
from psycopg import sql

OWNER, APP, UPKEEP = "memfort_owner", "memfort_app", "memfort_upkeep"
PARTITIONS = 16
_MIGRATION_LOCK = "create table if not exists migration (number integer primary key, name text not null, sha256 text not null)"
_TABLE = re.compile(r"^create table (\w+) \(", re.MULTILINE)
_PARTITIONED = re.compile(r"^create table (\w+) \((?:(?!^\)).)*?^\) \{partitioned\};", re.MULTILINE | re.DOTALL)
# Which spaces a transaction has opened: what was set in this very transaction, so that nothing that an earlier one left
# behind on the same connection counts. Not set: none.
_OPENED = """(
  select case when current_setting('memfort.at', true) = now()::text
    then string_to_array(current_setting('memfort.spaces', true), ',')::uuid[] end
)::uuid[]"""


class Migration(Struct, frozen=True):
    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def shipped_migrations() -> list[Migration]:
    """The migrations of this version, in order."""
    files = sorted(Path(__file__).with_name("migrations").glob("*.sql"))
    return [Migration(int(file.name[:4]), file.name, file.read_text(encoding="utf-8")) for file in files]


def table_names() -> list[str]:
    """Every table that holds a part of a store."""
    return [name for migration in shipped_migrations() for name in _TABLE.findall(migration.sql)]


def statements_of(migration: Migration, partitions: int) -> Iterator[str]:
    """What a migration runs: its own text, the partitions of its large tables, and the walls around each table."""
    yield migration.sql.replace("{partitioned}", "partition by hash (space)")
    parts = []
    for table in _PARTITIONED.findall(migration.sql):
        for part in range(partitions):
            name = f"{table}_{part:03}"
            parts.append(name)
            yield f"create table {name} partition of {table} for values with (modulus {partitions}, remainder {part})"
    for table in [*_TABLE.findall(migration.sql), *parts]:
        yield from _walls(table)


def _walls(table: str) -> Iterator[str]:
    yield f"alter table {table} enable row level security"
    yield f"alter table {table} force row level security"
    yield f"create policy opened on {table} to {APP} using (space = any ({_OPENED})) with check (space = any ({_OPENED}))"
    yield f"create policy upkeep on {table} to {UPKEEP} using (true) with check (true)"
    yield f"revoke all on {table} from public"
    yield f"grant select, insert, update, delete on {table} to {APP}, {UPKEEP}"
    yield f"grant maintain on {table} to {UPKEEP}"


def make_roles(admin: psycopg.Connection[Any], login: str | None) -> None:
    """Make the three roles, none of which can log in, and let a login use them."""
    for role in (OWNER, APP, UPKEEP):
        if admin.execute("select 1 from pg_roles where rolname = %s", (role,)).fetchone() is None:
            admin.execute(sql.SQL("create role {} nologin").format(sql.Identifier(role)))
    admin.execute(sql.SQL("grant {} to current_user with inherit true, set true").format(sql.Identifier(OWNER)))
    if login is not None:
        admin.execute(sql.SQL("grant {} to {} with inherit true").format(*map(sql.Identifier, (APP, login))))
        grant = "grant {} to {} with inherit false, set true"
        admin.execute(sql.SQL(grant).format(*map(sql.Identifier, (UPKEEP, login))))  # type: ignore[arg-type]


def applied_migrations(connection: psycopg.Connection[Any]) -> list[tuple[int, str, str]] | None:
    """Those that a database has; `None` if it is no store."""
    if connection.execute("select to_regclass('memfort.migration')").fetchone() == (None,):
        return None
    return connection.execute("select number, name, sha256 from memfort.migration order by number").fetchall()


def migrate(admin: psycopg.Connection[Any], migrations: Sequence[Migration], partitions: int) -> list[Migration]:
    """Make a store's schema, or bring it up to date; gives what was applied. In one transaction, under a lock."""
    with admin.transaction():
        admin.execute(f"create schema if not exists memfort authorization {OWNER}")
        admin.execute(f"set local role {OWNER}")
        admin.execute("set local search_path = memfort")
        admin.execute(_MIGRATION_LOCK)
        admin.execute("lock table migration in exclusive mode")
        if (found := admin.execute("select partitions from layout").fetchone() if _has_layout(admin) else None) is None:
            admin.execute("create table layout (partitions integer not null)")
            admin.execute("insert into layout values (%s)", (partitions,))
        else:
            partitions = int(found[0])
        known = {number for (number,) in admin.execute("select number from migration")}
        fresh = [migration for migration in migrations if migration.number not in known]
        for migration in fresh:
            for statement in statements_of(migration, partitions):
                admin.execute(statement.encode())
            row = (migration.number, migration.name, migration.sha256)
            admin.execute("insert into migration (number, name, sha256) values (%s, %s, %s)", row)
        admin.execute(f"grant usage on schema memfort to {APP}, {UPKEEP}")
        admin.execute(f"grant select on migration, layout to {APP}, {UPKEEP}")
    return fresh


def _has_layout(admin: psycopg.Connection[Any]) -> bool:
    return admin.execute("select to_regclass('memfort.layout')").fetchone() != (None,)
