"""Each message as a whole: what it proposes, and with which event type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.capture.extraction import Proposal, SpokenTurn
from memfort.capture.whole_messages import extract_messages
from memfort.model.item import Candidate, EventType, Kind, Origin
from memfort.model.moment import Moment


def proposals(*said: str, origin: Origin = Origin.USER, **options: object) -> list[Proposal]:
    turns = [SpokenTurn(text, origin, Moment(0)) for text in said]
    return list(extract_messages(turns, **options).proposals)  # type: ignore[arg-type]


def outline(found: list[Proposal]) -> list[tuple[int, str, str | None, str]]:
    return [(one.turn, one.kind.value, one.event_type, one.text) for one in found]


def test_a_message_is_one_statement_with_the_facts_in_it() -> None:
    assert outline(proposals("hello there", "My name is Ada")) == [
        (0, "semantic", "context", "hello there"),
        (1, "semantic", "fact", "My name is Ada"),
        (1, "profile", "fact", "Ada"),
    ]


def test_an_answer_leaves_nothing_and_a_tool_leaves_what_it_returned() -> None:
    assert proposals("Actually, my name is Ada", origin=Origin.AI) == []
    assert outline(proposals("search: 3 hits", origin=Origin.TOOL)) == [(0, "semantic", "execution", "search: 3 hits")]


def test_the_keys_come_from_outside() -> None:
    assert [one.kind for one in proposals("My shoe size is 43")] == [Kind.SEMANTIC]
    assert proposals("My shoe size is 43", keys=("shoe_size",))[1].key == "shoe_size"


def test_a_correction_corrects_the_profile() -> None:
    assert {one.event_type for one in proposals("Actually, my name is Ada")} == {EventType.CORRECTION}


def test_a_fact_said_in_a_decision_is_a_fact() -> None:
    assert [one.event_type for one in proposals("I use vim as my editor")] == ["decision", "fact"]


def test_a_hint_in_front_is_cut_off_and_the_rest_is_classified() -> None:
    [found] = proposals("Remember this for the project: we decided to deploy on Fridays")
    assert (found.text, found.event_type) == ("we decided to deploy on Fridays", "decision")
    assert found.quote == "we decided to deploy on Fridays"


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_whatever_is_said_its_statements_are_candidates(said: str) -> None:
    if said.encode(errors="replace").decode() != said:
        return
    for one in proposals(said):
        assert Candidate(text=one.text, kind=one.kind, key=one.key).text in said or one.kind is Kind.PROFILE
        assert one.quote in said


@pytest.mark.parametrize("origin", [Origin.AI, Origin.SYSTEM])
def test_only_users_and_tools_state_anything(origin: Origin) -> None:
    assert proposals("I prefer tea", origin=origin) == []
    assert proposals("I prefer tea")
