"""A file is believed what its importer could have said. What it claims beyond that is kept as a claim, and reported."""

from __future__ import annotations

import json

import pytest

from memfort.model.item import Authority
from memfort.model.space import Space
from memfort.testing.messages import messages_of

APOLLO = {"project": "apollo"}
HOME = {"kind": "profile", "key": "home", "space": APOLLO}


@pytest.fixture
def people(memory):
    return {name: memory.as_user(name, project="apollo") for name in ("alice", "bob", "mallory")}


def forged(data, **fields):
    """The file with other fields in each of its memories."""
    lines = [json.loads(line) for line in data.decode().splitlines()]
    for line in lines:
        if "memory" in line:
            line["memory"] |= fields
    return "\n".join(map(json.dumps, lines)).encode()


def in_apollo(reader):
    return [(item.text, item.author.id, item.stated_by) for item in reader.list(space=APOLLO).items]


@pytest.mark.parametrize("speaker", ["@ceo", "@bob"])
def test_an_import_cannot_attribute_statements_to_others(people, exported, speaker):
    mallory = people["mallory"]
    kept = mallory.remember("everybody gets a raise", space=APOLLO)
    data = exported(mallory)
    mallory.erase(kept.id)
    report = mallory.import_(forged(data, stated_by=speaker), bring_back=True)
    assert report.counts == {"read": 1, "kept": 1, "unproven": 1}
    [problem] = report.problems
    assert problem.startswith("line 2: it names another speaker")
    assert speaker not in problem
    [item] = people["alice"].list(space=APOLLO).items
    assert (item.author.id, item.stated_by) == ("mallory", None)
    assert (item.authority, item.authority_reason) == (Authority.AI_INFERRED, "not_on_record:user")


def test_an_import_supersedes_no_ones_own_statement(people, exported):
    bob, mallory = people["bob"], people["mallory"]
    mallory.remember("Rome", subjects=["@bob"], **HOME)
    data = exported(mallory)
    mallory.erase(mallory.list(space=APOLLO).items[0].id)
    bob.remember("Oslo", subjects=["@bob"], **HOME)
    forgery = forged(data, stated_by="@bob", text="Ulm", is_correction=True)
    assert mallory.import_(forgery, bring_back=True).counts["unproven"] == 1
    assert in_apollo(people["alice"]) == [("Oslo", "bob", "@bob")]
    bob.remember("Kyiv", subjects=["@bob"], **HOME)  # his own later word does supersede it
    assert in_apollo(people["alice"]) == [("Kyiv", "bob", "@bob")]


def test_a_weak_claim_gains_no_weight_on_its_way_through_a_file(memory, open_memory, exported):
    memory.as_agent("bot", owner="alice", acting_for="alice").remember(
        "emacs", kind="profile", key="editor", origin="user", space={"user": "alice"}
    )
    elsewhere = open_memory().as_user("alice")
    elsewhere.remember("vim", kind="profile", key="editor")
    elsewhere.import_(exported(memory.as_user("alice")))
    assert [item.text for item in elsewhere.list().items] == ["vim"]


AGENT = {"kind": "agent", "id": "scout", "acting_for": None}


def test_the_owner_of_an_agent_comes_from_the_directory(memory, people, exported):
    memory.agent.register("scout", owner="bob")
    scout, mallory = memory.as_agent("scout", project="apollo"), people["mallory"]
    first = scout.remember("the bridge is open", space=APOLLO).item
    data = forged(exported(scout), author={**AGENT, "owner": "mallory"}, text="the bridge is closed")
    scout.erase(first.id)
    taken = mallory.import_(data, bring_back=True)
    assert taken.counts == {"read": 1, "kept": 1, "unproven": 1}
    assert "an author" in taken.problems[0]
    [item] = people["alice"].list(space=APOLLO).items
    assert (str(item.author), item.author.owner) == ("user:mallory", None)
    assert item.id != first.id
    assert scout.remember("the road is wet", space=APOLLO).item.author.owner == "bob"


