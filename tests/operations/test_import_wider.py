"""Imports of plain texts, of several projects, by the system and in steps; and what a report says."""

from __future__ import annotations

import json
import random

import pytest

from memfort import Cancelled, Denied, InvalidInput
from memfort.testing.messages import messages_of

SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
ROW = {"user_id": "alice", "kind": "note", "confidence": 0.9}


def lines(*records):
    return "\n".join(json.dumps(record) for record in records).encode()


def node(text, user=None, embedding=None, access=None, **scope):
    metadata = {"domain": "system_fact", "scope": scope, "provenance": {"source": "old", "confidence": 0.9}}
    metadata |= {"userId": user} if user else {}
    metadata |= {"access": {"read": access}} if access else {}
    record = {"id": f"n-{text}", "content": text, "createdAt": 1_700_000_000_000, "metadata": metadata}
    return record | ({"embedding": embedding} if embedding else {})


def texts(reader, **where):
    return sorted(item.text for item in reader.list(limit=1000, **where))


# -- plain texts ------------------------------------------------------------------------------------------------------

PLAIN = {
    "list": json.dumps([{"text": "I like tea", "tags": ["drink"]}, {"text": "I like jam"}]).encode(),
    "lines": lines({"text": "I like tea", "tags": ["drink"]}, {"text": "I like jam"}),
    "strings": json.dumps(["I like tea", "I like jam"]).encode(),
}


@pytest.mark.parametrize("data", PLAIN.values(), ids=PLAIN)
def test_plain_texts_are_imported(alice, data):
    report = alice.import_(data)
    assert (report.counts["kept"], report.problems) == (2, ())
    assert texts(alice) == ["I like jam", "I like tea"]
    assert report.source in {source.id for source in alice.sources()}


def test_a_plain_text_keeps_its_fields_and_unknown_ones_are_reported(alice):
    good = {"text": "I moved to Lyon", "type": "fact", "tags": ["diary"], "observed_at": "2024-03-01T12:00:00Z"}
    report = alice.import_(lines(good, {"text": "I like tea", "colour": "red"}, {"txt": "x"}, {"text": ""}))
    assert report.counts == {"read": 4, "kept": 1, "invalid": 3}
    assert "colour" in report.problems[0]
    [item] = alice.list()
    assert (item.text, item.tags, item.observed_at.year) == ("I moved to Lyon", ("diary",), 2024)


def test_a_plain_text_passes_every_gate(alice):
    report = alice.import_(lines({"text": f"my token is {SECRET}"}, {"text": "I like tea", "stated_by": "@bob"}))
    assert report.counts == {"read": 2, "denied": 1, "invalid": 1}
    assert SECRET not in str(report.problems)


# -- where records go -------------------------------------------------------------------------------------------------


def test_the_scoped_preset_can_import(open_memory):
    memory = open_memory(policy="scoped")
    for name, where in (("alice", {"org": "acme", "project": "p1"}), ("bea", {}), ("carl", {"session": "s1"})):
        reader = memory.as_user(name, **where)
        report = reader.import_(lines(node("We use tabs", org="acme")), filename=f"{name}.jsonl")
        assert report.counts["read"] == 1
        assert [source.filename for source in reader.sources()] == [f"{name}.jsonl"]
    alice = memory.as_user("alice", org="acme", project="p1")
    report = alice.import_(lines(node("We use spaces", org="acme", project="p1"), node("Tea at four", org="acme")))
    assert (report.counts, report.problems) == ({"read": 2, "denied": 2}, report.problems)


@pytest.fixture
def scoped(open_memory):
    """The scoped preset with its governance open, so that what is tested here is where records go."""
    return open_memory(policy={"extends": "scoped", "governance_default": "allow"})


def test_the_scoped_preset_keeps_what_it_imports(scoped):
    alice = scoped.as_user("alice", org="acme", project="p1")
    data = lines(node("We use spaces", org="acme", project="p1"), node("Tea at four", org="acme"))
    assert alice.import_(data).counts == {"read": 2, "kept": 2}
    assert texts(alice) == ["Tea at four", "We use spaces"]
    assert alice.import_(data).already_imported
    [source] = alice.sources()
    assert alice.erase(source=source.id).counts["memories"] == 2
    assert alice.sources() == []


