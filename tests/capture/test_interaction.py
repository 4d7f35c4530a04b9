"""Seed 004: what an interaction leaves behind, draft by draft."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.capture.interaction import MAX_TOOL_RESULTS, Draft, Interaction, ToolResult, draft_memories
from memfort.errors import InvalidInput
from memfort.model.item import MAX_IMPORTANCE, MAX_TEXT_BYTES, Candidate, EventType, Kind, Origin
from memfort.model.space import Level


def outline(made: list[Draft]) -> list[tuple[str, str, str, str]]:
    return [(draft.kind, draft.origin, draft.event_type, draft.text) for draft in made]


def the(made: list[Draft], kind: Kind) -> Draft:
    [found] = [draft for draft in made if draft.kind is kind]
    return found


def test_seed_004_the_order_of_drafts():
    made = draft_memories(
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
    assert [draft.derived_from for draft in made] == [(), (), (0,), (0,), (), ()]
    assert [draft.key for draft in made] == [None, None, None, "name", None, None]


def test_an_answer_alone_is_a_turn_and_no_more():
    assert outline(draft_memories(Interaction(answer="Actually, my name is Ada"))) == [
        ("short_term", "ai", "context", "Actually, my name is Ada")
    ]


def test_tools_alone_are_remembered_one_by_one():
    made = draft_memories(Interaction(tools=(ToolResult("a", "1"), ToolResult("b", "2", ok=False))))
    assert [draft.text for draft in made] == ["a: 1", "b failed: 2"]


def test_seed_004_importance_with_its_reasons():
    made = draft_memories(Interaction("You must know: I prefer tea", "noted", (ToolResult("a", "1"),)))
    assert [(draft.importance, draft.importance_reasons) for draft in made] == [
        (5, ("event:preference", "source:user", "emphasis")),
        (1, ("event:context",)),
        (5, ("event:preference", "source:user", "emphasis")),
        (2, ("event:execution",)),
    ]


def test_the_bases_and_the_keys_come_from_outside():
    said = Interaction("My shoe size is 43")
    assert [draft.kind for draft in draft_memories(said)] == [Kind.SHORT_TERM, Kind.SEMANTIC]
    made = draft_memories(said, keys=("shoe_size",), base=dict.fromkeys(EventType, 8))
    assert (the(made, Kind.PROFILE).key, the(made, Kind.PROFILE).importance) == ("shoe_size", 9)
    made = draft_memories(said, keys=("shoe_size",), base=dict.fromkeys(EventType, MAX_IMPORTANCE))
    assert the(made, Kind.PROFILE).importance == MAX_IMPORTANCE


def test_seed_004_a_correction_corrects_the_profile():
    made = draft_memories(Interaction("Actually, my name is Ada"))
    assert [draft.is_correction for draft in made] == [True, True, True]
    assert the(made, Kind.PROFILE).event_type is EventType.CORRECTION
    assert not any(draft.is_correction for draft in draft_memories(Interaction("My name is Ada")))


def test_a_fact_said_in_a_decision_is_a_fact():
    made = draft_memories(Interaction("I use vim as my editor"))
    assert (the(made, Kind.SEMANTIC).event_type, the(made, Kind.PROFILE).event_type) == ("decision", "fact")


def test_seed_004_a_hint_in_front_is_cut_off_and_the_rest_is_classified():
    made = draft_memories(Interaction("Remember this for the project: we decided to deploy on Fridays"))
    statement = the(made, Kind.SEMANTIC)
    assert the(made, Kind.SHORT_TERM).text == "Remember this for the project: we decided to deploy on Fridays"
    assert (statement.text, statement.event_type) == ("we decided to deploy on Fridays", EventType.DECISION)
    assert (statement.promote_to, statement.promotion_reason) == (Level.PROJECT, "hint:remember_for_project")


def test_turns_and_tools_are_never_promoted():
    made = draft_memories(
        Interaction("Save this for me: tea", "Remember this for everyone: tea", (ToolResult("a", "save this for me"),))
    )
    assert [draft.promote_to for draft in made] == [None, None, Level.USER, None]


@pytest.mark.parametrize(
    ("hint", "level"),
    [
        ("Remember this about me", Level.USER),
        ("Remember this for the project", None),
        ("Remember this for everyone", None),
    ],
)
def test_who_somebody_is_goes_with_them_and_with_nobody_else(hint, level):
    made = draft_memories(Interaction(f"{hint}: my name is Ada"))
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
def test_what_cannot_be_used_is_refused_by_name_with_a_remedy(given_parts, field):
    with pytest.raises(InvalidInput) as refused:
        Interaction(**given_parts)
    assert refused.value.field == field
    assert refused.value.remedy
    assert len(str(refused.value)) < 200


def test_the_largest_interaction_there_can_be():
    text = "x" * MAX_TEXT_BYTES
    made = draft_memories(Interaction(text, text, [ToolResult("a", "x" * (MAX_TEXT_BYTES - 3))] * MAX_TOOL_RESULTS))
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
    made = draft_memories(interaction)
    assert made == draft_memories(interaction)
    assert len({draft.key for draft in made if draft.key}) == sum(draft.kind is Kind.PROFILE for draft in made)
    for place, draft in enumerate(made):
        Candidate(text=draft.text, kind=draft.kind, key=draft.key, origin=draft.origin, importance=draft.importance)
        assert draft.importance_reasons[0] == f"event:{draft.event_type}"
        for source in draft.derived_from:
            assert source < place
            assert made[source].origin is draft.origin is Origin.USER
            assert made[source].kind is Kind.SHORT_TERM
        assert (draft.promote_to is None) == (draft.promotion_reason is None)
