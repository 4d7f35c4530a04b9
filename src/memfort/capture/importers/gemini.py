"""Gemini activity of a Google Takeout, as JSON or as HTML. It has no conversations, only prompts with their answers,
the newest first: prompts that follow each other within half an hour are taken for one conversation."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from html import unescape
from typing import Any

from msgspec import Struct

from memfort.capture.importers.archive import (
    ArchiveFile,
    as_list,
    as_mapping,
    digest_of,
    excerpts,
    moment_of,
    place_in,
)
from memfort.capture.importers.json_stream import Record
from memfort.capture.importers.record import NOT_ITS_FORM, UNREADABLE, Imported, Said
from memfort.errors import InvalidInput
from memfort.model.item import Origin
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment, to_moment

PLATFORM = "gemini"
_PRODUCT = "Gemini Apps"
_PROMPTED = re.compile(r"^Prompted\s++")
_GAP = 30 * 60 * MICROSECONDS_PER_SECOND
_MOST = 50  # prompts of one conversation
_BREAKS = frozenset({"br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "pre"})
_HIDDEN = frozenset({"script", "style", "head"})


class _Activity(Struct, frozen=True):
    place: str
    prompt: str
    answer: str
    at: Moment | None


def is_gemini(record: Any) -> bool:
    if not isinstance(record, Mapping) or not isinstance(record.get("title"), str) or "time" not in record:
        return False
    return _PRODUCT in (record.get("header"), *as_list(record.get("products")))


def read_gemini(file: ArchiveFile, records: Iterator[Record]) -> Iterator[Imported]:
    def activity(place: str, value: Any) -> _Activity | None:
        return _activity(place, value) if is_gemini(value) else None

    return _conversations(((place_in(file, one.place), one.value) for one in records), activity)


def _conversations(
    entries: Iterable[tuple[str, Any]], read: Callable[[str, Any], _Activity | None]
) -> Iterator[Imported]:
    """The conversations that entries make up: those that follow each other closely belong together."""
    waiting: list[_Activity] = []
    for place, entry in entries:
        try:
            found = read(place, entry)
        except UNREADABLE:
            yield Imported(place, problem=NOT_ITS_FORM)
            continue
        if found is None:
            yield Imported(place, omitted={"no_prompt": 1})
            continue
        if waiting and not _is_near(waiting[-1], found, len(waiting)):
            yield from _conversation(waiting)
            waiting = []
        waiting.append(found)
    if waiting:
        yield from _conversation(waiting)


def _activity(place: str, given: Mapping[str, Any]) -> _Activity | None:
    """A prompt and its answer. In other languages than English the words before a prompt are not known, and stay;
    an entry without an answer is then no prompt for sure."""
    answers = [as_mapping(one).get("html") for one in as_list(given.get("safeHtmlItem"))]
    answer = next((plain_text(one) for one in answers if isinstance(one, str)), "")
    title = unescape(given["title"])
    if not _PROMPTED.match(title) and not answer:
        return None
    return _Activity(place, _PROMPTED.sub("", title).strip(), answer, moment_of(given.get("time")))


def _is_near(later: _Activity, earlier: _Activity, size: int) -> bool:
    if later.at is None or earlier.at is None or size >= _MOST:
        return False
    return abs(later.at - earlier.at) <= _GAP


def _conversation(found: list[_Activity]) -> Iterator[Imported]:
    """The prompts and answers, the oldest first. They are known by their time, which is the same in a later export."""
    said: list[Said] = []
    for one in sorted(found, key=lambda one: one.at or 0):
        id = str(one.at) if one.at is not None else digest_of(one.prompt)
        said.append(Said(Origin.USER, one.prompt, f"{id}-prompt", one.at))
        if one.answer:
            said.append(Said(Origin.AI, one.answer, f"{id}-answer", one.at))
    yield from excerpts(found[0].place, f"{PLATFORM}:{said[0].id.removesuffix('-prompt')}", said)


# -- HTML --------------------------------------------------------------------------------------------------------------


def is_gemini_html(head: str) -> bool:
    return "<" in head and _PRODUCT in head and "mdl-" in head


# A tag, a comment or a declaration up to its end. None reaches over the next `<`, so each byte is looked at once; the
# parser of the standard library reads a page of unended comments again from each of them.
_TAG = re.compile(r"<(?:(/?)([A-Za-z][A-Za-z0-9]*+)|[!?])[^<>]*+>")


def plain_text(html: str) -> str:
    """The text of a piece of HTML, without scripts."""
    parts: list[str] = []
    hidden = end = 0
    for tag in _TAG.finditer(html):
        parts.append("" if hidden else html[end : tag.start()])
        end, name, is_end = tag.end(), (tag[2] or "").lower(), tag[1] == "/"
        if name in _HIDDEN:
            hidden = max(0, hidden - 1) if is_end else hidden + 1
        if name in _BREAKS and not is_end:
            parts.append("\n")
    parts.append("" if hidden else html[end:])
    lines = (" ".join(line.split()) for line in unescape("".join(parts)).split("\n"))
    return "\n".join(line for line in lines if line)


_CELL = '<div class="outer-cell'
_DATE = re.compile(r"^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d:\d\d ?[AP]M ([A-Z]{3,4})$")
_LONGEST_CELL = 8 * 1024 * 1024


def read_gemini_html(file: ArchiveFile) -> Iterator[Imported]:
    cells = ((place_in(file, f"entry {number}"), cell) for number, cell in enumerate(_cells(file), start=1))
    return _conversations(cells, lambda place, cell: _html_activity(place, plain_text(cell)))


def _cells(file: ArchiveFile) -> Iterator[str]:
    """The entries of the page, each as HTML. An endless one is cut."""
    decoder, rest, is_inside = codecs.getincrementaldecoder("utf-8-sig")(errors="replace"), "", False
    for chunk in file.chunks():
        before, *cells = (rest + decoder.decode(chunk)).split(_CELL)
        if is_inside and cells:
            yield before[:_LONGEST_CELL]
        yield from cells[:-1]
        rest = cells[-1] if cells else before[: _LONGEST_CELL + len(_CELL)]
        is_inside = is_inside or bool(cells)
    if is_inside:
        yield rest[:_LONGEST_CELL]


def _html_activity(place: str, text: str) -> _Activity | None:
    """An entry: the prompt, the line with its date, and the answer up to the note on the product."""
    text = text.partition(">")[2] if text.startswith((" ", '"')) else text
    lines = [line.replace("\u202f", " ").replace("\xa0", " ").strip() for line in text.split("\n")]
    begin = next((number for number, line in enumerate(lines) if line.startswith("Prompted ")), None)
    if begin is None:
        return None
    dated = next((number for number, line in enumerate(lines) if number > begin and _DATE.match(line)), None)
    end = next((n for n, line in enumerate(lines) if n > begin and line in {"Products:", "Details:"}), len(lines))
    prompt = "\n".join([lines[begin].removeprefix("Prompted "), *lines[begin + 1 : end if dated is None else dated]])
    answer = "" if dated is None else "\n".join(lines[dated + 1 : end])
    return _Activity(place, prompt.strip(), answer.strip(), None if dated is None else _html_date(lines[dated]))


def _html_date(line: str) -> Moment | None:
    """A date as an English page writes it. Only UTC is sure; another zone is taken for it, and is hours off at most."""
    words = line.rpartition(" ")[0].replace("AM", " AM").replace("PM", " PM")
    try:
        read = datetime.strptime(" ".join(words.split()) + " +0000", "%b %d, %Y, %I:%M:%S %p %z")
        return to_moment(read, "date")
    except (ValueError, InvalidInput):
        return None
