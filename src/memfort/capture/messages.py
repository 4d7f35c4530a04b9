"""Read the messages that agents have at hand: chat messages by role, items of the Responses format, turns with a
speaker and a time, plain texts. What comes out is one value for each message, in order.

It only reads. Who is believed to have spoken, what is kept and where is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import islice
from typing import Any

from msgspec import Struct, structs

from memfort.errors import InvalidInput, a
from memfort.model.item import Origin, check_size
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment, to_moment
from memfort.model.space import check_id

MAX_MESSAGES = 10_000
MAX_MESSAGE_BYTES = 4 * 1024 * 1024  # what is longer than a memory is refused by itself; this is no message at all
_LATEST_AHEAD = 24 * 60 * 60 * MICROSECONDS_PER_SECOND  # clocks differ, and zones are mistaken


class Skipped(StrEnum):
    """Why a message is no turn of the conversation."""

    INSTRUCTION = "instruction"  # of the program that runs the assistant: system and developer messages
    TOOL_CALL = "tool_call"  # the assistant calls a tool, and says nothing
    REASONING = "reasoning"  # what a model thought, and did not say
    NO_TEXT = "no_text"


class Message(Struct, frozen=True, kw_only=True):
    """One message, whatever form it came in."""

    index: int  # its place in the call
    origin: Origin = Origin.USER
    text: str = ""
    id: str | None = None
    speaker: str | None = None  # as it is written: a user, a handle or a name
    at: Moment | None = None  # when it was said
    conversation: str | None = None
    tool: str | None = None  # the tool that returned it
    ok: bool = True  # whether the tool succeeded
    skipped: Skipped | None = None


def parse_messages(given: Any, now: Moment) -> list[Message]:
    """The messages of one call, in order. A single text or mapping is one message."""
    entries = _entries(given)
    tools: dict[str, str] = {}  # the name of a tool, by the id of its call
    messages = [_message(_plain(one), place, tools) for place, one in enumerate(entries)]
    for message in messages:
        if message.at is not None and message.at > now + _LATEST_AHEAD:
            field = f"messages[{message.index}].at"
            raise InvalidInput(field, "it lies more than a day ahead", "give the time at which it was said")
    return messages


def _entries(given: Any) -> list[Any]:
    if isinstance(given, str | Mapping) or _has_model_dump(given):
        return [given]
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise InvalidInput("messages", f"{a(type(given).__name__)} is not a list", "give a list of messages")
    entries = list(islice(given, MAX_MESSAGES + 1))
    if not entries:
        raise InvalidInput("messages", "there are none", "give at least one message")
    if len(entries) > MAX_MESSAGES:
        raise InvalidInput("messages", "there are too many", f"give at most {MAX_MESSAGES} in one call")
    return entries


def _has_model_dump(given: Any) -> bool:
    return callable(getattr(given, "model_dump", None))


def _plain(given: Any) -> Any:
    """A message of a client library as the mapping that it stands for."""
    return given.model_dump() if _has_model_dump(given) else given


def _message(given: Any, place: int, tools: dict[str, str]) -> Message:
    field = f"messages[{place}]"
    if isinstance(given, str):
        return _with_text(Message(index=place), given, field)
    if not isinstance(given, Mapping):
        raise InvalidInput(field, f"{a(type(given).__name__)} is not a message", "give a text or a mapping")
    kind = given.get("type")
    if kind is None or kind == "message":
        return _spoken(given, place, field, tools)
    return _responses_item(given, str(kind), place, field, tools)


# -- items of the Responses format -------------------------------------------------------------------------------------


def _responses_item(given: Mapping[str, Any], kind: str, place: int, field: str, tools: dict[str, str]) -> Message:
    known = _known(given, place, field)
    if kind == "reasoning":
        return _skipped(known, Skipped.REASONING)
    if kind.endswith("_call_output"):
        tool = tools.get(str(given.get("call_id"))) or kind.removesuffix("_call_output")
        output = _content(given.get("output"), f"{field}.output")
        return _with_text(_of_tool(known, tool, ok=_ok(given, field)), output, field)
    if kind.endswith("_call"):
        _note_call(tools, given.get("call_id"), given.get("name"))
        return _skipped(known, Skipped.TOOL_CALL)
    problem, remedy = f"`{kind[:40]}` is not a type of message", "use message, function_call or function_call_output"
    raise InvalidInput(f"{field}.type", problem, remedy)


# -- messages by role, and turns -----------------------------------------------------------------------------------

_ROLES = {
    "user": Origin.USER,
    "human": Origin.USER,
    "assistant": Origin.AI,
    "ai": Origin.AI,
    "tool": Origin.TOOL,
    "function": Origin.TOOL,
    "system": Origin.SYSTEM,
    "developer": Origin.SYSTEM,
}


def _spoken(given: Mapping[str, Any], place: int, field: str, tools: dict[str, str]) -> Message:
    if isinstance(given.get("messages"), list) and "role" not in given:
        raise InvalidInput(field, "it is a whole conversation", "give its messages one by one, or import the file")
    origin = _origin(given, field)
    known = _known(given, place, field)
    for call in _calls(given):
        function = call.get("function")
        _note_call(tools, call.get("id"), function.get("name") if isinstance(function, Mapping) else None)
    if origin is Origin.SYSTEM:
        return _skipped(known, Skipped.INSTRUCTION)
    text = _text(given, field)
    if origin is Origin.TOOL:
        tool = _name(given.get("name"), f"{field}.name") or tools.get(str(given.get("tool_call_id")))
        return _with_text(_of_tool(known, tool, ok=_ok(given, field)), text, field)
    if not text.strip() and _calls(given):
        return _skipped(known, Skipped.TOOL_CALL)
    speaker = _speaker(given, field) if origin is Origin.USER else None
    return _with_text(_replace(known, origin=origin, speaker=speaker), text, field)


def _origin(given: Mapping[str, Any], field: str) -> Origin:
    role = given.get("role")
    if role is None:
        if "speaker" in given or "text" in given:
            return Origin.USER
        raise InvalidInput(f"{field}.role", "it is missing", f"use one of {', '.join(_ROLES)}, or give a `speaker`")
    if not isinstance(role, str) or role not in _ROLES:
        shown = f"`{role[:40]}`" if isinstance(role, str) else a(type(role).__name__)
        raise InvalidInput(f"{field}.role", f"{shown} is not a role", f"use one of {', '.join(_ROLES)}")
    return _ROLES[role]


def _known(given: Mapping[str, Any], place: int, field: str) -> Message:
    """What every message may say about itself."""
    at = given.get("at")
    return Message(
        index=place,
        id=_name(given.get("id"), f"{field}.id"),
        at=None if at is None else to_moment(at, f"{field}.at"),
        conversation=_name(given.get("conversation"), f"{field}.conversation"),
    )


def _speaker(given: Mapping[str, Any], field: str) -> str | None:
    name = "speaker" if given.get("speaker") is not None else "name"
    return _name(given.get(name), f"{field}.{name}")


def _name(value: Any, field: str) -> str | None:
    return None if value is None else check_id(value, field)


def _calls(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = given.get("tool_calls")
    return [one for one in calls if isinstance(one, Mapping)] if isinstance(calls, list | tuple) else []


def _note_call(tools: dict[str, str], call: Any, name: Any) -> None:
    if isinstance(call, str) and isinstance(name, str) and name.strip():
        tools[call] = name


def _ok(given: Mapping[str, Any], field: str) -> bool:
    ok = given.get("ok", True)
    if not isinstance(ok, bool):
        raise InvalidInput(f"{field}.ok", f"{a(type(ok).__name__)} is not a yes or no", "give true or false")
    return ok


# -- text ----------------------------------------------------------------------------------------------------------

_TEXT_PARTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_MARKS = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "output_audio": "[audio]",
    "file": "[file]",
    "input_file": "[file]",
}


def _text(given: Mapping[str, Any], field: str) -> str:
    name = "text" if "text" in given else "content"
    content = given.get(name)
    if content is None and isinstance(given.get("refusal"), str):
        return str(given["refusal"])
    return _content(content, f"{field}.{name}")


def _content(content: Any, field: str) -> str:
    """The text of a message: a text, or parts, of which images and sounds become marks."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        raise InvalidInput(field, f"{a(type(content).__name__)} is not a text", "give a text or a list of parts")
    parts = [_part(_plain(part), f"{field}[{place}]") for place, part in enumerate(content)]
    return "\n".join(part for part in parts if part)


