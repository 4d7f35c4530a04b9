"""ChatGPT exports: a list of conversations, each a tree of messages. What is read is the branch that the user saw last;
saved memories and custom instructions stand in the tree, too, and become statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from memfort.capture.importers.archive import (
    ArchiveFile,
    Omitted,
    as_mapping,
    conversation_name,
    digest_of,
    excerpts,
    message_id,
    moment_of,
    place_in,
    split_notes,
    statement,
    thread_to,
    with_dates,
)
from memfort.capture.importers.json_stream import Record
from memfort.capture.importers.record import Imported, Said, read_each
from memfort.model.item import Origin
from memfort.model.moment import Moment

PLATFORM = "chatgpt"
_SPOKEN = {"user": Origin.USER, "assistant": Origin.AI}
_TEXTS = frozenset({"text", "multimodal_text"})
_OMITTED = {
    "code": "tool_call",
    "execution_output": "tool",
    "tether_quote": "tool",
    "tether_browsing_display": "tool",
    "computer_output": "tool",
    "system_error": "tool",
    "thoughts": "reasoning",
    "reasoning_recap": "reasoning",
}
_PARTS = {"image_asset_pointer": "[image]", "audio_transcription": "", "audio_asset_pointer": "[audio]"}
_CITATION = re.compile(" ?(?:\ue200[^\ue200\ue201]*+\ue201|【[^】]{0,80}+】)")
_SAVED = re.compile(r"^\s*+\d++\.\s*+(?:\[(\d{4}-\d\d-\d\d)\]\.?)?\s*+(.*)$")
_ABOUT_THE_USER = "bio"  # the tool that a model writes a saved memory with


def is_chatgpt(record: Any) -> bool:
    return isinstance(record, Mapping) and (isinstance(record.get("mapping"), Mapping) or _is_older(record))


def _is_older(record: Mapping[str, Any]) -> bool:
    """Whether it is a conversation of an older export: its messages are a list, not a tree."""
    messages = record.get("messages")
    return isinstance(messages, list) and any("author" in as_mapping(one) for one in messages)


def read_chatgpt(file: ArchiveFile, records: Iterator[Record]) -> Iterator[Imported]:
    """The conversations of a file. A saved memory that many of them repeat is read once."""
    seen: set[str] = set()
    for record in records:
        place = place_in(file, record.place)
        if not is_chatgpt(record.value):
            yield Imported(place, problem="it is not a conversation of a ChatGPT export")
        elif record.value.get("is_do_not_remember") is True:
            yield Imported(place, skip="do_not_remember")
        else:
            yield from read_each(place, partial(_read, place, record.value, seen))


def _read(place: str, given: Mapping[str, Any], seen: set[str]) -> Iterator[Imported]:
    tree = given["mapping"] if isinstance(given.get("mapping"), Mapping) else _as_tree(given["messages"])
    nodes = {str(id): node for id, node in tree.items() if isinstance(node, Mapping)}
    parents = {id: node["parent"] if isinstance(node.get("parent"), str) else None for id, node in nodes.items()}
    thread = thread_to(_leaf(given, nodes), parents) if tree is given.get("mapping") else list(nodes)
    begun, omitted = moment_of(given.get("create_time")), Omitted()
    said: list[Said] = []
    for number, id in enumerate(thread):
        message = nodes[id].get("message")
        if not isinstance(message, Mapping):
            continue
        yield from _statements(place, message, begun, seen)
        found = _spoken(message, number)
        if isinstance(found, Said):
            said.append(found)
        elif found:
            omitted[found] += 1
    shown = set(thread)
    others = (node.get("message") for id, node in nodes.items() if id not in shown)
    omitted["other_branch"] += sum(isinstance(_spoken(one, 0), Said) for one in others if isinstance(one, Mapping))
    name = conversation_name(PLATFORM, given.get("conversation_id") or given.get("id"), said)
    yield from excerpts(place, name, with_dates(said, begun), +omitted)


def _as_tree(messages: list[Any]) -> dict[str, Any]:
    return {str(number): {"message": message} for number, message in enumerate(messages)}


def _leaf(given: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> str:
    """The node that the user saw last; where the export does not say it, the one with the latest message."""
    current = given.get("current_node")
    if isinstance(current, str) and current in nodes:
        return current
    dated = ((moment_of(as_mapping(node.get("message")).get("create_time")) or 0, id) for id, node in nodes.items())
    return max(dated, default=(0, ""))[1]


# -- messages ----------------------------------------------------------------------------------------------------------


def _spoken(message: Mapping[str, Any], number: int) -> Said | str:
    """A message that was said; otherwise why it is left out, or nothing where it holds nothing."""
    role = str(as_mapping(message.get("author")).get("role"))
    content, metadata = as_mapping(message.get("content")), as_mapping(message.get("metadata"))
    kind = str(content.get("content_type"))
    if kind in _CONTEXTS or message.get("recipient") == _ABOUT_THE_USER:
        return ""  # read as statements
    text = _text(content)
    if role not in _SPOKEN:
        return "tool" if role == "tool" else "system" if text else ""
    if message.get("weight") == 0 or metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden" if text else ""
    if message.get("recipient") not in (None, "all"):
        return "tool_call"
    if kind not in _TEXTS or not text:
        return "" if kind in _TEXTS else _OMITTED.get(kind, "unknown_content")
    return Said(_SPOKEN[role], text, message_id(message.get("id"), number), moment_of(message.get("create_time")))


def _text(content: Mapping[str, Any]) -> str:
    parts = content.get("parts")
    texts = [_part(part) for part in parts] if isinstance(parts, list) else [content.get("text")]
    return _CITATION.sub("", "\n".join(text for text in texts if isinstance(text, str) and text)).strip()


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = str(as_mapping(part).get("content_type"))
    spoken = as_mapping(part).get("text")
    return spoken if kind == "audio_transcription" and isinstance(spoken, str) else _PARTS.get(kind, "")


# -- saved memories and custom instructions ----------------------------------------------------------------------------

_CONTEXTS = frozenset({"user_editable_context", "model_editable_context"})


def _statements(place: str, message: Mapping[str, Any], at: Moment | None, seen: set[str]) -> Iterator[Imported]:
    for text, said_at, origin, tag in _stated(message, moment_of(message.get("create_time")) or at):
        digest = digest_of(text)
        if text and digest not in seen:
            seen.add(digest)
            yield statement(place, text, at=said_at, origin=origin, tags=[tag])


def _stated(message: Mapping[str, Any], at: Moment | None) -> Iterator[tuple[str, Moment | None, Origin, str]]:
    content, metadata = as_mapping(message.get("content")), as_mapping(message.get("metadata"))
    instructions = [content.get("user_profile"), content.get("user_instructions")]
    given = as_mapping(metadata.get("user_context_message_data"))
    instructions += [given.get("about_user_message"), given.get("about_model_message")]
    for text in instructions:
        if isinstance(text, str):
            yield from ((one, at, Origin.USER, "custom_instructions") for one in split_notes(text))
    if isinstance(context := content.get("model_set_context"), str):
        for line in context.splitlines():
            found = _SAVED.match(line)
            text, day = (found[2], found[1]) if found else (line, None)
            yield text.strip(), moment_of(f"{day}T00:00:00Z") if day else at, Origin.AI, "saved_memory"
    if message.get("recipient") == _ABOUT_THE_USER and as_mapping(message.get("author")).get("role") == "assistant":
        yield from ((text, at, Origin.AI, "saved_memory") for text in split_notes(_text(content)))
