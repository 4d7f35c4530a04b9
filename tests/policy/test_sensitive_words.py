"""Sensitive words: standing by themselves, or inside other words too; however they are written."""

from __future__ import annotations

import pytest

from memfort.model.item import Candidate, Kind
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import Space
from memfort.policy.admission import Placement, screen
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import Privacy

ALICE, HOME = Actor(ActorKind.USER, "alice"), Space.of({"user": "alice"})


def reason(text: str, match: str, *, key: str | None = None) -> Reason:
    policy = Policy(privacy=Privacy(sensitive_words=("merger", "due diligence"), sensitive_match=match))  # type: ignore[arg-type]
    kind = Kind.SEMANTIC if key is None else Kind.PROFILE
    seen = SeenSpace(HOME, 0, True, Reason.VISIBLE)
    return screen(ALICE, seen, Placement(Candidate(text=text, kind=kind, key=key), HOME), policy).decision.reason


@pytest.mark.parametrize("match", ["word", "substring"])
@pytest.mark.parametrize(
    "text", ["the merger is near", "Merger!", "(MERGER)", "the merger", "due\n diligence", "Due-Diligence"]
)
def test_a_word_by_itself_is_refused_however_it_is_written(text: str, match: str) -> None:
    assert reason(text, match) is Reason.PRIVACY_DENY_SENSITIVE


@pytest.mark.parametrize("text", ["submergers", "mergermania", "overdue diligence"])
def test_inside_another_word_only_a_substring_counts(text: str) -> None:
    assert reason(text, "word") is Reason.CONFIDENT
    assert reason(text, "substring") is Reason.PRIVACY_DENY_SENSITIVE


@pytest.mark.parametrize("match", ["word", "substring"])
def test_the_key_of_a_fact_counts_and_other_words_do_not(match: str) -> None:
    assert reason("in May", match, key="merger") is Reason.PRIVACY_DENY_SENSITIVE
    assert reason("in May", match, key="launch") is Reason.CONFIDENT
    assert reason("they merge, or merge again", match) is Reason.CONFIDENT
