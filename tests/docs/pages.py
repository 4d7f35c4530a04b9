"""The pages people read, and the fenced blocks in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "decisions"),
]
NOT_RUN = "# not run: "  # at the end of a line, with the reason; readers see it too
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block. One with a title is a file of that name; one with an example is a part of it, and run there."""

    line: int
    language: str
    title: str
    text: str
    example: str = ""


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [_block(text.count("\n", 0, fence.start()) + 1, fence[1], fence[2]) for fence in _FENCE.finditer(text)]


def _block(line: int, info: str, text: str) -> Block:
    title = re.search(r'title="([^"]+)"', info)
    example = re.search(r'example="([^"]+)"', info)
    return Block(line, info.partition(" ")[0], title[1] if title else "", text, example[1] if example else "")


def without_blocks(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))
