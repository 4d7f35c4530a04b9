"""Every statement of the PostgreSQL store goes where it says: to the spaces it names, or openly to the whole store."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memfort.store.postgres import statements
from memfort.store.postgres.schema import table_names
from memfort.store.postgres.statements import STATEMENTS
from memfort.store.sql.queries import load_queries
from memfort.store.sqlite.connection import QUERIES

FILE = Path(statements.__file__).with_name("queries.sql")
TEXT = FILE.read_text()
# What this engine does otherwise: a backup is a file of SQLite, and locks and numbers of spaces are rows here.
ONLY_SQLITE = {
    "make_backup_note",
    "has_backup_note",
    "put_backup_note",
    "backup_note",
    "drop_backup_note",
    "bump_version",
}
# Statements that name no space: they follow a person, an author or a memory through all spaces, or maintain the store.
WHOLE_STORE = {name for name, one in STATEMENTS.items() if one.is_whole}
FORBIDDEN = re.compile(
    r"\b(listen|notify|nextval|serial|create extension|advisory|create trigger|create sequence|foreign key"
    r"|references)\b"
)
_TABLE = re.compile(rf"\b(?:from|join|update|into)\s+({'|'.join(table_names())})\b(?:\s+as\s+(\w+))?")


def test_this_engine_has_every_statement_of_the_other() -> None:
    assert set(QUERIES) - ONLY_SQLITE <= set(STATEMENTS)


@pytest.mark.parametrize("name", sorted(set(STATEMENTS) - WHOLE_STORE))
def test_a_statement_names_the_space_of_each_of_its_tables(name: str) -> None:
    unrouted = unrouted_tables(STATEMENTS[name].sql)
    assert not unrouted, f"`{name}` does not say in which space `{', '.join(unrouted)}` is read"


def test_a_statement_that_forgets_the_space_is_noticed() -> None:
    assert unrouted_tables("select no from item where id = $1") == ["item"]
    assert unrouted_tables("select no from item where space = $1::uuid and id = $2") == []
    joined = "select 1 from item join entry on entry.item = item.no where item.space = $1::uuid"
    assert unrouted_tables(joined) == ["entry"]


def test_what_goes_through_the_whole_store_is_for_maintenance_or_follows_a_person_or_an_author() -> None:
    allowed = re.compile(
        r"^(all_|clear_|count_|items_after|items_without|entries_|disclosed_|partition_|restore_|restart_|drop_|spaces_"
        r"|chains_|last_stamp|bump_all_versions|due_turns|origins|items_promoted|items_disclosed_by_id|items_of_author|add_person_name)"
    )
    assert [name for name in sorted(WHOLE_STORE) if not allowed.match(name)] == []


def test_no_statement_and_no_migration_uses_what_cannot_be_spread_over_servers() -> None:
    migrations = Path(statements.__file__).with_name("migrations").glob("*.sql")
    for text in [TEXT, *(file.read_text() for file in migrations)]:
        said = "\n".join(line.split("--")[0] for line in text.lower().split("\n"))
        assert FORBIDDEN.findall(said) == []


def unrouted_tables(sql: str) -> list[str]:
    """The tables in a statement that no condition ties to a space which it is given. A condition without the name of a
    table is about the one table of its part of the statement, so each accounts for one."""
    if sql.lstrip().startswith("lock"):
        return []
    named = [alias or table for table, alias in _TABLE.findall(sql)]
    if sql.lstrip().startswith("insert") and re.search(r"\(space\b", sql):
        named = named[1:]  # a row is put where its first column says
    given = r"(?:any\(|coalesce\()?\$\d+"
    tied = {"asked", "excluded"} | set(re.findall(rf"\b(\w+)\.space = {given}", sql))
    equal = re.findall(r"\b(\w+)\.space = (\w+)\.(?:space|item_space|child_space|home_space)", sql)
    for _ in equal:  # a table can be tied to one that is tied to another
        tied |= {one for pair in equal if tied.intersection(pair) for one in pair}
    left = [one for one in named if one not in tied]
    unnamed = len(re.findall(rf"(?<![.\w])space = {given}", sql))
    return left[unnamed:] if unnamed < len(left) else []


def test_statements_of_both_engines_take_as_many_values() -> None:
    """A column that is added on one side is added on the other."""
    last = re.compile(r"[?@#&](?:person|about)?(\d+)")
    here = {name.split(" (")[0]: text for name, text in load_queries(FILE).items()}

    def count(text: str) -> int:
        return max(map(int, last.findall(text)), default=0)

    shared = set(here) & set(QUERIES) - {"items_in_quarantine"}
    assert {name for name in shared if count(here[name]) != count(QUERIES[name])} == set()
