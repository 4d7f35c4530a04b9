"""The default place under every preset: accepted by its own policy, and read by nobody but the caller."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from memfort import InvalidInput, Policy, Space
from memfort.policy.settings.document import preset, preset_names

PLACES = {"session": "s", "paper": "p", "track": "t", "chat": "c", "workspace": "w", "project": "p", "role": "r",
          "team": "t", "org": "o"}  # fmt: skip
FACTS = ("rivers run to the sea", "our standup is at 9", "I prefer tea")


def policy_of(name):
    """The preset, with a rule that lets everybody write where it denies by default."""
    return (
        Policy.from_dict({"extends": "scoped", "governance": [{"effect": "allow"}]})
        if name == "scoped"
        else preset(name)
    )


def space_of(outcome):
    return outcome.item.space.to_dict()


# -- where one stands -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "at", "place"),
    [
        ("research", {}, {"user": "alice"}),
        ("research", {"workspace": "w1"}, {"user": "alice", "workspace": "w1"}),
        ("research", {"workspace": "w1", "track": "t1"}, {"user": "alice", "workspace": "w1", "track": "t1"}),
        ("research", {"paper": "p1", "org": "acme"}, {"user": "alice", "paper": "p1"}),
        # A session has an owner, so that two people who say `s1` never meet: the owner is in the space.
        ("scoped", {"session": "s1"}, {"session": "s1", "user": "alice"}),
        (
            "scoped",
            {"session": "s1", "project": "p1", "role": "dev", "org": "acme", "workspace": "w1"},
            {"session": "s1", "project": "p1", "role": "dev", "org": "acme", "user": "alice"},
        ),
        ("deterministic", {"session": "s1", "project": "p1"}, {"session": "s1", "user": "alice"}),
    ],
)
def test_a_write_without_a_space_goes_where_one_stands(open_memory, name, at, place):
    memory = open_memory(policy=policy_of(name))
    alice = memory.as_user("alice", **at)
    assert space_of(alice.remember("the tremor is weak")) == place
    assert space_of(alice.remember_many(["the tremor is strong"])[0]) == place
    assert alice.check("remember", text="the tremor is faint").verdict == "allowed"
    assert space_of(memory.as_agent("helper", owner="alice", acting_for="alice", **at).remember("lava is hot")) == place
    seen = alice.observe("We decided that the volcano is Etna").outcomes
    assert [one.item.space for one in seen] == [Space.of(place)] * 2  # the turn and the statement
    assert [one.text for one in alice.window()] == ["We decided that the volcano is Etna"]


def test_what_is_remembered_in_one_workspace_is_not_recalled_in_another(open_memory):
    memory = open_memory(policy=preset("research"))
    memory.as_user("alice", workspace="w1").remember("lava is hot")
    assert memory.as_user("alice", workspace="w1").recall("lava").texts == ["lava is hot"]
    assert memory.as_user("alice", workspace="w2").recall("lava").texts == []


@pytest.mark.parametrize(
    ("name", "acting_for", "at", "message"),
    [
        (
            "deterministic",
            "alice",
            {},
            "space: you stand at no level where this policy keeps memories; stand at a session",
        ),
        (
            "deterministic",
            None,
            {"project": "p"},
            "space: you stand at no level .*; stand at a session, or name the space",
        ),
        ("scoped", "alice", {}, "space: you stand at no level .*; stand at a session"),
        (
            "scoped",
            "alice",
            {"org": "acme"},
            "space: others stand at org=acme too, and would read it; stand at a session",
        ),
        ("research", None, {}, "space: you stand at no level .*; act for a user"),
        ("research", None, {"workspace": "w"}, "space: others stand at workspace=w too.*; act for a user"),
    ],
)
def test_where_there_is_no_place_the_error_says_where_to_stand(open_memory, name, acting_for, at, message):
    memory = open_memory(policy=policy_of(name))
    helper = memory.as_agent("helper", owner="alice", acting_for=acting_for, **at)
    row = b'[{"user_id": "alice", "content": "likes tea", "kind": "preference", "id": 1}]'
    if acting_for is not None:  # the import is on record in alice's own space, and says of each row why it was not kept
        report = helper.import_(row)
        assert report.counts.get("imported", 0) == 0 < len(report.problems)
    for call in (
        lambda: helper.remember("lava is hot"),
        lambda: helper.observe("Lava is hot"),
        lambda: helper.phase.start("a new task"),
        *([] if acting_for is not None else [lambda: helper.import_(row)]),
    ):
        with pytest.raises(InvalidInput, match=message):
            call()
    (unusable,) = helper.remember_many(["lava is hot"])
    assert (unusable.kept, unusable.reason) == (False, "invalid")
    assert next(iter(helper.export()))["memories"] == 0  # reading needs no place
    assert helper.recall("lava").texts == []


def test_a_named_space_needs_no_place(open_memory):
    alice = open_memory(policy=policy_of("scoped")).as_user("alice", org="acme")
    assert space_of(alice.remember("the office is in Bonn", space={"org": "acme"})) == {"org": "acme"}


def test_a_phase_and_an_import_use_the_same_place(open_memory):
    memory = open_memory(policy=preset("deterministic"))
    alice = memory.as_user("alice", session="s1")
    alice.remember("the tremor is weak")
    alice.phase.start("a new task")
    assert alice.recall("tremor").texts == []
    assert len(alice.phase.list()) == 2
    rows = json.dumps([{"content": "the lava is hot", "metadata": {}}]).encode()
    assert alice.import_(rows).counts["kept"] == 1
    assert {str(source.space) for source in alice.sources()} == {"session=s1 user=alice"}
    assert {str(item.space) for item in alice.list().items} == {"session=s1 user=alice"}


# -- every preset, every standpoint ------------------------------------------------------------------------------------


def standpoints(memory):
    """Users and agents of every kind, at every place and at every pair of places."""
    for count in (0, 1, 2):
        for chosen in combinations(PLACES.items(), count):
            at = dict(chosen)
            yield at, memory.as_user("alice", **at)
            yield at, memory.as_user("alice", agent="helper", **at)
            for acting_for in (None, "alice", "bob"):
                yield at, memory.as_agent("helper", owner="alice", acting_for=acting_for, **at)


def make(open_memory, name):
    memory = open_memory(policy=policy_of(name))
    memory.chat.register("c", kind="group", participants=["alice", "bob"], agents=["helper"])
    for level in ("workspace", "project", "role", "team", "org"):
        for who in ({"user": "alice"}, {"user": "bob"}, {"user": "carol"}, {"agent": "helper"}):
            memory.member.add({level: PLACES[level]}, **who)
    return memory


def readers(memory, item):
    """Who of those who are not the caller's own person, standing at every place of the space, reads a memory."""
    at = {level: id for level, id in item.space.to_dict().items() if level not in {"user", "visibility"}}
    asking = [memory.as_user("carol", **at), memory.as_user("bob", **at)]
    return [one.actor.id for one in asking if one.get(item.id) is not None]


