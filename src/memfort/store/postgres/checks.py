"""Whether a database may be served from: each thing that is wrong, with what mends it.

A store is not opened while anything is. What row-level security promises depends on who connects, and what a commit
promises on how the server is set, so both are asked of the server and not taken for granted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg

from memfort.store.postgres.schema import (
    APP,
    OF_THE_SCHEMA,
    OWNER,
    UPKEEP,
    applied_migrations,
    check_applied,
    is_store,
    shipped_migrations,
    table_names,
)
from memfort.store.sql.copying.copy import MARK

OLDEST_SERVER = 17
HALF_COPIED = "a copy into this database is not finished; run the same `memfort store copy` again"
_SAFE_COMMITS = ("on", "remote_apply")

_WHO = """
select rolsuper, rolbypassrls,
  pg_has_role(current_user, %(owner)s, 'set') or pg_has_role(current_user, %(owner)s, 'usage'),
  pg_has_role(current_user, %(app)s, 'usage'),
  pg_has_role(current_user, %(upkeep)s, 'set'),
  pg_has_role(current_user, %(upkeep)s, 'usage')
from pg_roles
where rolname = current_user
"""
_ROLES = "select count(*) from pg_roles where rolname = any(%s)"
_OPEN_TABLES = """
select relname
from pg_class
join pg_namespace on pg_namespace.oid = relnamespace
where nspname = 'memfort'
  and relkind in ('r', 'p')
  and not (relrowsecurity and relforcerowsecurity)
order by relname
"""
_POLICIES = """
select pg_class.relname,
  coalesce(array_agg(polname || ' ' || polroles::regrole[]::text || ' ' || polpermissive order by polname), '{}')
from pg_class
join pg_namespace on pg_namespace.oid = relnamespace
left join pg_policy on polrelid = pg_class.oid
where nspname = 'memfort'
  and relkind in ('r', 'p')
  and not relname = any(%s)
group by pg_class.relname
order by pg_class.relname
"""
_UNORDERED = """
select distinct relname || '.' || attname
from pg_attribute
join pg_class on pg_class.oid = attrelid
join pg_namespace on pg_namespace.oid = relnamespace
join pg_collation on pg_collation.oid = attcollation
where nspname = 'memfort'
  and relkind in ('r', 'p')
  and attnum > 0
  and not relname = any(%s)
  and collname <> 'C'
order by 1
"""
_IS_HALF_COPIED = "select exists (select 1 from memfort.meta where name = %s)"
_TABLES = "select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = 'memfort'"


def problems(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Everything that keeps a store from being served from this connection, the most basic first. What cannot be looked
    at because of one is not looked at."""
    version = connection.info.server_version
    if version < OLDEST_SERVER * 10_000:
        yield f"the server is PostgreSQL {version // 10_000}; use {OLDEST_SERVER} or newer"
        return
    if not is_store(connection):
        yield "there is no store in this database; make one with `memfort store create URL`"
        return
    yield from _about_server(connection)
    roles = list(_about_roles(connection))
    yield from roles
    if not roles:
        yield from _about_schema(connection)
        yield from _about_walls(connection)
        yield from _about_contents(connection)


def _about_server(connection: psycopg.Connection[Any]) -> Iterator[str]:
    if _scalar(connection, "select pg_is_in_recovery()"):
        yield "the server is a standby, which shows what was true a while ago; name the one that is written to"
    elif _scalar(connection, "show default_transaction_read_only") == "on":
        yield "the login may not write; run `alter role LOGIN set default_transaction_read_only = off`"
    if (commit := _scalar(connection, "show synchronous_commit")) not in _SAFE_COMMITS:
        yield (
            f"`synchronous_commit` is `{commit}`, which can lose what was acknowledged; "
            "run `alter role LOGIN set synchronous_commit = on`"
        )
    if (encoding := _scalar(connection, "show server_encoding")) != "UTF8":
        remedy = "make one with `create database NAME encoding 'UTF8' template template0`"
        yield f"the database keeps text as {encoding}; {remedy}"


def _about_roles(connection: psycopg.Connection[Any]) -> Iterator[str]:
    mend = "make one with `memfort store create URL --user NAME`, and name it in the URL"
    if _scalar(connection, _ROLES, [[OWNER, APP, UPKEEP]]) != 3:
        yield "the roles of the store are missing; run `memfort store upgrade URL` as an administrator"
        return
    named = {"owner": OWNER, "app": APP, "upkeep": UPKEEP}
    found = connection.execute(_WHO, named).fetchone()
    assert found is not None
    is_super, bypasses, owns, uses, may_keep_up, keeps_up = found
    if is_super or bypasses:
        yield f"this login is a superuser or passes by row-level security, so nothing would hold it back; {mend}"
    elif owns:
        yield f"this login can act as `{OWNER}`, who can take the walls down; {mend}"
    elif keeps_up:
        yield f"this login has the rights of `{UPKEEP}` all the time, so nothing would hold it back; {mend}"
    elif not uses or not may_keep_up:
        yield "this login may not use the store; run `memfort store create URL --user NAME` as an administrator"


def _about_schema(connection: psycopg.Connection[Any]) -> Iterator[str]:
    applied, migrations = applied_migrations(connection), shipped_migrations()
    if not check_applied(applied or [], migrations):
        yield "the store is of an earlier version; run `memfort store upgrade URL` as an administrator"
        return
    found = {name for (name,) in connection.execute(_TABLES)}
    if missing := sorted(set(table_names()) - found):
        yield f"tables are missing ({', '.join(missing)}); restore the database from a copy"


def _about_walls(connection: psycopg.Connection[Any]) -> Iterator[str]:
    mend = "restore the database from a copy, or make the store anew"
    if without := [name for (name,) in connection.execute(_OPEN_TABLES)]:
        force = "run `alter table … force row level security`"
        yield f"row-level security is off for {', '.join(without)}; {force}, or {mend}"
    expected = [f"opened {{{APP}}} true", f"upkeep {{{UPKEEP}}} true"]
    other = [name for name, found in connection.execute(_POLICIES, [list(OF_THE_SCHEMA)]) if found != expected]
    if other:
        yield f"the policies of {', '.join(other)} are not those of the store; {mend}"
    if unordered := [name for (name,) in connection.execute(_UNORDERED, [list(OF_THE_SCHEMA)])]:
        yield f'{", ".join(unordered)} are not ordered byte by byte (collation "C"); {mend}'


def _about_contents(connection: psycopg.Connection[Any]) -> Iterator[str]:
    with connection.transaction():
        connection.execute(f"set local role {UPKEEP}")
        if _scalar(connection, _IS_HALF_COPIED, [MARK]):
            yield HALF_COPIED


def _scalar(connection: psycopg.Connection[Any], query: str, values: Any = ()) -> Any:
    found = connection.execute(query, values).fetchone()
    return None if found is None else found[0]
