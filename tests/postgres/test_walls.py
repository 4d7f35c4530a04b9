"""Row-level security: a second wall behind the statements, which holds when the statement is somebody else's."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors
from tests.postgres.conftest import LOGIN, Databases

from memfort import Memory
from memfort.store.postgres.schema import OF_THE_SCHEMA, OWNER, table_names

TABLES = sorted(table_names())


@pytest.fixture
def database(databases: Databases) -> str:
    """A database in which every kind of thing is kept."""
    name = databases.new()
    with Memory.open(databases.url(name), judge="on_demand") as memory:
        alice = memory.as_user("alice")
        alice.remember("I like green tea", sensitivity="public")
        alice.remember("Bob plays chess on Mondays", subjects=["@bob"], sensitivity="public")
        memory.as_user("bob").remember("I live in Lyon", sensitivity="public")
        alice.forget(alice.remember("I owned a red bicycle", sensitivity="public").id)
    return name


@pytest.fixture
def as_login(databases: Databases, database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(databases.server.url(database, LOGIN), autocommit=True) as connection:
        yield connection


def rows_in(connection: psycopg.Connection, table: str) -> int:
    found = connection.execute(f"select count(*) from memfort.{table}").fetchone()
    assert found is not None
    return int(found[0])


def rows_there(databases: Databases, database: str) -> dict[str, int]:
    with databases.server.admin(database) as admin:
        return {table: rows_in(admin, table) for table in TABLES}


def test_without_a_sight_the_login_sees_no_row_of_any_table(
    databases: Databases, database: str, as_login: psycopg.Connection
) -> None:
    there = rows_there(databases, database)
    assert {"item", "entry", "event", "space", "chain", "meta"} <= {one for one in there if there[one]}
    assert {table: rows_in(as_login, table) for table in TABLES} == dict.fromkeys(TABLES, 0)
    for table in OF_THE_SCHEMA:
        with pytest.raises(errors.InsufficientPrivilege):
            rows_in(as_login, table)


def test_what_an_earlier_transaction_opened_stays_closed(
    databases: Databases, database: str, as_login: psycopg.Connection
) -> None:
    spaces = _spaces(databases, database)
    open_all = "select set_config('memfort.spaces', %s, %s), set_config('memfort.at', now()::text, %s)"
    with as_login.transaction():
        as_login.execute(open_all, (spaces, False, False))  # for the whole session, as a careless program might
        assert rows_in(as_login, "item") == rows_there(databases, database)["item"]
    assert {table: rows_in(as_login, table) for table in TABLES} == dict.fromkeys(TABLES, 0)
    with as_login.transaction():
        assert rows_in(as_login, "item") == 0


def test_a_space_shows_its_own_rows_and_no_others(
    databases: Databases, database: str, as_login: psycopg.Connection
) -> None:
    with databases.server.admin(database) as admin:
        found = admin.execute("select space, count(*) from memfort.item group by space").fetchall()
    assert len(found) > 1
    for space, count in found:
        with as_login.transaction():
            as_login.execute(
                "select set_config('memfort.spaces', %s, true), set_config('memfort.at', now()::text, true)",
                (str(space),),
            )
            seen = as_login.execute("select space, count(*) from memfort.item group by space").fetchall()
        assert seen == [(space, count)]


def test_the_login_can_write_nothing_where_nothing_is_open(
    databases: Databases, database: str, as_login: psycopg.Connection
) -> None:
    before = rows_there(databases, database)
    for table in TABLES:
        assert as_login.execute(f"delete from memfort.{table}").rowcount == 0
        for forbidden in ("truncate memfort.{}", "alter table memfort.{} disable row level security"):
            with pytest.raises(errors.InsufficientPrivilege):
                as_login.execute(forbidden.format(table))
    assert rows_there(databases, database) == before


def test_an_insert_into_a_closed_space_says_the_same_whether_the_id_is_there_or_not(
    databases: Databases, database: str, as_login: psycopg.Connection
) -> None:
    with databases.server.admin(database) as admin:
        found = admin.execute("select space, name from memfort.meta where name = 'key'").fetchone()
    assert found is not None
    space, taken = found
    said = []
    for name in (taken, "absent"):
        with pytest.raises(errors.InsufficientPrivilege) as refused:
            as_login.execute("insert into memfort.meta (space, name, value) values (%s, %s, 'null')", (space, name))
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_every_table_has_its_walls_up(databases: Databases, database: str) -> None:
    with databases.server.admin(database) as admin:
        found = admin.execute(
            "select relname, relrowsecurity and relforcerowsecurity, relowner::regrole::text from pg_class "
            "where relnamespace = 'memfort'::regnamespace and relkind in ('r', 'p')"
        ).fetchall()
    assert {name for name, *_ in found} >= {*TABLES, *OF_THE_SCHEMA}
    assert all(walls for _, walls, _ in found)
    assert {owner for *_, owner in found} == {OWNER}


def _spaces(databases: Databases, database: str) -> str:
    with databases.server.admin(database) as admin:
        return ",".join(str(space) for (space,) in admin.execute("select space from memfort.space_lock").fetchall())
