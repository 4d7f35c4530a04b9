"""A record of any form is read or reported: it neither stops an import nor takes a neighbour with it."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from tests.archives.builders import as_json, chatgpt, claude, message

from memfort import InvalidInput

ODD = [
    None, 5, -1, 1e300, True, "", "x", "\x00", [], {}, [1], {"a": 1}, [[]], ["x"], {"type": "text", "text": "hi"},
    {"type": ["x"]}, 10**30, "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "&#" + "9" * 5000 + ";",
]  # fmt: skip
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SPOKEN = [
    {"id": "m1", "role": "system", "content": [{"type": "text", "text": "You are helpful."}]},
    {"id": "m2", "role": "user", "content": [{"type": "text", "text": "I like tea."}], "created_at": "2024-01-01"},
    {"id": "m3", "role": "assistant", "content": "Fine", "tool_calls": [CALL]},
    {"id": "m4", "role": "tool", "tool_call_id": "c1", "name": "f", "content": "ok"},
]
PROFILE = {"content_type": "user_editable_context", "user_profile": "- I like tea", "user_instructions": "Be short."}
SAVED = {"content_type": "model_editable_context", "model_set_context": "1. [2024-01-01]. Likes tea"}
MEM0 = {"id": "m", "memory": "Likes tea", "user_id": "alice", "created_at": "2024-02-03", "categories": ["x"]}
ENTITY = {"type": "entity", "name": "Alice", "entityType": "person", "observations": ["likes tea"]}
ACTIVITY = {"header": "Gemini Apps", "title": "Prompted I like tea", "time": "2024-01-01T00:00:00Z"}

# For each format a record that is changed, and one that stays, which brings the words "I keep bees".
FORMATS: dict[str, tuple[Any, Any]] = {
    "chatgpt": (
        chatgpt(
            ("user", "I like tea."),
            message("assistant", "- Likes tea", "b1", recipient="bio"),
            message("user", PROFILE, "u1", metadata={"user_context_message_data": {"about_user_message": "A baker"}}),
            message("tool", SAVED, "u2"),
        ),
        chatgpt(("user", "I keep bees."), id="c-2"),
    ),
    "claude": (claude(("human", "I like tea."), ("assistant", "Fine.")), claude(("human", "I keep bees."), id="u-2")),
    "claude memories": (
        {"conversations_memory": "- Likes tea", "memory_files": [{"content": "x is y", "updated_at": "2024-01-01"}]},
        {"conversations_memory": "- I keep bees."},
    ),
    "claude projects": (
        {"prompt_template": "be nice", "uuid": "u", "name": "n", "description": "d", "docs": [1]},
        {"prompt_template": "I keep bees.", "uuid": "v"},
    ),
    "conversations": (
        {"id": "c1", "messages": SPOKEN},
        {"id": "c2", "messages": [{"role": "user", "content": "I keep bees."}]},
    ),
    "messages": (SPOKEN[2], {"role": "user", "content": "I keep bees."}),
    "mem0": ({**MEM0, "metadata": {"a": "b"}, "expiration_date": "2090-01-01"}, {"memory": "I keep bees."}),
    "letta": (
        {
            "agents": [{"id": "a", "messages": SPOKEN, "blocks": [{"label": "human", "value": "Likes tea"}]}],
            "blocks": [{"id": "b", "label": "human", "value": "Likes tea.\n- Likes rain"}],
        },
        {"core_memory": [{"label": "human", "value": "I keep bees."}], "messages": []},
    ),
    "mcp": (ENTITY, {**ENTITY, "observations": ["I keep bees."]}),
    "gemini": (
        {**ACTIVITY, "products": ["Gemini Apps"], "safeHtmlItem": [{"html": "<p>Fine.</p>"}]},
        {**ACTIVITY, "title": "Prompted I keep bees.", "time": "2023-01-01T00:00:00Z"},
    ),
    "research": (
        {"user_id": "alice", "content": "Likes tea", "kind": "note", "scope_type": "track", "scope_id": "t"},
        {"user_id": "alice", "content": "I keep bees.", "kind": "fact"},
    ),
    "scoped": (
        {"content": "Likes tea", "metadata": {"scope": {"project": "p"}, "retention": {"ttlSec": 5}, "access": {}}},
        {"content": "I keep bees.", "metadata": {}},
    ),
    "texts": ({"text": "Likes tea", "tags": ["x"], "meta": {"a": 1}}, {"text": "I keep bees."}),
}


def places(value: Any, under: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield under
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield from places(one, (*under, name))


def changed(record: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    made = copy.deepcopy(record)
    at = made
    for name in place[:-1]:
        at = at[name]
    at[place[-1]] = value
    return made


@pytest.mark.parametrize("name", FORMATS)
def test_a_changed_record_is_read_or_reported_and_its_neighbour_is_kept(open_memory, name):
    record, neighbour = FORMATS[name]
    changes = [(place, value) for place in places(record) for value in ODD]
    chosen = random.Random(7).sample(changes, min(len(changes), 60))
    memory = open_memory()
    for number, (place, value) in enumerate(chosen):
        alice = memory.as_user(f"alice{number}")
        data = as_json([changed(record, place, value), neighbour]).replace(b'"alice"', f'"alice{number}"'.encode())
        report = alice.import_(data)
        texts = [item.text for item in alice.list(limit=100)]
        assert any("keep bees" in text for text in texts), (place, value, report, texts)


@pytest.mark.parametrize("name", FORMATS)
def test_a_changed_record_alone_is_read_or_refused(open_memory, name):
    record, _ = FORMATS[name]
    changes = [(place, value) for place in places(record) for value in ODD]
    alice = open_memory().as_user("alice")
    for place, value in random.Random(8).sample(changes, min(len(changes), 60)):
        with suppress(InvalidInput):
            alice.import_(as_json(changed(record, place, value)), dry_run=True)


def test_a_text_among_messages_is_said_by_the_user(open_memory):
    alice = open_memory().as_user("alice")
    said = ["I keep bees.", {"role": "assistant", "content": "Fine."}]
    assert alice.import_(as_json([{"messages": said}])).counts["turns"] == 2
    [turn] = [item for item in alice.list() if item.kind == "short_term" and item.origin == "user"]
    assert turn.text == "I keep bees."


@pytest.mark.parametrize("depth", [100, 450, 900])
def test_a_memory_that_is_nested_deeply_is_read(open_memory, depth):
    alice = open_memory().as_user("alice")
    data = b'[{"conversations_memory":' + b"[" * depth + b'"x is y"' + b"]" * depth
    alice.import_(data + b'},{"conversations_memory":"I keep bees."}]')
    assert {item.text for item in alice.list()} == {"x is y", "I keep bees."}


def test_a_record_that_is_not_of_its_form_is_counted_and_reported(open_memory):
    alice = open_memory().as_user("alice")
    report = alice.import_(as_json([{**ACTIVITY, "title": ODD[-1]}, {**ACTIVITY, "title": "Prompted I keep bees."}]))
    assert report.counts["invalid"] == 1
    assert report.problems == ("record 1: it has not the form of its format; fix the record, or leave it out",)