def test_several_projects_come_with_one_import(memory):
    data = lines(*(node(f"about {project}", project=project) for project in ("apollo", "borealis", "cygnus")))
    for project in ("apollo", "borealis"):
        memory.member.add({"project": project}, user="alice")
    memory.member.add({"project": "cygnus"}, user="bob")
    report = memory.as_user("alice").import_(data)
    assert report.counts == {"read": 3, "kept": 2, "denied": 1}
    assert "record" in report.problems[0] or "line 3" in report.problems[0]
    for project, seen in (("apollo", 1), ("borealis", 1)):
        there = memory.as_user("alice", project=project).list(space={"project": project})
        assert len(there) == seen
    assert len(memory.as_user("bob", project="cygnus").list(space={"project": "cygnus"})) == 0


def test_the_host_can_vouch_for_further_places(memory):
    data = lines(*(node(f"about {project}", project=project) for project in ("apollo", "borealis", "cygnus")))
    alice = memory.as_user("alice", project="apollo")
    assert alice.import_(data, also_at=["project=borealis"]).counts == {"read": 3, "kept": 2, "denied": 1}
    assert len(memory.as_user("alice", project="borealis").list(space={"project": "borealis"})) == 1
    assert len(memory.as_user("alice", project="cygnus").list(space={"project": "cygnus"})) == 0
    for wrong in ("borealis", "user=bob", "chat=lunch", "planet=mars"):
        with pytest.raises(InvalidInput, match="also_at"):
            alice.import_(data, also_at=[wrong])


def test_a_group_of_the_directory_admits_its_members_alone(memory):
    memory.member.add({"project": "borealis"}, user="bob")
    alice = memory.as_user("alice", project="apollo")
    report = alice.import_(lines(node("about borealis", project="borealis")), also_at=["project=borealis"])
    assert report.counts == {"read": 1, "denied": 1}


def test_the_system_puts_records_where_they_belong(open_memory):
    memory = open_memory()
    data = lines(
        node("Alice likes tea", user="alice"),
        node("notes of today", user="alice", session="s1"),
        node("We use tabs", user="alice", org="acme"),
        node("We use spaces", project="p1"),
        node("of nobody"),
    )
    report = memory.as_system().import_(data)
    assert report.counts == {"read": 5, "kept": 4, "invalid": 1}
    assert "names no user and no scope" in report.problems[0]
    alice = memory.as_user("alice", session="s1", org="acme", project="p1")
    kept = {item.text: item for item in alice.list(limit=10)}
    assert set(kept) == {"Alice likes tea", "notes of today", "We use tabs", "We use spaces"}
    assert {text: str(item.author) for text, item in kept.items()} == {
        "Alice likes tea": "user:alice",
        "notes of today": "user:alice",
        "We use tabs": "user:alice",
        "We use spaces": "system:system",
    }
    assert kept["We use spaces"].authority != "system_imposed"
    assert texts(memory.as_user("bob")) == []
    assert memory.trail.verify().ok
    [source] = memory.as_system().sources()
    assert memory.as_system().erase(source=source.id).counts["memories"] == 4


@pytest.mark.parametrize("preset", ["scoped", "research", "chat", "agents", "deterministic"])
def test_the_system_may_import_under_every_preset(open_memory, preset):
    memory = open_memory(policy=preset)
    assert memory.as_system().import_(lines(node("Alice likes tea", user="alice"))).counts["read"] == 1


def test_the_system_imports_rows_of_many_users(memory):
    rows = [{**ROW, "user_id": user, "content": f"{user} likes tea"} for user in ("alice", "bob")]
    assert memory.as_system().import_(lines(*rows)).counts["kept"] == 2
    assert texts(memory.as_user("bob")) == ["bob likes tea"]


# -- what a report says -----------------------------------------------------------------------------------------------


