"""Seed 004: what says too little to be kept, when it merely went by."""

from __future__ import annotations

import pytest

from memfort.model.item import Candidate, EventType
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.policy.gates.governance import refusal
from memfort.policy.settings.policy import Policy

LOW = ["ok", "okay", "thanks", "thank you", "hello", "hi", "hey", "cool", "great"]
ALICE, HOME = Actor(ActorKind.USER, "alice"), Space.of({"user": "alice"})


def says_little(text: str, *, captured: bool = True, policy: Policy | None = None) -> bool:
    candidate = Candidate(text=text, captured=captured)
    refused = refusal(ALICE, candidate, "fact", EventType.FACT, HOME, policy or Policy())
    return refused is not None and refused[0] is Reason.POLICY_LOW_SIGNAL


@pytest.mark.parametrize("word", [pytest.param(word, id=f"seed 004: {word}") for word in LOW])
@pytest.mark.parametrize("around", ["{}", "{}!", "  {}...\n", "👍🏽 {} 🙏", "“{}”"])
def test_an_acknowledgement_is_low_signal_in_any_form(word: str, around: str) -> None:
    for written in (word, word.upper(), word.title().replace(" ", "\u00a0 ")):
        assert says_little(around.format(written))


@pytest.mark.parametrize("text", ["!?", "👍", "❤️", "…"])
def test_no_word_says_nothing(text: str) -> None:
    assert says_little(text)


@pytest.mark.parametrize(
    "text", ["ok then", "hi Bob", "not ok", "great idea", "okey", "hié", "好", "42", "thank", "C++"]
)
def test_one_word_more_says_something(text: str) -> None:
    assert not says_little(text)


def test_explicit_statements_are_kept_and_an_empty_list_disables_it() -> None:
    assert not says_little("thanks", captured=False)
    assert not says_little("thanks", policy=Policy(low_signal=()))
