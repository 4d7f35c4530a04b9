"""Relearning: what an older extractor and older rules left is made again, and what people decided stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from memfort import Memory, NotFound
from memfort.capture.extraction import Extraction, Proposal
from memfort.model.item import Item, Kind, Sensitivity, Status
from memfort.model.judgement import SensitivityJudgement, SensitivityReason
from memfort.model.people.actor import SYSTEM, Standpoint
from memfort.operations.admit.repartition import with_place
from memfort.operations.capture import statements

NURSE, LISBON, TEA = "I work as a nurse in Leipzig", "I moved to Lisbon with my cello", "I like green tea"


@contextmanager
def older_rules(*, misses: str = "§", says: tuple[str, str] = ("§", "§"), invents: str = "") -> Iterator[None]:
    """An extractor that misses statements with a word, words others differently, and takes talk for statements."""
    today = statements.extract

    def extract(turns, before=()):
        found = []
        for one in today(turns, before).proposals:
            if misses not in one.text:
                found.append(replace(one, text=one.text.replace(*says)))
        for place, turn in enumerate(turns):
            if invents and invents in turn.text:
                found.append(Proposal(turn=place, text=f"I heard: {invents}", quote=invents, type="knowledge"))
        return Extraction(tuple(found))

    statements.extract = extract
    try:
        yield
    finally:
        statements.extract = today


def texts(bound) -> list[str]:
    return sorted(item.text for item in bound.list(limit=1000) if item.kind is Kind.SEMANTIC)


def views(bound) -> list[dict]:
    return [item.to_dict() for item in bound.list(limit=1000, statuses=["approved", "pending", "superseded"])]


def test_what_todays_rules_made_stays_as_it_is(memory: Memory) -> None:
    alice = memory.as_user("alice")
    alice.observe([NURSE, "Hello there", TEA, "My sister Ana visits me on Saturday", "no wait, Sunday"])
    alice.remember("The printer is broken")
    before = views(alice)
    done = memory.store.relearn()
    assert (done.turns, done.changed, bool(done)) == (5, 0, False)
    assert views(alice) == before
    assert NURSE in texts(alice)


def test_statements_are_made_again_from_their_turns(memory: Memory) -> None:
    alice = memory.as_user("alice")
    with older_rules(misses="cello", says=("nurse", "doctor"), invents="Sure thing"):
        alice.observe([NURSE, LISBON, f"{TEA}. Sure thing"])
    assert texts(alice) == ["I heard: Sure thing", TEA, "I work as a doctor in Leipzig"]
    planned = memory.store.relearn(dry_run=True)
    assert texts(alice) == ["I heard: Sure thing", TEA, "I work as a doctor in Leipzig"]
    done = memory.store.relearn()
    assert texts(alice) == [TEA, LISBON, NURSE]
    assert (done.added, done.reworded, done.ended) == (1, 1, 1)
    assert replace(done, dry_run=True, trace="") == planned
    assert not memory.store.relearn()
    assert memory.trail.verify().ok
    assert "relearned" in {event["reason"] for event in trail_of(memory.as_system())}


def trail_of(bound) -> list[dict]:
    """The events of what was changed where one stands; reads are each actor's own."""
    found = [line["event"] for line in bound.trail.export() if "event" in line]
    return [event for event in found if event["space"] is not None]


def test_what_only_a_mistake_of_the_rules_had_ended_comes_back(memory: Memory) -> None:
    alice = memory.as_user("alice")
    kept = next(item for item in alice.observe("My sister Ana visits me on Saturday").kept)
    with older_rules(invents="whatever"):
        wrong = next(item for item in alice.observe(f"{TEA}. whatever").kept if "heard" in item.text)
    supersede(memory, kept, wrong)
    assert kept.text not in texts(alice)
    done = memory.store.relearn()
    assert (done.ended, done.back) == (1, 1)
    assert texts(alice) == sorted([TEA, kept.text])
    memory.as_system().undo(trace=done.trace)
    assert kept.text not in texts(alice)


