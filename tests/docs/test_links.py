"""Every link between pages leads somewhere, and every page can be reached from the first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .pages import DOCS, PAGES, ROOT, name, without_blocks

LINK = re.compile(r"\]\(([^)\s]+)\)")
EVERY_PAGE = [
    *PAGES,
    *sorted((DOCS / "decisions").glob("*.md")),
    ROOT / "benchmarks" / "README.md",
    ROOT / "ARCHITECTURE.md",
]


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", without_blocks(page), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = sum(one == anchor or re.fullmatch(rf"{re.escape(anchor)}-\d+", one) is not None for one in found)
        found.add(f"{anchor}-{number}" if number else anchor)
    return found


def links(page: Path) -> list[str]:
    return [link for link in LINK.findall(without_blocks(page)) if "://" not in link and not link.startswith("mailto:")]


@pytest.mark.parametrize("page", EVERY_PAGE, ids=name)
def test_every_link_leads_to_a_page_and_a_heading(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{name(page)}: {link}"


def test_every_page_is_reached_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        ahead += [(page.parent / link.partition("#")[0]).resolve() for link in links(page) if not link.startswith("#")]
    assert [name(page) for page in PAGES if page not in reached] == []


def test_a_link_that_leads_nowhere_would_be_found() -> None:
    assert "what-it-promises" in anchors(ROOT / "README.md")
    assert "what-it-promised" not in anchors(ROOT / "README.md")
