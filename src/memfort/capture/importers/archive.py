"""What the readers of archives share: the file they read, names of conversations, dates, branches, notes."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from memfort.capture.importers.record import Excerpt, Imported, Said
from memfort.errors import InvalidInput
from memfort.model.item import Origin
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment, to_moment

EXCERPT = 100  # messages at most; as many as one commit takes
_PLAIN_ID = re.compile(r"[\w.:@/+-]{1,128}", re.ASCII)
_BULLET = re.compile(r"\s*+(?:[-*+•]|\d{1,3}[.)])\s++")
_RULE = re.compile(r"\s*+(?:[-*_=]\s*+){3,}+")
_BOLD_LINE = re.compile(r"\*\*[^*]++\*\*:?")
_MARKDOWN = re.compile(r"^#{1,6}\s++|\*\*|__|`")


class ArchiveFile(Protocol):
    """One file of an archive. It can be read more than once."""

    @property
    def name(self) -> str:
        """Its path in the archive, with `/`; for people."""

    @property
    def tag(self) -> str:
        """A short digest of the archive and the name: for conversations that have no id of their own."""

    @property
    def modified_at(self) -> Moment | None:
        """When it was last written, if the archive says so."""

    def chunks(self) -> Iterator[bytes]:
        """Its bytes, from the beginning."""


def place_in(file: ArchiveFile, place: str) -> str:
    return f"{file.name}, {place}" if file.name else place


# -- conversations -----------------------------------------------------------------------------------------------------


def conversation_name(platform: str, id: Any, messages: Sequence[Said]) -> str:
    """The name of a conversation here: with its own id, or else with a digest of how it begins."""
    if isinstance(id, str) and _PLAIN_ID.fullmatch(id):
        return f"{platform}:{id}"
    given = id if isinstance(id, str) else "\x00".join(f"{one.origin}\x00{one.text}" for one in messages[:2])
    return f"{platform}:{digest_of(given)}"


def message_id(id: Any, number: int) -> str:
    """The id of a message in its conversation: its own, or else its place."""
    if isinstance(id, str) and _PLAIN_ID.fullmatch(id):
        return id
    return f"{number}" if not isinstance(id, str) else digest_of(id)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]


def excerpts(
    place: str, conversation: str, messages: Sequence[Said], omitted: Mapping[str, int] | None = None
) -> Iterator[Imported]:
    """A conversation in parts that one commit takes each. The first reports what was left out of it."""
    first, omitted = messages[:EXCERPT], dict(omitted or {})
    yield Imported(place, excerpt=Excerpt(conversation, tuple(first)) if first else None, omitted=omitted)
    for start in range(EXCERPT, len(messages), EXCERPT):
        yield Imported(place, excerpt=Excerpt(conversation, tuple(messages[start : start + EXCERPT])))


def with_dates(messages: Iterable[Said], begun: Moment | None) -> list[Said]:
    """The messages, each without a date with that of the one before it."""
    found: list[Said] = []
    at = begun
    for one in messages:
        at = at if one.at is None else one.at
        found.append(Said(one.origin, one.text, one.id, at, one.speaker, one.tool))
    return found


def thread_to(leaf: str, parents: Mapping[str, str | None]) -> list[str]:
    """The ids from the root of a tree to a leaf. A tree with a cycle in it ends where the cycle closes."""
    found: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in found:
        found[at] = None
        at = parents[at]
    return list(reversed(found))


# -- dates -------------------------------------------------------------------------------------------------------------


def moment_of(value: Any) -> Moment | None:
    """A date of an archive: seconds since 1970 or ISO 8601, without a zone in UTC. What is no date is none."""
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return (
                to_moment(int(value * MICROSECONDS_PER_SECOND), "date") if math.isfinite(value) and value > 0 else None
            )
        if isinstance(value, str):
            day = f"{value.strip()}T00:00:00" if _DAY.fullmatch(value.strip()) else value.strip()
            return to_moment(day if _has_zone(day) else f"{day}Z", "date")
    except (InvalidInput, OverflowError):
        return None
    return None


_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ZONE = re.compile(r"(?:[zZ]|[+-]\d\d:?\d\d)$")


def _has_zone(value: str) -> bool:
    return _ZONE.search(value.strip()) is not None


# -- statements --------------------------------------------------------------------------------------------------------


def statement(
    place: str,
    text: str,
    *,
    at: Moment | None = None,
    origin: Origin = Origin.USER,
    owner: str | None = None,
    tags: Sequence[str] = (),
    **fields: Any,
) -> Imported:
    """A record that states something."""
    known: dict[str, Any] = {"text": text, "origin": origin, "observed_at": at, "tags": tuple(tags) or None, **fields}
    given = {name: value for name, value in known.items() if value is not None}
    return Imported(place, fields=given, created_at=at, owner=owner)


def split_notes(text: str) -> list[str]:
    """The statements of a note in Markdown: each bullet, and each paragraph. Headings, also those that are only a line
    of bold words, rules and code are none."""
    found: list[list[str]] = []  # the lines of each statement
    is_open, in_code = False, False
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            in_code, is_open = not in_code, False
            continue
        if in_code:
            continue
        is_heading = stripped.startswith("#") or _BOLD_LINE.fullmatch(stripped)
        if not stripped or is_heading or stripped.startswith(("<!--", "|")) or _RULE.fullmatch(line):
            is_open = False
            continue
        bullet = _BULLET.match(line)
        words = plain_words(line[bullet.end() :] if bullet else stripped)
        if is_open and not bullet:
            found[-1].append(words)
        elif words:
            found.append([words])
            is_open = True
    statements = (" ".join(lines) for lines in found)
    return [one for one in statements if any(char.isalnum() for char in one)]


def plain_words(text: str) -> str:
    return _MARKDOWN.sub("", text.strip()).strip()


def texts_of(value: Any) -> list[str]:
    """Every text in a value that may be a text, a list of them or a mapping to them."""
    found: list[str] = []
    waiting = [value]
    while waiting:  # not by recursion: a file may nest them deeper than Python calls functions
        one = waiting.pop()
        if isinstance(one, str) and one.strip():
            found.append(one)
        elif isinstance(one, Mapping | list):
            waiting += reversed(list(one.values()) if isinstance(one, Mapping) else one)
    return found


def as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


Omitted = Counter[str]