def supersede(memory: Memory, old: Item, new: Item) -> None:
    """As if a rule had taken the one for the news of the other."""
    write(memory, new, replace(new, replaces=(old.id,)))
    write(memory, old, replace(old, status=Status.SUPERSEDED, superseded_by=new.id))


def write(memory: Memory, before: Item, after: Item) -> None:
    engine = memory._engine
    call = engine.untraced_call("test")
    engine.write(
        Standpoint(SYSTEM, ()),
        call,
        [before.space],
        lambda tx: tx.apply([tx.update(with_place(tx, before, after))], [tx.event("judge", after, "relearned")]),
    )


def test_corrections_and_endings_by_people_stay(memory: Memory) -> None:
    alice = memory.as_user("alice")
    with older_rules(says=("nurse", "doctor")):
        made = {item.text: item for item in alice.observe([NURSE, LISBON, TEA]).kept}
    corrected = alice.correct(made["I work as a doctor in Leipzig"].id, "I work as a midwife in Leipzig").item
    alice.forget(made[LISBON].id)
    with older_rules(misses="tea"):
        alice.observe("I like oolong tea very much")
    alice.forget(query="oolong")
    done = memory.store.relearn()
    assert (done.reworded, done.added, done.ended) == (0, 0, 0)
    assert texts(alice) == [TEA, corrected.text]


def test_a_rejected_statement_is_not_proposed_again(memory: Memory) -> None:
    alice = memory.as_user("alice")
    with older_rules(misses="cello"):
        alice.observe(LISBON)
    waiting = alice.remember(LISBON, confidence=0.1)
    alice.review.reject(waiting.id)
    done = memory.store.relearn()
    assert (done.added, done.refused) == (0, 1)
    assert LISBON not in texts(alice)
    with older_rules(misses="cello"):
        memory.as_user("bob").observe(LISBON)
    assert memory.store.relearn().added == 1  # where nobody rejected it, it is


def judged_as(memory: Memory, item: Item, level: Sensitivity, reason=SensitivityReason.LEXICON, model=None) -> Item:
    """The memory as other rules might have judged it."""
    after = replace(item, sensitivity=level, judgement=SensitivityJudgement(reason, "health", None, model))
    write(memory, item, after)
    return after


def test_what_rules_judged_is_judged_again_and_may_fall(memory: Memory) -> None:
    alice = memory.as_user("alice")
    grave, mild = alice.remember("I have diabetes").item, alice.remember("The printer is on fire").item
    assert grave.sensitivity is Sensitivity.SENSITIVE
    judged_as(memory, grave, Sensitivity.PERSONAL)
    judged_as(memory, mild, Sensitivity.SENSITIVE)
    planned, done = memory.store.relearn(dry_run=True), memory.store.relearn()
    assert (done.judged, done.raised, done.lowered) == (2, 1, 1)
    assert replace(done, dry_run=True, trace="") == planned
    assert alice.get(grave.id).sensitivity is Sensitivity.SENSITIVE
    assert alice.get(mild.id).sensitivity is mild.sensitivity
    assert not memory.store.relearn()
    assert memory.trail.verify().ok


def test_what_a_person_or_a_model_judged_stays(memory: Memory) -> None:
    alice = memory.as_user("alice")
    stated = alice.remember("The printer is on fire", sensitivity="sensitive").item
    opened = alice.remember("I have asthma", sensitivity="public").item
    by_model = alice.remember("The scanner is on fire").item
    by_model = judged_as(memory, by_model, Sensitivity.SENSITIVE, SensitivityReason.ENCODER, "head-1")
    memory.agent.register("helper", owner="alice")
    helper = memory.as_agent("helper", acting_for="alice")
    labelled = helper.remember("The mixer is on fire", sensitivity="personal", origin="ai").item
    labelled = judged_as(memory, labelled, Sensitivity.SENSITIVE)
    assert memory.store.relearn().lowered == 0
    assert alice.get(stated.id).sensitivity is Sensitivity.SENSITIVE
    assert alice.get(opened.id).sensitivity is Sensitivity.PUBLIC
    assert alice.get(by_model.id).sensitivity is Sensitivity.SENSITIVE
    assert alice.get(labelled.id).sensitivity is Sensitivity.SENSITIVE


