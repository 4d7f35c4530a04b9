"""Whatever row of whatever table is changed or taken away behind the store's back: an answer is right, names what is
damaged, or is an error with a remedy. It is never silently less, and no error is a raw one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from memfort import FixedClock, Memory, Policy
from memfort.errors import StoreError
from memfort.model.moment import Moment
from memfort.store.port import PutReply, Reply
from memfort.store.sqlite import SqliteStore
from memfort.store.sqlite.migrate import migrate, shipped_migrations

# Rows that carry no seal and are no part of the index: what was changed there counts until the trail is verified, which
# names it (docs/durability.md). The trail itself is in four tables.
CHECKED_BY_THE_TRAIL = {
    "agent",
    "chat",
    "member",
    "share",
    "chain",
    "event",
    "checkpoint",
    "phase",
    "person",
    "relation",
}
# What only writing reads: numbers to go on from, and what budgets, lifetimes and newer statements look up.
ONLY_FOR_WRITING = {"author_sequence", "person_sequence", "tick_expiry", "change_key", "rejected_value", "source"}
# What a rebuild makes anew from the memories, whatever happened to it.
MADE_ANEW = {
    "partition",
    "partition_group",
    "partition_reader",
    "disclosed_partition",
    "entry",
    "removed_entry",
    "change_key",
    "subject",
    "tick_expiry",
    "person_name",
}
REMEDIES = (
    "run `store.reindex()`",
    "run `doctor()`",
    "restore the store",
    "put ",
    "erase or restore",
    "reinstall",
    "newer memfort",
)
WRONG = ["null", "999", "'other'", "x'00'"]


def settle(memory: Memory) -> None:
    """Something in every table."""
    memory.agent.register("helper", owner="alice")
    memory.chat.register("team", participants=["alice", "bob"], kind="group")
    for user in ("alice", "bob"):
        memory.member.add({"project": "apollo"}, user=user, trust="owner")
    project = {"project": "apollo"}
    alice, bob = memory.as_user("alice", **project), memory.as_user("bob", **project)
    alice.phase.start("tea time", space=project)
    tea = alice.remember("alice likes green tea", type="preference").id
    alice.remember("milk in tea", access={"users": ["alice"]}, space=project)
    noon = alice.remember("tea at noon for all", space=project).id
    alice.remember("so noon is tea time", space=project, derived_from=[noon])
    bob.remember("bob drinks black tea", space=project, access={"users": ["alice", "bob"]})
    memory.as_user("bob", chat="team").remember(
        "@alice is a tea taster", space={"user": "bob"}, subjects=["@alice"], portable=True
    )
    bob.remember("@alice makes good tea", space=project, subjects=["@alice"])
    bob.remember("another tea", space=project, ttl_ticks=40)
    carla = alice.people.add("Carla Tea", listed=True)
    alice.people.relate(carla.id, "friend", "@alice")
    alice.remember("Carla Tea drinks oolong tea", subjects=[carla.id])
    alice.share(user="bob")
    alice.correct(tea, "alice likes white tea")
    alice.forget(alice.remember("tea to forget").id)
    alice.review.reject(alice.remember("a rumour of tea", status="pending").id)
    alice.import_("\n".join(map(json.dumps, bob.export())).encode())
    memory.policy.use(Policy.from_dict({"extraction": {"send": ["public", "personal"]}}))
    memory.keys.create(user="alice")
    now = Moment(1_700_000_000_000_000)
    memory.store_in_use.apply([PutReply(Reply(b"key", b"request", now, b"answer", (tea,)), now)], [])
    alice.observe(["Is there any tea left?"])  # the turn waits for the extractor
    memory.trail.checkpoint()


@dataclass
class Asked:
    """What a reader gets: the texts, and the ids of damaged memories."""

    texts: list[str]
    damaged: bool


def answers(memory: Memory) -> Iterator[tuple[str, Callable[[], Asked]]]:
    def recall(who: Any) -> Asked:
        found = who.recall("tea", limit=50)
        return Asked(sorted(found.texts), bool(found.damaged))

    def listing(who: Any) -> Asked:
        page = who.list(limit=200)
        return Asked(sorted(item.text for item in page), bool(page.damaged))

    def export(who: Any) -> Asked:
        lines = list(who.export())
        return Asked(sorted(one["memory"]["text"] for one in lines if "memory" in one), "damaged" in lines[0])

    def about(who: Any) -> Asked:
        return Asked(sorted(one.text for one in who.about("@alice")), damaged=False)

    for name, asks in {"alice": (recall, listing, about), "bob": (recall, export)}.items():
        who = memory.as_user(name, project="apollo")
        for ask in asks:
            yield f"{name}.{ask.__name__}", lambda ask=ask, who=who: ask(who)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("damage") / "memory.db"
    clock = FixedClock(1_700_000_000_000_000)
    with Memory(SqliteStore(path, ballast_bytes=0), clock=clock, extractor=lambda _: {"statements": []}) as memory:
        settle(memory)
    return path


@pytest.fixture
def copied(original: Path, tmp_path: Path) -> Path:
    copy_of(original, tmp_path)
    return tmp_path / original.name


def copy_of(original: Path, folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    for suffix in ("", ".key"):
        shutil.copy(f"{original}{suffix}", folder)


def opened(path: Path) -> Memory:
    return Memory(SqliteStore(path, ballast_bytes=0), clock=FixedClock(1_700_000_100_000_000))


def damages(connection: apsw.Connection, table: str) -> Iterator[str]:
    """Statements that take rows of a table away or change them, as far as SQLite lets them through."""
    keys = [
        name for name, *_ in connection.execute("select name from pragma_table_info(?) where pk order by pk", (table,))
    ]
    one = f"({', '.join(keys)}) in (select {', '.join(keys)} from {table} order by {', '.join(keys)} limit 1 offset %d)"
    rows = connection.execute(f"select count(*) from {table}").get
    some = sorted({0, rows // 2, rows - 1})
    statements = [f"delete from {table}", *(f"delete from {table} where {one % row}" for row in some)]
    for (column,) in connection.execute("select name from pragma_table_info(?)", (table,)):
        for value in WRONG:
            statements.append(
                f"update {table} set {column} = {value} where {column} is not {value} and {one % (rows // 2)}"
            )
    for statement in statements:
        connection.execute("savepoint trial")
        try:
            connection.execute(statement)
            if connection.changes():
                yield statement
        except (apsw.ConstraintError, apsw.MismatchError, apsw.SQLError):
            pass
        finally:
            connection.execute("rollback to trial; release trial")


def tables() -> list[str]:
    connection = apsw.Connection(":memory:")
    migrate(connection, shipped_migrations())
    return [name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")]


def test_every_answer_has_something_to_lose(copied: Path) -> None:
    with opened(copied) as memory:
        for name, ask in answers(memory):
            assert ask().texts, name
            assert not ask().damaged, name
        assert memory.as_system().doctor(checks=["integrity"]).problems == []
    connection = apsw.Connection(str(copied))
    empty = {table for table in tables() if not connection.execute(f"select count(*) from {table}").get}
    assert empty <= {"erasure", "quarantine"}


@pytest.mark.parametrize("table", tables())
def test_damage_is_never_silently_less(original: Path, copied: Path, table: str) -> None:
    with opened(original) as memory:
        right = {name: ask().texts for name, ask in answers(memory)}
    connection = apsw.Connection(str(copied))
    wrong = []
    for statement in list(damages(connection, table)):
        copy_of(original, copied.parent)
        connection = apsw.Connection(str(copied))
        connection.execute(statement)
        connection.close()
        wrong += [f"{statement}: {one}" for one in silent_losses(copied, right, table)]
    assert wrong == []


def silent_losses(path: Path, right: dict[str, list[str]], table: str) -> Iterator[str]:
    """What is less than it was, without a word."""
    try:
        memory = opened(path)
    except StoreError as error:
        yield from without_remedy("open", error)
        return
    with memory:
        is_reported, silent = False, []
        for name, ask in answers(memory):
            try:
                found = ask()
            except StoreError as error:
                is_reported = True
                yield from without_remedy(name, error)
                continue
            if found.texts != right[name] and not found.damaged and table not in CHECKED_BY_THE_TRAIL:
                silent.append(f"{name} gave {found.texts}")
        problems = memory.as_system().doctor(checks=["integrity"]).problems
        if not any("no longer match their seal" in problem for _, problem in problems):
            yield from silent  # the reader of a memory torn from its partition is unknown, so the doctor names it
        if is_reported and not problems:
            yield "doctor has nothing to say"
        if table in MADE_ANEW:
            memory.store.reindex()
            found = {name: ask().texts for name, ask in answers(memory)}
            if found != right:
                yield "after a rebuild answers are not right"
            if left := memory.as_system().doctor(checks=["integrity"]).problems:
                yield f"after a rebuild: {left}"


def without_remedy(name: str, error: StoreError) -> Iterator[str]:
    if not any(word in str(error) for word in REMEDIES):
        yield f"{name} said without a remedy: {error}"
