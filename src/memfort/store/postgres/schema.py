"""The tables of a store in a database: made once, brought up to date by numbered files, and closed by row-level
security. Whoever serves from them owns none of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
from msgspec import Struct
from psycopg import sql

from memfort.errors import SchemaMismatch
from memfort.store.postgres.statements import DIRECTORY

OWNER, APP, UPKEEP = "memfort_owner", "memfort_app", "memfort_upkeep"
PARTITIONS = 16
OF_THE_SCHEMA = ("migration", "layout")  # tables that say how the others are made
_TABLE = re.compile(r"^create table (\w+) \(", re.MULTILINE)
_PARTITIONED = re.compile(r"^create table (\w+) \((?:(?!^\)).)*?^\) \{partitioned\};", re.MULTILINE | re.DOTALL)
# Columns that say something of what is remembered. The server keeps no samples of them for its planner: those would
# outlive an erasure, and no plan depends on them.
_NOT_SAMPLED = {
    "item": ("record", "value", "conversation"),
    "entry": ("terms", "counts", "vector", "change_keys"),
    "change_key": ("change_key",),
    "person": ("record",),
    "person_name": ("name",),
    "relation": ("record",),
    "source": ("record",),
    "queued_turn": ("record",),
    "reply": ("body",),
    "share": ("record",),
    "access_key": ("record",),
}
# Which spaces a transaction has opened: what was set in this very transaction, so that nothing that an earlier one left
# behind on the same connection counts. Not set: none.
_OPENED = """(
  select case when current_setting('memfort.at', true) = now()::text
    then string_to_array(current_setting('memfort.spaces', true), ',')::uuid[] end
)::uuid[]"""


_IS_STORE = """
select exists (
  select 1
  from pg_class
  join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = 'memfort' and relname = 'migration'
)
"""


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
    yield migration.sql.replace("{partitioned}", "partition by hash (space)").replace("{directory}", str(DIRECTORY))
    parts: dict[str, str] = {}
    for table in _PARTITIONED.findall(migration.sql):
        for part, name in enumerate(partition_names(table, partitions)):
            parts[name] = table
            yield f"create table {name} partition of {table} for values with (modulus {partitions}, remainder {part})"
    tables = {name: name for name in _TABLE.findall(migration.sql)} | parts
    for table, of in tables.items():
        for column in _NOT_SAMPLED.get(of, ()):
            yield f"alter table {table} alter column {column} set statistics 0"
        yield from _walls(table, f"to {UPKEEP}", "select, insert, update, delete")
        opened = f"space = any ({_OPENED})"
        yield f"create policy opened on {table} to {APP} using ({opened}) with check ({opened})"
        yield f"grant select, insert, update, delete on {table} to {APP}"
        yield f"grant maintain on {table} to {UPKEEP}"


def partition_names(table: str, partitions: int) -> list[str]:
    """The parts of a table, by remainder."""
    return [f"{table}_{part:03}" for part in range(partitions)]


def _walls(table: str, to: str, rights: str) -> Iterator[str]:
    yield f"alter table {table} enable row level security"
    yield f"alter table {table} force row level security"
    yield f"create policy upkeep on {table} {to} using (true) with check (true)"
    yield f"revoke all on {table} from public"
    yield f"grant {rights} on {table} to {UPKEEP}"


def make_roles(admin: psycopg.Connection[Any], login: str | None = None) -> None:
    """Make the three roles, none of which can log in, and let a login use two of them."""
    for role in (OWNER, APP, UPKEEP):
        if admin.execute("select 1 from pg_roles where rolname = %s", (role,)).fetchone() is None:
            admin.execute(sql.SQL("create role {} nologin").format(sql.Identifier(role)))
    with suppress(psycopg.errors.InsufficientPrivilege):  # without it, an erasure waits for the next checkpoint
        admin.execute(f"grant pg_checkpoint to {UPKEEP}")
    admin.execute(f"grant {OWNER}, {UPKEEP} to current_user with inherit false, set true")
    if login is not None:
        roles = [sql.Identifier(name) for name in (APP, UPKEEP, login)]
        admin.execute(sql.SQL("grant {0} to {2} with inherit true").format(*roles))
        admin.execute(sql.SQL("grant {1} to {2} with inherit false, set true").format(*roles))


def is_store(connection: psycopg.Connection[Any]) -> bool:
    """Whether a database has a store, or a part of one; asked so that whoever may not use it gets an answer too."""
    return connection.execute(_IS_STORE).fetchone() == (True,)


def applied_migrations(connection: psycopg.Connection[Any]) -> list[tuple[int, str, str]] | None:
    """Those that a database has, read in the role for upkeep; `None` if it is no store."""
    if not is_store(connection):
        return None
    with connection.transaction():
        connection.execute(f"set local role {UPKEEP}")
        return connection.execute("select number, name, sha256 from memfort.migration order by number").fetchall()


def check_applied(applied: Sequence[tuple[int, str, str]], migrations: Sequence[Migration]) -> bool:
    """Whether a store has every migration of this version. One of a newer version, or of other contents, is refused."""
    if len(applied) > len(migrations):
        raise SchemaMismatch(
            f"the store has schema {applied[-1][0]}, this version knows up to {migrations[-1].number}; "
            "open it with a newer memfort"
        )
    for (number, name, sha256), migration in zip(applied, migrations, strict=False):
        if (number, sha256) != (migration.number, migration.sha256):
            raise SchemaMismatch(
                f"migration `{name}` was applied with other contents; reinstall the memfort that made it"
            )
    return len(applied) == len(migrations)


def migrate(admin: psycopg.Connection[Any], migrations: Sequence[Migration], partitions: int) -> list[Migration]:
    """Make a store's schema, or bring it up to date; gives what was applied. In one transaction, under a lock."""
    with admin.transaction():
        admin.execute(f"create schema if not exists memfort authorization {OWNER}")
        admin.execute(f"set local role {OWNER}")
        admin.execute("set local search_path = memfort")
        _make_tables_of_the_schema(admin, partitions)
        admin.execute("lock table migration in exclusive mode")
        found = admin.execute("select partitions from layout").fetchone()
        assert found is not None
        applied = admin.execute("select number, name, sha256 from migration order by number").fetchall()
        check_applied(applied, migrations)
        fresh = list(migrations[len(applied) :])
        for migration in fresh:
            for statement in statements_of(migration, found[0]):
                admin.execute(statement.encode())
            row = (migration.number, migration.name, migration.sha256)
            admin.execute("insert into migration (number, name, sha256) values (%s, %s, %s)", row)
        admin.execute(f"grant usage on schema memfort to {APP}, {UPKEEP}")
    return fresh


def _make_tables_of_the_schema(admin: psycopg.Connection[Any], partitions: int) -> None:
    if is_store(admin):
        return
    admin.execute("create table migration (number integer primary key, name text not null, sha256 text not null)")
    admin.execute("create table layout (partitions integer not null)")
    for table in OF_THE_SCHEMA:
        for statement in _walls(table, f"to {UPKEEP}, {OWNER}", "select"):
            admin.execute(statement.encode())
    admin.execute("insert into layout values (%s)", (partitions,))
