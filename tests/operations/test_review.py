"""Review: what waits, why it waits, and what becomes of it."""

from __future__ import annotations

import pytest

from memfort import Denied, InvalidInput, NotFound
from whole import whole

SECRET = "sk-proj-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cF" * 2


def waiting(reader, text="likes tea", **fields):
    return reader.remember(text, **{"confidence": 0.2, **fields}).id


def ids(entries):
    return [entry.item.id for entry in entries]


def test_the_inbox_lists_pending_memories_with_reasons(alice, clock):
    low = waiting(alice)
    clock.advance(1)
    personal = alice.remember("mail bob@example.org").id
    clock.advance(1)
    asked = alice.remember("likes jam", status="pending").id
    alice.remember("likes ink")
    inbox = alice.review.list()
    assert [(entry.item.id, entry.reason) for entry in inbox] == [
        (asked, "asked_for"),
        (personal, "personal_review"),
        (low, "low_confidence"),
    ]
    assert "personal data" in inbox[1].explanation
    assert ids(alice.review.list(limit=1)) == [asked]


def test_an_inbox_entry_shows_a_diff(alice):
    first = alice.remember("likes tea")
    waits = alice.correct(first.id, "likes coffee", confidence=0.2)
    [entry] = alice.review.list()
    assert (entry.item.id, entry.replaces.id) == (waits.id, first.id)
    assert "-likes tea" in entry.diff
    assert "+likes coffee" in entry.diff


def test_the_inbox_is_shown_to_writers_only(memory, alice, bob):
    waiting(alice)
    alice.share(user="bob")
    assert len(alice.review.list()) == 1
    assert bob.review.list() == []
    assert memory.as_user("alice", project="apollo").review.list() == alice.review.list()


def test_the_inbox_covers_all_your_spaces_from_any_standpoint(memory, alice, bob):
    places = [{"session": "s1"}, {"user": "alice", "workspace": "w"}, {"user": "alice", "project": "p"}]
    there = memory.as_user("alice", session="s1", workspace="w", project="p")
    made = [waiting(there, f"likes {number}", space=place) for number, place in enumerate(places)]
    waiting(there, "in the project", space={"project": "p"})
    helper = memory.as_agent("helper", owner="host", acting_for="alice", session="s1")
    hidden = waiting(helper, "for the helper", space=places[0], access={"agents": ["helper"]})
    assert sorted(ids(alice.review.list())) == sorted(made)
    assert len(there.review.list()) == 4
    assert bob.review.list() == []
    assert [item.status for item in alice.review.approve(made[0])] == ["approved"]
    assert [item.status for item in alice.review.reject(made[1])] == ["rejected"]
    assert alice.review.edit(made[2], "likes tea").item.space.to_dict() == places[2]
    assert alice.review.list() == []
    assert sorted(there.recall("likes").texts) == ["likes 0", "likes tea"]
    for id in (hidden, made[0]):
        with pytest.raises(NotFound):
            bob.review.approve(id)
    with pytest.raises(NotFound):
        alice.review.approve(hidden)


def test_check_allows_reviews_in_your_other_spaces(memory, alice, bob):
    id = waiting(memory.as_user("alice", session="s1"), space={"session": "s1"})
    assert [alice.check(verb, id=id).verdict for verb in ("approve", "reject", "edit")] == ["allowed"] * 3
    assert bob.check("approve", id=id).reason == "not_found"


def test_an_import_leaves_nothing_waiting_out_of_sight(memory, open_memory, exported):
    waiting(memory.as_user("alice", session="s1"), space={"session": "s1"})
    fresh = open_memory().as_user("alice")
    assert fresh.import_(exported(memory.as_user("alice"))).counts["pending"] == 1
    assert len(fresh.review.list()) == 1


def test_expired_memories_leave_the_inbox(alice, clock):
    id = waiting(alice, ttl_seconds=5)
    clock.advance(5)
    assert alice.review.list() == []
    with pytest.raises(NotFound):
        alice.review.approve(id)


def test_approving_puts_it_in_force(alice):
    id = waiting(alice)
    [item] = alice.review.approve(id)
    assert (item.status, item.version) == ("approved", 2)
    assert alice.recall("tea").texts == ["likes tea"]


def test_rejecting_keeps_it_out_of_every_answer(alice):
    id = waiting(alice)
    assert [item.status for item in alice.review.reject(id)] == ["rejected"]
    assert not alice.recall("tea")
    assert alice.review.list() == []


