"""Claude exports: conversations, projects, and what Claude remembered of the user (`memories.json`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from memfort.capture.importers.archive import (
    ArchiveFile,
    Omitted,
    as_list,
    as_mapping,
    conversation_name,
    excerpts,
    message_id,
    moment_of,
    place_in,
    split_notes,
    statement,
    texts_of,
    thread_to,
    with_dates,
)
from memfort.capture.importers.json_stream import Record
from memfort.capture.importers.record import Imported, Said, read_each
from memfort.model.item import Origin

PLATFORM = "claude"
_SENDERS = {"human": Origin.USER, "assistant": Origin.AI}
_PARTS = {"thinking": "reasoning", "redacted_thinking": "reasoning", "tool_use": "tool_call", "tool_result": "tool"}
_MEMORY = ("conversations_memory", "project_memories", "memory_files")


def is_claude(record: Any) -> bool:
    return _is_conversation(record) or _is_memory(record) or _is_project(record)


def _is_conversation(record: Any) -> bool:
    return isinstance(record, Mapping) and isinstance(record.get("chat_messages"), list)


def _is_memory(record: Any) -> bool:
    return isinstance(record, Mapping) and any(name in record for name in _MEMORY)


def _is_project(record: Any) -> bool:
    return isinstance(record, Mapping) and "prompt_template" in record and "uuid" in record


def read_claude(file: ArchiveFile, records: Iterator[Record]) -> Iterator[Imported]:
    for record in records:
        place = place_in(file, record.place)
        if _is_conversation(record.value):
            yield from read_each(place, partial(_read_conversation, place, record.value))
        elif _is_memory(record.value):
            yield from read_each(place, partial(_read_memory, place, record.value))
        elif _is_project(record.value):
            yield from read_each(place, partial(_read_project, place, record.value))
        else:
            yield Imported(place, problem="it is not a record of a Claude export")


# -- conversations -----------------------------------------------------------------------------------------------------


def _read_conversation(place: str, given: Mapping[str, Any]) -> Iterator[Imported]:
    messages = [one for one in given["chat_messages"] if isinstance(one, Mapping)]
    omitted = Omitted(unknown_content=len(given["chat_messages"]) - len(messages))
    shown = _shown(messages)
    omitted["other_branch"] = len(messages) - len(shown)
    said = [one for number, message in enumerate(shown) if (one := _spoken(message, number, omitted)) is not None]
    name = conversation_name(PLATFORM, given.get("uuid"), said)
    yield from excerpts(place, name, with_dates(said, moment_of(given.get("created_at"))), +omitted)


def _shown(messages: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages of the branch that ends with the last one, where the export names their parents."""
    parents = {
        str(one["uuid"]): parent if isinstance(parent := one.get("parent_message_uuid"), str) else None
        for one in messages
        if isinstance(one.get("uuid"), str)
    }
    if len(parents) < len(messages) or not any(parent in parents for parent in parents.values()):
        return messages
    by_id = {str(one["uuid"]): one for one in messages}
    return [by_id[id] for id in thread_to(str(messages[-1]["uuid"]), parents)]


def _spoken(message: Mapping[str, Any], number: int, omitted: Omitted) -> Said | None:
    origin = _SENDERS.get(str(message.get("sender")))
    if origin is None:
        omitted["unknown_content"] += 1
        return None
    omitted["attachment"] += len(as_list(message.get("attachments"))) + len(as_list(message.get("files")))
    text = _text(message, omitted)
    if not text:
        return None
    at = moment_of(message.get("created_at"))
    return Said(origin, text, message_id(message.get("uuid"), number), at)


def _text(message: Mapping[str, Any], omitted: Omitted) -> str:
    """The parts that were said; where there are none, the text beside them."""
    texts: list[str] = []
    for part in as_list(message.get("content")):
        kind, text = str(as_mapping(part).get("type")), as_mapping(part).get("text")
        if kind in {"text", "voice_note"} and isinstance(text, str):
            texts.append(text)
        else:
            omitted[_PARTS.get(kind, "unknown_content")] += 1
    whole = message.get("text")
    return "\n".join(texts).strip() or (whole.strip() if isinstance(whole, str) else "")


# -- memories and projects ---------------------------------------------------------------------------------------------


def _read_memory(place: str, given: Mapping[str, Any]) -> Iterator[Imported]:
    for name in ("conversations_memory", "project_memories"):
        for text in texts_of(given.get(name)):
            yield from _notes(place, text, Origin.AI, "saved_memory")
    for file in as_list(given.get("memory_files")):
        for text in texts_of(as_mapping(file).get("content")):
            yield from _notes(place, text, Origin.AI, "saved_memory", as_mapping(file).get("updated_at"))


def _read_project(place: str, given: Mapping[str, Any]) -> Iterator[Imported]:
    """A project's description and instructions. Its documents are somebody's files, not what was said."""
    documents = len(as_list(given.get("docs")))
    yield Imported(place, omitted={"document": documents} if documents else {})
    if given.get("is_starter_project") is True:
        return
    name, description, at = given.get("name"), given.get("description"), given.get("updated_at")
    if isinstance(description, str) and description.strip():
        known = f"{name}: {description.strip()}" if isinstance(name, str) and name.strip() else description.strip()
        yield statement(place, known, at=moment_of(at), tags=["project"])
    for text in texts_of(given.get("prompt_template")):
        yield from _notes(place, text, Origin.USER, "project", at)


def _notes(place: str, text: str, origin: Origin, tag: str, at: Any = None) -> Iterator[Imported]:
    for one in split_notes(text):
        yield statement(place, one, at=moment_of(at), origin=origin, tags=[tag])