def test_the_statistics_of_an_import_survive_a_second_one(alice):
    data = lines({**ROW, "content": "likes tea"}, {**ROW, "content": f"token {SECRET}"})
    first = alice.import_(data)
    [before] = alice.sources()
    assert alice.import_(data).counts["duplicate"] == 1
    [after] = alice.sources()
    assert before.counts["kept"] == first.counts["kept"] == 1
    assert dict(after.counts) == dict(before.counts)
    assert after.imported_at_us == before.imported_at_us


def test_every_skipped_record_is_named_with_its_reason(alice):
    old = {**ROW, "content": "old", "expires_at": "2020-01-01T00:00:00"}
    report = alice.import_(
        lines(old, {**ROW, "content": "gone", "deleted_at": "2020-01-01"}, {**ROW, "content": "I like tea"})
    )
    assert report.skipped == ("line 1: expired", "line 2: deleted")
    again = alice.import_(lines({**ROW, "content": "I like tea"}))
    assert again.skipped == ("line 1: duplicate",)


def test_dropped_embeddings_are_counted(alice):
    report = alice.import_(lines(node("I like tea", embedding=[0.1, 0.2]), node("I like jam")))
    assert report.counts["embeddings_dropped"] == 1
    assert any("embedding" in problem for problem in report.problems)


def test_readers_who_are_not_known_here_are_reported(memory):
    memory.member.add({"project": "apollo"}, user="alice")
    memory.member.add({"project": "apollo"}, user="bob")
    alice = memory.as_user("alice", project="apollo")
    data = lines(
        node("for bob", project="apollo", access={"userIds": ["alice", "bob"]}),
        node("for zoe", project="apollo", access={"userIds": ["alice", "zoe"]}),
    )
    report = alice.import_(data)
    assert (report.counts["kept"], report.counts["unknown_readers"]) == (2, 1)
    assert [problem for problem in report.problems if problem.startswith("line 2")]
    assert not [problem for problem in report.problems if problem.startswith("line 1")]


def test_a_memory_whose_evidence_is_missing_is_kept_and_says_so(alice, open_memory, exported):
    alice.observe(messages_of("I prefer rain", "Noted."))
    rows = [json.loads(line) for line in exported(alice).decode().splitlines()]
    statement = next(row for row in rows if row.get("memory", {}).get("evidence"))
    header = {**rows[0], "memories": 1}
    for name in ("stated", "reviewed"):
        header.pop(name, None)
    fresh = open_memory().as_user("alice")
    report = fresh.import_(lines(header, statement))
    assert report.counts["kept"] == 1
    assert report.counts["evidence_unavailable"] == 1
    assert "line 2: its evidence is unavailable" in report.problems[0]
    [item] = fresh.list()
    assert (item.text, item.evidence) == (statement["memory"]["text"], None)
    assert item.meta["evidence"] == "unavailable"


# -- in steps ---------------------------------------------------------------------------------------------------------


def old_store(size=40):
    users = ["alice", "bob"]
    return [node(f"note {number} of the old store", user=users[number % 2]) for number in range(size)]


def test_a_backfill_that_is_interrupted_goes_on_where_it_stopped(memory):
    records = [*old_store(20), node(f"token {SECRET}", user="alice"), node("of nobody"), *old_store(40)[20:]]
    data, seen = lines(*records), []

    def interrupt(done, of):
        seen.append((done, of))
        if done == 21:
            raise Cancelled("stopped")

    system = memory.as_system()
    with pytest.raises(Cancelled):
        system.import_(data, commit_every=10, progress=interrupt)
    there = len(memory.as_user("alice").list(limit=100)) + len(memory.as_user("bob").list(limit=100))
    assert there == 20
    [source] = system.sources()
    assert (source.counts["read"], source.counts["left"]) == (20, 22)
    report = system.import_(data, commit_every=10)
    assert report.counts == {"read": 42, "kept": 40, "denied": 1, "invalid": 1}
    assert {problem.split(":")[0] for problem in report.problems} == {"line 21", "line 22"}
    assert [len(memory.as_user(name).list(limit=100)) for name in ("alice", "bob")] == [20, 20]
    assert report.skipped == ()
    assert memory.trail.verify().ok


