"""What holds for every page: axe finds nothing, nothing moves sideways, nothing is blank without scripts, and the
browser has nothing to complain about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.server.client import Service
from tests.studio.visitor import MIDDLE, PHONE, WIDE, Visitor
from tests.studio.visits import VISITS, Visit

from memfort.surfaces.studio.pages import PAGES, UNLISTED

AXE = Path(__file__).parents[2] / ".venv/studio_node/node_modules/axe-core/axe.min.js"
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
NARROWEST = (320, 640)
FILES = {("trail", "export"), ("people", "copy")}  # no pages: test_home_and_trail.py, test_stories.py


@pytest.fixture(scope="module", params=["light", "dark"])
def themed(request: pytest.FixtureRequest, browser: Browser, team: Service, team_url: str) -> Iterator[Visitor]:
    visitor = Visitor(browser, team_url, dark=request.param == "dark")
    visitor.sign_in(team.key("alice", "read", "write", "review", "act_for"), at="project=apollo")
    yield visitor
    visitor.close()


def test_every_page_is_visited() -> None:
    assert {page.name for page in (*PAGES, *UNLISTED)} <= {visit.page for visit in VISITS}
    parts = {(page.name, part) for page in (*PAGES, *UNLISTED) for part in page.parts}
    assert parts - FILES <= {(visit.page, visit.part) for visit in VISITS}


@pytest.mark.parametrize("visit", VISITS, ids=str)
def test_a_page_is_for_everybody(themed: Visitor, visit: Visit) -> None:
    themed.complaints.clear()
    response = _open(themed, visit)
    assert response.status < 500
    for size in (WIDE, MIDDLE, PHONE, NARROWEST):
        themed.page.set_viewport_size({"width": size[0], "height": size[1]})
        assert _overflow(themed.page) <= 0, f"{size[0]} wide"
        if size in {WIDE, PHONE}:
            assert _axe(themed.page) == [], f"{size[0]} wide"
    refused = [f"Failed to load resource: the server responded with a status of {response.status}"]
    assert [one for one in themed.complaints if not (response.status >= 400 and one.startswith(refused[0]))] == []


@pytest.fixture(scope="module")
def twins(browser: Browser, team: Service, team_url: str) -> Iterator[tuple[Visitor, Visitor]]:
    """The same person with scripts and without."""
    made = (Visitor(browser, team_url), Visitor(browser, team_url, scripts=False))
    for visitor in made:
        visitor.sign_in(team.key("alice", "read", "write", "review", "act_for"), at="project=apollo")
    yield made
    for visitor in made:
        visitor.close()


@pytest.mark.parametrize("visit", VISITS, ids=str)
def test_a_page_without_scripts_says_the_same(twins: tuple[Visitor, Visitor], visit: Visit) -> None:
    for visitor in twins:
        _open(visitor, visit)
    scripted, plain = twins
    assert plain.page.locator("h1").inner_text() == scripted.page.locator("h1").inner_text()
    assert len(plain.text) > 20
    assert abs(len(plain.text) - len(scripted.text)) < 40  # buttons that only scripts can press


def _open(visitor: Visitor, visit: Visit) -> Any:
    visitor.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    return visitor.open(visit.path, **visit.parameters)


def _overflow(page: Page) -> int:
    """By how much the page is wider than the window."""
    found: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return found


def _axe(page: Page) -> list[str]:
    """What axe finds, with the first place of each. It runs past the page's own policy, which allows no other."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found = page.evaluate("(tags) => axe.run(document, {runOnly: {type: 'tag', values: tags}})", _RULES)
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]