def test_subjects_and_portability_of_what_rules_made_are_judged_again(memory: Memory) -> None:
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    alice = memory.as_user("alice", chat="lunch")
    made = next(item for item in alice.observe("@bob loves pizza").kept if item.kind is Kind.SEMANTIC)
    own = alice.remember("The plan is ready", subjects=["@bob"]).item
    write(memory, made, replace(made, subjects=("@alice",), portable=False))
    done = memory.store.relearn()
    assert (done.subjects, done.portable) == (1, 1)
    again = memory.as_user("alice").get(made.id)
    assert (again.subjects, again.portable) == (("@bob",), True)
    assert memory.as_user("alice").get(own.id).subjects == ("@bob",)
    assert not memory.store.relearn()


def test_a_run_is_taken_back_by_its_trace_and_the_undo_too(memory: Memory) -> None:
    alice = memory.as_user("alice")
    with older_rules(misses="cello", says=("nurse", "doctor")):
        alice.observe([NURSE, LISBON])
    grave = alice.remember("I have diabetes").item
    judged_as(memory, grave, Sensitivity.PERSONAL)
    before = texts(alice)
    done = memory.store.relearn()
    after = texts(alice)
    assert before != after
    undone = memory.as_system().undo(trace=done.trace)
    assert texts(alice) == before
    assert alice.get(grave.id).sensitivity is Sensitivity.PERSONAL
    assert not memory.store.relearn(), "what a person took back is not made again"
    memory.as_system().undo(undone.id)
    assert texts(alice) == after
    assert alice.get(grave.id).sensitivity is Sensitivity.SENSITIVE
    assert memory.trail.verify().ok


def test_what_was_changed_since_a_run_stays_when_it_is_taken_back(memory: Memory) -> None:
    alice = memory.as_user("alice")
    with older_rules(says=("nurse", "doctor")):
        old = alice.observe(NURSE).kept[0]
    done = memory.store.relearn()
    alice.forget(next(item.id for item in alice.list() if item.text == NURSE and item.kind is Kind.SEMANTIC))
    alice.restore(old.id)
    memory.as_system().undo(trace=done.trace)
    assert "I work as a doctor in Leipzig" in texts(alice)


def test_nobody_else_notices_or_takes_back_what_is_made_again(memory: Memory) -> None:
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    bob.observe([TEA, NURSE])
    with older_rules(misses="cello", says=("nurse", "doctor")):
        alice.observe([NURSE, LISBON])
    before, trail = views(bob), trail_of(bob)
    done = memory.store.relearn()
    assert done.changed == 2
    assert (views(bob), trail_of(bob)) == (before, trail)
    with pytest.raises(NotFound):
        bob.undo(trace=done.trace)
    assert texts(alice) == [LISBON, NURSE]


def test_whoever_has_left_a_chat_says_nothing_there_any_more(memory: Memory) -> None:
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    with older_rules(says=("noon", "one")):
        memory.as_user("alice", chat="lunch").observe("Our standup is at noon")
    memory.chat.register("lunch", kind="group", participants=["bob", "carol"])
    done = memory.store.relearn()
    assert (done.reworded, done.added) == (0, 0)
    assert done.skipped > 0


def test_words_that_are_read_again_end_nothing_that_was_said_later(memory: Memory, clock) -> None:
    alice = memory.as_user("alice")
    with older_rules(misses="Rome"):
        alice.observe("I live in Rome")
    clock.advance(86_400)
    alice.observe("I live in Oslo")
    memory.store.relearn()
    assert "I live in Oslo" in texts(alice)
    assert alice.recall("Where do I live?").texts[0] == "I live in Oslo"
