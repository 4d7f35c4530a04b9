"""Numbered schema changes: each applied once, in one transaction, and never altered afterwards."""

from __future__ import annotations

import hashlib
from pathlib import Path

import apsw
from msgspec import Struct

from memfort.errors import SchemaMismatch

_LOOK_MILLISECONDS = 10_000
_APPLIED = "select number, name, sha256 from migration order by number"


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


def check_is_ours(path: Path) -> None:
    """Refuse a database that somebody else made, before anything in it is touched. An empty file is nobody's."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(_LOOK_MILLISECONDS)
        is_ours, is_empty = _look(connection)
    finally:
        connection.close()
    if not is_ours and not is_empty:
        raise _not_ours(path)


def check_is_current(connection: apsw.Connection, path: Path) -> None:
    """Refuse to read what is not a store of this very version: nothing can be brought up to date."""
    is_ours, _ = _look(connection)
    if not is_ours:
        raise _not_ours(path)
    applied = list(connection.execute(_APPLIED))
    _check(applied, migrations := shipped_migrations())
    if len(applied) < len(migrations):
        raise SchemaMismatch("the store is of an earlier version; open it once where it can be written")


def _look(connection: apsw.Connection) -> tuple[bool, bool]:
    """Whether a database is a store, and whether it is empty."""
    tables = {name for (name,) in connection.execute("select name from sqlite_schema")}
    ours = {name for (name,) in connection.execute("select name from pragma_table_info('migration')")}
    return ours == {"number", "name", "sha256"}, not tables


def _not_ours(path: Path) -> SchemaMismatch:
    return SchemaMismatch(f"`{path}` is a database, but not a memfort store; name another file")


def migrate(connection: apsw.Connection, migrations: list[Migration]) -> None:
    """Bring the schema up to date. The caller holds the writer lock, so that two openings do not race."""
    applied = _applied(connection)
    _check(applied, migrations)
    for migration in migrations[len(applied) :]:
        with connection:
            connection.execute(migration.sql)
            connection.execute(
                "insert into migration (number, name, sha256) values (?, ?, ?)",
                (migration.number, migration.name, migration.sha256),
            )


def _applied(connection: apsw.Connection) -> list[tuple[int, str, str]]:
    connection.execute(
        "create table if not exists migration (number integer primary key, name text not null, sha256 text not null)"
    )
    return list(connection.execute(_APPLIED))


def _check(applied: list[tuple[int, str, str]], migrations: list[Migration]) -> None:
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
