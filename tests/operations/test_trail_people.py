"""Replaying the trail gives people and relations too: one added, changed or taken away behind its back is named."""

from __future__ import annotations

import pytest

from memfort import Memory, Policy
from memfort.operations.upkeep.rekey import renew_key
from memfort.store.sqlite import SqliteStore
from memfort.testing.strategies import HOSTILE_NAMES

HOME = {"user": "alice"}


def settle(memory):
    """People of every sort, some of them changed, merged and dropped again."""
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    alice.people.add("Sarah", aliases=["Sal"], relation="wife", listed=True)
    alice.people.add("Tom", space=HOME)
    bob.people.update("me", name="Robert")
    gone = alice.people.add("Sally", listed=True)
    alice.people.merge(alice.people.find("Sarah")[0].id, gone.id)
    alice.people.relate("me", "friend", alice.people.find("Tom")[0].id)
    alice.people.relate("me", "boss", "@bob")
    alice.people.unrelate("me", "boss", "@bob")
    alice.people.drop(alice.people.add("Zoe", listed=True).id)
    return alice


def broken(memory):
    return [one.problem.removesuffix(" differs from the trail") for one in memory.trail.verify().broken]


def test_the_trail_records_all_people(memory):
    alice = settle(memory)
    assert memory.trail.verify().ok
    assert {person.name for person in alice.people.list()} == {"Sarah", "Tom", "Robert", "Sally"}


def test_unusual_names_do_not_collide(memory):
    for name in HOSTILE_NAMES:
        bound = memory.as_user(name)
        bound.people.add("Sarah", relation="wife", space={"user": name})
        bound.people.update("me", name="Somebody")
    assert memory.trail.verify().ok
    assert len(memory.as_system().people.list(limit=1000)) == len(HOSTILE_NAMES)


SARAH = "(select person from person_name where name = 'sarah')"
TOUCHED = {
    "person-inserted": (
        f"insert into person select 'per_x', home, record, seal from person where id = {SARAH}",
        [],
        "the person `per_x`",
    ),
    "person-renamed": (
        f"update person set record = replace(record, 'Sarah', 'Sandy') where id = {SARAH}",
        ["person `{Sarah}`"],
        "the person `{Sarah}`",
    ),
    "person-made-known-to-all": (
        "update person set home = 0 where home <> 0",
        ["person `{Tom}`"],
        "the person `{Tom}`",
    ),
    "person-redirected": (
        'update person set record = replace(record, \'"merged_into":null\', \'"merged_into":"@mallory"\') '
        f"where id = {SARAH}",
        ["person `{Sarah}`"],
        "the person `{Sarah}`",
    ),
    "person-deleted": (f"delete from person where id = {SARAH}", ["person `{Sarah}`"], None),
    "user-deleted": ("delete from person where id = '@bob'", ["person `@bob`"], None),
    "relation-inserted": (
        "insert into relation select 'rel_x', home, from_person, to_person, record, seal from relation where home = 0",
        [],
        "the relation `rel_x`",
    ),
    "relation-changed": (
        "update relation set to_person = '@mallory' where home = 0",
        ["relation `{wife}`"],
        "the relation `{wife}`",
    ),
    "relation-deleted": ("delete from relation where home = 0", ["relation `{wife}`"], None),
}


@pytest.mark.parametrize("touch", TOUCHED)
def test_a_tampered_person_is_named_and_ignored(on_disk, touch):
    memory, raw = on_disk
    alice = memory.as_user("alice")
    ids = {person.name: person.id for person in alice.people.list()}
    ids |= {one.term: one.id for one in alice.people.relations("me")}
    statement, named, damaged = TOUCHED[touch]
    raw.execute(statement)
    assert raw.changes() >= 1
    assert broken(memory) == [name.format(**ids) for name in named]
    problems = [problem for what, problem in memory.as_system().doctor(checks=["integrity"]).problems if what == "rows"]
    if damaged is not None:
        assert damaged.format(**ids) in problems[0]
    shown = str(alice.people.list()) + str(alice.people.relations("me"))
    assert not any(word in shown for word in ("per_x", "rel_x", "Sandy", "mallory"))


def test_a_dropped_person_put_back_is_named(on_disk):
    memory, raw = on_disk
    alice = memory.as_user("alice")
    (tom,) = alice.people.find("Tom")
    row = raw.execute("select * from person where id = ?", (tom.id,)).fetchone()
    alice.people.drop(tom.id)
    assert memory.trail.verify().ok
    raw.execute("insert into person values (?, ?, ?, ?)", row)
    assert broken(memory) == [f"person `{tom.id}`"]


def test_an_older_state_put_back_is_named(on_disk):
    memory, raw = on_disk
    alice = memory.as_user("alice")
    (sarah,) = alice.people.find("Sarah")
    row = raw.execute("select * from person where id = ?", (sarah.id,)).fetchone()
    alice.people.update(sarah.id, name="Sandra")
    raw.execute("replace into person values (?, ?, ?, ?)", row)
    assert broken(memory) == [f"person `{sarah.id}`"]


def test_a_name_inserted_by_hand_is_ignored_and_reindex_repairs_it(on_disk):
    memory, raw = on_disk
    alice = memory.as_user("alice")
    raw.execute(f"insert into person_name select 'mallory', person from person_name where person = {SARAH} limit 1")
    raw.execute("delete from person_name where name = 'robert'")
    assert (alice.people.find("mallory"), alice.people.find("Robert")) == ([], [])
    assert [what for what, _ in memory.as_system().doctor(checks=["integrity"]).problems] == ["index"]
    memory.store.reindex()
    assert len(alice.people.find("Robert")) == 1
    assert memory.as_system().doctor(checks=["integrity"]).problems == []


def test_renewing_the_key_keeps_people_and_relations(tmp_path, clock):
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path, ballast_bytes=0), clock=clock) as memory:
        settle(memory)
        before = memory.as_user("alice").people.list(), memory.as_user("alice").people.relations("me")
    path.with_name("memory.db.key").unlink()
    renew_key(path, policy=Policy(), surface="cli")
    with Memory(SqliteStore(path, ballast_bytes=0), clock=clock) as memory:
        alice = memory.as_user("alice")
        assert (alice.people.list(), alice.people.relations("me")) == before
        assert (memory.as_system().doctor(checks=["integrity"]).problems, memory.trail.verify().ok) == ([], True)
        alice.people.drop(alice.people.find("Tom")[0].id)
        alice.people.alias(alice.people.find("Sarah")[0].id, "Sandra")
        assert memory.trail.verify().ok


def test_people_added_by_others_do_not_change_your_trail(memory):
    bob = memory.as_user("bob")
    bob.people.add("Tom", space={"user": "bob"})
    before = list(bob.trail.export())
    settle(memory)
    after = [line for line in bob.trail.export() if line["event"]["action"] != "update_person"]
    assert after == before
    assert len(list(memory.as_user("alice").trail.export())) > 5
