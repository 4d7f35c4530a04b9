"""Each preset says what its seed says, rule by rule, and the facade obeys where it is asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from memfort import FixedClock, Memory
from memfort.model.item import Authority, EventType, Kind
from memfort.model.reason import Reason
from memfort.model.space import Level
from memfort.policy.settings.document import preset, preset_names
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import (
    DisclosureRule,
    Effect,
    EvictFirst,
    Keep,
    KeepMode,
    PersonalAction,
    PhaseMode,
    Provenance,
    SensitiveMatch,
    WhenFull,
    WritePolicy,
)

Open = Callable[..., Memory]
DAY = 86_400
PRESETS = Path(__file__).parents[2] / "src" / "memfort" / "policy" / "presets"


def test_the_presets_are_the_default_and_one_for_each_seed() -> None:
    assert preset_names() == ["agents", "chat", "default", "deterministic", "research", "scoped"]
    assert preset("default") == Policy()
    assert all(preset(name).name == name for name in preset_names())
    assert len({preset(name).digest for name in preset_names()}) == len(preset_names())


def test_the_default_spells_out_every_section() -> None:
    """It is the page that owners start from; what TOML has no word for, a limit that is not there, is left out."""
    text = (PRESETS / "default.toml").read_text(encoding="utf-8")
    for name, value in Policy().to_dict().items():
        if name in {"retention", "promotion"}:
            continue  # nothing is limited there
        assert re.search(rf"^(\[\[?{name}|{name} = )", text, re.MULTILINE), name
        for key, inner in value.items() if isinstance(value, dict) and name != "types" else ():
            assert inner in (None, {}, []) or re.search(rf"^(\[\[?{name}\.{key}|{key} = )", text, re.MULTILINE), key


# -- seed 000: research -----------------------------------------------------------------------------------------------


def test_000_has_eleven_kinds() -> None:
    assert set(preset("research").types) == {
        "profile", "preference", "goal", "constraint", "project", "fact", "decision", "hypothesis", "todo",
        "keyword_set", "note",
    }  # fmt: skip
    assert all(rule.lifetime_seconds is None for rule in preset("research").types.values())
    assert preset("research").retention.default_seconds is None


def test_000_levels_are_user_workspace_and_scope() -> None:
    read_order = preset("research").spaces.read_order
    assert read_order == (Level.PAPER, Level.TRACK, Level.PROJECT, Level.WORKSPACE, Level.USER)


def test_000_the_user_is_required(open_memory: Open) -> None:
    alice = open_memory(policy=preset("research")).as_user("alice", workspace="lab", project="p")
    for shared in ({"workspace": "lab"}, {"project": "p"}):
        assert alice.remember("tremor", space=shared).reason is Reason.GOVERNANCE_DEFAULT
        assert alice.remember("tremor", space={**shared, "user": "alice"}).kept


@pytest.mark.parametrize(
    ("confidence", "status", "personal", "expected"),
    [
        (0.60, None, False, "approved"),
        (0.59, None, False, "pending"),
        (0.10, "approved", False, "approved"),
        (1.00, None, True, "pending"),
        (1.00, "approved", True, "pending"),
        (1.00, "rejected", True, "rejected"),
    ],
)
def test_000_status_from_confidence_and_personal_data(
    open_memory: Open, confidence: float, status: str | None, personal: bool, expected: str
) -> None:
    alice = open_memory(policy=preset("research")).as_user("alice")
    text = "write to carol@corp.test" if personal else "basalt is dark"
    outcome = alice.remember(text, confidence=confidence, status=status)
    assert outcome.item is not None
    assert outcome.item.status == expected


def test_000_knows_no_phases_no_promotions_and_no_low_signal() -> None:
    _knows_nothing_of_conversations(preset("research"))
    assert preset("research").disclosure.missing_provenance is Provenance.OPEN


# -- seed 001: scoped -------------------------------------------------------------------------------------------------


def test_001_order_is_session_project_role_org() -> None:
    assert preset("scoped").spaces.read_order == (Level.SESSION, Level.PROJECT, Level.ROLE, Level.ORG)


def test_001_domains_are_the_types() -> None:
    types = preset("scoped").types
    assert set(types) == {"user_pref", "system_fact", "session_summary", "agent_eval", "code_context"}
    assert all(rule.domain == name for name, rule in types.items())


def test_001_governance_denies_by_default(open_memory: Open) -> None:
    alice = open_memory(policy=preset("scoped")).as_user("alice", org="acme")
    assert alice.remember("the office is in Bonn", space={"org": "acme"}).reason is Reason.GOVERNANCE_DEFAULT
    ruled = Policy.from_dict({"extends": "scoped", "governance": [{"effect": "allow", "user": "alice"}]})
    alice = open_memory(policy=ruled).as_user("alice", org="acme")
    assert alice.remember("the office is in Bonn", space={"org": "acme"}).kept


def test_001_ninety_days_unless_the_record_says_otherwise(open_memory: Open, clock: FixedClock) -> None:
    ruled = Policy.from_dict({"extends": "scoped", "governance": [{"effect": "allow"}]})
    alice = open_memory(policy=ruled).as_user("alice", org="acme")
    alice.remember("the office is in Bonn", space={"org": "acme"})
    alice.remember("the office has a lift", space={"org": "acme"}, ttl_seconds=200 * DAY)
    clock.advance(90 * DAY - 1)
    assert len(alice.recall("office")) == 2
    clock.advance(1)
    assert alice.recall("office").texts == ["the office has a lift"]


def test_001_has_no_review_and_no_view_on_personal_data() -> None:
    policy = preset("scoped")
    assert policy.approve_confidence == 0
    assert (policy.privacy.personal_private, policy.privacy.personal_shared) == (PersonalAction.ALLOW,) * 2
    _knows_nothing_of_conversations(policy)


# -- seed 002: chat ---------------------------------------------------------------------------------------------------

LIFETIMES = {"preference": None, "identity": None, "relationship": None, "knowledge": None, "context": 7, "event": 30,
             "task": 14, "observation": 3}  # fmt: skip


@pytest.mark.parametrize(("type", "days"), LIFETIMES.items())
def test_002_type_and_its_lifetime(open_memory: Open, clock: FixedClock, type: str, days: int | None) -> None:
    alice = open_memory(policy=preset("chat")).as_user("alice")
    alice.remember("Alice was here", type=type)
    clock.advance((days or 4000) * DAY - 1)
    assert alice.recall("Alice").texts == ["Alice was here"]
    clock.advance(1)
    assert bool(alice.recall("Alice")) == (days is None)


def test_002_has_these_types_and_knowledge_unless_named() -> None:
    assert set(preset("chat").types) == set(LIFETIMES)
    assert preset("chat").default_type == "knowledge"


def test_002_a_user_sees_their_own_memories_and_those_of_the_chat(open_memory: Open) -> None:
    memory = open_memory(policy=preset("chat"))
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    memory.as_user("alice").remember("Alice likes tea")
    memory.as_user("alice", chat="lunch").remember("tea is at nine", space={"chat": "lunch"})
    assert memory.as_user("alice", chat="lunch").recall("tea").texts == ["tea is at nine", "Alice likes tea"]
    bob = memory.as_user("bob", chat="lunch")
    assert bob.recall("tea").texts == ["tea is at nine"]  # he has to ask for her by name
    assert "Alice likes tea" in bob.recall("does @alice like tea").texts
    assert memory.as_user("bob").recall("tea").texts == []
    assert memory.as_user("carol", chat="lunch").recall("tea").texts == []


def test_002_configuration() -> None:
    policy = preset("chat")
    assert policy.discard_confidence == 0.7  # extraction_confidence_threshold
    assert policy.approve_confidence == 0  # an explicit request has the threshold 0.0, and nothing is reviewed
    assert policy.budget.owner == 1000  # max_entries, but of each author alone
    assert (policy.budget.when_full, policy.budget.evict_first) == (WhenFull.EXCEED, EvictFirst.OLDEST)
    assert policy.budget.grace_seconds == 7 * DAY
    assert policy.disclosure.rule is DisclosureRule.PARTICIPANTS
    assert policy.disclosure.missing_provenance is Provenance.OPEN
    _knows_nothing_of_conversations(policy)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"origin": "ai", "confidence": 0.7}, Reason.CONFIDENT),
        ({"origin": "ai", "confidence": 0.69}, Reason.DISCARDED),
        ({"confidence": 0.69}, Reason.CONFIDENT),
        ({"confidence": 0.0}, Reason.CONFIDENT),
        ({"origin": "tool", "confidence": 0.0}, Reason.CONFIDENT),
        ({"origin": "ai", "confidence": 0.1, "status": "approved"}, Reason.ASKED_FOR),
    ],
)
def test_002_low_confidence_guesses_are_discarded_and_explicit_statements_kept(
    open_memory: Open, given: dict[str, Any], reason: Reason
) -> None:
    alice = open_memory(policy=preset("chat")).as_user("alice")
    outcome = alice.remember("Alice seems to like jazz", **given)
    assert (outcome.reason, outcome.kept) == (reason, reason is not Reason.DISCARDED)
    assert alice.recall("jazz").texts == (["Alice seems to like jazz"] if outcome.kept else [])
    assert list(alice.review.list()) == []


def test_002_the_oldest_go_first_but_nothing_of_the_last_seven_days(open_memory: Open, clock: FixedClock) -> None:
    chat = preset("chat")
    alice = open_memory(policy=replace(chat, budget=replace(chat.budget, owner=2))).as_user("alice")

    def texts() -> list[str]:
        return sorted(item.text for item in alice.list())

    alice.remember("the first", importance=9)
    clock.advance(DAY)
    for text in ("the second", "the third", "the fourth"):  # there is nothing old enough, so there are more for a while
        assert alice.remember(text, importance=1).kept
    assert len(texts()) == 4
    clock.advance(6 * DAY)
    assert len(alice.remember("the fifth").decision.detail["evicted"]) == 1
    assert texts() == ["the fifth", "the fourth", "the second", "the third"]
    clock.advance(DAY)
    assert len(alice.remember("the sixth").decision.detail["evicted"]) == 3
    assert texts() == ["the fifth", "the sixth"]


# -- seed 003: agents -------------------------------------------------------------------------------------------------

SPACES_OF_AGENT = {"private": {"agent": "helper", "visibility": "private"},
                   "public": {"agent": "helper", "visibility": "public"}}  # fmt: skip
REQUESTERS: dict[str, Callable[[Memory], Any]] = {
    "owner": lambda memory: memory.as_user("alice", agent="helper"),
    "other user": lambda memory: memory.as_user("bob", agent="helper"),
    "other agent": lambda memory: memory.as_agent("scout", agent="helper"),
}


@pytest.mark.parametrize("visibility", SPACES_OF_AGENT)
@pytest.mark.parametrize("requester", REQUESTERS)
@pytest.mark.parametrize("verb", ["read", "write", "delete"])
def test_003_access_table(open_memory: Open, requester: str, visibility: str, verb: str) -> None:
    memory = open_memory(policy=preset("agents"))
    memory.agent.register("helper", owner="alice")
    memory.agent.register("scout", owner="bob")
    space = SPACES_OF_AGENT[visibility]
    kept = memory.as_agent("helper").remember("tokens are validated", space=space)
    asker = REQUESTERS[requester](memory)
    answers = {
        "read": lambda: bool(asker.recall("tokens")),
        "write": lambda: asker.remember("sessions are short", space=space).kept,
        "delete": lambda: asker.check("forget", id=kept.id).verdict == "allowed",
    }
    expected = requester == "owner" or (visibility, verb) == ("public", "read")
    assert answers[verb]() == expected


def test_003_public_is_the_default(open_memory: Open) -> None:
    memory = open_memory(policy=preset("agents"))
    kept = memory.as_agent("helper", owner="alice").remember("tokens are validated")
    assert kept.item is not None
    assert kept.item.space.to_dict() == SPACES_OF_AGENT["public"]


@pytest.mark.parametrize("visibility", SPACES_OF_AGENT)
@pytest.mark.parametrize("text", ["write to carol@corp.test", "the key is AKIAQ3EGRVFJ7WKPZT5M"])
def test_003_nothing_sensitive_is_stored_at_all(open_memory: Open, visibility: str, text: str) -> None:
    helper = open_memory(policy=preset("agents")).as_agent("helper", owner="alice")
    assert not helper.remember(text, space=SPACES_OF_AGENT[visibility]).kept
    assert helper.remember("tea is served at four", space=SPACES_OF_AGENT[visibility]).kept


def test_003_visibility_cannot_be_changed_after_the_write() -> None:
    assert preset("agents").spaces.promotions == ()
    assert preset("agents").spaces.read_order == (Level.AGENT, Level.USER)
    _knows_nothing_of_conversations(preset("agents"))


# -- seed 004: deterministic ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event_type", "ticks"),
    [("context", 12), ("execution", 18), ("decision", 40), ("preference", 40), ("fact", 60), ("correction", 45)],
)
def test_004_semantic_memories_decay(event_type: str, ticks: int) -> None:
    retention = preset("deterministic").retention
    assert retention.rule(Kind.SEMANTIC, EventType(event_type)) == Keep(KeepMode.DECAY, ticks)
    assert retention.rule(Kind.SHORT_TERM, EventType(event_type)) == Keep(KeepMode.NEVER)
    assert retention.rule(Kind.PROFILE, EventType(event_type)) == Keep(KeepMode.NEVER)


@pytest.mark.parametrize(
    ("type", "importance"),
    [("preference", 3), ("decision", 3), ("fact", 4), ("correction", 4), ("execution", 2), ("context", 1)],
)
def test_004_base_importance(type: str, importance: int) -> None:
    policy = preset("deterministic")
    assert policy.types[type].importance == importance
    assert policy.types[type].event_type == type
    assert policy.type_for(EventType(type)) == type
    assert policy.types[type].lifetime_seconds is None


def test_004_profile_is_for_facts_and_corrections() -> None:
    allowed = {event for event in EventType if preset("deterministic").promotion.allows(Kind.PROFILE, event)}
    assert allowed == {EventType.FACT, EventType.CORRECTION}
    assert preset("deterministic").privacy.profile_keys == (
        "name", "timezone", "language", "project", "editor", "units",
    )  # fmt: skip


LASTING = (EventType.PREFERENCE, EventType.DECISION, EventType.FACT, EventType.CORRECTION)


@pytest.mark.parametrize(
    ("source", "target", "authority", "for_decisions"),
    [
        (Level.SESSION, Level.USER, Authority.USER_ASSERTED, Authority.USER_ASSERTED),
        (Level.SESSION, Level.PROJECT, Authority.TOOL_VERIFIED, Authority.USER_ASSERTED),
        (Level.USER, Level.PROJECT, Authority.USER_ASSERTED, Authority.USER_ASSERTED),
    ],
)
def test_004_promotions(source: Level, target: Level, authority: Authority, for_decisions: Authority) -> None:
    way = preset("deterministic").spaces.way(source, target)
    assert way is not None
    assert (way.authority, way.event_types, way.approvals) == (authority, LASTING, 0)
    assert way.override.get(EventType.DECISION, way.authority) is for_decisions


def test_004_nothing_else_is_promoted_and_only_the_session_and_the_system_are_written_to() -> None:
    spaces = preset("deterministic").spaces
    assert len(spaces.promotions) == 3
    assert spaces.read_order == (Level.SESSION, Level.USER, Level.PROJECT, Level.SYSTEM)
    assert spaces.write == (Level.SESSION, Level.SYSTEM)  # the latter by the system alone


def test_004_writing_is_normal_and_every_event_type_is_listed() -> None:
    policy = preset("deterministic")
    assert policy.write_policy is WritePolicy.NORMAL
    assert policy.allow_event_types == policy.deny_event_types == ()
    assert policy.governance_default is Effect.ALLOW
    assert policy.low_signal == ("ok", "okay", "thanks", "thank you", "hello", "hi", "hey", "cool", "great")
    assert policy.authority_order == tuple(Authority)


def test_004_phases() -> None:
    phase = preset("deterministic").phase
    assert (phase.enabled, phase.mode, phase.diff_enabled) == (True, PhaseMode.CURRENT_ONLY, True)
    assert (phase.allow_cross_phase_recall, phase.shows_history, phase.max_phases) == (False, False, None)
    assert not phase.keep_profile  # a new phase hides everything older


@pytest.mark.parametrize(
    "word", ["password", "secret", "token", "api key", "apikey", "credit card", "ssn", "social security", "private key"]
)
@pytest.mark.parametrize("kind", ["short_term", "semantic"])
def test_004_sensitive_words_are_denied_also_in_recent_turns(open_memory: Open, word: str, kind: str) -> None:
    alice = open_memory(policy=preset("deterministic")).as_user("alice", session="s1")
    denied = alice.remember(f"about the {word.title()} in general", kind=kind, space={"session": "s1"})
    assert denied.reason in {Reason.PRIVACY_DENY_SENSITIVE, Reason.SECRET}
    assert alice.remember("about the monkey in general", kind=kind, space={"session": "s1"}).kept


@pytest.mark.parametrize("text", ["the Secretary is out", "PASSWORDLESS is better", "we minted tokens", "xssnx"])
def test_004_a_sensitive_word_counts_inside_other_words(open_memory: Open, text: str) -> None:
    policy = preset("deterministic")
    alice = open_memory(policy=policy).as_user("alice", session="s1")
    assert alice.remember(text, space={"session": "s1"}).reason is Reason.PRIVACY_DENY_SENSITIVE
    words = replace(policy, privacy=replace(policy.privacy, sensitive_match=SensitiveMatch.WORD))
    assert open_memory(policy=words).as_user("alice", session="s1").remember(text, space={"session": "s1"}).kept


def test_004_own_corrections_stand() -> None:
    assert preset("deterministic").conflict.own_corrections_stand
    assert not preset("default").conflict.own_corrections_stand


def _knows_nothing_of_conversations(policy: Policy) -> None:
    """Phases, promotions, ticks, low signal and write policies are words of seed 004 alone."""
    assert not policy.phase.enabled
    assert policy.spaces.promotions == ()
    assert policy.low_signal == ()
    assert policy.write_policy is WritePolicy.AGGRESSIVE
    assert [dict(getattr(policy.retention, kind.value)) for kind in Kind] == [{}, {}, {}]
