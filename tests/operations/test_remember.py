"""Remembering and correcting: each statement decided on its own, the new word winning only by right."""

from __future__ import annotations

import json

import pytest

from memfort import Candidate, Denied, InvalidInput, Policy, Rule
from memfort.operations.table import TABLE

KINDS = ["user", "ai", "tool"]


def texts(reader, query="likes"):
    return reader.recall(query, limit=1000).texts


# -- where a write goes -----------------------------------------------------------------------------------------------


def test_unnamed_a_users_memory_goes_to_the_user(alice):
    assert alice.remember("likes tea").item.space.to_dict() == {"user": "alice"}


def test_a_session_gets_its_owner_added(memory):
    alice = memory.as_user("alice", session="s1")
    assert alice.remember("likes tea", space={"session": "s1"}).item.space.to_dict() == {
        "session": "s1",
        "user": "alice",
    }


def test_writing_outside_the_standpoint_is_denied_and_recorded(alice, events):
    outcome = alice.remember("likes tea", space={"user": "bob"})
    assert (outcome.kept, outcome.decision.gate, outcome.reason) == (False, "border", "border_write")
    assert [(event["action"], event["decision"], event["reason"]) for event in events()] == [
        ("remember", "denied", "border_write")
    ]
    assert alice.remember("likes tea").kept


def test_an_id_does_not_depend_on_other_users(open_memory):
    quiet, busy = open_memory(), open_memory()
    busy.as_user("bob").remember_many(f"noise {number}" for number in range(5))
    assert quiet.as_user("alice").remember("likes tea").id == busy.as_user("alice").remember("likes tea").id


# -- batches ----------------------------------------------------------------------------------------------------------


def test_a_batch_is_decided_one_by_one_and_one_bad_item_costs_no_other(alice):
    outcomes = alice.remember_many(
        [
            "likes tea",
            {"text": "likes jam", "confidence": 0.1},
            {"text": ""},
            None,
            7,
            {"text": "likes ink", "confidense": 1},
            {"text": "likes fog", "space": {"user": "bob"}},
            {"text": "likes ore", "derived_from": ["mem_none"]},
            Candidate(text="likes rye"),
            "likes tea",
        ]
    )
    assert [str(outcome.reason) for outcome in outcomes] == [
        "confident", "low_confidence", "invalid", "invalid", "invalid", "invalid", "border_write", "invalid",
        "confident", "duplicate",
    ]  # fmt: skip
    assert "did you mean `confidence`" in outcomes[5].decision.detail["problem"]
    assert sorted(texts(alice)) == ["likes rye", "likes tea"]


def test_a_batch_says_how_far_it_is(alice):
    steps = []
    alice.remember_many(["likes tea", "", "likes jam"], progress=lambda done, of: steps.append((done, of)))
    assert steps == [(1, 3), (2, 3), (3, 3)]


def test_a_batch_is_one_commit(alice):
    def stop(done, of):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        alice.remember_many(["likes tea", "likes jam", "likes ink"], progress=stop)
    assert texts(alice) == []
    alice.remember_many(["likes tea", "likes jam"])
    assert len(texts(alice)) == 2


def test_an_empty_batch_is_nothing(alice, events):
    assert alice.remember_many([]) == []
    assert events() == []


# -- duplicates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["likes tea", "Likes TEA!", " likes   tea ", "ｌｉｋｅｓ tea", "“likes” tea…"])
def test_the_same_words_are_one_memory(alice, again):
    first = alice.remember("likes tea")
    assert alice.remember(again).id == first.id
    assert texts(alice) == ["likes tea"]


@pytest.mark.parametrize("other", ["likes teas", "likes tea+", "likes not tea", "likes téa"])
def test_other_words_are_another_memory(alice, other):
    first = alice.remember("likes tea")
    assert alice.remember(other).id != first.id


def test_for_other_readers_it_is_another_memory(memory):
    alice, space = memory.as_user("alice", org="acme"), {"org": "acme"}
    first = alice.remember("likes tea", space=space)
    second = alice.remember("likes tea", space=space, access={"users": ["alice"]})
    assert first.id != second.id
    assert len(texts(alice)) == 2


def test_an_explicit_statement_approves_a_pending_guess(alice):
    guess = alice.remember("likes tea", origin="ai", confidence=0.2)
    assert texts(alice) == []
    said = alice.remember("likes tea")
    assert said.item.status == "approved"
    assert texts(alice) == ["likes tea"]
    assert [item.id for item in alice.history(said.id)] == [guess.id, said.id]
    assert alice.list(statuses=["superseded"]).items[0].id == guess.id
    assert alice.review.list() == []