def test_an_unregistered_agent_in_an_import_is_not_trusted(people, exported):
    mallory = people["mallory"]
    kept = mallory.remember("the bridge is open", space=APOLLO)
    data = exported(mallory)
    mallory.erase(kept.id)
    report = mallory.import_(forged(data, author={**AGENT, "owner": "mallory"}), bring_back=True)
    assert report.counts["unproven"] == 1
    [item] = people["alice"].list(space=APOLLO).items
    assert str(item.author) == "user:mallory"


def test_an_import_does_not_set_the_owner_of_an_author(memory, exported):
    memory.agent.register("scout", owner="bob")
    scout, alice = memory.as_agent("scout", acting_for="alice"), memory.as_user("alice")
    kept = scout.remember("likes tea").item
    data = exported(alice)
    alice.erase(kept.id)
    alice.import_(forged(data, author={**AGENT, "acting_for": "alice", "owner": "alice"}), bring_back=True)
    [item] = alice.list().items
    assert (item.id, str(item.author), item.author.owner) == (kept.id, "agent:scout for user:alice", "bob")


# -- what does come back ----------------------------------------------------------------------------------------------


def test_a_round_trip_of_ones_own_loses_nothing(memory, people, exported, open_memory):
    memory.agent.register("scout", owner="alice")
    alice = memory.as_user("alice", project="apollo", agent="scout")
    scout = memory.as_agent("scout", acting_for="alice", project="apollo")
    alice.remember("I like tea")
    alice.remember("it is up", origin="tool")
    alice.observe(messages_of("I prefer rain", "Noted.", [("search", "3 hits")]))
    scout.observe(messages_of("I prefer snow", "Noted.", [("search", "4 hits")]))
    scout.remember("likes ink", origin="user")
    memory.as_agent("scout").remember("rivers run to the sea")
    alice.remember("Bob is on leave", subjects=["@bob"], space=APOLLO)
    said = people["bob"].remember("I decided for Postgres", type="decision", space=APOLLO)
    before, data = list(alice.export()), exported(alice)
    assert said.item.text not in data.decode()
    ids = [line["memory"]["id"] for line in before if "memory" in line]
    assert len(ids) == 13
    fresh = open_memory()
    fresh.agent.register("scout", owner="alice")
    there = fresh.as_user("alice", project="apollo", agent="scout")
    report = there.import_(data)
    assert "unproven" not in report.counts, report
    assert memories(there) == memories(alice)


def test_a_promoted_copy_of_anothers_statement_keeps_its_speaker_on_reimport(memory, exported):
    """In the store that knows it; elsewhere it is a claim like any other."""
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    alice, bob = memory.as_user("alice", chat="lunch"), memory.as_user("bob", chat="lunch")
    said = bob.remember("I prefer the window seat", space={"chat": "lunch"})
    copy = alice.promote(said.id, {"user": "alice"}).item
    assert (copy.author.id, copy.stated_by) == ("alice", "@bob")
    data = exported(alice)
    alice.erase(copy.id)
    report = alice.import_(data, bring_back=True)
    assert "unproven" not in report.counts, report
    [item] = [one for one in alice.list(space={"user": "alice"}).items if one.text == copy.text]
    assert (item.stated_by, item.authority) == ("@bob", copy.authority)
    alice.erase(item.id)
    report = alice.import_(forged(data, text="I prefer the door"), bring_back=True)
    assert report.counts["unproven"] == 1
    assert Space.of({"user": "alice"}) == item.space


def memories(reader):
    return [line["memory"] for line in reader.export() if "memory" in line]


@pytest.mark.parametrize(
    "author",
    [
        {"kind": "user", "id": "bob", "acting_for": None, "owner": "mallory"},
        {"kind": "user", "id": "bob", "acting_for": "mallory", "owner": None},
        {"kind": "system", "id": "system", "acting_for": "mallory", "owner": "mallory"},
    ],
)
def test_only_an_agent_may_have_an_owner(people, exported, author):
    mallory = people["mallory"]
    kept = mallory.remember("the bridge is open", space=APOLLO)
    data = exported(mallory)
    mallory.erase(kept.id)
    assert mallory.import_(forged(data, author=author), bring_back=True).counts["unproven"] == 1
    assert [author for _, author, _ in in_apollo(people["alice"])] == ["mallory"]
