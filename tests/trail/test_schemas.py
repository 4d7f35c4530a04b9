"""The schemas: every event fits its own and no other, and a schema that lets too much through fails here."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError
from trace_story import call, examples, kept

from memfort.errors import InvalidInput
from memfort.model.item import Authority, EventType, Kind, Origin
from memfort.model.space import Level
from memfort.trail.public import builders
from memfort.trail.public.events import TRACE_VERSION
from memfort.trail.public.schema import EVENT_TYPES, schema_of
from memfort.trail.public.view import item_view

EVENTS = examples(call())

# The keys of each event that a trace has always had; none may ever be missing.
CONTRACT = {
    "memory_recall": {
        "query", "recalled", "policy", "deterministic_hash", "spaces_consulted", "recall_counts", "current_phase",
    },
    "memory_write": {"written", "reason"},
    "memory_denied": {"attempted", "reason", "policy_snapshot", "explanation"},
    "memory_conflict": {"winner_id", "loser_id", "rule", "dedup_key", "explanation"},
    "memory_forget": {"memory_id", "reason", "policy_snapshot", "explanation"},
    "memory_border_check": {"action", "from_space", "allowed", "reason", "policy_snapshot"},
    "memory_promoted": {
        "from_space", "to_space", "from_id", "to_id", "authority_used", "reason", "policy_snapshot",
    },
    "memory_promotion_denied": {
        "from_space", "to_space", "memory_id", "allowed", "reason", "policy_snapshot", "explanation",
    },
    "memory_phase_started": {"space", "owner", "phase_id", "reason", "policy_snapshot"},
    "memory_deleted": {
        "space", "owner", "phase_id", "memory_id", "reason", "policy_snapshot", "explanation",
    },
    "memory_phase_diff": {
        "space", "owner", "from_phase_id", "to_phase_id", "added_count", "deleted_count", "replaced_count",
        "top_changes", "summary_lines",
    },
}  # fmt: skip
HEAD = {"type", "trace_version", "ai_profile", "session"}


def check(event: dict[str, Any], type: str | None = None) -> None:
    Draft202012Validator(schema_of(type or event["type"])).validate(event)


def without(event: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != key}


def test_there_is_a_schema_for_each_event_and_nothing_else() -> None:
    assert set(EVENT_TYPES) == set(CONTRACT)
    assert len(EVENT_TYPES) == 11
    assert all(callable(getattr(builders, type)) for type in EVENT_TYPES)


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_a_schema_is_a_schema(type: str) -> None:
    schema = schema_of(type)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["title"], schema["properties"]["type"]["enum"]) == (type, [type])
    assert schema["properties"]["trace_version"]["const"] == TRACE_VERSION
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_the_contract_is_required(type: str) -> None:
    assert CONTRACT[type] | HEAD <= set(schema_of(type)["required"])


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_every_event_fits_its_schema_and_no_other(type: str) -> None:
    for event in EVENTS[type]:
        check(event)
        for other in set(EVENT_TYPES) - {type}:
            with pytest.raises(ValidationError):
                check(event, other)


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_an_event_without_a_required_key_does_not_fit(type: str) -> None:
    for event in EVENTS[type]:
        for key in schema_of(type)["required"]:
            with pytest.raises(ValidationError, match=f"'{key}' is a required property"):
                check(without(event, key), type)


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_an_optional_key_may_be_missing_and_is_somewhere(type: str) -> None:
    """An option that no builder uses would be a false promise."""
    schema = schema_of(type)
    used = {key for event in EVENTS[type] for key in event}
    assert used == set(schema["properties"])
    for event in EVENTS[type]:
        crossing = {"to_space"} if event.get("action") in {"write", "promote"} else set()
        for key in set(event) - set(schema["required"]) - crossing:
            check(without(event, key))


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_an_unknown_key_does_not_validate(type: str) -> None:
    with pytest.raises(ValidationError, match="'text' was unexpected"):
        check(EVENTS[type][0] | {"text": "I am fine"})


@pytest.mark.parametrize(
    ("type", "key", "value"),
    [
        ("memory_write", "reason", "because"),
        ("memory_conflict", "rule", "length"),
        ("memory_conflict", "dedup_key", "context:my password is 123"),
        ("memory_forget", "reason", "bored"),
        ("memory_border_check", "action", "wander"),
        ("memory_border_check", "from_space", "everywhere"),
        ("memory_promoted", "authority_used", "loudest"),
        ("memory_promotion_denied", "allowed", True),
        ("memory_denied", "policy_snapshot", {"name": "default", "digest": "d", "privacy": {}}),
        ("memory_recall", "deterministic_hash", "abc"),
        ("memory_recall", "query", "x" * 216),
        ("memory_recall", "recall_counts", {"session": -1}),
        ("memory_phase_diff", "top_changes", [{"change": "added", "memory_id": "a"}] * 9),
        ("memory_phase_diff", "added_count", 1.5),
        ("memory_deleted", "coordinates", {}),
    ],
)
def test_a_value_outside_its_set_does_not_fit(type: str, key: str, value: Any) -> None:
    event = EVENTS[type][0]
    check(event)
    with pytest.raises(ValidationError):
        check(event | {key: value})


def test_a_write_or_a_promotion_has_to_say_where_to() -> None:
    read, write = EVENTS["memory_border_check"]
    check(read)
    for action in ("write", "promote"):
        check(write | {"action": action})
        with pytest.raises(ValidationError, match="'to_space' is a required property"):
            check(without(write, "to_space") | {"action": action})


def test_a_recalled_memory_says_why_and_a_written_one_need_not() -> None:
    recall, write = deepcopy(EVENTS["memory_recall"][0]), EVENTS["memory_write"][0]
    assert "recall_reason" not in write["written"][0]["meta"]
    check(write)
    check(recall)
    del recall["recalled"][0]["meta"]["recall_reason"]
    with pytest.raises(ValidationError):
        check(recall)


@pytest.mark.parametrize("key", ["id", "kind", "text", "source", "created_at", "importance", "scope", "meta"])
def test_a_memory_lacks_nothing(key: str) -> None:
    event = EVENTS["memory_write"][0]
    with pytest.raises(ValidationError):
        check(event | {"written": [without(event["written"][0], key)]})


@given(st.text(min_size=1), st.floats(allow_nan=False, allow_infinity=False), st.text(min_size=1).filter(str.strip))
def test_any_memory_fits(text: str, importance: float, key: str) -> None:
    item = kept(text, importance=importance, kind=Kind.PROFILE, key=key)
    check(builders.memory_write(call(), written=[item_view(call(), item)]))


def test_the_closed_sets_are_those_of_the_model() -> None:
    definitions = schema_of("memory_recall")["$defs"]
    item = definitions["RecalledMemory"]["properties"]
    meta = definitions["RecalledMeta"]["properties"]
    assert item["scope"]["enum"] == [level.value for level in Level if level is not Level.VISIBILITY]
    assert meta["coordinates"]["propertyNames"]["enum"] == [level.value for level in Level]
    for key, of, closed in (
        ("kind", item, Kind), ("source", item, Origin), ("authority", meta, Authority), ("event_type", meta, EventType),
    ):  # fmt: skip
        name = of[key]["$ref"].removeprefix("#/$defs/")
        assert set(definitions[name]["enum"]) == {member.value for member in closed}


def test_a_definition_is_the_same_in_every_schema() -> None:
    seen: dict[str, Any] = {}
    for type in EVENT_TYPES:
        for name, definition in schema_of(type)["$defs"].items():
            assert seen.setdefault(name, definition) == definition, (type, name)
    assert {"MemoryView", "RecalledMemory", "GoneMemory", "PolicyReference", "PhaseChange", "AttemptView"} <= set(seen)


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_a_schema_is_self_contained(type: str) -> None:
    """Whatever it refers to is in it, and whatever is in it is referred to."""
    schema = schema_of(type)
    text = json.dumps(schema)
    referred = set(re.findall(r'"\$ref": "([^"]*)"', text))
    assert referred == {f"#/$defs/{name}" for name in schema["$defs"]}


def test_an_unknown_event_has_no_schema() -> None:
    with pytest.raises(InvalidInput, match="did you mean `memory_recall`"):
        schema_of("memory_recal")
    with pytest.raises(InvalidInput, match="is not an event"):
        schema_of("../schemas/memory_recall")


def test_a_schema_is_the_callers_to_change() -> None:
    schema_of("memory_write")["required"].clear()
    assert schema_of("memory_write")["required"]