def test_many_at_once_and_all_or_nothing(alice):
    first, second, third = (waiting(alice, f"likes {word}") for word in ("tea", "jam", "ink"))
    with pytest.raises(NotFound):
        alice.review.approve(first, second, "mem_none")
    assert len(alice.review.list()) == 3
    assert [item.id for item in alice.review.approve(first, second)] == [first, second]
    assert [item.id for item in alice.review.reject(third)] == [third]
    assert alice.review.list() == []


@pytest.mark.parametrize("verb", ["approve", "edit"])
def test_only_pending_memories_can_be_reviewed(alice, verb):
    id = alice.remember("likes tea").id
    words = ["likes coffee"] if verb == "edit" else []
    with pytest.raises(InvalidInput, match="not pending"):
        getattr(alice.review, verb)(id, *words)
    getattr(alice.review, verb)(waiting(alice, "likes jam"), *words)


# -- what was rejected ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["likes tea", "LIKES tea!"])
def test_a_rejected_value_does_not_come_back_from_a_guess(alice, again):
    alice.review.reject(waiting(alice, origin="ai"))
    assert alice.remember(again, origin="ai").reason == "rejected_before"
    assert not alice.recall("tea")
    assert alice.remember("likes coffee", origin="ai").kept


@pytest.mark.parametrize("origin", ["user", "tool"])
def test_a_rejected_value_comes_back_from_equal_authority(alice, origin):
    alice.review.reject(waiting(alice, origin="ai"))
    assert alice.remember("likes tea", origin=origin).kept
    assert alice.recall("tea").texts == ["likes tea"]


def test_restating_lifts_the_bar(alice):
    alice.review.reject(waiting(alice, origin="ai"))
    alice.forget(alice.remember("likes tea").id)
    assert alice.remember("likes tea", origin="ai").kept


def test_a_value_rejected_by_an_agent_may_be_restated(memory):
    agent = memory.as_agent("helper", owner="alice")
    agent.review.reject(waiting(agent))
    assert agent.remember("likes tea").kept


def test_a_rejection_holds_in_its_space_only(memory):
    alice = memory.as_user("alice", project="apollo")
    alice.review.reject(waiting(alice, origin="ai"))
    assert alice.remember("likes tea", origin="ai").reason == "rejected_before"
    assert alice.remember("likes tea", origin="ai", space={"project": "apollo"}).kept
    assert memory.as_user("bob").remember("likes tea", origin="ai").kept


def test_a_rejection_outlives_forgetting_the_rejected(alice):
    id = waiting(alice, origin="ai")
    alice.review.reject(id)
    alice.forget(id)
    assert alice.remember("likes tea", origin="ai").reason == "rejected_before"


def test_a_memory_rejected_from_the_start_is_barred_too(alice):
    alice.remember("likes tea", status="rejected")
    assert alice.remember("likes tea", origin="ai").reason == "rejected_before"
    assert alice.remember("likes tea").kept


# -- editing ----------------------------------------------------------------------------------------------------------


def test_an_edit_approves_the_new_words_and_keeps_the_old_as_history(alice):
    id = waiting(alice, "likes teh", tags=["drink"])
    edited = alice.review.edit(id, "likes tea").item
    assert (edited.status, edited.tags) == ("approved", ("drink",))
    assert alice.recall("likes").texts == ["likes tea"]
    assert [item.text for item in alice.history(edited.id)] == ["likes teh", "likes tea"]
    assert alice.review.list() == []


@pytest.mark.parametrize("text", ["Likes tea.", "likes tea"])
def test_an_edit_of_case_and_dots_counts_too(alice, text):
    alice.review.edit(waiting(alice), text)
    assert alice.recall("tea").texts == [text]


def test_an_edit_keeps_where_it_came_from_and_when_it_ends(alice):
    id = waiting(alice, ttl_seconds=60, observed_at=5, provenance={"source": "mail"}, importance=7)
    before = alice.review.list()[0].item
    after = alice.review.edit(id, "likes coffee").item
    for field in ("expires_at", "observed_at", "provenance", "importance", "confidence", "source"):
        assert getattr(after, field) == getattr(before, field)


def test_editing_a_pending_correction_replaces_the_corrected_memory(alice):
    first = alice.remember("likes tea")
    waits = alice.correct(first.id, "likes cofee", confidence=0.2)
    alice.review.edit(waits.id, "likes coffee")
    assert alice.recall("likes").texts == ["likes coffee"]


def test_an_edit_into_personal_data_waits_again(alice):
    first = alice.remember("bob lives here")
    waits = alice.correct(first.id, "bob lives there", confidence=0.2)
    edited = alice.review.edit(waits.id, "bob is at bob@example.org").item
    assert edited.status == "pending"
    assert ids(alice.review.list()) == [edited.id]
    assert alice.recall("bob").texts == ["bob lives here"]
    alice.review.approve(edited.id)
    assert alice.recall("bob").texts == ["bob is at bob@example.org"]


