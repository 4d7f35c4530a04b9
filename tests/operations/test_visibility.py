"""`visibility=` in place of a space, the rules and heuristics of preset `agents`, spaces that a user's agents share,
and public spaces that end at a team or an org."""

from __future__ import annotations

import json

import pytest

from memfort import InvalidInput, NotFound, Policy
from memfort.policy.settings.document import preset

PRIVATE, PUBLIC = ({"agent": "helper", "visibility": one} for one in ("private", "public"))
SHARED = {"user": "alice", "visibility": "shared"}


@pytest.fixture
def agents(open_memory):
    """Under preset `agents`: Alice owns `helper` and `writer`, Bob owns `other`."""
    memory = open_memory(policy=preset("agents"))
    for agent, owner in (("helper", "alice"), ("writer", "alice"), ("other", "bob")):
        memory.agent.register(agent, owner=owner)
    return memory


def space_of(outcome):
    return outcome.item.space.to_dict()


# -- the argument -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("visibility", "place"), [("private", PRIVATE), ("public", PUBLIC), ("shared", SHARED)])
@pytest.mark.parametrize("acting_for", [None, "alice"])
def test_a_visibility_stands_for_a_space(agents, visibility, place, acting_for):
    helper = agents.as_agent("helper", acting_for=acting_for)
    assert space_of(helper.remember("rivers run to the sea", visibility=visibility)) == place
    assert space_of(helper.remember_many([{"text": "lava is hot", "visibility": visibility}])[0]) == place
    assert helper.check("remember", text="ice is cold", visibility=visibility).verdict == "allowed"
    rows = json.dumps([{"content": "iron rusts", "metadata": {}}]).encode()
    assert helper.import_(rows, visibility=visibility).counts["kept"] == 1
    (imported,) = [item for item in helper.list().items if item.text == "iron rusts"]
    assert imported.space.to_dict() == place


@pytest.mark.parametrize(("visibility", "place"), [("private", PRIVATE), ("shared", SHARED), ("public", PUBLIC)])
def test_a_conversation_is_where_its_visibility_says(agents, open_memory, visibility, place):
    seen = agents.as_agent("helper").observe("Redis evicts keys when memory is full", visibility=visibility)
    assert {tuple(item.space.to_dict().items()) for item in seen.kept} == {tuple(place.items())}
    other = open_memory()
    other.agent.register("helper", owner="alice")
    with pytest.raises(InvalidInput, match="visibility: a conversation is never public; remember what anybody"):
        other.as_agent("helper").observe("Redis evicts keys", visibility="public")


def test_the_owner_writes_in_the_agents_spaces_from_there(agents):
    alice = agents.as_user("alice", agent="helper")
    assert space_of(alice.remember("rivers run to the sea", visibility="public")) == PUBLIC
    assert space_of(alice.remember("rivers run to the sea", visibility="private")) == PRIVATE
    assert agents.as_user("bob", agent="helper").remember("I was here", visibility="public").reason == "border_write"


def test_private_is_ones_own_without_an_agent(memory):
    assert space_of(memory.as_user("alice").remember("rivers run", visibility="private")) == {"user": "alice"}
    for_bob = memory.as_agent("helper", owner="alice", acting_for="bob")
    assert space_of(for_bob.remember("rivers run", visibility="private")) == {"user": "bob"}


@pytest.mark.parametrize(
    ("name", "bind", "fields", "message"),
    [
        ("default", lambda m: m.as_user("alice"), {"visibility": "public"},
         "visibility: a user by themselves has no public space; stand at your own agent, or name the space"),
        ("default", lambda m: m.as_agent("helper", owner="alice", acting_for="bob"), {"visibility": "public"},
         "visibility: an agent that acts for somebody else has no public space; stand at your own agent"),
        ("default", lambda m: m.as_user("alice"), {"visibility": "secret"},
         "visibility: .*use one of private, public, shared"),
        ("default", lambda m: m.as_user("alice"), {"visibility": "private", "space": {"user": "alice"}},
         "visibility: the space is named too, and says it; give one of the two"),
        ("default", lambda m: m.as_system(), {"visibility": "shared"}, "visibility: the system has no spaces that"),
        ("research", lambda m: m.as_agent("helper", owner="alice", acting_for="alice"), {"visibility": "public"},
         "visibility: this policy has no agents' spaces, so none is public; name the space"),
        ("scoped", lambda m: m.as_user("alice", session="s"), {"visibility": "shared"},
         "visibility: this policy has no spaces that a user shares with agents; name the space"),
    ],
)  # fmt: skip
def test_where_it_makes_no_sense_the_error_names_field_and_remedy(open_memory, name, bind, fields, message):
    bound = bind(open_memory(policy=preset(name)))
    with pytest.raises(InvalidInput, match=message):
        bound.remember("rivers run to the sea", **fields)
    if fields["visibility"] != "public":
        with pytest.raises(InvalidInput, match=message):
            bound.observe("Rivers run to the sea", **fields)