def test_a_guess_does_not_approve_a_users_pending_memory(alice):
    alice.remember("likes tea", status="pending")
    assert alice.remember("likes tea", origin="ai").reason == "duplicate"
    assert texts(alice) == []


# -- profile facts ----------------------------------------------------------------------------------------------------


def test_a_profile_fact_has_one_value(alice):
    first = alice.remember("lives in Rome", kind="profile", key="home")
    second = alice.remember("lives in Oslo", kind="profile", key="home")
    other = alice.remember("speaks Latin", kind="profile", key="language")
    assert sorted(texts(alice, "lives speaks")) == ["lives in Oslo", "speaks Latin"]
    assert [item.superseded_by for item in alice.list(statuses=["superseded"])] == [second.id]
    assert alice.get(first.id) is None
    assert alice.get(other.id) is not None


def test_a_pending_value_waits_beside_the_old_one_and_replaces_it_when_approved(alice):
    alice.remember("lives in Rome", kind="profile", key="home")
    waits = alice.remember("lives in Oslo", kind="profile", key="home", confidence=0.3)
    assert texts(alice, "lives") == ["lives in Rome"]
    alice.review.approve(waits.id)
    assert texts(alice, "lives") == ["lives in Oslo"]


@pytest.mark.parametrize("order", [("user", "ai"), ("tool", "user"), ("tool", "ai")])
def test_a_plain_statement_does_not_replace_a_fact_of_higher_authority(alice, order):
    high, low = order
    alice.remember("lives in Rome", kind="profile", key="home", origin=high)
    assert alice.remember("lives in Oslo", kind="profile", key="home", origin=low).reason == "outranked"
    assert texts(alice, "lives") == ["lives in Rome"]
    assert alice.remember("lives in Bonn", kind="profile", key="home", origin=high).kept
    assert texts(alice, "lives") == ["lives in Bonn"]


def test_a_key_is_kept_exactly(alice):
    for key in ("home", "Home", "home ", "ho:me"):
        alice.remember(f"lives at {key}", kind="profile", key=key)
    assert len(texts(alice, "lives")) == 4


# -- correcting -------------------------------------------------------------------------------------------------------


def test_a_correction_wins_and_keeps_the_history(alice, clock):
    first = alice.remember("likes tea", tags=["drink"], type="preference", meta={"a": 1})
    clock.advance(1)
    second = alice.correct(first.id, "likes coffee")
    assert texts(alice) == ["likes coffee"]
    assert [item.text for item in alice.history(first.id)] == ["likes tea", "likes coffee"]
    assert alice.history(first.id) == alice.history(second.id)
    assert (second.item.tags, second.item.type, second.item.meta) == (("drink",), "preference", {"a": 1})


def test_a_correction_keeps_the_expiry_of_the_corrected_memory(alice):
    first = alice.remember("meets at three", ttl_seconds=60)
    assert alice.correct(first.id, "meets at four").item.expires_at_us == first.item.expires_at_us
    third = alice.remember("eats at three", ttl_seconds=60)
    assert alice.correct(third.id, "eats at four", ttl_seconds=90).item.expires_at_us != third.item.expires_at_us


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("by", KINDS)
def test_corrections_follow_the_authority_order(alice, by, target):
    first = alice.remember("likes tea", origin=target)
    outcome = alice.correct(first.id, "likes coffee", origin=by)
    wins = by != "ai" or target == "ai"
    assert outcome.kept is wins
    assert texts(alice) == (["likes coffee"] if wins else ["likes tea"])
    if not wins:
        assert outcome.reason == "outranked"


def test_an_agent_cannot_replace_its_users_statement(memory, alice):
    said = alice.remember("likes tea")
    agent = memory.as_agent("helper", owner="alice", acting_for="alice")
    assert agent.recall("tea").texts == ["likes tea"]
    assert agent.correct(said.id, "likes coffee").reason == "outranked"
    assert texts(alice) == ["likes tea"]


def test_a_pending_correction_does_not_replace_until_it_is_approved(alice):
    first = alice.remember("likes tea")
    waits = alice.correct(first.id, "likes coffee", confidence=0.2)
    assert waits.item.status == "pending"
    assert texts(alice) == ["likes tea"]
    alice.review.approve(waits.id)
    assert texts(alice) == ["likes coffee"]
    assert [item.text for item in alice.history(first.id)] == ["likes tea", "likes coffee"]


def test_a_correction_of_a_pending_correction_replaces_both(alice):
    first = alice.remember("likes tea")
    waits = alice.correct(first.id, "likes coffee", confidence=0.2)
    alice.correct(waits.id, "likes milk")
    assert texts(alice) == ["likes milk"]
    assert alice.review.list() == []


