"""Promotion: the one way for a memory to change its space. A linked copy there, past every gate; a tombstone here; and
always an answer."""

from __future__ import annotations

from itertools import product

import pytest
from trace_events import kinds, trace_events

from memfort import Denied, InvalidInput, NotFound, Policy
from memfort.model.audience import audience_of
from memfort.model.item import Authority
from memfort.model.space import Level
from memfort.policy.settings.document import preset
from memfort.policy.settings.policy import default_spaces
from memfort.policy.settings.sections import Budget, Promotion, Spaces
from whole import whole

PLACES = {"session": {"session": "s1"}, "user": {"user": "alice"}, "project": {"project": "apollo"}}
TYPES = ("preference", "decision", "fact", "correction", "execution")
LASTING = {"preference", "decision", "fact", "correction"}


@pytest.fixture
def alice(memory):
    return memory.as_user("alice", session="s1", project="apollo")


def ask(approvals, trust="approver"):
    """A policy in which so many have to agree to what comes from a user into a project."""
    way = Promotion(Level.USER, Level.PROJECT, approvals=approvals, trust=trust)
    return Policy(spaces=Spaces(promotions=(way,)))


# -- every way --------------------------------------------------------------------------------------------------------


def answer(origin, type, way):
    """The three ways of the seed, written down once more."""
    needed = {
        ("session", "user"): "user",
        ("session", "project"): "user" if type == "decision" else "tool",
        ("user", "project"): "user",
    }.get(way)
    if needed is None:
        return "promotion_disallowed"
    if type not in LASTING:
        return "promotion_event_type"
    enough = ("tool", "user", "ai").index(origin) <= ("tool", "user", "ai").index(needed)
    return "confident" if enough else "promotion_authority"


@pytest.mark.parametrize("way", list(product(PLACES, PLACES)), ids=" to ".join)
def test_each_way_for_each_authority_and_event_type(alice, clock, way):
    start, end = way
    for origin, type in product(("tool", "user", "ai"), TYPES):
        text = f"{origin} {type} from {start} to {end}"
        source = alice.remember(text, type=type, origin=origin, space=PLACES[start]).item
        outcome = alice.promote(source.id, PLACES[end])
        assert outcome.reason == answer(origin, type, way), text
        events = trace_events(alice)
        if outcome.kept:
            assert kinds(events)[-3:] == ["border_check", "promoted", "deleted"]
            assert alice.get(source.id) is None
            assert (alice.get(outcome.id).text, outcome.item.promoted_from) == (text, source.id)
        else:
            assert kinds(events) == ["border_check", "promotion_denied"]
            assert (events[1]["memory_id"], events[1]["reason"]) == (source.id, outcome.reason)
            assert alice.get(source.id) is not None
        clock.advance(1)


def test_the_ways_of_the_default_are_those_of_the_seed_and_five_more():
    seeds = {(way.from_level, way.to_level) for way in preset("deterministic").spaces.promotions}
    ours = {(way.from_level, way.to_level) for way in default_spaces().promotions}
    assert ours - seeds == {
        ("user", "workspace"),
        ("user", "team"),
        ("user", "chat"),
        ("chat", "user"),
        ("agent", "agent"),
    }
    assert seeds <= ours


def test_nothing_goes_to_the_system(alice):
    source = alice.remember("we decided to use go", type="decision", space=PLACES["session"])
    assert alice.promote(source.id, {"system": ""}).reason == "promotion_disallowed"


def test_a_decision_needs_less_for_the_project(alice):
    decision = alice.remember("we use go", type="decision", space=PLACES["session"])
    wish = alice.remember("we like go", type="preference", space=PLACES["session"])
    assert alice.promote(decision.id, PLACES["project"]).kept
    assert alice.promote(wish.id, PLACES["project"]).reason == "promotion_authority"


def test_promotion_to_an_unwritable_space_is_denied(memory):
    alice = memory.as_user("alice", session="s1")
    source = alice.remember("we decided to use go", type="decision", space=PLACES["session"])
    assert alice.promote(source.id, PLACES["project"]).reason == "border_write"
    assert trace_events(alice, "memory_promotion_denied")[0]["to_space"] == "project"


