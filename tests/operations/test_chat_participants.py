"""Naming a registered chat one takes no part in gives nothing: reads answer as an empty store does, writes are denied,
and nothing counts as said or heard there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memfort import BoundMemory, Denied, Memory, NotFound
from memfort.operations.table import TABLE, Effect
from memfort.store.memory import MemoryStore
from memfort.testing.messages import messages_of

ANXIETY = "@bob has anxiety"
CLOSED = ("memory_border_check", False, "not_a_participant")
Verb = Callable[[BoundMemory, dict[str, str]], Any]


@pytest.fixture(params=["trusted", "registered"])
def memory(request: pytest.FixtureRequest, open_memory: Callable[..., Memory]) -> Memory:
    made = open_memory(memberships=request.param)
    made.chat.register("hall", kind="group", participants=["alice", "bob"])
    made.chat.register("den", kind="private", participants=["bob"])
    made.chat.register("open", kind="group", participants=["alice", "bob", "carol"])
    for agent, owner in (("carol-bot", "carol"), ("bob-bot", "bob")):
        made.agent.register(agent, owner=owner)
    return made


@pytest.fixture
def ids(memory: Memory) -> dict[str, str]:
    """What there is to be found: alice's words about bob, and carol's own memories, one of which waits for review."""
    alice, carol = memory.as_user("alice", chat="hall"), memory.as_user("carol")
    kept = alice.remember(ANXIETY)
    assert (kept.item.sensitivity, kept.item.subjects) == ("sensitive", ("@bob",))
    dora = carol.people.add("Dora Deer", relation="friend", listed=True).id
    carol.observe("I like tea")
    carol.remember("Dora has a dinghy", subjects=[dora])
    carol.share(space={"user": "carol"}, user="bob")
    old = carol.remember("carol keeps a canoe in the barn")
    before = Memory(MemoryStore(), clock=memory._engine.clock).as_user("carol")
    before.remember("carol once rowed to Ruse")
    header, line = before.export()
    line["memory"]["learned_in"] = None  # which the doctor finds
    carol.import_("\n".join(map(json.dumps, (header, line))).encode())
    made = {
        "anxiety": kept.id,
        "old": old.id,
        "canoe": carol.correct(old.id, "carol keeps a canoe in the boathouse").id,
        "pending": carol.remember("carol may sell the canoe", confidence=0.1).id,
        "gone": carol.remember("carol hums").id,
        "person": dora,
        "share": carol.shares()[0].id,
        "receipt": carol.erase(carol.remember("carol whistles").id).id,
        "trace": str(carol.recall("canoe").trace),
    }
    carol.forget(made["gone"])
    return made


def strangers(memory: Memory) -> list[BoundMemory]:
    return [
        memory.as_user("carol", chat="den"),
        memory.as_agent("carol-bot", chat="den"),
        memory.as_agent("carol-bot", acting_for="carol", chat="den"),
        memory.as_agent("bob-bot", acting_for="carol", chat="den"),  # the user it acts for counts, not its owner
        memory.as_agent("bob-bot", chat="den"),  # that its owner takes part is not enough
    ]


def participants(memory: Memory) -> list[BoundMemory]:
    memory.agent.register("desk-bot", owner="bob")
    memory.member.add({"chat": "den"}, agent="desk-bot")
    return [
        memory.as_user("bob", chat="den"),
        memory.as_agent("carol-bot", acting_for="bob", chat="den"),
        memory.as_agent("desk-bot", chat="den"),
    ]


def test_strangers_learn_nothing_about_the_participants(memory: Memory, ids: dict[str, str]) -> None:
    for stranger in strangers(memory):
        assert stranger.about("@bob") == []
        assert stranger.get(ids["anxiety"]) is None
    for participant in participants(memory):
        assert [item.text for item in participant.about("@bob")] == [ANXIETY], participant


# -- every verb -------------------------------------------------------------------------------------------------------


def nothing(read: Callable[[], Any]) -> Any:
    """What a read gives; a missing answer looks as in an empty store."""
    try:
        return read()
    except NotFound:
        return None


def lines(exported: Any) -> list[str]:
    return [next(iter(line)) for line in exported]


# What each read gives, in a form in which nothing at all is false.
READS: dict[str, Verb] = {
    "recall": lambda who, ids: who.recall("canoe").texts,
    "recall, counting what did not come": lambda who, ids: dict(who.recall("canoe", explain=True).withheld),
    "context": lambda who, ids: "canoe" in who.context("canoe").text,
    "get": lambda who, ids: who.get(ids["canoe"]),
    "about": lambda who, ids: who.about("@carol") + who.about("@bob") + who.about("Dora Deer"),
    "edges": lambda who, ids: who.edges(ids["canoe"]) + who.edges(ids["person"]),
    "related": lambda who, ids: who.related(ids["canoe"]) or [ids["canoe"]],
    "list": lambda who, ids: list(who.list()) + list(who.list(deleted=True)),
    "history": lambda who, ids: who.history(ids["canoe"]),
    "explain": lambda who, ids: who.explain(ids["canoe"]).shown,
    "explain what waits": lambda who, ids: who.explain(ids["pending"]).reason != "not_found",
    "check": lambda who, ids: who.check("get", id=ids["canoe"]).verdict == "allowed",
    "window": lambda who, ids: who.window(),
    "review.list": lambda who, ids: who.review.list(),
    "phase.list": lambda who, ids: who.phase.list(),
    "phase.diff": lambda who, ids: who.phase.diff("phase-1"),
    "spaces": lambda who, ids: who.spaces(),
    "shares": lambda who, ids: who.shares(),
    "share_changes": lambda who, ids: who.share_changes(),
    "sources": lambda who, ids: who.sources(),
    "export": lambda who, ids: lines(who.export())[1:],
    "erasures": lambda who, ids: who.erasures(),
    "verify_erasure": lambda who, ids: who.verify_erasure(ids["receipt"]),
    "trail.export": lambda who, ids: list(who.trail.export()),
    "trail.list": lambda who, ids: list(who.trail.list()),
    "doctor": lambda who, ids: [one for one in who.doctor().checks if one.count],
    "policy.simulate": lambda who, ids: who.policy.simulate(who._engine.policy).decisions,
    "people.find": lambda who, ids: who.people.find("Dora Deer"),
    "people.get": lambda who, ids: who.people.get(ids["person"]),
    "people.list": lambda who, ids: who.people.list(),
    "people.relations": lambda who, ids: who.people.relations(ids["person"]),
    "subject.export": lambda who, ids: list(who.subject.export("@carol")),
}

WRITES: dict[str, Verb] = {
    "remember": lambda who, ids: who.remember("@bob is tall"),
    "remember_many": lambda who, ids: who.remember_many(["@bob is tall"]),
    "correct": lambda who, ids: who.correct(ids["canoe"], "carol keeps a kayak"),
    "restore": lambda who, ids: who.restore(ids["old"]),
    "used": lambda who, ids: who.used(ids["canoe"]),
    "observe": lambda who, ids: who.observe(messages_of("I like tea", "Noted.")),
    "promote": lambda who, ids: who.promote(ids["canoe"], {"chat": "den"}),
    "review.approve": lambda who, ids: who.review.approve(ids["pending"]),
    "review.reject": lambda who, ids: who.review.reject(ids["pending"]),
    "review.edit": lambda who, ids: who.review.edit(ids["pending"], "carol will sell it"),
    "phase.start": lambda who, ids: who.phase.start("a new year"),
    "share": lambda who, ids: who.share(space={"user": "carol"}, user="dan"),
    "revoke": lambda who, ids: who.revoke(ids["share"]),
    "forget": lambda who, ids: who.forget(ids["canoe"]),
    "forget, to see what would go": lambda who, ids: who.forget(ids["canoe"], dry_run=True),
    "erase": lambda who, ids: who.erase(ids["canoe"]),
    "erase, to see what would go": lambda who, ids: who.erase(ids["canoe"], dry_run=True),
    "people.forget": lambda who, ids: who.people.forget("@carol"),
    "erase a scope": lambda who, ids: who.erase(scope={"user": "carol"}),
    "erase by words": lambda who, ids: who.erase(query="canoe"),
    "forget by words": lambda who, ids: who.forget(query="canoe"),
    "undo": lambda who, ids: who.undo(author="user:carol"),
    "subject.erase": lambda who, ids: who.subject.erase("@carol"),
    "erase a source": lambda who, ids: who.erase(source="src_x"),
    "doctor with a fix": lambda who, ids: who.doctor(fix=["duplicates"]),
    "import": lambda who, ids: who.import_("\n".join(map(json.dumps, who.export())).encode()),
    "people.add": lambda who, ids: who.people.add("Emil", listed=True),
    "people.update": lambda who, ids: who.people.update(ids["person"], name="Dora Doe"),
    "people.alias": lambda who, ids: who.people.alias(ids["person"], "Dodo"),
    "people.merge": lambda who, ids: who.people.merge("@carol", ids["person"]),
    "people.link": lambda who, ids: who.people.link(ids["person"], user="carol"),
    "people.relate": lambda who, ids: who.people.relate("me", "friend", ids["person"]),
    "people.unrelate": lambda who, ids: who.people.unrelate("me", "friend", ids["person"]),
    "people.drop": lambda who, ids: who.people.drop(ids["person"]),
}

# They say where one stands and what this very actor called, and show no memory.
OF_THE_CALLER_ALONE = {"actor", "standpoint", "standings", "last_trace", "default_type", "run"}
OF_THE_CALLER_ALONE |= {"trace.show", "trace.list", "through", "within", "default_visibility"}
OF_THE_CALLER_ALONE |= {"extraction.list", "extraction.retry", "extraction.drop"}  # the queue of one's own turns
OF_THE_CALLER_ALONE |= {"compare"}  # asked from outside any chat: a chat would hear the answer


def test_every_verb_is_here() -> None:
    rows = {row.name for row in TABLE.values() if row.effect is not Effect.ADMIN}
    written = {name for name in vars(BoundMemory) if not name.startswith("_")}
    assert (rows | written) - OF_THE_CALLER_ALONE == {name for name in (*READS, *WRITES) if " " not in name}


@pytest.mark.parametrize("verb", READS)
def test_a_stranger_reads_nothing(memory: Memory, ids: dict[str, str], verb: str) -> None:
    read = READS[verb]
    if verb == "phase.diff":
        memory.as_user("carol").phase.start("another year")
    if verb == "share_changes":
        erin = memory.as_user("erin")
        erin.share(user="carol")
        erin.forget(erin.remember("erin sails").id)
    for stranger in strangers(memory):
        assert nothing(lambda who=stranger: read(who, ids)) in (None, False, 0, [], {}), stranger
    assert nothing(lambda: read(memory.as_user("carol"), ids)) not in (None, False, 0, [], {})


@pytest.mark.parametrize("verb", WRITES)
def test_a_stranger_writes_nothing(memory: Memory, ids: dict[str, str], verb: str) -> None:
    before = state(memory)
    for stranger in strangers(memory):
        with pytest.raises(Denied) as refused:
            WRITES[verb](stranger, ids)
        assert refused.value.reason == "not_a_participant"
        if stranger.last_trace is not None:  # of a verb that is a call with a trace
            (event,) = stranger.trace.show(stranger.last_trace).events
            assert (event["type"], event["allowed"], event["reason"]) == CLOSED
    assert state(memory) == before


def state(memory: Memory) -> list[str]:
    """Everything that carol and alice have, but for what is recorded of asking."""
    return [
        json.dumps(line, sort_keys=True) for user in ("alice", "bob", "carol") for line in memory.as_user(user).export()
    ]


# -- the rest of the rule ---------------------------------------------------------------------------------------------


def test_a_participant_writes_as_before(memory: Memory) -> None:
    for participant in participants(memory):
        kept = participant.remember(f"the den belongs to {participant.actor.id}")
        assert kept.item is not None
        assert kept.item.learned_in == "den"


def test_a_denial_is_recorded_where_the_caller_can_read_it(memory: Memory) -> None:
    stranger = memory.as_user("carol", chat="den")
    with pytest.raises(Denied):
        stranger.remember("@bob is tall")
    last = [line["event"] for line in memory.as_user("carol").trail.export()][-1]
    assert (last["action"], last["decision"], last["reason"]) == ("remember", "denied", "not_a_participant")
    assert "@bob" not in json.dumps(last)
    assert "is tall" not in json.dumps(last)
    assert stranger.last_trace is not None
    (event,) = memory.as_user("carol").trace.show(stranger.last_trace).events
    assert (event["type"], event["allowed"], event["reason"]) == CLOSED


def test_check_denies_strangers_too(memory: Memory, ids: dict[str, str]) -> None:
    stranger, carol = memory.as_user("carol", chat="den"), memory.as_user("carol")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("remember", {"text": "carol is tall"}), ("correct", {"id": ids["canoe"]}), ("forget", {"id": ids["canoe"]}),
        ("erase", {"id": ids["canoe"]}), ("approve", {"id": ids["pending"]}), ("share", {"space": {"user": "carol"}}),
    ]  # fmt: skip
    for verb, given in asked:
        decision = stranger.check(verb, **given)
        assert (decision.verdict, decision.reason) == ("denied", "not_a_participant"), verb
        assert carol.check(verb, **given).verdict == "allowed", verb
    assert stranger.check("get", id=ids["canoe"]).reason == "not_found"


def test_explain_says_that_the_viewer_is_not_a_participant(memory: Memory, ids: dict[str, str]) -> None:
    explanation = memory.as_user("carol").explain(ids["canoe"], viewer=memory.as_user("carol", chat="den"))
    assert (explanation.shown, explanation.reason) == (False, "not_a_participant")
    assert "chat=den" in str(explanation)


def test_a_stranger_cannot_make_statements_in_a_chat(memory: Memory) -> None:
    with pytest.raises(Denied):
        memory.as_user("carol", chat="hall").remember("@bob loves pizza")
    assert memory.as_user("bob", chat="den").about("@bob") == []
    memory.as_user("carol", chat="open").remember("@bob loves pizza")
    assert [item.text for item in memory.as_user("bob", chat="den").about("@bob")] == ["@bob loves pizza"]


def test_joining_and_leaving_take_effect_at_once(memory: Memory, ids: dict[str, str]) -> None:
    carol = memory.as_user("carol", chat="den")
    assert not carol.recall("canoe")
    memory.chat.register("den", kind="private", participants=["carol"])
    assert carol.recall("canoe").texts == ["carol keeps a canoe in the boathouse"]
    assert carol.remember("carol is in").item is not None
    memory.chat.register("den", kind="private", participants=[])
    assert not carol.recall("canoe")
    with pytest.raises(Denied):
        carol.remember("carol is out")


def test_an_unregistered_chat_is_trusted_only_in_trusted_mode(memory: Memory) -> None:
    carol = memory.as_user("carol", chat="new")
    if memory._engine.memberships == "trusted":
        assert carol.remember("lunch is at noon", space={"chat": "new"}).item is not None
        assert carol.recall("lunch").texts == ["lunch is at noon"]
    else:
        with pytest.raises(Denied) as refused:
            carol.remember("lunch is at noon")
        assert refused.value.reason == "not_a_participant"
        assert carol.people.list() == []


def test_a_stranger_reads_shared_memories_outside_the_chat_only(memory: Memory) -> None:
    alice = memory.as_user("alice")
    alice.remember("alice owns a barge")
    alice.share(space={"user": "alice"}, user="carol")
    assert memory.as_user("carol").recall("barge").texts == ["alice owns a barge"]
    assert not memory.as_user("carol", chat="den").recall("barge")