def test_correcting_to_an_existing_memory_keeps_only_that_one(alice):
    wrong, right = alice.remember("likes tea"), alice.remember("likes coffee")
    outcome = alice.correct(wrong.id, "likes coffee")
    assert (outcome.reason, outcome.id) == ("duplicate", right.id)
    assert texts(alice) == ["likes coffee"]


def test_a_correction_back_and_forth_is_four_versions(alice):
    id = alice.remember("likes tea").id
    for text in ("likes coffee", "likes tea", "likes coffee"):
        id = alice.correct(id, text).id
    assert [item.text for item in alice.history(id)] == ["likes tea", "likes coffee"] * 2
    assert texts(alice) == ["likes coffee"]


def test_a_correction_opens_no_reader_list_by_leaving_it_out(memory):
    alice, bob = memory.as_user("alice", org="acme"), memory.as_user("bob", org="acme")
    first = alice.remember("likes tea", space={"org": "acme"}, access={"users": ["alice"]})
    second = alice.correct(first.id, "likes coffee", access=None, tags=None, ttl_seconds=None)
    assert second.item.readers == first.item.readers
    assert not bob.recall("coffee")
    assert alice.recall("coffee").texts == ["likes coffee"]


def test_a_correction_stays_where_the_memory_is(memory):
    alice = memory.as_user("alice", project="apollo")
    first = alice.remember("likes tea")
    given = {"id": first.id, "text": "likes coffee", "space": {"project": "apollo"}}
    with pytest.raises(InvalidInput) as refused:
        alice.run(TABLE["correct"], given)
    assert refused.value.field == "space"
    with pytest.raises(TypeError, match="space"):
        alice.correct(**given)
    assert texts(alice) == ["likes tea"]


# -- derived memories -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "authority"), [("ai", "ai_inferred"), ("user", "user_asserted"), ("tool", "user_asserted")]
)
def test_a_derived_memory_has_the_lowest_authority_of_its_sources(alice, source, authority):
    first = alice.remember("likes tea", origin=source).id
    second = alice.remember("likes milk", origin="tool").id
    made = alice.remember("likes tea with milk", origin="user", derived_from=[first, second])
    assert made.item.authority == authority


def test_a_source_out_of_sight_cannot_be_derived_from(memory, alice, bob):
    hidden = bob.remember("likes tea").id
    [outcome] = alice.remember_many([{"text": "bob likes tea", "derived_from": [hidden]}])
    assert outcome.reason == "invalid"
    own = alice.remember("likes jam").id
    assert alice.remember("alice likes jam", derived_from=[own]).kept


# -- the policy -------------------------------------------------------------------------------------------------------


def test_a_policy_can_be_written_in_plain_words(open_memory):
    strict = open_memory(policy=Policy(privacy={"personal_private": "deny"})).as_user("alice")
    assert strict.remember("bob@example.org").reason == "personal_denied"
    assert strict.remember("likes tea").kept
    with pytest.raises(InvalidInput, match="personal_private"):
        Policy(privacy={"personal_private": "perhaps"})


@pytest.mark.parametrize(
    ("action", "reason", "text"),
    [("allow", "confident", "mail bob@example.org"), ("review", "personal_review", None),
     ("deny", "personal_denied", None),
     ("redact", "personal_redacted", "mail [REDACTED_EMAIL]")],
)  # fmt: skip
def test_the_policy_chooses_how_to_treat_personal_data(open_memory, action, reason, text):
    alice = open_memory(policy=Policy(privacy={"personal_private": action})).as_user("alice")
    assert alice.remember("mail bob@example.org").reason == reason
    assert texts(alice, "mail") == ([] if text is None else [text])


@pytest.mark.parametrize("space", [{"project": "apollo"}, {"org": "acme"}, {"chat": "lunch"}])
def test_personal_data_is_denied_where_others_read(memory, space):
    alice = memory.as_user("alice", **space)
    assert alice.remember("mail bob@example.org", space=space).reason == "personal_shared"
    assert alice.remember("mail bob", space=space).kept
    assert alice.remember("mail bob@example.org").item.status == "pending"


def test_governance_comes_before_status_and_is_named(open_memory):
    ruled = open_memory(policy=Policy(governance=(Rule("deny", type="task", name="no tasks"),)))
    outcome = ruled.as_user("alice").remember("call bob", type="todo")
    assert (outcome.decision.gate, outcome.decision.detail) == ("governance", {"rule": "no tasks"})
    assert ruled.as_user("alice").remember("call bob", type="event").kept