# -- the copy ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["user", "tool"])
def test_authority_never_rises(alice, origin):
    """Whoever promotes: an agent's or a user's act adds nothing to what was said."""
    guess = alice.remember("we decided to use go", type="decision", origin="ai", space=PLACES["session"]).item
    derived = alice.remember(
        "go it is", type="decision", origin=origin, space=PLACES["session"], derived_from=[guess.id]
    ).item
    assert (derived.authority, derived.authority_reason) == (Authority.AI_INFERRED, "source:derived")
    assert alice.promote(derived.id, PLACES["project"]).reason == "promotion_authority"


def test_the_authority_of_a_copy_is_that_of_its_source(alice):
    source = alice.remember("the server is up", origin="tool", space=PLACES["session"])
    copy = alice.promote(source.id, PLACES["project"]).item
    assert copy.authority == source.item.authority == "tool_verified"
    [promoted] = trace_events(alice, "memory_promoted")
    assert (promoted["authority_used"], promoted["reason"]) == ("tool_verified", "manual")


def test_the_reader_list_goes_along(memory):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    secret = alice.remember("we decided on a party", type="decision", access={"users": ["alice"]})
    open = alice.remember("we decided on go", type="decision")
    for source in (secret, open):
        assert alice.promote(source.id, PLACES["project"]).item.readers == source.item.readers
    assert bob.recall("decided").texts == ["we decided on go"]
    assert sorted(alice.recall("decided").texts) == ["we decided on a party", "we decided on go"]


def test_a_promoted_copy_names_only_people_its_readers_may_know(memory, alice):
    bob = memory.as_user("bob", project="apollo")
    listed = alice.people.add("Vera", listed=True).id
    there = alice.people.add("Nina", space={"project": "apollo"}).id
    private = alice.people.add("Sarah", space={"user": "alice"}).id
    about, own = [private, "@bob", listed, there], {"user": "alice", "project": "apollo"}
    source = alice.remember("the four of them launch", subjects=about, type="fact", space=own).item
    assert source.subjects == tuple(about)
    copy = alice.promote(source.id, {"project": "apollo"}).item
    stranger, *known = copy.subjects
    assert known == ["@bob", listed, there]
    assert [bob.people.get(one) is not None for one in about] == [False, True, True, True]
    assert bob.get(copy.id).subjects == copy.subjects
    assert private not in whole(bob.list().items)
    assert alice.people.get(stranger) is None


def test_a_promoted_copy_keeps_an_unknown_subject_as_a_stranger(open_memory):
    """Otherwise it would count as about no one."""
    ways = tuple(Promotion(Level.USER, level) for level in (Level.PROJECT, Level.CHAT))
    memory = open_memory(policy=Policy(spaces=Spaces(promotions=ways)))
    memory.chat.register("dm", kind="private", participants=["alice", "carol"])
    alice, there = memory.as_user("alice", project="apollo"), memory.as_user("alice", project="apollo", chat="dm")
    for number, subjects in enumerate((["Sarah"], [])):
        source = alice.remember(f"tea number {number}", subjects=subjects, type="fact").item
        copy = alice.promote(source.id, {"project": "apollo"}).item
        assert audience_of(copy).subjects == audience_of(source).subjects
    assert sorted(alice.recall("tea").texts) == ["tea number 0", "tea number 1"]
    assert there.recall("tea").texts == []  # carol has no reason to hear either


def test_a_copy_within_your_own_spaces_keeps_its_subjects(alice):
    private = alice.people.add("Sarah", space={"session": "s1"}).id
    source = alice.remember("Sarah likes tea", subjects=[private], type="fact", space={"session": "s1"}).item
    assert source.subjects == (private,)
    assert alice.promote(source.id, {"user": "alice"}).item.subjects == (private,)


def test_a_copy_ends_when_its_source_would_have(alice, clock):
    source = alice.remember("we decided to use go", type="decision", ttl_seconds=60)
    copy = alice.promote(source.id, PLACES["project"]).item
    assert copy.expires_at_us == source.item.expires_at_us
    clock.advance(60)
    assert alice.get(copy.id) is None


