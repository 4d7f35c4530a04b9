"""Agent files of Letta (`.af`), in both versions: the memory blocks of an agent, and the conversation that it had.
Keys, tools, settings of models and variables of its environment are never read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from memfort.capture.importers.archive import (
    ArchiveFile,
    Omitted,
    as_list,
    as_mapping,
    excerpts,
    message_id,
    moment_of,
    place_in,
    split_notes,
    statement,
    with_dates,
)
from memfort.capture.importers.json_stream import Record
from memfort.capture.importers.record import Imported, Said, read_each
from memfort.model.item import Origin

PLATFORM = "letta"
_ROLES = {"user": Origin.USER, "assistant": Origin.AI}
_SECRETS = ("tool_exec_environment_variables", "secrets", "agent_secrets")
_OF_THE_AGENT = "persona"  # the block in which an agent describes itself


def is_letta(record: Any) -> bool:
    is_newer = isinstance(record, Mapping) and isinstance(record.get("agents"), list) and "blocks" in record
    return is_newer or (isinstance(record, Mapping) and isinstance(record.get("core_memory"), list))


def read_letta(file: ArchiveFile, records: Iterator[Record]) -> Iterator[Imported]:
    for record in records:
        place = place_in(file, record.place)
        if not is_letta(record.value):
            yield Imported(place, problem="it is not an agent file of Letta")
            continue
        yield from read_each(place, partial(_read, file, place, record.value))


def _read(file: ArchiveFile, place: str, given: Mapping[str, Any]) -> Iterator[Imported]:
    agents = as_list(given.get("agents")) or [given]
    yield from _blocks(place, [*as_list(given.get("blocks")), *as_list(given.get("core_memory"))])
    for number, agent in enumerate(agents):
        yield from _agent(place, as_mapping(agent), f"{PLATFORM}:{file.tag}-{number}")


def _blocks(place: str, blocks: Sequence[Any]) -> Iterator[Imported]:
    """The memory blocks about people and the work. What an agent is told to be is not remembered."""
    for block in blocks:
        label, value = as_mapping(block).get("label"), as_mapping(block).get("value")
        if not isinstance(value, str):
            continue
        if label == _OF_THE_AGENT:
            yield Imported(place, omitted={"persona": 1})
            continue
        at = moment_of(as_mapping(block).get("updated_at"))
        for text in split_notes(value):
            tags = [label] if isinstance(label, str) and label.strip() else []
            yield statement(place, text, at=at, origin=Origin.AI, tags=tags)


def _agent(place: str, agent: Mapping[str, Any], name: str) -> Iterator[Imported]:
    omitted = Omitted(secret=sum(bool(agent.get(one)) for one in _SECRETS))
    said: list[Said] = []
    for number, message in enumerate(as_list(agent.get("messages"))):
        role, text = str(as_mapping(message).get("role")), _text(as_mapping(message))
        if role in _ROLES and text and not _is_event(text):
            id = message_id(message.get("id"), number)
            said.append(Said(_ROLES[role], text, id, moment_of(message.get("created_at"))))
        else:
            omitted["tool" if role == "tool" else "system" if text else "tool_call"] += 1
    yield from excerpts(place, name, with_dates(said, None), +omitted)


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content", message.get("text"))
    if isinstance(content, str):
        return content.strip()
    parts = [as_mapping(part) for part in as_list(content)]
    texts = [part["text"] for part in parts if part.get("type") == "text" and isinstance(part.get("text"), str)]
    return "\n".join(texts).strip()


def _is_event(text: str) -> bool:
    """Whether a message is one of the program itself, such as a login or a heartbeat."""
    return text.startswith("{") and '"type"' in text and '"user_message"' not in text