def test_a_derived_memory_expires_with_its_source(alice, clock):
    source = alice.remember("raw notes about tea", ttl_seconds=60)
    made = alice.remember("summary about tea", derived_from=[source.id])
    assert made.item.expires_at_us == source.item.expires_at_us
    assert alice.recall("tea").texts
    clock.advance(60)
    assert alice.recall("tea").texts == []


@pytest.mark.parametrize("given", [{"space": {"project": "TOKEN"}}, {"access": {"users": ["alice", "TOKEN"]}}])
def test_a_secret_in_a_name_is_refused(memory, given):
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    with pytest.raises(Denied, match=r"^project: .*`github_pat`") as standing:
        memory.as_user("alice", project=token)
    alice = memory.as_user("alice", project="TOKEN")
    hidden = json.loads(json.dumps(given).replace("TOKEN", token))
    with pytest.raises(Denied, match=rf"^{next(iter(given))}: .*`github_pat`") as naming:
        alice.remember("likes tea", **hidden)
    assert {standing.value.reason, naming.value.reason} == {"secret"}
    assert token not in f"{standing.value} {naming.value}"
    assert not alice.list(limit=2)
    assert alice.remember("likes tea", **given).kept


@pytest.mark.parametrize("access", [{"users": ["bob"]}, {"users": []}, {"users": ["alice"], "agents": ["helper"]}])
def test_a_reader_list_without_its_writer_is_refused(alice, access):
    """Whoever writes a memory can read it back."""
    refused = alice.remember("likes tea", access=access)
    assert (refused.kept, refused.reason, refused.decision.gate) == (False, "writer_not_a_reader", "border")
    assert alice.check("remember", text="likes jam", access=access).reason == "writer_not_a_reader"
    mine = alice.remember("likes ink", access={"users": ["alice", "bob"]})
    assert alice.get(mine.id).text == "likes ink"
    assert alice.correct(mine.id, "likes milk", access=access).reason == "writer_not_a_reader"
    assert alice.get(mine.id).text == "likes ink"
    many = alice.remember_many([{"text": "likes oats", "access": access}, "likes rye"])
    assert [one.kept for one in many] == [False, True]


def test_a_refused_write_says_nothing_of_readers(alice):
    refused = alice.remember("likes tea", space={"user": "bob"}, access={"users": ["bob"]})
    assert (refused.kept, refused.decision.detail) == (False, {})


# -- the type that the words show -------------------------------------------------------------------------------------

DAY = 24 * 60 * 60 * 1_000_000


@pytest.mark.parametrize("text", ["We got married in 2014", "I moved to Lyon", "We decided to use Postgres"])
def test_lasting_facts_never_expire_whenever_observed(alice, clock, text):
    assert alice.remember(text).item.expires_at_us is None
    assert alice.remember(f"{text} indeed", observed_at=clock.now() - 400 * DAY).item.expires_at_us is None
    assert alice.remember("Had dinner with Sarah", type="event").item.expires_at_us == clock.now() + 30 * DAY


@pytest.mark.parametrize(
    "text",
    ["We visited Rome in 2014", "We had dinner on 3 May 2019", "I ran a race three years ago", "Felt sad in May 2020"],
)
def test_a_record_of_the_past_never_expires_by_a_guess(open_memory, text):
    for settings in ("default", "chat"):
        alice = open_memory(policy=settings).as_user("alice")
        assert alice.remember(text).item.expires_at_us is None


@pytest.mark.parametrize("text", ["We visited Rome yesterday", "We have met on Fridays since 2014", "Bob ran a race"])
def test_recent_events_fade(alice, clock, text):
    item = alice.remember(text).item
    assert (item.type, item.expires_at_us, item.fades_at_us) == ("event", None, clock.now() + 30 * DAY)


def test_an_inferred_type_never_refuses_an_old_observation(alice, clock):
    long_ago = clock.now() - 400 * DAY
    old = alice.remember("Had dinner with Sarah", observed_at=long_ago).item
    assert (old.type, old.expires_at_us, old.fades_at_us) == ("event", None, long_ago + 30 * DAY)
    with pytest.raises(InvalidInput, match="an event of that time has expired already"):
        alice.remember("Had lunch with Sarah", observed_at=long_ago, type="event")
    kept = alice.remember("Had lunch with Tom", observed_at=long_ago, ttl_seconds=60).item
    assert (kept.type, kept.expires_at_us) == ("event", clock.now() + 60_000_000)


def test_past_events_stated_in_a_private_chat_are_personal(memory):
    memory.chat.register("dm", kind="private", participants=["alice"])
    alice = memory.as_user("alice", chat="dm")
    for text in ("We visited Rome yesterday", "We visited Oslo in 2014"):
        assert alice.remember(text).item.sensitivity == "personal"