def test_every_gate_of_the_target_is_asked(alice):
    """Personal data is for a private space; a project is none."""
    waiting = alice.remember("we decided to ask carol@corp.test", type="decision")
    [approved] = alice.review.approve(waiting.id)
    denied = alice.promote(approved.id, PLACES["project"])
    assert (denied.decision.gate, denied.reason) == ("personal", "personal_shared")
    assert trace_events(alice, "memory_promotion_denied")[0]["reason"] == "personal_shared"
    assert alice.get(approved.id) is not None


def test_a_target_that_knows_better_leaves_the_source_where_it_is(alice, clock):
    alice.remember("go", kind="profile", key="language", origin="tool", space=PLACES["project"])
    clock.advance(1)
    mine = alice.remember("rust", kind="profile", key="language").item
    refused = alice.promote(mine.id, PLACES["project"])
    assert kinds(trace_events(alice)) == ["border_check", "promotion_denied"]
    assert (refused.reason, refused.item) == ("outranked", None)
    assert alice.get(mine.id) is not None
    assert [item.text for item in alice.list(space=PLACES["project"], statuses=["approved", "superseded"])] == ["go"]


def test_a_target_that_knows_less_gives_way(alice, clock):
    guess = alice.remember("rust", kind="profile", key="language", origin="ai", space=PLACES["project"])
    clock.advance(1)
    mine = alice.remember("go", kind="profile", key="language")
    copy = alice.promote(mine.id, PLACES["project"])
    assert copy.kept
    assert kinds(trace_events(alice)) == ["write", "conflict", "deleted", "border_check", "promoted", "deleted"]
    assert [item.text for item in alice.list(space=PLACES["project"])] == ["go"]
    assert alice.history(guess.id)[0].superseded_by == copy.id


def test_a_memory_already_there_is_not_promoted_again(alice):
    first = alice.remember("we use go", type="decision", space=PLACES["project"])
    mine = alice.remember("we use go", type="decision")
    assert alice.promote(mine.id, PLACES["project"]).reason == "duplicate"
    assert trace_events(alice, "memory_promotion_denied")[0]["reason"] == "duplicate"
    assert (alice.get(mine.id) is not None, alice.get(first.id) is not None) == (True, True)


def test_only_visible_memories_in_force_can_be_promoted(alice, memory):
    waiting = alice.remember("maybe go", type="decision", confidence=0.1)
    with pytest.raises(InvalidInput, match="pending"):
        alice.promote(waiting.id, PLACES["project"])
    foreign = memory.as_user("bob").remember("bob's own", type="decision")
    with pytest.raises(NotFound):
        alice.promote(foreign.id, PLACES["project"])
    assert alice.promote(alice.remember("go it is", type="decision").id, PLACES["project"]).kept


def test_the_budget_of_the_target_holds(open_memory):
    policy = Policy(budget=Budget(semantic=1, when_full="refuse"))
    alice = open_memory(policy=policy).as_user("alice", session="s1", project="apollo")
    alice.remember("we use make", type="decision", space=PLACES["project"])
    mine = alice.remember("we use go", type="decision")
    assert alice.promote(mine.id, PLACES["project"]).reason == "budget_full"
    assert alice.get(mine.id) is not None


def test_erasing_a_promoted_source_erases_the_copy(alice):
    source = alice.remember("we decided to use go", type="decision")
    alice.promote(source.id, PLACES["project"])
    assert alice.recall("decided").texts == ["we decided to use go"]
    alice.erase(source.id)
    assert alice.recall("decided").texts == []


# -- proposals --------------------------------------------------------------------------------------------------------


@pytest.fixture
def team(open_memory):
    """A project where two approvers have to agree, and one of each trust."""
    memory = open_memory(policy=ask(2), memberships="registered")
    for name in ("viewer", "contributor", "approver", "owner"):
        memory.member.add({"project": "apollo"}, user=name, trust=name)
    for name in ("erin", "frank"):
        memory.member.add({"project": "apollo"}, user=name, trust="approver")
    return {name: memory.as_user(name, project="apollo")
            for name in ("viewer", "contributor", "approver", "owner", "erin", "frank")}  # fmt: skip


