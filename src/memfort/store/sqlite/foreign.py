"""Read a table of another program's SQLite file. The file is not trusted: it is opened in memory or unchangeable, its
schema runs no functions, and only a plain table is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import apsw

from memfort.errors import InvalidInput

_FIELDS = ("prefix", "key", "value", "created_at", "updated_at", "expires_at")
_NEEDED = {"prefix", "key", "value"}


def has_store_table(file: bytes | Path) -> bool:
    """Whether a file has the table of a LangGraph store."""
    try:
        connection = _open(file)
    except apsw.Error:
        return False
    try:
        return set(_columns(connection)) >= _NEEDED
    except apsw.Error:
        return False
    finally:
        connection.close()


def store_rows(file: bytes | Path) -> Iterator[dict[str, str | None]]:
    """The rows of that table, in the order of their names."""
    try:
        connection = _open(file)
        try:
            columns = [name for name in _columns(connection) if name in _FIELDS]
            chosen = ", ".join(f'cast("{name}" as text)' for name in columns)
            query = f"select {chosen} from main.store order by prefix, key"  # noqa: S608  # names of ours alone
            for row in connection.execute(query):
                yield dict(zip(columns, row, strict=True))
        finally:
            connection.close()
    except apsw.Error as error:
        raise InvalidInput("file", f"it cannot be read: {error}", "give a database that is not damaged") from error


def _open(file: bytes | Path) -> apsw.Connection:
    if isinstance(file, bytes):
        connection = apsw.Connection(":memory:")
        connection.deserialize("main", file)
    else:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(f"file:{quote(str(file.resolve()))}?mode=ro&immutable=1", flags=flags)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    return connection


def _columns(connection: apsw.Connection) -> list[str]:
    kinds = [row[0] for row in connection.execute("select type from sqlite_schema where name = 'store'")]
    if kinds != ["table"]:
        return []
    return [str(row[1]) for row in connection.execute("pragma main.table_info(store)")]
