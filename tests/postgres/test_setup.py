"""Making, renewing and examining a store, and what keeps one from being opened: a sentence each, with the remedy."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.postgres.conftest import LOGIN, Databases

from memfort import Memory
from memfort.errors import InvalidInput, KeyMismatch, MemfortError, SchemaMismatch, StoreError
from memfort.store.postgres import schema, setup
from memfort.store.postgres.setup import check_store, create_store, upgrade_store
from memfort.surfaces.cli.root import root

PASSWORD = "korrekt-pferd-" + "batterie"


def run(*given: str) -> Any:
    return CliRunner().invoke(root, list(given))


def test_a_store_is_made_checked_and_used_from_the_command_line(
    databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMFORT_NEW_PASSWORD", PASSWORD)
    name = f"made_{databases.new()}"
    with databases.server.admin() as admin:
        admin.execute(f"create database {name}")
    key = tmp_path / "store.key"
    url, used = (f"{databases.server.url(name, user)}&key_file={key}" for user in ("postgres", "teller"))
    made = run("store", "create", url, "--user", "teller", "--partitions", "3")
    assert (made.exit_code, "`teller` may use it" in made.output) == (0, True), made.output
    assert key.stat().st_mode & 0o077 == 0
    assert run("store", "check", used).output.strip() == "the store can be served"
    assert run("--store", used, "--as", "alice", "remember", "I prefer the window seat").exit_code == 0
    found = run("--store", used, "--as", "alice", "recall", "window seat")
    assert "I prefer the window seat" in found.output
    assert run("--store", used, "doctor").exit_code == 0
    again = run("store", "create", url, "--user", "teller")
    assert (again.exit_code, key.exists()) == (0, True)
    assert "I prefer the window seat" in run("--store", used, "--as", "alice", "recall", "window seat").output
    assert PASSWORD not in made.output
    with databases.server.admin() as admin:
        admin.execute(f"drop database {name} with (force)")


# What is wrong with a database, how it comes about, and what is said of it.
WRONG: dict[str, tuple[str, str]] = {
    "walls down": ("alter table memfort.item no force row level security", "row-level security is off for item"),
    "another policy": ("create policy open on memfort.item to public using (true)", "the policies of item"),
    "lost commits": (f"alter role {LOGIN} in database {{}} set synchronous_commit = off", "synchronous_commit"),
    "reads alone": (f"alter role {LOGIN} in database {{}} set default_transaction_read_only = on", "may not write"),
    "another order": (
        'alter table memfort.chat alter column id type text collate "default"',
        "not ordered byte by byte",
    ),
    "no schema": ("drop schema memfort cascade", "there is no store in this database"),
    "no table": ("drop table memfort.removed_entry", "tables are missing (removed_entry)"),
    "older": ("delete from memfort.migration", "run `memfort store upgrade URL`"),
    "newer": ("insert into memfort.migration values (9999, 'later', '')", "open it with a newer memfort"),
    "altered": ("update memfort.migration set sha256 = ''", "applied with other contents"),
    "another key": ("update memfort.meta set value = '\"00\"' where name = 'key'", "belongs to another store"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_database_that_would_not_keep_the_promises_is_not_opened(databases: Databases, wrong: str) -> None:
    name = databases.new()
    Memory.open(databases.url(name)).close()
    statement, said = WRONG[wrong]
    with databases.server.admin(name) as admin:
        admin.execute(statement.format(name))
    with pytest.raises((SchemaMismatch, KeyMismatch)) as refused:
        Memory.open(databases.url(name))
    assert said in str(refused.value)
    try:
        found = check_store(databases.url(name))
    except MemfortError as error:
        found = [str(error)]
    assert any(said in one for one in found)


def test_a_login_that_the_walls_do_not_hold_is_not_let_in(databases: Databases) -> None:
    name = databases.new()
    with databases.server.admin() as admin:
        for role, rights in (("passer", "bypassrls"), ("owning", ""), ("always", ""), ("nobody_yet", "")):
            admin.execute(f"create role {role}_{name} login {rights}")
        admin.execute(f"grant {schema.OWNER} to owning_{name}")
        admin.execute(f"grant {schema.APP} to always_{name}, owning_{name}")
        admin.execute(f"grant {schema.UPKEEP} to always_{name} with inherit true")
    said = {
        "postgres": "is a superuser",
        f"passer_{name}": "passes by row-level security",
        f"owning_{name}": "can act as `memfort_owner`",
        f"always_{name}": "has the rights of `memfort_upkeep` all the time",
    }
    for user, problem in said.items():
        with pytest.raises(StoreError, match=problem):
            Memory.open(f"{databases.server.url(name, user)}&key_file={databases.key_file}")
    with databases.server.admin() as admin:
        for user in list(said)[1:]:
            admin.execute(f"drop role {user}")
        admin.execute(f"drop role nobody_yet_{name}")


# A URL with something wrong in it, by what has to be said.
URLS: dict[str, tuple[Callable[[Databases], str], type[MemfortError]]] = {
    "cannot be reached": (lambda _: "postgresql://memfort@127.0.0.1:1/memories", StoreError),
    "there is no such database": (lambda one: one.server.url("absent", LOGIN), StoreError),
    "does not know this user": (lambda one: one.server.url("postgres", "stranger"), StoreError),
    "is no number": (lambda one: one.new_url() + "&pool_size=many", InvalidInput),
    "neither `on` nor `off`": (lambda one: one.new_url() + "&pgbouncer=perhaps", InvalidInput),
    "invalid URI query parameter": (lambda one: one.new_url() + "&sslmood=require", InvalidInput),
    "names no database": (lambda _: "postgresql://", InvalidInput),
    "there is no engine `postgresq://`": (lambda _: "postgresq://localhost/memories", InvalidInput),
    "is missing": (lambda one: one.server.url(one.new(), LOGIN) + "&key_file=/nowhere/store.key", KeyMismatch),
}


@pytest.mark.parametrize("said", URLS)
def test_a_wrong_url_is_said_in_one_sentence(databases: Databases, said: str) -> None:
    url, kind = URLS[said]
    with pytest.raises(kind) as refused:
        Memory.open(url(databases))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_error_and_no_name_shows_a_password(databases: Databases) -> None:
    for place in ("127.0.0.1:1/memories", "127.0.0.1:1/memories?sslmood=x", "127.0.0.1:port/memories"):
        with pytest.raises(MemfortError) as refused:
            Memory.open(f"postgresql://memfort:{PASSWORD}@{place}")
        told = "".join(traceback.format_exception(refused.value))
        assert PASSWORD not in told
    url = databases.new_url().replace(f"{LOGIN}@", f"{LOGIN}:{PASSWORD}@")
    with Memory.open(url) as memory:
        assert PASSWORD not in f"{memory!r} {memory.store.info()} {memory._engine.store!r}"


def test_an_upgrade_applies_what_is_missing_and_says_so(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> None:
    name = databases.new()
    administrator = f"{databases.server.url(name)}&key_file={databases.key_file}"
    assert upgrade_store(administrator).applied == ()
    first = schema.shipped_migrations()
    later = schema.Migration(2, "0002_later.sql", "create table later (\n  space uuid primary key\n);")
    for module in (schema, setup, setup.problems.__globals__):
        place = module if isinstance(module, dict) else vars(module)
        monkeypatch.setitem(place, "shipped_migrations", lambda: [*first, later])
    with pytest.raises(SchemaMismatch, match="earlier version"):
        Memory.open(databases.url(name))
    assert upgrade_store(administrator).applied == ("0002_later.sql",)
    Memory.open(databases.url(name)).close()


def test_who_may_not_make_a_store_is_told_so_and_nothing_is_left(databases: Databases) -> None:
    with databases.server.admin() as admin:
        admin.execute(f"create database bare_{databases.new()} owner postgres")
        (name,) = admin.execute("select datname from pg_database where datname like 'bare_%'").fetchone() or ("",)
    with pytest.raises(StoreError, match="may not make a store"):
        create_store(databases.server.url(name, LOGIN))
    with databases.server.admin(name) as admin:
        assert admin.execute("select to_regclass('memfort.item')").fetchone() == (None,)
    with databases.server.admin() as admin:
        admin.execute(f"drop database {name}")