@pytest.fixture
def proposed(team):
    source = team["contributor"].remember("we decided to use go", type="decision")
    copy = team["contributor"].promote(source.id, PLACES["project"])
    assert (copy.item.status, copy.item.status_reason) == ("pending", "promotion_waits")
    return source.item, copy.item


def seen_by(actor):
    return actor.recall("decided").texts


def test_a_proposal_waits_and_its_source_stays(team, proposed):
    source, copy = proposed
    assert team["contributor"].get(source.id) is not None
    assert seen_by(team["approver"]) == []
    assert [entry.item.id for entry in team["approver"].review.list()] == [copy.id]


def test_a_promotion_needs_the_configured_number_of_distinct_approvers(team, proposed):
    source, copy = proposed
    for _ in range(2):
        [waiting] = team["approver"].review.approve(copy.id)
        assert (waiting.status, waiting.approvals) == ("pending", ("user:approver",))
    assert seen_by(team["erin"]) == []
    [approved] = team["erin"].review.approve(copy.id)
    assert approved.status == "approved"
    assert kinds(trace_events(team["erin"])) == ["write", "phase_started"]
    assert seen_by(team["viewer"]) == ["we decided to use go"]
    assert team["contributor"].get(source.id) is None
    assert team["contributor"].explain(source.id).reason == "promoted"


@pytest.mark.parametrize("name", ["viewer", "contributor"])
def test_members_with_too_little_trust_neither_approve_nor_reject(team, proposed, name):
    """The contributor here is the proposer too, who may withdraw; but not withdraw the proposals of others."""
    _, copy = proposed
    if name == "viewer":  # who is not shown what waits
        for decide in (team[name].review.approve, team[name].review.reject):
            with pytest.raises(NotFound):
                decide(copy.id)
    else:
        with pytest.raises(Denied, match="not trusted"):
            team[name].review.approve(copy.id)
    assert [entry.item.id for entry in team["approver"].review.list()] == [copy.id]


def test_a_viewer_does_not_propose(team):
    source = team["viewer"].remember("we decided to use go", type="decision")
    assert team["viewer"].promote(source.id, PLACES["project"]).reason == "level_too_low"
    assert trace_events(team["viewer"], "memory_promotion_denied")[0]["reason"] == "level_too_low"


def test_an_owner_decides_alone(team, proposed):
    [approved] = team["owner"].review.approve(proposed[1].id)
    assert approved.status == "approved"


def test_an_approver_does_not_agree_with_himself(team):
    source = team["approver"].remember("we decided to use go", type="decision")
    copy = team["approver"].promote(source.id, PLACES["project"])
    with pytest.raises(Denied, match="not trusted"):
        team["approver"].review.approve(copy.id)
    team["erin"].review.approve(copy.id)
    [approved] = team["frank"].review.approve(copy.id)
    assert approved.status == "approved"


def test_an_agents_approval_counts_as_that_of_the_user_it_acts_for(open_memory):
    memory = open_memory(policy=ask(2), memberships="registered")
    for name in ("contributor", "approver", "erin"):
        trust = "contributor" if name == "contributor" else "approver"
        memory.member.add({"project": "apollo"}, user=name, trust=trust)
    memory.agent.register("helper", owner="approver")
    author = memory.as_user("contributor", project="apollo")
    source = author.remember("we decided to use go", type="decision")
    copy = author.promote(source.id, PLACES["project"])
    memory.as_user("approver", project="apollo").review.approve(copy.id)
    [waiting] = memory.as_agent("helper", acting_for="approver", project="apollo").review.approve(copy.id)
    assert (waiting.status, waiting.approvals) == ("pending", ("user:approver",))


def test_a_rejected_proposal_leaves_the_source(team, proposed):
    source, copy = proposed
    [rejected] = team["approver"].review.reject(copy.id)
    assert rejected.status == "rejected"
    assert team["contributor"].get(source.id) is not None
    with pytest.raises(InvalidInput, match="rejected"):
        team["owner"].review.approve(copy.id)
    assert seen_by(team["erin"]) == []