def attempt(one, text):
    """The outcome, or nothing where the error says where to stand."""
    try:
        return one.remember(text)
    except InvalidInput as error:
        if error.field == "space" and error.remedy.startswith(("stand at a session", "act for a user")):
            return None
        raise


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_accepts_its_own_default_place_and_reaches_nobody_else(open_memory, name):
    memory = make(open_memory, name)
    kept, wider = 0, set()
    for number, (at, one) in enumerate(standpoints(memory)):
        for text in FACTS:
            outcome = attempt(one, f"{text} {number}")
            if outcome is None:
                continue
            # An agent by itself has no user, whom this policy wants; a rule says so, and not the place.
            is_ruled = name == "research" and one.actor.user is None
            is_outranked = outcome.reason == "outranked"  # an agent says of the group what a user has said otherwise
            assert outcome.kept or is_outranked or (is_ruled and outcome.reason == "governance_default"), (
                str(one),
                outcome.decision,
            )
            kept += outcome.kept
            if outcome.kept and one.actor.user != "bob" and readers(memory, outcome.item):
                wider.add((text, outcome.item.space.primary.value, "chat" in at))
    assert kept
    expected = {
        "agents": {("rivers run to the sea", "agent", is_in_chat) for is_in_chat in (True, False)},
        "default": {("our standup is at 9", "chat", True)},
        "chat": {("our standup is at 9", "chat", True)},
    }
    assert wider == expected.get(name, set())