def test_an_edit_into_a_secret_is_refused_and_nothing_of_it_is_anywhere(memory, alice, tmp_path, caplog):
    caplog.set_level(0)
    id = waiting(alice)
    outcome = alice.review.edit(id, f"the key is {SECRET}")
    assert (outcome.kept, outcome.reason) == (False, "secret")
    assert ids(alice.review.list()) == [id]
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    written = whole([outcome, list(memory.as_system().trail.export()), list(alice.export())]) + caplog.text
    assert SECRET[8:30] not in written
    assert SECRET[8:30].encode() not in files
    assert "likes tea" in written


def test_erasing_an_edited_memory_erases_the_words_before_it(alice):
    id = waiting(alice, "bob is at bob@example.org")
    edited = alice.review.edit(id, "bob moved").id
    receipt = alice.erase(edited)
    assert (receipt.counts["memories"], receipt.counts["older_versions"]) == (1, 1)
    assert len(alice.list(statuses=["approved", "pending", "superseded"], deleted=True)) == 0


def test_an_edit_is_on_record(alice, events):
    id = waiting(alice)
    edited = alice.review.edit(id, "likes coffee").id
    assert [(event["action"], event["item"]) for event in events()] == [
        ("remember", id),
        ("edit", edited),
        ("supersede", id),
    ]


def test_an_agent_cannot_approve_personal_data(memory):
    agent, alice = memory.as_agent("helper", owner="alice", acting_for="alice"), memory.as_user("alice")
    mail = agent.remember("mail bob@example.org", space={"user": "alice"}).id
    guess = agent.remember("likes tea", space={"user": "alice"}, confidence=0.1).id
    with pytest.raises(Denied) as refused:
        agent.review.approve(mail)
    assert refused.value.reason == "needs_a_person"
    assert [item.id for item in agent.review.approve(guess)] == [guess]
    assert [item.id for item in alice.review.approve(mail)] == [mail]


@pytest.mark.fails_closed
def test_an_edit_can_say_how_private_the_new_text_is(memory, alice):
    first, second = (waiting(alice, text, sensitivity="personal") for text in ("likes tee", "owes mony"))
    assert alice.review.edit(first, "likes tea", sensitivity="public").item.sensitivity == "public"
    assert alice.review.edit(second, "owes money", sensitivity="sensitive").item.sensitivity == "sensitive"


@pytest.mark.fails_closed
def test_an_edit_by_another_declassifies_nothing(memory):
    for user in ("alice", "bob"):
        memory.member.add({"project": "apollo"}, user=user, trust="owner")
    alice, bob = (memory.as_user(user, project="apollo") for user in ("alice", "bob"))
    fields = {"space": {"project": "apollo"}, "sensitivity": "personal", "subjects": ["@alice"]}
    ids = [waiting(alice, text, **fields) for text in ("likes tee", "likes coffe")]
    assert bob.review.edit(ids[0], "likes tea", sensitivity="public").item.sensitivity == "personal"
    assert alice.review.edit(ids[1], "likes coffee", sensitivity="public").item.sensitivity == "public"


def test_an_approval_runs_the_gates_of_the_policy_in_force(memory, alice):
    """What waits was admitted by an earlier policy. All are approved, or none."""
    named, harmless = (
        alice.remember(text, confidence=0.1).id for text in ("the code name is Bluebird", "the gate is red")
    )
    memory.policy.use({"privacy": {"deny_patterns": {"code": "(?i)bluebird"}}})
    with pytest.raises(Denied) as refused:
        alice.review.approve(harmless, named)
    assert refused.value.reason == "privacy_deny_pattern"
    assert "luebird" not in str(refused.value)
    assert len(alice.review.list()) == 2
    alice.review.approve(harmless)
    assert [item.text for item in alice.list()] == ["the gate is red"]


@pytest.mark.parametrize(
    ("action", "is_approved"), [("review", True), ("allow", True), ("deny", False), ("redact", False)]
)
def test_an_approval_obeys_what_the_policy_says_of_personal_data(memory, alice, action, is_approved):
    """To have it reviewed is what the policy asks for; to have it at all is not."""
    id = alice.remember("the miller answers at miller@example.org").id
    memory.policy.use({"privacy": {"personal_private": action}})
    if is_approved:
        assert alice.review.approve(id)
        return
    with pytest.raises(Denied, match="personal_denied"):
        alice.review.approve(id)
    assert "miller@" not in str([item.text for item in alice.list()])