def test_the_proposer_may_withdraw(team, proposed):
    source, copy = proposed
    assert team["contributor"].review.reject(copy.id)[0].status == "rejected"
    assert team["contributor"].get(source.id) is not None


def test_the_words_that_others_agree_to_are_not_changed_under_them(team, proposed):
    _, copy = proposed
    team["approver"].review.approve(copy.id)
    with pytest.raises(InvalidInput, match="waits as a promotion"):
        team["contributor"].review.edit(copy.id, "we decided to use rust")
    [approved] = team["erin"].review.approve(copy.id)
    assert approved.text == "we decided to use go"


@pytest.mark.parametrize("end", ["forget", "erase"])
def test_a_proposal_ends_when_its_source_is_forgotten(team, proposed, end):
    """The proposer forgets or erases the source while the others think about it."""
    source, copy = proposed
    assert len(team["erin"].review.list()) == 1
    getattr(team["contributor"], end)(source.id)
    assert team["erin"].review.list() == []
    with pytest.raises((InvalidInput, NotFound)):
        team["owner"].review.approve(copy.id)
    assert seen_by(team["erin"]) == []


def test_the_same_proposal_twice_is_one(team, proposed):
    source, _ = proposed
    assert team["contributor"].promote(source.id, PLACES["project"]).reason == "duplicate"
    assert len(team["erin"].review.list()) == 1


def test_an_approved_memory_belongs_to_the_phase_of_its_approval(team, proposed):
    """A phase that begins while it waits must not leave it behind."""
    _, copy = proposed
    team["approver"].phase.start("next sprint", space=PLACES["project"])
    team["owner"].review.approve(copy.id)
    assert seen_by(team["erin"]) == ["we decided to use go"]


# -- proposals whose source goes --------------------------------------------------------------------------------------


@pytest.fixture
def waiting(open_memory):
    """Two proposals of alice's in a project where bob decides; what becomes of the second is the control."""
    memory = open_memory(policy=ask(1), memberships="registered")
    memory.member.add({"project": "apollo"}, user="alice")
    memory.member.add({"project": "apollo"}, user="bob", trust="owner")
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    sources = [alice.remember(text, type="decision").id for text in ("we use go", "we use make")]
    copies = [alice.promote(id, PLACES["project"]).id for id in sources]
    assert names(bob.review.list()) == set(copies)
    return memory, alice, bob, sources, copies


def names(entries):
    return {entry.item.id for entry in entries}


def reworded(alice, id):
    alice.correct(id, "we use rust")


def reworded_twice(alice, id):
    """The first correction waits for review, and is corrected itself."""
    waits = alice.correct(id, "we use rest", confidence=0.1)
    alice.correct(waits.id, "we use rust")


def reworded_by_review(alice, id):
    alice.review.approve(alice.correct(id, "we use rust", confidence=0.1).id)


def forgotten(alice, id):
    alice.forget(id)


def erased(alice, id):
    alice.erase(id)


@pytest.mark.parametrize("end", [reworded, reworded_twice, reworded_by_review, forgotten, erased])
def test_a_proposal_goes_when_its_source_goes(waiting, end):
    memory, alice, bob, (source, _), (gone, kept) = waiting
    end(alice, source)
    assert names(bob.review.list()) == names(alice.review.list()) == {kept}
    assert [item.id for item in bob.list(statuses=["pending"])] == [kept]
    with pytest.raises((InvalidInput, NotFound)):
        bob.review.approve(gone)
    assert bob.review.approve(kept)[0].status == "approved"
    assert bob.recall("we use").texts == ["we use make"]
    assert memory.trail.verify().ok


def test_a_correction_that_only_waits_ends_no_proposal(waiting):
    _, alice, bob, (source, _), copies = waiting
    alice.correct(source, "we use rust", confidence=0.1)
    assert names(bob.review.list()) == set(copies)


def test_a_corrected_proposal_can_still_be_rejected_and_the_new_words_promoted(waiting):
    _, alice, bob, (source, _), (gone, kept) = waiting
    correction = alice.correct(source, "we use rust")
    assert alice.review.reject(gone)[0].status == "rejected"
    proposal = alice.promote(correction.id, PLACES["project"]).id
    assert names(bob.review.list()) == {kept, proposal}
    bob.review.approve(proposal)
    assert bob.recall("rust").texts == ["we use rust"]
    assert alice.explain(correction.id).reason == "promoted"


