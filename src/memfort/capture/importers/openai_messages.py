"""Messages by role, as chat programs send and log them: a conversation per record, or a message per record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from memfort.capture.importers.archive import (
    EXCERPT,
    ArchiveFile,
    Omitted,
    as_mapping,
    conversation_name,
    excerpts,
    message_id,
    moment_of,
    place_in,
)
from memfort.capture.importers.json_stream import Record
from memfort.capture.importers.record import UNREADABLE, Excerpt, Imported, Said, read_each
from memfort.capture.messages import Message, parse_messages
from memfort.model.moment import Moment

PLATFORM = "messages"
_ITEMS = frozenset({"function_call", "function_call_output", "reasoning"})
_NO_LIMIT = Moment(2**62)  # a date in the future is dropped later, for every archive alike


def is_openai_messages(record: Any) -> bool:
    return _is_conversation(record) or _is_message(record)


def _is_conversation(record: Any) -> bool:
    messages = record.get("messages") if isinstance(record, Mapping) else None
    return isinstance(messages, list) and any(_is_message(one) for one in messages)


def _is_message(record: Any) -> bool:
    if not isinstance(record, Mapping):
        return False
    is_spoken = isinstance(record.get("role"), str) and ("content" in record or "tool_calls" in record)
    return is_spoken or str(record.get("type")) in _ITEMS


def read_openai_messages(file: ArchiveFile, records: Iterator[Record]) -> Iterator[Imported]:
    """Conversations; and messages that stand by themselves, which are one conversation together."""
    waiting: list[tuple[str, Any]] = []
    number = 0
    for record in records:
        place = place_in(file, record.place)
        if _is_message(record.value):
            waiting.append((place, record.value))
            number += 1
            if len(waiting) == EXCERPT:
                yield _excerpt(file, waiting, number - len(waiting))
                waiting.clear()
        elif _is_conversation(record.value):
            yield from read_each(place, partial(_read_conversation, place, record.value))
        else:
            yield Imported(place, problem="it is neither a message nor a conversation")
    if waiting:
        yield _excerpt(file, waiting, number - len(waiting))


def _read_conversation(place: str, given: Mapping[str, Any]) -> Iterator[Imported]:
    omitted = Omitted()
    said = _said(given["messages"], 0, omitted)
    id = next((given[name] for name in ("conversation_id", "id", "thread_id") if given.get(name)), None)
    yield from excerpts(place, conversation_name(PLATFORM, id, said), said, +omitted)


def _excerpt(file: ArchiveFile, waiting: Sequence[tuple[str, Any]], first: int) -> Imported:
    omitted = Omitted()
    said = _said([value for _, value in waiting], first, omitted)
    excerpt = Excerpt(f"{PLATFORM}:{file.tag}", tuple(said)) if said else None
    return Imported(waiting[0][0], excerpt=excerpt, omitted=dict(+omitted))


def _said(given: Sequence[Any], first: int, omitted: Omitted) -> list[Said]:
    """The messages that were said, in the order given. One that cannot be read is left out alone."""
    found: list[Said] = []
    for number, (one, message) in enumerate(zip(given, _parse(given), strict=True), start=first):
        if message is None:
            omitted["unknown_content"] += 1
        elif message.skipped is not None:
            omitted[str(message.skipped)] += 1
        elif isinstance(one, Mapping) and one.get("weight") == 0:
            omitted["hidden"] += 1
        else:
            at = message.at or next(
                (at for name in _DATES if (at := moment_of(as_mapping(one).get(name))) is not None), None
            )
            id = message_id(message.id, number)
            found.append(Said(message.origin, message.text, id, at, message.speaker, message.tool))
    return found


_DATES = ("created_at", "timestamp", "create_time", "time", "date")


def _parse(given: Sequence[Any]) -> list[Message | None]:
    """The messages, read together because a tool's result names the call that it answers; or each by itself."""
    try:
        return list(parse_messages([_without_date(one) for one in given], _NO_LIMIT)) if given else []
    except UNREADABLE:  # InvalidInput is among them
        return [_parse_one(one) for one in given]


def _parse_one(given: Any) -> Message | None:
    try:
        return parse_messages([_without_date(given)], _NO_LIMIT)[0]
    except UNREADABLE:
        return None


def _without_date(given: Any) -> Any:
    """A message whose fields have the forms that `observe` takes. A date that cannot be read is none."""
    if not isinstance(given, Mapping):
        return given
    fields = {name: value for name, value in given.items() if name not in {"at", "conversation"}}
    if (at := moment_of(given.get("at"))) is not None:
        fields["at"] = int(at)
    if isinstance(given.get("id"), str):
        fields["id"] = message_id(given["id"], 0)
    else:
        fields.pop("id", None)
    return fields