def _part(part: Any, field: str) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise InvalidInput(field, f"{a(type(part).__name__)} is not a part", "give a text or a mapping with a `type`")
    kind = str(part.get("type"))
    if kind in _MARKS:
        return _MARKS[kind]
    if kind not in _TEXT_PARTS:
        known = ", ".join([*_TEXT_PARTS, *_MARKS])
        raise InvalidInput(f"{field}.type", "it is not a type of part", f"use one of {known}")
    text = part.get(_TEXT_PARTS[kind])
    if not isinstance(text, str):
        raise InvalidInput(f"{field}.{_TEXT_PARTS[kind]}", f"{a(type(text).__name__)} is not a text", "give it as text")
    return text


def _of_tool(known: Message, tool: str | None, *, ok: bool) -> Message:
    return _replace(known, origin=Origin.TOOL, tool=tool or "tool", ok=ok)


def _with_text(message: Message, text: str, field: str) -> Message:
    check_size(text, field, MAX_MESSAGE_BYTES)
    if not text.strip() and message.origin is not Origin.TOOL:
        return _skipped(message, Skipped.NO_TEXT)
    return _replace(message, text=text if text.strip() else "no output")


def _skipped(message: Message, why: Skipped) -> Message:
    return _replace(message, skipped=why)


def _replace(message: Message, **fields: Any) -> Message:
    return structs.replace(message, **fields)
