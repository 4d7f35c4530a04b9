"""Messages as programs have them, for histories and tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def messages_of(
    said: str | None = None, answer: str | None = None, tools: Sequence[tuple[str, str]] = ()
) -> list[dict[str, Any]]:
    """One exchange: what the user said, what tools returned, by their names, and what was answered."""
    messages: list[dict[str, Any]] = [] if said is None else [{"role": "user", "content": said}]
    if tools:
        calls = [
            {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": "{}"}}
            for place, (name, _) in enumerate(tools)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
    for place, (_, text) in enumerate(tools):
        messages.append({"role": "tool", "tool_call_id": f"call_{place}", "content": text})
    return messages if answer is None else [*messages, {"role": "assistant", "content": answer}]


def conversation_with_all_roles(subject: str) -> list[dict[str, Any]]:
    """A conversation with ids and every role: a statement, an answer, a tool result, a correction, a second statement
    with a question, and a request to forget."""
    spoken = (
        ("system", "Be brief."),
        ("user", f"I prefer {subject}"),
        ("assistant", f"Noted: {subject}"),
        ("tool", f"{subject}: 3 left"),
        ("user", f"No wait, it's coffee with {subject}"),
        ("user", f"I like the {subject} at the harbor. What about you?"),
        ("user", f"Please forget that I prefer {subject}"),
    )
    messages: list[dict[str, Any]] = [
        {"role": role, "content": text, "id": f"turn-{place}"} for place, (role, text) in enumerate(spoken)
    ]
    return [{**one, "tool_call_id": "call_0"} if one["role"] == "tool" else one for one in messages]


def with_other_words(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same messages again, of which the first statement has other words under its id, and a new one follows."""
    changed = [{**one, "content": f"{one['content']} today"} if one["id"] == "turn-1" else one for one in messages]
    return [*changed, {"role": "user", "content": "thanks", "id": f"turn-{len(messages)}"}]