def test_an_export_keeps_its_spaces(agents):
    helper = agents.as_agent("helper")
    helper.remember("rivers run to the sea")
    data = "\n".join(json.dumps(line) for line in helper.export()).encode()
    with pytest.raises(InvalidInput, match="visibility: an export names the space of every memory; leave it out"):
        helper.import_(data, visibility="private")


# -- rules and heuristics ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("A style preference is stored per editor", PRIVATE),
        ("Personal access tokens need a scope", PRIVATE),
        ("Password managers fill in forms", PRIVATE),
        ("An API key belongs in the vault", PRIVATE),
        ("Editors store a style for each file", PUBLIC),
        ("Die Anmeldung wird derzeit überarbeitet", PRIVATE),  # short-lived, in any language that is read
        ("Die Anmeldung prüft jedes Token", PUBLIC),
    ],
)
def test_the_shipped_rules_come_before_the_heuristics(agents, text, place):
    assert space_of(agents.as_agent("helper").remember(text)) == place


def test_the_first_matching_rule_decides(open_memory):
    rules = [
        {"pattern": "(?i)draft", "visibility": "private"},
        {"pattern": "(?i)user", "visibility": "shared"},
        {"pattern": ".", "visibility": "public"},
    ]
    policy = Policy.from_dict({"extends": "agents", "spaces": {"visibility": rules}})
    helper = open_memory(policy=policy).as_agent("helper", owner="alice")
    assert space_of(helper.remember("a draft for the user")) == PRIVATE
    assert space_of(helper.remember("the user likes tables")) == SHARED
    assert space_of(helper.remember("I like tables")) == PUBLIC  # a heuristic would say private
    # What is not public stays private whatever a rule says.
    assert space_of(helper.remember("I have been diagnosed with depression")) == PRIVATE
    assert space_of(helper.remember("tables are long", sensitivity="personal")) == PRIVATE
    assert space_of(helper.remember("tables are wide", access={"agents": ["helper"]})) == PRIVATE


def test_under_any_policy_a_rule_may_publish_what_an_agent_keeps_for_itself(open_memory):
    policy = Policy.from_dict({"spaces": {"visibility": [{"pattern": "^lesson:", "visibility": "public"}]}})
    memory = open_memory(policy=policy)
    alone = memory.as_agent("helper", owner="alice")
    assert space_of(alone.remember("lesson: rivers run to the sea")) == PUBLIC
    assert space_of(alone.remember("rivers run to the sea")) == PRIVATE
    for_alice = memory.as_agent("helper", acting_for="alice")
    assert space_of(for_alice.remember("lesson: rivers run to the sea")) == {"user": "alice"}


# -- what a user's agents share ----------------------------------------------------------------------------------------


def test_what_is_shared_is_for_all_agents_of_the_user_and_nobody_else(agents):
    note = agents.as_agent("helper").remember("the house style has two spaces", visibility="shared")
    for one in (agents.as_agent("writer"), agents.as_agent("writer", acting_for="alice"), agents.as_user("alice")):
        assert one.recall("house style").texts == ["the house style has two spaces"]
        assert one.get(note.id) is not None
    for one in (
        agents.as_agent("other"), agents.as_agent("other", agent="helper"), agents.as_user("bob", agent="helper"),
        agents.as_agent("helper", acting_for="bob"),
    ):  # fmt: skip
        assert one.recall("house style").texts == []
        assert one.get(note.id) is None
        assert one.remember("I was here", space=SHARED).reason == "border_write"
        with pytest.raises(NotFound):
            one.forget(note.id)
    assert agents.as_agent("writer").correct(note.id, "the house style has four spaces").kept


