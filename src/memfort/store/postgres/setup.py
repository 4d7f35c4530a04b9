"""Making a store in a database, bringing it up to date, looking it over, and opening it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import platformdirs
import psycopg
from msgspec import Struct
from psycopg import errors, sql

from memfort.errors import InvalidInput, KeyMismatch, SchemaMismatch, StoreError
from memfort.store.port import ANALYZER, Store, new_keys
from memfort.store.port.key_text import key_from_text, key_to_text
from memfort.store.postgres.address import Address, read_address
from memfort.store.postgres.checks import HALF_COPIED, OLDEST_SERVER, problems
from memfort.store.postgres.schema import (
    PARTITIONS,
    UPKEEP,
    applied_migrations,
    make_roles,
    migrate,
    shipped_migrations,
)
from memfort.store.postgres.statements import DIRECTORY
from memfort.store.postgres.store import PostgresStore
from memfort.store.sql.store import SqlStore
from memfort.trail.keys import Keys

PASSWORD = "MEMFORT_NEW_PASSWORD"  # the variable with the password of a login that is made  # noqa: S105
_PUT_META = "insert into memfort.meta (space, name, value) values (%s, %s, to_jsonb(%s::text)) on conflict do nothing"
_MOST_PARTITIONS = 1024


class Created(Struct, frozen=True):
    """What `create_store` made."""

    database: str  # for people
    key_file: Path
    login: str | None
    login_is_new: bool = False
    has_password: bool = False


class Upgraded(Struct, frozen=True):
    """What `upgrade_store` applied."""

    database: str
    applied: tuple[str, ...]


def create_store(url: str, *, login: str | None = None, partitions: int = PARTITIONS) -> Created:
    """Make a store in an empty or other database, as an administrator. With `login`, that role may use it; it is made
    if it is not there. In a database that has a store already, only the login is let in."""
    if not 1 <= partitions <= _MOST_PARTITIONS:
        raise InvalidInput("partitions", f"`{partitions}` is not from 1 to {_MOST_PARTITIONS}", "leave it out for 16")
    address = read_address(url)
    with _administrator(address) as admin:
        is_new, has_password = _make_login(admin, login)
        make_roles(admin, login)
        migrate(admin, shipped_migrations(), partitions)
        key_file = _settle_key(admin, address)
    return Created(address.shown, key_file, login, is_new, has_password)


def upgrade_store(url: str) -> Upgraded:
    """Bring a store up to date, as an administrator."""
    address = read_address(url)
    with _administrator(address) as admin:
        make_roles(admin)
        if applied_migrations(admin) is None:
            raise SchemaMismatch("there is no store in this database; make one with `memfort store create URL`")
        fresh = migrate(admin, shipped_migrations(), PARTITIONS)
    return Upgraded(address.shown, tuple(one.name for one in fresh))


def check_store(url: str) -> list[str]:
    """Everything that keeps a store from being served, each with what mends it."""
    address = read_address(url)
    with connected(address) as connection:
        found = list(problems(connection))
        if not found:
            try:
                _read_keys(address, _known_fingerprint(connection))
            except KeyMismatch as error:
                found.append(str(error))
    return found


def open_store(url: str) -> PostgresStore:
    """Open a store, unless something is wrong with it."""
    address = read_address(url)
    with connected(address) as connection:
        _refuse_problems(connection)
        keys = _read_keys(address, _known_fingerprint(connection))
    return PostgresStore(address, keys=keys)


@contextmanager
def new_copy(url: str, source: Store) -> Iterator[PostgresStore]:
    """A store that is made and empty, or half copied, to become a copy of `source`. It must have the same key."""
    address = read_address(url)
    with connected(address) as connection:
        _refuse_problems(connection, but=HALF_COPIED)
        known = _known_fingerprint(connection)
    if known != source.keys.fingerprint:
        raise KeyMismatch(
            f"the store in {address.shown} has another key than the one to be copied; make it in an empty database "
            "with `memfort store create URL?key_file=FILE`, where FILE is a copy of that one's key file"
        )
    store = PostgresStore(address, keys=source.keys)
    try:
        if not store.may_copy_from(cast(SqlStore, source)):
            raise StoreError(
                f"{address.shown} holds something already, or the source has changed since the copy began; "
                "make a store in an empty database, and copy into that"
            )
        yield store
    finally:
        store.close()


def _refuse_problems(connection: psycopg.Connection[Any], but: str | None = None) -> None:
    for problem in problems(connection):
        if problem != but:
            raise SchemaMismatch(problem)


@contextmanager
def connected(address: Address) -> Iterator[psycopg.Connection[Any]]:
    """A connection of its own; what keeps it from being made is said in one sentence."""
    try:
        connection = psycopg.connect(address.conninfo, **address.options, autocommit=True)
    except psycopg.OperationalError as error:
        raise _unreachable(error, address) from None
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _administrator(address: Address) -> Iterator[psycopg.Connection[Any]]:
    with connected(address) as admin:
        if admin.info.server_version < OLDEST_SERVER * 10_000:
            raise StoreError(
                f"the server is PostgreSQL {admin.info.server_version // 10_000}; use {OLDEST_SERVER} or newer"
            )
        try:
            yield admin
        except errors.InsufficientPrivilege:
            raise StoreError(
                f"this login may not make a store in {address.shown}; connect as the owner of the database with the "
                "right to make roles (`createrole`), or as a superuser"
            ) from None
        except errors.CharacterNotInRepertoire:
            raise StoreError(f"{address.shown} does not keep text as UTF-8; make one that does") from None


_NOT_LET_IN = "{} did not accept the password; put the right one into PGPASSWORD, a service file or ~/.pgpass"
# What the library says when no connection can be made, and what that means. The first that fits counts.
_REASONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("password authentication failed",), _NOT_LET_IN),
    (("no password supplied",), _NOT_LET_IN),
    (("database", "does not exist"), "there is no such database: {}; make it with `createdb`, or correct its name"),
    (("role", "does not exist"), "{} does not know this user; correct it in the URL, or make it"),
    (("pg_hba.conf",), "{} does not let this user in from here; see `pg_hba.conf` on the server"),
    (("peer authentication",), "{} lets this user in under their own name alone; see `pg_hba.conf` on the server"),
    (("too many",), "{} has no connection left; raise `max_connections`, or lower `pool_size` in the URL"),
    (("remaining connection slots",), "{} has no connection left; raise `max_connections`, or lower `pool_size`"),
    (("starting up",), "{} is starting; try again in a moment"),
    (("shutting down",), "{} is stopping; try again in a moment"),
    (("ssl",), "{} and this machine do not agree on TLS; see `sslmode` and `sslrootcert` in the URL"),
    (("certificate",), "{} and this machine do not agree on TLS; see `sslmode` and `sslrootcert` in the URL"),
)


def _unreachable(error: psycopg.OperationalError, address: Address) -> StoreError:
    """Why no connection could be made. The library's words are looked at and not passed on: they can be long, and say
    the same once for every address of a host."""
    said = str(error).lower()
    for words, meaning in _REASONS:
        if all(word in said for word in words):
            return StoreError(meaning.format(address.shown))
    return StoreError(
        f"{address.shown} cannot be reached; check that the server runs, and the host and port in the URL"
    )


# -- the login and the key -------------------------------------------------------------------------------------------


def _make_login(admin: psycopg.Connection[Any], login: str | None) -> tuple[bool, bool]:
    """Make a role that can log in, if it is not there; says whether it was made, and whether with a password."""
    if login is None:
        return False, False
    if admin.execute("select 1 from pg_roles where rolname = %s", (login,)).fetchone() is not None:
        return False, False
    password = os.environ.get(PASSWORD)
    admin.execute(sql.SQL("create role {} login").format(sql.Identifier(login)))
    if password:
        encrypted = admin.pgconn.encrypt_password(password.encode(), login.encode(), b"scram-sha-256").decode()
        admin.execute(sql.SQL("alter role {} password {}").format(sql.Identifier(login), sql.Literal(encrypted)))
    return True, bool(password)


def _settle_key(admin: psycopg.Connection[Any], address: Address) -> Path:
    """The file with the store's key: that of a store which has one already, or a new one."""
    if (known := _known_fingerprint(admin)) is not None:
        _read_keys(address, known)
        return _key_file(address, known)
    keys = new_keys.make_keys()
    if address.key_file is not None and address.key_file.exists():
        keys = _read_key_file(address.key_file)
    path = _key_file(address, keys.fingerprint)
    if not path.exists():
        _write_key_file(path, keys)
    with admin.transaction():
        admin.execute(f"set local role {UPKEEP}")
        admin.execute(_PUT_META, (str(DIRECTORY), "words", ANALYZER))
        admin.execute(_PUT_META, (str(DIRECTORY), "key", keys.fingerprint))
    return path


