"""Notes: Markdown with or without front matter, such as CLAUDE.md, AGENTS.md and the files of a `/memories` folder.
Each bullet and each paragraph is a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memfort.capture.importers.archive import ArchiveFile, moment_of, place_in, split_notes, statement
from memfort.capture.importers.record import Imported
from memfort.model.item import Origin
from memfort.model.moment import Moment

PLATFORM = "notes"
MAX_NOTE_BYTES = 4 * 1024 * 1024
_FRONT = re.compile(r"\A---[ \t]*+\n(.*?)\n---[ \t]*+(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^([A-Za-z_][\w-]*+)\s*+:\s*+(.*)$")
_LIST_ENTRY = re.compile(r"^\s++-\s++(.*)$|^-\s++(.*)$")
_STRUCTURE = re.compile(r"^(?:#{1,6}[ \t]++\S|[ \t]*+[-*+][ \t]++\S|[ \t]*+\d{1,3}[.)][ \t]++\S)", re.MULTILINE)
_DATES = ("updated", "updated_at", "modified", "date", "created", "created_at")


def is_notes(head: str) -> bool:
    """Whether a text has the form of notes: front matter, headings or bullets."""
    return _FRONT.match(head) is not None or _STRUCTURE.search(head) is not None


def read_notes(file: ArchiveFile) -> Iterator[Imported]:
    data = b""
    for chunk in file.chunks():
        data += chunk
        if len(data) > MAX_NOTE_BYTES:
            problem = f"it has more than {MAX_NOTE_BYTES} bytes, which is no note"
            yield Imported(file.name or "file", problem=problem)
            return
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    fields, body = _split(text)
    at = next((at for name in _DATES if (at := _date(fields.get(name))) is not None), file.modified_at)
    tags = [tag for name in ("tags", "type") for tag in _as_list(fields.get(name))]
    summary = fields.get("description")
    lines = [*([summary] if isinstance(summary, str) else []), *split_notes(body)]
    for number, one in enumerate(dict.fromkeys(lines), start=1):
        yield statement(place_in(file, f"note {number}"), one, at=at, origin=Origin.USER, tags=tags[:20])


def _split(text: str) -> tuple[dict[str, Any], str]:
    """The fields of the front matter that are texts or lists of texts, and the rest."""
    found = _FRONT.match(text)
    if found is None:
        return {}, text
    fields: dict[str, Any] = {}
    last = ""
    for line in found[1].splitlines():
        if (entry := _LIST_ENTRY.match(line)) is not None and isinstance(fields.get(last), list):
            fields[last].append(_bare(entry[1] or entry[2]))
        elif (one := _FIELD.match(line)) is not None:
            last = one[1].casefold()
            fields[last] = _value(one[2].strip())
    return fields, text[found.end() :]


def _value(text: str) -> str | list[str]:
    if not text:
        return []
    if text.startswith("[") and text.endswith("]"):
        return [_bare(one) for one in text[1:-1].split(",") if one.strip()]
    return _bare(text)


def _bare(text: str) -> str:
    return text.strip().strip("'\"")


def _as_list(value: Any) -> list[str]:
    found = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    return [one for one in found if one.strip()]


def _date(value: Any) -> Moment | None:
    if not isinstance(value, str):
        return None
    return moment_of(value) or moment_of(f"{value}T00:00:00Z")