def test_a_proposal_runs_out_when_its_source_does(open_memory, clock):
    alice = open_memory(policy=ask(1)).as_user("alice", project="apollo")
    source = alice.remember("we use go", type="decision", ttl_seconds=60)
    copy = alice.promote(source.id, PLACES["project"])
    assert names(alice.review.list()) == {copy.id}
    clock.advance(60)
    assert alice.review.list() == []


@pytest.mark.parametrize("ends", ["by a tick", "by a rival"])
def test_a_reviewer_does_not_learn_what_was_written_beside_the_source(open_memory, ends):
    """What alice writes for herself ends the source, and the proposal waits as if it had not been written."""
    memory = open_memory(policy=ask(1))
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    fact = {"kind": "profile", "key": "language", "type": "decision"}
    source = alice.remember("go", **fact, **({"ttl_ticks": 1} if ends == "by a tick" else {})).id
    copy = alice.promote(source, PLACES["project"]).id
    alice.remember("rust", **({} if ends == "by a tick" else fact))
    assert alice.get(source) is None
    assert names(bob.review.list()) == {copy}


# -- a copy that waits for other reasons, in other words --------------------------------------------------------------


@pytest.fixture
def doubtful(open_memory):
    """A guess that alice approved among her own, and its copy in a project, which waits for want of confidence."""
    way = Promotion(Level.USER, Level.PROJECT, authority=Authority.AI_INFERRED)
    memory = open_memory(policy=Policy(spaces=Spaces(promotions=(way,))))
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    source = alice.remember("we use go", type="decision", origin="ai", confidence=0.1, status="approved")
    copy = alice.promote(source.id, PLACES["project"])
    assert (copy.item.status, copy.reason) == ("pending", "low_confidence")
    return memory, alice, bob, source.item, copy.item


def test_an_edited_copy_is_still_a_copy_and_weighs_no_more(doubtful):
    memory, alice, bob, source, copy = doubtful
    edited = bob.review.edit(copy.id, "we use go 1.27").item
    assert (edited.status, edited.text, edited.supersedes) == ("approved", "we use go 1.27", copy.id)
    assert (edited.promoted_from, edited.promotion_reason) == (source.id, "manual")
    assert edited.authority == copy.authority == source.authority == "ai_inferred"
    plain = alice.remember("we use make", type="decision", origin="ai", confidence=0.1)
    assert alice.review.edit(plain.id, "we use cmake").item.authority == "user_asserted"
    assert memory.trail.verify().ok


def test_the_source_gives_way_to_an_edited_copy(doubtful):
    _, alice, bob, source, copy = doubtful
    edited = bob.review.edit(copy.id, "we use go 1.27")
    assert alice.get(source.id) is None
    assert alice.explain(source.id).reason == "promoted"
    assert source.id not in repr(bob.trace.show(edited.trace).events[1:])
    alice.erase(source.id)
    assert bob.list(statuses=["approved", "pending", "superseded"]).items == ()


def test_a_refused_edit_of_a_copy_leaves_both_and_is_on_record(doubtful):
    _, alice, bob, source, copy = doubtful
    refused = bob.review.edit(copy.id, "the password is correct-horse-7")
    assert (refused.reason, refused.item) == ("secret", None)
    [event] = trace_events(bob, "memory_denied")
    assert (event["reason"], event["attempted"]["text"]) == ("secret", "(redacted)")
    assert names(bob.review.list()) == {copy.id}
    assert alice.get(source.id) is not None


def test_a_copy_of_a_corrected_source_cannot_be_edited(doubtful):
    _, alice, bob, source, copy = doubtful
    alice.correct(source.id, "we use rust")
    assert bob.review.list() == []
    for decide in (lambda: bob.review.edit(copy.id, "we use go 1.27"), lambda: bob.review.approve(copy.id)):
        with pytest.raises(InvalidInput, match="forgotten or corrected"):
            decide()