def _known_fingerprint(connection: psycopg.Connection[Any]) -> str | None:
    with connection.transaction():
        connection.execute(f"set local role {UPKEEP}")
        found = connection.execute("select value #>> '{}' from memfort.meta where name = 'key'").fetchone()
    return None if found is None else str(found[0])


def _key_file(address: Address, fingerprint: str) -> Path:
    if address.key_file is not None:
        return address.key_file
    return platformdirs.user_config_path("memfort") / "keys" / f"{fingerprint}.key"


def _read_keys(address: Address, fingerprint: str | None) -> Keys:
    if fingerprint is None:
        raise KeyMismatch("the store does not say which key it has; restore the database from a copy")
    path = _key_file(address, fingerprint)
    if not path.exists():
        raise KeyMismatch(
            f"the key file `{path}` is missing; copy it from the machine where the store was made, or name it in the "
            "URL with `key_file=…`"
        )
    keys = _read_key_file(path)
    if keys.fingerprint != fingerprint:
        raise KeyMismatch(f"the key file `{path}` belongs to another store; name the right one with `key_file=…`")
    return keys


def _read_key_file(path: Path) -> Keys:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KeyMismatch(f"the key file `{path}` cannot be read; put the right one back") from error
    return key_from_text(text, path)


def _write_key_file(path: Path, keys: Keys) -> None:
    """Readable by its owner alone, and whole or not there."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(key_to_text(keys) + "\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
