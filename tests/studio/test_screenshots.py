"""The pictures of the docs: made here, so that they show what is there. `SCREENSHOTS=1 make test-studio` writes them
into docs/images; otherwise the test only makes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.server.client import Service
from tests.studio.visitor import Visitor

_DOCS = Path(__file__).parents[2] / "docs/images"
_SIZE = (1180, 760)
PICTURES = {
    "studio-two-people": ("two-people", {"b": "bob", "q": "launch", "chat": "apollo-team"}),
    "studio-recall-lab": ("recall", {"q": "when is the launch, and what is the budget", "limit": 4}),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_the_page(browser: Browser, own_team: Service, own_url: str, tmp_path: Path, name: str) -> None:
    page, parameters = PICTURES[name]
    visitor = Visitor(browser, own_url, size=_SIZE)
    visitor.sign_in(own_team.key("alice"), at="project=apollo")
    assert visitor.open(page, **parameters).status == 200
    folder = _DOCS if os.environ.get("MEMFORT_TEST_SCREENSHOTS") else tmp_path
    picture = folder / f"{name}.png"
    visitor.page.screenshot(path=picture)
    assert 10_000 < picture.stat().st_size < 200_000
    visitor.close()
