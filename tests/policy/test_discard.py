"""Guesses below a confidence are discarded; explicit statements and memories already in force are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memfort import Memory
from memfort.model.item import Candidate
from memfort.model.reason import Reason
from memfort.policy.settings.policy import Policy

Open = Callable[..., Memory]
GUESSED: dict[str, Any] = {"origin": "ai", "confidence": 0.4}
PICKY = Policy(discard_confidence=0.5)


def test_a_discarded_statement_is_refused_on_record_and_waits_nowhere(open_memory: Open) -> None:
    alice = open_memory(policy=PICKY).as_user("alice")
    refused = alice.remember("likes jazz", **GUESSED)
    assert (refused.kept, refused.reason, refused.decision.gate) == (False, Reason.DISCARDED, "status")
    assert (list(alice.review.list()), alice.recall("jazz").texts) == ([], [])
    assert [event["event"]["reason"] for event in alice.trail.export()][:1] == ["discarded"]
    assert alice.check("remember", text="likes jazz", **GUESSED).reason is Reason.DISCARDED


@pytest.mark.parametrize(("confidence", "reason"), [(0.5, Reason.LOW_CONFIDENCE), (0.6, Reason.CONFIDENT)])
def test_a_confidence_at_the_limit_is_not_discarded(open_memory: Open, confidence: float, reason: Reason) -> None:
    alice = open_memory(policy=PICKY).as_user("alice")
    assert alice.remember("likes jazz", origin="ai", confidence=confidence).reason is reason


def test_captured_statements_are_discarded_whoever_stated_them(open_memory: Open) -> None:
    alice = open_memory(policy=PICKY).as_user("alice")
    said = {"text": "I like jazz", "confidence": 0.4}
    taken, asked = alice.remember_many([Candidate(**said, captured=True), Candidate(**said)])  # type: ignore[arg-type]
    assert (taken.reason, asked.reason) == (Reason.DISCARDED, Reason.LOW_CONFIDENCE)


def test_personal_data_does_not_make_a_guess_wait(open_memory: Open) -> None:
    alice = open_memory(policy=PICKY).as_user("alice")
    assert alice.remember("write to carol@corp.test", **GUESSED).reason is Reason.DISCARDED
    assert alice.remember("write to carol@corp.test", confidence=0.4).reason is Reason.PERSONAL_REVIEW


def test_an_approved_memory_is_not_discarded_on_promotion(open_memory: Open) -> None:
    way = {"from_level": "user", "to_level": "project", "authority": "ai_inferred"}
    policy = Policy.from_dict({"discard_confidence": 0.5, "approve_confidence": 0.0, "spaces": {"promotions": [way]}})
    alice = open_memory(policy=policy).as_user("alice", project="apollo")
    guessed = alice.remember("we deploy on Mondays", status="pending", **GUESSED)
    alice.review.approve(str(guessed.id))
    assert alice.promote(str(guessed.id), {"project": "apollo"}).kept
    assert alice.remember("we deploy on Fridays", space={"project": "apollo"}, **GUESSED).reason is Reason.DISCARDED
