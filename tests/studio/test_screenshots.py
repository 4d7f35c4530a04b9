"""The pictures of the docs: made here, so that they show what is there. `SCREENSHOTS=1 make test-studio` writes them
into docs/images; otherwise the test only makes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.server.client import Service
from tests.studio.visitor import Visitor

_DOCS = Path(__file__).parents[2] / "docs/images"
_SIZE = (1180, 760)
PICTURES = {
    "studio-home": ("", {}),
    "studio-policy": ("policy", {"try": "scoped", "span": "week"}),
    "studio-trail": ("trail", {"action": "remember"}),
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


def test_a_picture_of_a_chat_in_a_group(browser: Browser, own_team: Service, own_url: str, tmp_path: Path) -> None:
    visitor = Visitor(browser, own_url, size=_SIZE)
    visitor.sign_in(own_team.key("alice"), at="project=apollo, chat=apollo-team")
    visitor.open("chat")
    for said, shown in (("My gym class is on Tuesday.", "Noted."), ("What is the budget for the launch?", "Kestrel")):
        visitor.page.get_by_label("Message", exact=True).fill(said)
        visitor.page.get_by_role("button", name="Say").click()
        expect(visitor.page.locator(".talk .theirs").last).to_contain_text(shown)
    folder = _DOCS if os.environ.get("MEMFORT_TEST_SCREENSHOTS") else tmp_path
    picture = folder / "studio-chat.png"
    visitor.page.screenshot(path=picture)
    assert 10_000 < picture.stat().st_size < 200_000
    visitor.close()
