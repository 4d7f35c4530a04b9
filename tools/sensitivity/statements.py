"""Reads the training statements of this folder: templates in, distinct labelled sentences out, the same at every run.

A file has sections. `[slots]` names lists; every other heading is a category, `[harmless]` one of them. In a line
`(a|b)` is either and `{slot}` any entry of that slot. A line gives as many sentences as it has choices, up to a limit.
The files named `written` have no templates: a second author wrote each of their lines.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
HARMLESS = "harmless"
_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_SLOT = re.compile(r"\{([a-z_]+)\}")


class Statement(NamedTuple):
    language: str
    category: str
    text: str
    is_template: bool


def read_statements(limit: int = 8) -> list[Statement]:
    """All statements of all files, each text once."""
    found: dict[str, Statement] = {}
    for path in sorted(FOLDER.glob("*_*.txt")):
        for one in _read(path, limit):
            found.setdefault(one.text, one)
    return list(found.values())


def _read(path: Path, limit: int) -> list[Statement]:
    language, _, kind = path.stem.partition("_")
    is_template = not kind.startswith("written")
    slots: dict[str, list[str]] = {}
    category, found = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            category = line.strip("[] ")
        elif category == "slots":
            name, _, entries = line.partition(":")
            slots[name] = [one.strip() for one in entries.split(", ")]
        else:
            found += [Statement(language, category, text, is_template) for text in _expand(line, slots, limit)]
    return found


def _expand(template: str, slots: dict[str, list[str]], limit: int) -> list[str]:
    """Up to `limit` different sentences; which ones depends on the line alone."""
    chance = random.Random(template)  # a choice, not a secret
    limit += template.count("|")  # so that most choices are met
    texts = dict.fromkeys(_fill(template, slots, chance) for _ in range(limit * 2))
    return list(texts)[:limit]


def _fill(text: str, slots: dict[str, list[str]], chance: random.Random) -> str:
    while found := _SLOT.search(text):
        text = text[: found.start()] + chance.choice(slots[found[1]]) + text[found.end() :]
    while found := _CHOICE.search(text):
        text = text[: found.start()] + chance.choice(found[1].split("|")) + text[found.end() :]
    text = " ".join(text.split())
    capital = text[:1].upper() + text[1:]
    return capital if chance.random() < 0.8 else text  # people in chats do not always write capitals
