"""The observer notices nothing of what they may not notice, in any of many random histories.

`make purge HISTORIES=100000` plays more. A failure prints the few steps that matter and the number of the
history, which plays it again: `python -m tests.purge --seed NUMBER --histories 1`.
"""

from __future__ import annotations

from collections import Counter

import pytest
from tests.generated import Seeds, half_fresh
from tests.purge.histories import KINDS, generate
from tests.purge.model import Model, Verdict
from tests.purge.replay import Comparison, compare, count_calls, play
from tests.purge.report import Leak, report
from tests.purge.steps import OWN_SPACES, READS, RECORDS
from tests.purge.stores import open_dict, store_for

SAMPLE = 200  # histories for the checks that the histories themselves are worth playing
JUDGED = (Verdict.HIDDEN, Verdict.VISIBLE, Verdict.UNSURE)


@pytest.mark.parametrize("seeds", half_fresh(120, 1_000))
def test_the_observer_notices_nothing_that_is_hidden(seeds: Seeds) -> None:
    leaks = []
    for seed in seeds:
        history = generate(seed)
        found = compare(history, store_for(history))
        if found.differences:
            leaks.append(found)
    if leaks:
        first = leaks[0]
        numbers = " ".join(str(one.history.seed) for one in leaks)
        raise Leak(f"{len(leaks)} histories leak: {numbers}\n{report(first, store_for(first.history))}")


def test_most_steps_of_others_are_judged_for_sure() -> None:
    verdicts = Counter[Verdict]()
    for seed in range(400):
        verdicts.update(Model(generate(seed)).verdicts().values())
    judged = sum(verdicts[one] for one in JUDGED)
    assert verdicts[Verdict.UNSURE] / judged < 0.25
    assert verdicts[Verdict.HIDDEN] / judged > 0.4
    assert verdicts[Verdict.VISIBLE] / judged > 0.15


@pytest.fixture(scope="module")
def sample() -> list[Comparison]:
    """Some histories, played in full only."""
    played = []
    for seed in range(SAMPLE):
        history = generate(seed)
        played.append(Comparison(history, Model(history).verdicts(), set(), play(history, open_dict), []))
    return played


def test_every_step_and_every_read_occurs_and_works(sample: list[Comparison]) -> None:
    called, worked = Counter[str](), Counter[str]()
    for one in sample:
        calls, successes = count_calls(one)
        called += calls
        worked += successes
    steps = set(KINDS) - {"read"}
    assert {kind: called[kind] for kind in steps if called[kind] < 8} == {}
    assert {kind: worked[kind] for kind in steps if worked[kind] < 3} == {}
    rare = RECORDS | OWN_SPACES | {"share_changes", "phase.diff"}
    for verb in READS:
        assert called[f"read {verb}"] >= (10 if verb in rare else 80), verb
        assert worked[f"read {verb}"] >= (1 if verb in rare else 8), verb


def test_observers_see_something_in_most_histories(sample: list[Comparison]) -> None:
    found = sum(
        any('"text": ' in answer for calls in one.full.answers.values() for answer in calls.values()) for one in sample
    )
    assert found / len(sample) > 0.7


def test_every_kind_of_step_is_hidden_from_somebody(sample: list[Comparison]) -> None:
    """And works while it is hidden: what is purged is not only what failed anyway."""
    hidden = Counter(
        step.kind
        for one in sample
        for step in one.history.steps
        if one.verdicts[step.number] == Verdict.HIDDEN and step.number not in one.full.failed
    )
    always_listed = {"rename", "link"}
    host = {"join_chat", "leave_chat", "reopen_chat", "add_member", "remove_member", "wait"}
    assert {kind for kind in set(KINDS) - always_listed - host - {"read"} if hidden[kind] < 1} == set()
