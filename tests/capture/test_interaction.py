"""Seed 004: what an interaction leaves behind, draft by draft."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.capture.interaction import MAX_TOOL_RESULTS, CapturedStatement, Interaction, ToolResult, capture_statements
from memfort.errors import InvalidInput
from memfort.model.item import MAX_IMPORTANCE, MAX_TEXT_BYTES, Candidate, EventType, Kind, Origin
from memfort.model.space import Level


def outline(made: list[CapturedStatement]) -> list[tuple[str, str, str, str]]:
    return [(captured.kind, captured.origin, captured.event_type, captured.text) for captured in made]


def the(made: list[CapturedStatement], kind: Kind) -> CapturedStatement:
    [found] = [captured for captured in made if captured.kind is kind]
    return found


def test_seed_004_the_order_of_drafts():
    made = capture_statements(
        Interaction("My name is Ada", "Hello Ada", (ToolResult("search", "3 hits"), ToolResult("mail", ok=False)))
    )
    assert outline(made) == [
        ("short_term", "user", "fact", "My name is Ada"),
        ("short_term", "ai", "context", "Hello Ada"),
        ("semantic", "user", "fact", "My name is Ada"),
        ("profile", "user", "fact", "Ada"),
        ("semantic", "tool", "execution", "search: 3 hits"),
        ("semantic", "tool", "execution", "mail failed: no output"),
    ]
    assert [captured.derived_from for captured in made] == [(), (), (0,), (0,), (), ()]
    assert [captured.key for captured in made] == [None, None, None, "name", None, None]


def test_an_answer_alone_is_a_turn_and_no_more():
    assert outline(capture_statements(Interaction(answer="Actually, my name is Ada"))) == [
        ("short_term", "ai", "context", "Actually, my name is Ada")
    ]


def test_tools_alone_are_remembered_one_by_one():
    made = capture_statements(Interaction(tools=(ToolResult("a", "1"), ToolResult("b", "2", ok=False))))
    assert [captured.text for captured in made] == ["a: 1", "b failed: 2"]


def test_seed_004_importance_with_its_reasons():
    made = capture_statements(Interaction("You must know: I prefer tea", "noted", (ToolResult("a", "1"),)))
    assert [(captured.importance, captured.importance_reasons) for captured in made] == [
        (5, ("event:preference", "source:user", "emphasis")),
        (1, ("event:context",)),
        (5, ("event:preference", "source:user", "emphasis")),
        (2, ("event:execution",)),
    ]


def test_the_bases_and_the_keys_come_from_outside():
    said = Interaction("My shoe size is 43")
    assert [captured.kind for captured in capture_statements(said)] == [Kind.SHORT_TERM, Kind.SEMANTIC]
    made = capture_statements(said, keys=("shoe_size",), base=dict.fromkeys(EventType, 8))
    assert (the(made, Kind.PROFILE).key, the(made, Kind.PROFILE).importance) == ("shoe_size", 9)
    made = capture_statements(said, keys=("shoe_size",), base=dict.fromkeys(EventType, MAX_IMPORTANCE))
    assert the(made, Kind.PROFILE).importance == MAX_IMPORTANCE


def test_seed_004_a_correction_corrects_the_profile():
    made = capture_statements(Interaction("Actually, my name is Ada"))
    assert [captured.is_correction for captured in made] == [True, True, True]
    assert the(made, Kind.PROFILE).event_type is EventType.CORRECTION
    assert not any(captured.is_correction for captured in capture_statements(Interaction("My name is Ada")))


def test_a_fact_said_in_a_decision_is_a_fact():
    made = capture_statements(Interaction("I use vim as my editor"))
    assert (the(made, Kind.SEMANTIC).event_type, the(made, Kind.PROFILE).event_type) == ("decision", "fact")


def test_seed_004_a_hint_in_front_is_cut_off_and_the_rest_is_classified():
    made = capture_statements(Interaction("Remember this for the project: we decided to deploy on Fridays"))
    statement = the(made, Kind.SEMANTIC)
    assert the(made, Kind.SHORT_TERM).text == "Remember this for the project: we decided to deploy on Fridays"
    assert (statement.text, statement.event_type) == ("we decided to deploy on Fridays", EventType.DECISION)
    assert (statement.promote_to, statement.promotion_reason) == (Level.PROJECT, "hint:remember_for_project")


def test_turns_and_tools_are_never_promoted():
    made = capture_statements(
        Interaction("Save this for me: tea", "Remember this for everyone: tea", (ToolResult("a", "save this for me"),))
    )
    assert [captured.promote_to for captured in made] == [None, None, Level.USER, None]


@pytest.mark.parametrize(
    ("hint", "level"),
    [
        ("Remember this about me", Level.USER),
        ("Remember this for the project", None),
        ("Remember this for everyone", None),
    ],
)
def test_profile_facts_are_promoted_with_the_user_only(hint, level):
    made = capture_statements(Interaction(f"{hint}: my name is Ada"))
    assert the(made, Kind.PROFILE).promote_to is level
    assert the(made, Kind.SEMANTIC).promote_to is not None


@pytest.mark.parametrize(
    ("given_parts", "field"),
    [
        ({}, "interaction"),
        ({"said": ""}, "said"),
        ({"said": " \n"}, "said"),
        ({"said": 7}, "said"),
        ({"said": "\ud800"}, "said"),
        ({"said": "x" * (MAX_TEXT_BYTES + 1)}, "said"),
        ({"answer": b"hello"}, "answer"),
        ({"answer": "é" * (MAX_TEXT_BYTES // 2 + 1)}, "answer"),
        ({"tools": "search"}, "tools"),
        ({"tools": {"search": 1}}, "tools"),
        ({"tools": 7}, "tools"),
        ({"tools": [ToolResult("a", "1")] * (MAX_TOOL_RESULTS + 1)}, "tools"),
        ({"tools": [("search", "1")]}, "tools[0]"),
        ({"tools": [ToolResult("a", "1"), ToolResult("", "1")]}, "tools[1].name"),
        ({"tools": [ToolResult("a", None)]}, "tools[0].text"),
        ({"tools": [ToolResult("a", "\ud800")]}, "tools[0].text"),
        ({"tools": [ToolResult("a", "x" * MAX_TEXT_BYTES)]}, "tools[0].text"),
        ({"tools": [ToolResult("a", "1", ok="yes")]}, "tools[0].ok"),
    ],
)
def test_invalid_parts_are_refused_by_field_with_a_remedy(given_parts, field):
    with pytest.raises(InvalidInput) as refused:
        Interaction(**given_parts)
    assert refused.value.field == field
    assert refused.value.remedy
    assert len(str(refused.value)) < 200


def test_the_largest_interaction_there_can_be():
    text = "x" * MAX_TEXT_BYTES
    made = capture_statements(Interaction(text, text, [ToolResult("a", "x" * (MAX_TEXT_BYTES - 3))] * MAX_TOOL_RESULTS))
    assert len(made) == 3 + MAX_TOOL_RESULTS


words = st.text(min_size=1, max_size=60).filter(str.strip) | st.sampled_from(
    [
        "My name is Ada and I speak German",
        "Actually, call me Ada",
        "Remember this about me: I use vim as my editor",
        "ok",
    ]
)


@given(
    st.none() | words,
    st.none() | words,
    st.lists(
        st.builds(ToolResult, st.sampled_from(["search", "mail"]), st.text(max_size=20), st.booleans()), max_size=3
    ),
)
def test_any_interaction_gives_the_same_usable_drafts(user, answer, tools):
    if user is None and answer is None and not tools:
        return
    interaction = Interaction(user, answer, tuple(tools))
    made = capture_statements(interaction)
    assert made == capture_statements(interaction)
    assert len({captured.key for captured in made if captured.key}) == sum(
        captured.kind is Kind.PROFILE for captured in made
    )
    for place, captured in enumerate(made):
        Candidate(
            text=captured.text,
            kind=captured.kind,
            key=captured.key,
            origin=captured.origin,
            importance=captured.importance,
        )
        assert captured.importance_reasons[0] == f"event:{captured.event_type}"
        for source in captured.derived_from:
            assert source < place
            assert made[source].origin is captured.origin is Origin.USER
            assert made[source].kind is Kind.SHORT_TERM
        assert (captured.promote_to is None) == (captured.promotion_reason is None)
