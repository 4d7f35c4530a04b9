"""Messages in every form that agents have at hand, and the errors of those that cannot be read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memfort.capture.messages import MAX_MESSAGES, Message, parse_messages
from memfort.errors import InvalidInput
from memfort.model.moment import Moment, to_moment

NOW = to_moment("2026-11-17T12:00:00Z", "now")


def parse(*given: Any) -> list[Message]:
    return parse_messages(list(given), NOW)


def outline(*given: Any) -> list[tuple[str, str, str | None]]:
    return [(str(one.origin), one.text, one.skipped) for one in parse(*given)]


def test_a_single_text_or_message_is_a_list_of_one() -> None:
    assert [one.text for one in parse_messages("hello", NOW)] == ["hello"]
    assert [one.text for one in parse_messages({"role": "user", "content": "hello"}, NOW)] == ["hello"]
    assert [one.text for one in parse_messages((text for text in ("a", "b")), NOW)] == ["a", "b"]


def test_messages_by_role() -> None:
    assert outline(
        {"role": "system", "content": "You are kind."},
        {"role": "developer", "content": "Answer in French."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Bonjour"},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ) == [
        ("user", "", "instruction"),
        ("user", "", "instruction"),
        ("user", "Hello", None),
        ("ai", "Bonjour", None),
        ("tool", "sunny", None),
    ]


def test_parts_are_joined_and_pictures_and_sounds_become_marks() -> None:
    parts = [
        {"type": "text", "text": "Look at"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,xxxx"}},
        {"type": "input_audio", "input_audio": {"data": "xxxx", "format": "wav"}},
        "and this",
    ]
    assert outline({"role": "user", "content": parts}) == [("user", "Look at\n[image]\n[audio]\nand this", None)]


def test_a_tool_result_has_the_name_of_its_call() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    found = parse(
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
        {"role": "tool", "name": "clock", "content": " "},
        {"role": "tool", "tool_call_id": "c9", "content": "lost", "ok": False},
    )
    assert [(one.tool, one.text, one.ok, one.skipped) for one in found] == [
        (None, "", True, "tool_call"),
        ("weather", "sunny", True, None),
        ("clock", "no output", True, None),
        ("tool", "lost", False, None),
    ]


def test_items_of_the_responses_format() -> None:
    found = parse(
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}], "id": "msg_1"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is sunny"}]},
    )
    assert [(str(one.origin), one.text, one.tool, one.skipped, one.id) for one in found] == [
        ("user", "Hello", None, None, "msg_1"),
        ("user", "", None, "reasoning", "rs_1"),
        ("user", "", None, "tool_call", None),
        ("tool", "sunny", "weather", None, None),
        ("ai", "It is sunny", None, None, None),
    ]


def test_turns_with_speaker_time_id_and_conversation() -> None:
    at = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    turn = {"speaker": "Caroline", "text": "I went there", "at": at, "id": "D1:3", "conversation": "c-26"}
    [found] = parse(turn)
    assert (found.speaker, found.text, found.id, found.conversation) == ("Caroline", "I went there", "D1:3", "c-26")
    assert found.at == to_moment(at, "at")
    assert parse({"role": "user", "name": "bob", "content": "hi"})[0].speaker == "bob"
    assert parse({"role": "assistant", "name": "bob", "content": "hi"})[0].speaker is None


def test_a_message_of_a_client_library_is_read_as_what_it_stands_for() -> None:
    class Dumped:
        def model_dump(self) -> dict[str, Any]:
            return {"role": "assistant", "content": "hi", "refusal": None, "tool_calls": None}

    assert outline(Dumped()) == [("ai", "hi", None)]


def test_a_refusal_is_what_the_assistant_said() -> None:
    assert outline({"role": "assistant", "content": None, "refusal": "I cannot"}) == [("ai", "I cannot", None)]


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({"role": "robot", "content": "x"}, "messages[1].role", "use one of user"),
        ({"content": "x"}, "messages[1].role", "it is missing"),
        ({"role": 7, "content": "x"}, "messages[1].role", "use one of user"),
        ({"role": "user", "content": 7}, "messages[1].content", "list of parts"),
        ({"role": "user", "content": [{"type": "hologram"}]}, "messages[1].content[0].type", "use one of text"),
        ({"role": "user", "content": [{"type": "text", "text": 7}]}, "messages[1].content[0].text", "as text"),
        ({"role": "user", "content": [7]}, "messages[1].content[0]", "a mapping with a `type`"),
        ({"role": "user", "content": "x", "at": "yesterday"}, "messages[1].at", "2026-01-01T00:00:00Z"),
        ({"role": "user", "content": "x", "at": "2026-11-18T12:00:01Z"}, "messages[1].at", "more than a day ahead"),
        ({"role": "user", "content": "x", "id": ""}, "messages[1].id", ""),
        ({"role": "user", "content": "x", "id": 7}, "messages[1].id", ""),
        ({"role": "user", "content": "x", "speaker": ["bob"]}, "messages[1].speaker", ""),
        ({"role": "tool", "content": "x", "ok": "yes"}, "messages[1].ok", "true or false"),
        ({"type": "hologram"}, "messages[1].type", "function_call_output"),
        ("\ud800", "messages[1]", "surrogate"),
        (7, "messages[1]", "a text or a mapping"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_index_field_and_remedy(given: Any, field: str, says: str) -> None:
    assert len(parse("fine")) == 1
    with pytest.raises(InvalidInput) as refused:
        parse("fine", given)
    assert refused.value.field == field
    assert says in str(refused.value)
    assert refused.value.remedy


@pytest.mark.parametrize("given", [[], (), 7, None, b"hello", iter(())])
def test_a_call_needs_a_list_with_something_in_it(given: Any) -> None:
    with pytest.raises(InvalidInput, match="messages"):
        parse_messages(given, NOW)


def test_a_call_has_at_most_ten_thousand_messages() -> None:
    assert len(parse_messages(["x"] * MAX_MESSAGES, NOW)) == MAX_MESSAGES == 10_000
    with pytest.raises(InvalidInput, match=r"messages: there are too many; give at most 10000"):
        parse_messages(["x"] * (MAX_MESSAGES + 1), NOW)


def test_a_clock_may_be_a_day_ahead() -> None:
    assert parse({"role": "user", "content": "x", "at": Moment(NOW + 86_400_000_000)})