def test_steps_give_the_same_as_one_commit(open_memory):
    data = lines(*old_store(25))
    once, stepped = open_memory(), open_memory()
    whole = once.as_system().import_(data)
    steps = stepped.as_system().import_(data, commit_every=7)
    assert (whole.counts, whole.source) == (steps.counts, steps.source)
    assert [item.id for item in once.as_user("bob").list(limit=50)] == [
        item.id for item in stepped.as_user("bob").list(limit=50)
    ]
    assert stepped.as_system().import_(data, commit_every=7).already_imported


def test_a_dry_run_in_steps_keeps_nothing(memory):
    report = memory.as_system().import_(lines(*old_store(25)), commit_every=7, dry_run=True)
    assert (report.counts, report.dry_run) == ({"read": 25, "kept": 25}, True)
    assert (texts(memory.as_user("alice")), memory.as_system().sources()) == ([], [])


def test_an_export_is_imported_in_one_commit(alice, exported):
    alice.remember("I like tea")
    with pytest.raises(InvalidInput, match="commit_every"):
        alice.import_(exported(alice), commit_every=10)
    with pytest.raises(InvalidInput, match="commit_every"):
        alice.import_(PLAIN["lines"], commit_every=0)


# -- round trips ------------------------------------------------------------------------------------------------------


def test_a_round_trip_loses_nothing_in_any_order(memory, open_memory, clock, exported):
    alice = memory.as_user("alice", project="apollo")
    partner = alice.people.add("Tom")
    alice.people.relate("me", "partner", partner.id)
    first = alice.remember("likes tea", tags=["drink"])
    clock.advance(1)
    alice.correct(first.id, "likes coffee")
    source = alice.remember("raw words")
    made = alice.remember("made of words", derived_from=[source.id])
    alice.remember("made of what was made", derived_from=[made.id, source.id])
    alice.remember("Tom sings", subjects=[partner.id])
    alice.remember("for my eyes", access={"users": ["alice"]}, space={"project": "apollo"})
    alice.observe(messages_of("I prefer rain", "Noted."), conversation="c-1")
    header, *rest = [json.loads(line) for line in exported(alice).decode().splitlines()]
    assert len(rest) > 10
    for number in range(4):
        random.Random(number).shuffle(rest)
        fresh = open_memory().as_user("alice", project="apollo")
        report = fresh.import_(lines(header, *rest))
        assert report.problems == (), report.problems
        assert exported(fresh) == exported(alice)
        assert [item.id for item in fresh.history(fresh.recall("coffee").hits[0].id)] == [
            item.id for item in alice.history(alice.recall("coffee").hits[0].id)
        ]


def test_phases_survive_a_round_trip(alice, open_memory, exported):
    alice.remember("in the first phase")
    alice.phase.start("a new job", name="job")
    alice.remember("in the second phase")
    fresh = open_memory().as_user("alice")
    report = fresh.import_(exported(alice))
    assert report.counts["phases"] == 1
    assert [(one.id, one.reason, one.name) for one in fresh.phase.list()] == [
        (one.id, one.reason, one.name) for one in alice.phase.list()
    ]
    assert {item.text: item.phase for item in fresh.list(limit=10)} == {
        item.text: item.phase for item in alice.list(limit=10)
    }
    assert fresh.recall("phase").texts == alice.recall("phase").texts == ["in the second phase"]
    assert exported(fresh) == exported(alice)
    assert fresh.import_(exported(alice)).already_imported


def test_phases_of_a_file_begin_none_where_there_are_some(alice, open_memory, exported):
    alice.phase.start("a new job")
    alice.remember("in the second phase")
    fresh = open_memory().as_user("alice")
    fresh.phase.start("their own")
    report = fresh.import_(exported(alice))
    assert report.counts["left_out"] == 1
    assert [one.reason for one in fresh.phase.list()] == ["auto", "their own"]


def test_nobody_imports_into_a_chat_they_are_not_in(memory):
    memory.chat.register("lunch", kind="group", participants=["bob", "carol"])
    with pytest.raises(Denied):
        memory.as_user("alice", chat="lunch").import_(PLAIN["list"])
