"""Use: writers mark memories as used, used memories rank higher, and no one else notices."""

from __future__ import annotations

import pytest

from memfort import Denied, Memory, NotFound, Policy
from memfort.model.results import Feature
from memfort.policy.settings.sections import Recalling
from memfort.recall.packed_weight import pack_weight, unpack_use
from memfort.store.memory import MemoryStore

TWINS = ["the blue mug is for tea", "the grey mug is for tea"]


@pytest.fixture
def twins(alice) -> list[str]:
    return [outcome.id for outcome in alice.remember_many(TWINS)]


def test_a_used_memory_ranks_higher_and_its_feature_is_shown(alice, twins):
    before = alice.recall("which mug is for tea?")
    last = before.hits[-1]
    assert "use" not in last.features
    [after] = alice.used(last.id)
    assert (after.uses, after.version, after.text) == (1, 2, last.text)
    found = alice.recall("which mug is for tea?")
    assert [hit.id for hit in found] == [last.id, before.hits[0].id]
    assert found.hits[0].features["use"] == pytest.approx(0.1 / 3, abs=1e-6)
    assert "use" not in found.hits[1].features
    assert found.hits[0].score == pytest.approx(sum(found.hits[0].features.values()), abs=1e-5)
    assert "use 0.033" in str(alice.explain(last.id, query="which mug is for tea?"))


def test_a_better_answer_ranks_first_however_often_others_were_used(alice):
    alice.remember("the tea is in the blue tin")
    other = alice.remember("the coffee is in the red tin").id
    for _ in range(300):
        alice.used(other)
    assert alice.get(other).uses == 300
    assert alice.recall("where is the tea?").texts[0] == "the tea is in the blue tin"


def test_use_does_not_make_an_irrelevant_memory_match(alice):
    id = alice.remember("the tea is in the blue tin").id
    for _ in range(10):
        alice.used(id)
    assert not alice.recall("who repaired the bicycle?").hits


def test_a_recall_changes_nothing_about_the_next(alice, twins):
    """It is said and never guessed."""
    answers = {alice.recall("mug for tea").hash for _ in range(5)}
    assert len(answers) == 1
    assert {alice.get(id).uses for id in twins} == {0}


def test_one_call_counts_each_once_and_all_or_none(alice, bob, twins):
    alice.used(*twins, twins[0])
    assert [alice.get(id).uses for id in twins] == [1, 1]
    theirs = bob.remember("the green mug is mine").id
    with pytest.raises(NotFound):
        alice.used(twins[0], theirs)
    assert alice.get(twins[0]).uses == 1
    assert bob.get(theirs).uses == 0


def test_used_is_denied_to_readers_and_changes_nothing(alice, bob, twins):
    alice.share(space={"user": "alice"}, user="bob")
    before = alice.recall("mug for tea")
    assert bob.recall("mug for tea").hits
    with pytest.raises(Denied, match="read"):
        bob.used(twins[0])
    assert bob.check("used", id=twins[0]).reason == "read_only_here"
    assert alice.check("used", id=twins[0]).reason == "visible"
    assert alice.recall("mug for tea").hash == before.hash


@pytest.mark.parametrize("end", ["forget", "correct"])
def test_memories_not_in_force_cannot_be_marked_as_used(alice, twins, end):
    alice.forget(twins[0]) if end == "forget" else alice.correct(twins[0], "the blue mug is broken")
    with pytest.raises(NotFound):
        alice.used(twins[0])
    assert alice.check("used", id=twins[0]).reason == "not_found"


def test_a_correction_resets_the_uses(alice, twins):
    alice.used(twins[0])
    corrected = alice.correct(twins[0], "the blue mug is for cocoa")
    assert corrected.item.uses == 0
    assert [item.uses for item in alice.history(corrected.id)] == [1, 0]


def test_reindexing_keeps_the_use_feature(memory, alice, twins):
    alice.used(twins[0])
    before = alice.recall("mug for tea")
    memory.store.reindex()
    after = alice.recall("mug for tea")
    assert [(hit.id, hit.features) for hit in after] == [(hit.id, hit.features) for hit in before]
    assert "use" in after.hits[0].features


def test_use_is_recorded_and_the_trail_verifies(memory, alice, twins, events):
    alice.used(twins[0])
    [event] = [event for event in events() if event["action"] == "use"]
    assert (event["item"], event["reason"], event["decision"]) == (twins[0], "used", "allowed")
    assert memory.trail.verify().ok


def test_disclosed_memories_do_not_reveal_their_use(memory):
    """A fact stated in a group is disclosed to its subject elsewhere; how often it was used is not."""
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    memory.chat.register("bob-dm", kind="private", participants=["bob"])
    alice, bob = memory.as_user("alice", chat="team"), memory.as_user("bob", chat="bob-dm")
    id = alice.remember("@bob loves pizza").id
    disclosed = bob.recall("pizza").hits
    assert [hit.level for hit in disclosed] == ["about_me"]
    alice.used(id)
    assert alice.recall("pizza").hits[0].features["use"] > 0
    assert bob.recall("pizza").hits == disclosed


def test_a_policy_can_leave_it_out(clock):
    policy = Policy(recall=Recalling(weights={Feature.USE: 0.0}))
    alice = Memory(MemoryStore(), clock=clock, policy=policy).as_user("alice")
    alice.remember_many(TWINS)
    before = [hit.id for hit in alice.recall("which mug is for tea?")]
    alice.used(before[-1])
    assert [hit.id for hit in alice.recall("which mug is for tea?")] == before


def test_the_first_times_say_more_and_it_never_reaches_one():
    worth = [unpack_use(pack_weight(1.0, uses)) for uses in (0, 1, 2, 8, 15, 10**9)]
    assert worth[:3] == [0, 1 / 3, 1 / 2]
    assert worth == sorted(worth)
    assert worth[-1] == worth[-2] < 1
