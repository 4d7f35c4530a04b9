"""Where a write goes that names no space: to the person the call is for, and public only where a policy says so."""

from __future__ import annotations

import pytest

from memfort import InvalidInput, Policy
from memfort.policy.settings.document import preset, preset_names
from memfort.testing.messages import messages_of

ALICES = {"user": "alice"}
PRIVATE = {"agent": "assistant", "visibility": "private"}
PUBLIC = {"agent": "assistant", "visibility": "public"}
SECRET = "I am negotiating about selling the company"
ALLOWING = Policy.from_dict({"extends": "scoped", "governance": [{"effect": "allow"}]})


def assistant(memory, acting_for="alice", **at):
    return memory.as_agent("assistant", owner="alice", acting_for=acting_for, **at)


def strangers_see(memory):
    asking = (memory.as_user("eve", agent="assistant"), memory.as_agent("spy", owner="eve", agent="assistant"),
              assistant(memory, acting_for="eve"))  # fmt: skip
    return [item.text for one in asking for item in one.list().items]


def places(memory, text):
    """Where `remember` and `observe` put a text, and where the window of the conversation lies."""
    kept = assistant(memory).remember(text)
    seen = assistant(memory).observe(messages_of(text, "Noted.", [("search", "3 hits")]))
    items = [one.item for one in (kept, *seen.outcomes) if one.item is not None]
    return [item.space.to_dict() for item in (*items, *assistant(memory).window())]


def test_memories_written_by_an_assistant_belong_to_the_user_it_acts_for(memory):
    assert {tuple(place.items()) for place in places(memory, SECRET)} == {tuple(ALICES.items())}
    assert SECRET in [item.text for item in memory.as_user("alice").list().items]
    assert SECRET in memory.as_user("alice").recall("selling the company").texts
    assert strangers_see(memory) == []


@pytest.mark.parametrize("acting_for", ["alice", None])
@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("text", [SECRET, "I have anxiety"])
def test_no_preset_publishes_what_a_user_says(open_memory, name, acting_for, text):
    memory = open_memory(policy=preset(name) if name != "scoped" else ALLOWING)
    helper = assistant(memory, acting_for, session="s1")
    if acting_for is None and name == "research":  # whose memories have a user
        with pytest.raises(InvalidInput, match="act for a user"):
            helper.remember(text)
        return
    helper.remember(text)
    helper.remember_many([text, {"text": text, "origin": "user"}])
    helper.observe(messages_of(text, f"You say: {text}", [("note", text)]))
    assert strangers_see(memory) == []
    own = [memory.as_user("alice", session="s1"), memory.as_user("alice", agent="assistant", session="s1")]
    assert text in {item.text for one in own for item in one.list().items}


def test_an_agent_acting_for_no_user_writes_to_its_private_space(memory):
    helper = assistant(memory, None)
    assert helper.remember("rivers run to the sea").item.space.to_dict() == PRIVATE
    assert [one.item.space.to_dict() for one in helper.observe("I prefer tea").outcomes] == [PRIVATE, PRIVATE]
    assert helper.remember("water is wet", space=PUBLIC).item.space.to_dict() == PUBLIC  # named, it goes there
    assert strangers_see(memory) == ["water is wet"] * 3


def test_an_agent_acting_for_another_user_writes_to_that_users_space(memory):
    assert assistant(memory, "bob").remember("likes tea").item.space.to_dict() == {"user": "bob"}
    assert assistant(memory, "bob").window() == []


def test_a_session_is_where_the_conversation_is(memory):
    """The turn stays in the session; what it states is the user's, in every session."""
    turn, statement = assistant(memory, session="s1").observe("I prefer tea").outcomes
    assert (str(turn.item.space), str(statement.item.space)) == ("session=s1 user=alice", "user=alice")


def test_a_phase_begins_where_a_write_goes(memory):
    helper = assistant(memory)
    helper.remember("likes tea")
    phase = helper.phase.start("moved house")
    assert helper.phase.list()[-1] == memory.as_user("alice").phase.list()[-1] == phase
    assert memory.as_user("alice").recall("tea").texts == []
    alone = assistant(memory, None)
    alone.remember("rivers run to the sea")
    alone.phase.start("a new task")
    assert alone.recall("rivers").texts == []


def test_check_and_import_go_to_the_same_place(memory):
    helper = assistant(memory)
    assert helper.check("remember", text="likes tea").reason == "confident"
    rows = b'[{"user_id": "alice", "content": "likes tea", "kind": "preference", "id": 1}]'
    report = helper.import_(rows)
    assert report.counts["kept"] == 1, report
    assert [item.space.to_dict() for item in memory.as_user("alice").list().items] == [ALICES]
    assert [source.space.to_dict() for source in helper.sources()] == [ALICES]
    assert strangers_see(memory) == []


# -- the agent's own space: preset `agents` ---------------------------------------------------------------------------


@pytest.mark.parametrize("acting_for", ["alice", None])
@pytest.mark.parametrize(
    ("text", "place"),
    [
        # The four examples of the document.
        ("User prefers concise responses", PRIVATE),
        ("Python's GIL limits true parallelism", PUBLIC),
        ("Currently debugging auth flow in user's project", PRIVATE),
        ("JWT tokens should be validated on every request", PUBLIC),
        # Tied to the owner or to people.
        ("The owner has two children", PRIVATE),
        ("alice signs the contract on Monday", PRIVATE),
        ("We are selling the company", PRIVATE),
        ("my boss is ill", PRIVATE),
        ("Ich verkaufe die Firma", PRIVATE),
        ("@bob owes 500 euros", PRIVATE),
        # Short-lived, or not public.
        ("The migration is in progress right now", PRIVATE),
        ("diagnosed with depression", PRIVATE),
        ("公司将被出售", PRIVATE),
        ("rivers run to the sea", PUBLIC),
        ("Redis evicts keys when memory is full", PUBLIC),
    ],
)
def test_an_agents_memories_are_public_unless_the_owners_or_short_lived(open_memory, text, place, acting_for):
    memory = open_memory(policy=preset("agents"))
    assert assistant(memory, acting_for).remember(text).item.space.to_dict() == place
    assert strangers_see(memory) == ([text] * 3 if place is PUBLIC else [])


@pytest.mark.parametrize(
    "fields",
    [
        {"ttl_seconds": 60}, {"ttl_ticks": 3}, {"expires_at": "2027-01-01T00:00:00Z"}, {"sensitivity": "personal"},
        {"kind": "short_term"}, {"kind": "profile", "key": "editor"}, {"subjects": ["@bob"]},
        {"access": {"users": ["alice"]}},
    ],
)  # fmt: skip
def test_fields_can_make_an_agents_memory_private(open_memory, fields):
    helper = assistant(open_memory(policy=preset("agents")))
    assert helper.remember("rivers run to the sea", **fields).item.space.to_dict() == PRIVATE
    assert helper.remember("rivers run to the sea").item.space.to_dict() == PUBLIC


def test_a_conversation_is_never_public(open_memory):
    memory = open_memory(policy=preset("agents"))
    assert {tuple(place.items()) for place in places(memory, "Redis evicts keys when memory is full")} == {
        tuple(PUBLIC.items()), tuple(PRIVATE.items()),
    }  # fmt: skip
    assert strangers_see(memory) == ["Redis evicts keys when memory is full"] * 3  # which was remembered


def test_an_unknown_default_place_is_refused():
    with pytest.raises(InvalidInput, match=r"default_place.*own, here, agent"):
        Policy.from_dict({"spaces": {"default_place": "everywhere"}})
