"""Knowledge evolves: a statement takes the place of what it is the news of, and of nothing else."""

from __future__ import annotations

import pytest

from memfort import Policy
from memfort.model.reason import Reason
from memfort.policy.settings.sections import Conflict

PROJECT = {"project": "apollo"}


@pytest.fixture
def in_project(memory):
    return lambda name: memory.as_user(name, project="apollo")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Paris", "I live in Rome"),
        ("I work at Acme", "I work at Initech now"),
        ("My favorite color is blue", "My favorite color is green"),
    ],
)
def test_a_new_value_of_a_single_valued_attribute_replaces_the_old(alice, old, new):
    first = alice.remember(old)
    second = alice.remember(new)
    assert [item.text for item in alice.list()] == [new]
    assert [item.text for item in alice.history(second.id)] == [old, new]
    assert alice.history(first.id)[0].superseded_by == second.id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea", "I like coffee"),
        ("I live in Paris", "I work at Acme"),
        ("I have a dog named Max", "I have a cat named Tom"),
        ("I met Bob on Monday", "I met Carol on Monday"),
    ],
)
def test_two_facts_that_merely_sound_alike_both_stay(alice, one, other):
    alice.remember(one)
    alice.remember(other)
    assert {item.text for item in alice.list()} == {one, other}


def test_equal_statements_about_different_people_are_separate_facts(alice):
    alice.remember("@bob lives in Paris")
    alice.remember("@carol lives in Rome")
    assert len(alice.list()) == 2
    alice.remember("@bob lives in Oslo")
    assert {item.text for item in alice.list()} == {"@carol lives in Rome", "@bob lives in Oslo"}


def test_a_persons_own_statement_replaces_hearsay(in_project):
    alice, bob = in_project("alice"), in_project("bob")
    alice.remember("@bob lives in Paris", space=PROJECT)
    own = bob.remember("I live in Rome", space=PROJECT)
    assert [item.text for item in alice.list(space=PROJECT)] == ["I live in Rome"]
    assert own.item.subjects == ("@bob",)


def test_hearsay_never_replaces_a_persons_own_statement(in_project):
    alice, bob = in_project("alice"), in_project("bob")
    bob.remember("I live in Rome", space=PROJECT)
    said = alice.remember("@bob lives in Paris", space=PROJECT)
    assert said.reason is Reason.OUTRANKED
    assert [item.text for item in bob.list(space=PROJECT)] == ["I live in Rome"]


def test_statements_in_different_spaces_do_not_supersede_each_other(alice, in_project):
    alice.remember("I live in Paris")
    in_project("alice").remember("I live in Rome", space=PROJECT)
    assert [item.text for item in alice.list()] == ["I live in Paris"]


def test_a_memory_not_all_readers_may_hear_supersedes_nothing(memory):
    """Those who hear only the old one would see it go, and not see why."""
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    alice.remember("@bob works at Acme", space=PROJECT)
    bob.remember("I work at Initech", space=PROJECT, sensitivity="personal")
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    at_lunch = memory.as_user("alice", project="apollo", chat="lunch")
    assert [item.text for item in at_lunch.list(space=PROJECT)] == ["@bob works at Acme"]
    for member in (alice, bob):
        assert {item.text for item in member.list(space=PROJECT)} == {"@bob works at Acme", "I work at Initech"}


def test_a_policy_can_switch_it_off(memory):
    memory.policy.use(Policy(conflict=Conflict(evolve=False)))
    alice = memory.as_user("alice")
    alice.remember("I live in Paris")
    alice.remember("I live in Rome")
    assert len(alice.list()) == 2