def test_an_agent_by_itself_reaches_nothing_else_of_its_owner(agents):
    own = agents.as_user("alice").remember("I like tea")
    assert agents.as_agent("helper").get(own.id) is None
    assert agents.as_agent("helper").remember("she likes tea", space={"user": "alice"}).reason == "border_write"
    told = agents.as_user("alice").explain(own.id, viewer=agents.as_agent("helper"))
    assert (told.shown, told.reason) == (False, "shared_by_owner")
    assert agents.as_agent("helper", acting_for="alice").get(own.id) is not None


# -- public, as far as a team or an org --------------------------------------------------------------------------------


@pytest.mark.parametrize("memberships", ["trusted", "registered"])
@pytest.mark.parametrize("level", ["org", "team"])
def test_public_ends_at_the_org_or_team_one_stands_at(open_memory, level, memberships):
    memory = open_memory(policy=preset("agents"), memberships=memberships)
    memory.agent.register("helper", owner="alice")
    for user in ("alice", "bob"):
        memory.member.add({level: "x"}, user=user)
    memory.member.add({level: "x"}, agent="helper")
    place = {"agent": "helper", "visibility": "public", level: "x"}
    helper = memory.as_agent("helper", **{level: "x"})
    note = helper.remember("the build takes ten minutes", visibility="public")
    assert space_of(note) == place
    assert space_of(helper.remember("rivers run to the sea")) == place  # by default too: never wider than asked
    member, stranger = (memory.as_user(one, agent="helper", **{level: "x"}) for one in ("bob", "eve"))
    assert member.recall("build").texts == ["the build takes ten minutes"]
    assert member.remember("I was here", space=place).reason == "border_write"
    for one in (stranger, memory.as_user("bob", agent="helper"), memory.as_user("eve", agent="helper")):
        assert one.recall("build").texts == []
        assert one.get(note.id) is None
    alice = memory.as_user("alice", agent="helper", **{level: "x"})
    assert alice.forget(note.id)


def test_both_bounds_hold(agents):
    place = {"agent": "helper", "visibility": "public", "team": "t", "org": "o"}
    assert space_of(agents.as_agent("helper", team="t", org="o").remember("a", visibility="public")) == place
    assert agents.as_user("bob", agent="helper", org="o").list().items == ()
    assert [item.text for item in agents.as_user("bob", agent="helper", org="o", team="t").list().items] == ["a"]


# -- touched spaces and other policies ---------------------------------------------------------------------------------


def test_a_group_without_members_is_open_unless_memberships_are_registered(open_memory):
    trusting, checking = (open_memory(memberships=one) for one in ("trusted", "registered"))
    plan = {"project": "apollo"}
    assert trusting.as_user("mallory", project="apollo").remember("I was here", space=plan).kept
    assert not checking.as_user("mallory", project="apollo").remember("I was here", space=plan).kept
    for memory in (trusting, checking):
        memory.member.add(plan, user="alice")  # the first member closes it
        assert memory.as_user("mallory", project="apollo").remember("I am back", space=plan).reason == "border_write"
        assert memory.as_user("mallory", project="apollo").list().items == ()
        assert memory.as_user("alice", project="apollo").remember("we ship on Fridays", space=plan).kept


def test_a_team_is_a_group_like_any_other(memory):
    memory.member.add({"team": "blue"}, user="alice")
    alice, bob = (memory.as_user(one, team="blue") for one in ("alice", "bob"))
    note = alice.remember("we meet on Monday", space={"team": "blue"})
    assert alice.recall("meet").texts == ["we meet on Monday"]
    assert bob.recall("meet").texts == []
    assert bob.remember("I was here", space={"team": "blue"}).reason == "border_write"
    assert alice.promote(alice.remember("I decided on tea", type="decision").id, {"team": "blue"}).kept
    assert memory.as_user("alice").get(note.id) is None
