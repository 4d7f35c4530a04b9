"""Memfort itself, measured on our file."""

from __future__ import annotations

import json

import pytest

from memfort import Memory
from memfort.evaluation.labels import our_labels, read_labels
from memfort.evaluation.memory_system import MemorySystem
from memfort.evaluation.run import evaluate


@pytest.fixture
def measured(memory: Memory) -> dict[str, float]:
    found = evaluate(MemorySystem(memory), our_labels())
    return {one.measure.name: one.value for one in found.scores}


def test_our_own_figures_do_not_fall(measured: dict[str, float]):
    assert measured["extraction_precision"] >= 0.85
    assert measured["extraction_recall"] >= 0.85
    assert measured["false_positive_rate"] <= 0.05
    assert measured["retrieval_hit_rate"] >= 0.9
    assert measured["injection_pollution_rate"] <= 0.125  # an old value that no words end stays in force
    assert measured["deletion_compliance"] == 1.0


def test_a_policy_that_reviews_no_instructions_is_noticed(open_memory):
    """The same file, the same memory: only the gate is off."""
    memory = open_memory(policy={"privacy": {"review_instructions": False}})
    found = {one.measure.name: one for one in evaluate(MemorySystem(memory), our_labels()).scores}
    assert found["injection_pollution_rate"].value > 0.3
    assert not found["injection_pollution_rate"].is_met


def test_a_policy_that_keeps_nothing_is_noticed(open_memory):
    memory = open_memory(policy={"write_policy": "none"})
    found = {one.measure.name: one for one in evaluate(MemorySystem(memory), our_labels()).scores}
    assert found["extraction_recall"].value == 0.0
    assert "extraction_precision" not in found


SAID = {"role": "user", "content": "My cat is called Biscuit.", "facts": [{"fact": "her cat", "must": ["biscuit"]}]}


@pytest.mark.parametrize("how", ["forget", "erase"])
def test_a_deletion_is_looked_for_where_it_could_have_left_something(memory, how):
    """Said again after it was deleted, it is found again, in each place."""
    lines = [
        {"user": "ada", "messages": [SAID]},
        {"user": "ada", "deletion": how, "words": ["biscuit"], "query": "my cat"},
    ]
    labels = read_labels("own", "\n".join(map(json.dumps, lines)))
    system, [deletion] = MemorySystem(memory), labels.deletions
    system.observe(labels.conversations[0])
    assert {"recall", "context", "list"} <= set(system.residue(deletion))
    assert system.delete(deletion) > 0
    assert system.residue(deletion) == []
    assert system.delete(deletion) == 0
    memory.as_user("ada").remember("my cat is called Biscuit")
    assert {"recall", "context", "list"} <= set(system.residue(deletion))
