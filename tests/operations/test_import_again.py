"""What an import did not keep, a later one of the same file may, and none keeps a memory twice."""

from __future__ import annotations

import json

import pytest

from memfort import Memory, Policy

MEM0 = [
    {"id": "1", "memory": "likes rhubarb", "user_id": "maria_17", "created_at": "2025-01-01T00:00:00Z"},
    {"id": "2", "memory": "plays chess", "user_id": "maria_17"},
]
ROWS = [{"id": 1, "user_id": "maria_17", "kind": "note", "content": "likes tea"}]
CHAT = [{"role": "user", "content": "I live in Lyon."}, {"role": "assistant", "content": "Noted."}]
SHUT = {"read": {"userIds": ["carol"]}}
NODES = [
    {"content": "deploy on Friday", "metadata": {"userId": "bob", "scope": {"project": "apollo"}, "access": SHUT}},
    {"content": "deploy on Friday", "metadata": {"userId": "bob", "scope": {"project": "apollo"}}},
    {"content": "the gate is blue", "metadata": {"scope": {"project": "apollo"}, "access": SHUT}},
    {"content": "nobody's note", "metadata": {}},
]
SCOPED = {"extends": "scoped", "governance_default": "allow"}


@pytest.fixture
def alice(memory):
    return memory.as_user("alice")


def file(records: object) -> bytes:
    return json.dumps(records).encode()


def texts(bound) -> list[str]:
    return sorted(item.text for item in bound.list())


@pytest.mark.parametrize("records", [MEM0, ROWS], ids=["mem0", "rows"])
def test_what_was_refused_as_anothers_is_kept_once_the_user_says_whose_it_is(alice, records):
    first = alice.import_(file(records))
    assert (first.counts["invalid"], "mine" in first.problems[0], texts(alice)) == (len(records), True, [])
    again = alice.import_(file(records), mine="maria_17")
    assert (again.already_imported, again.counts["kept"], len(texts(alice))) == (False, len(records), len(records))
    third = alice.import_(file(records), mine="maria_17")
    assert (third.already_imported, len(texts(alice))) == (True, len(records))


@pytest.mark.parametrize("records", [MEM0, ROWS, CHAT], ids=["mem0", "rows", "chat"])
@pytest.mark.parametrize("commit_every", [None, 1])
def test_an_undone_import_can_be_imported_again(alice, records, commit_every):
    options = {"mine": "maria_17", "commit_every": commit_every}
    first = alice.import_(file(records), **options)
    before = texts(alice)
    alice.undo(source=first.source)
    assert (texts(alice), bool(before)) == ([], True)
    again = alice.import_(file(records), **options)
    assert (again.already_imported, again.counts["kept"]) == (False, first.counts["kept"])
    assert texts(alice) == before
    assert alice.import_(file(records), **options).already_imported
    assert texts(alice) == before


def test_a_repeated_backfill_keeps_nothing_twice(memory):
    system = memory.as_system()
    first = system.import_(file(NODES))
    assert (first.counts["kept"], first.counts["invalid"]) == (3, 1)
    assert "`userId`" in first.problems[-1]
    assert "scope" in first.problems[-1]
    for options in ({}, {"commit_every": 1}):
        again = system.import_(file(NODES), **options)
        assert (again.counts.get("kept", 0), again.counts["duplicate"]) == (0, 3)
    memory.member.add({"project": "apollo"}, user="carol")
    carol = memory.as_user("carol", project="apollo")
    assert texts(carol) == ["deploy on Friday", "deploy on Friday", "the gate is blue"]


def test_others_memories_are_no_duplicates_of_an_import(memory):
    memory.member.add({"project": "apollo"}, user="dora")
    memory.as_system().import_(file(NODES[:1]))
    dora = memory.as_user("dora", project="apollo")
    record = {"content": "deploy on Friday", "metadata": {"scope": {"project": "apollo"}, "access": SHUT}}
    assert dora.import_(file([record])).counts["kept"] == 1


def test_an_import_has_the_lifetimes_of_the_policy_from_the_day_it_comes(clock):
    memory = Memory.open(":memory:", policy=Policy.of(SCOPED), clock=clock)
    memory.member.add({"project": "apollo"}, user="bob")
    bob = memory.as_user("bob", project="apollo")
    old = {"content": "an old note", "createdAt": 1_600_000_000_000, "metadata": {"scope": {"project": "apollo"}}}
    own = {"content": "own end", "metadata": {"scope": {"project": "apollo"}, "retention": {"ttlSec": 86400}}}
    assert bob.import_(file([old, own])).counts["kept"] == 2
    days = {item.text: (item.expires_at_us - clock.now()) // 86_400_000_000 for item in bob.list()}
    assert days == {"an old note": 90, "own end": 1}


def test_a_record_without_a_place_that_the_policy_keeps_says_what_it_needs():
    memory = Memory.open(":memory:", policy=Policy.of(SCOPED))
    [problem] = memory.as_system().import_(file([{"content": "mine", "metadata": {"userId": "bob"}}])).problems
    assert problem.startswith("record 1: it names no scope")
