"""What people said, names and ids are hostile: none of it runs, on any page, and the browser reports nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.server.client import Service
from tests.server.running import running
from tests.studio.conftest import in_thread, made_team
from tests.studio.hostile import payloads
from tests.studio.visitor import Visitor
from tests.studio.visits import VISITS, Visit

PAYLOADS = payloads()
_WATCH = """
window.hits = [];
window.hit = (n) => { window.hits.push(Array.isArray(n) ? n[0] : n); };
addEventListener("securitypolicyviolation", (e) => { window.hits.push(`policy: ${e.violatedDirective} ${e.sample}`); });
"""
_EVIL = "<img src=x onerror=hit(1)>"


def fill(service: Service) -> None:
    """Every payload as a statement; some also as a name, an id, a tag, a key and a place."""
    memory = service.memory
    people = [f"{_EVIL}{n}" for n in range(5)] + ['" autofocus onfocus="hit(2)', "</script><script>hit(3)</script>"]
    for name in people:
        memory.member.add({"project": "apollo"}, user=name, trust="viewer")
    memory.chat.register(_EVIL, kind="group", participants=["alice", "bob", *people])
    alice, in_chat = memory.as_user("alice", project="apollo"), memory.as_user("alice", chat=_EVIL)
    for name in people:
        alice.people.add(name=name)
    statements: list[dict[str, Any]] = [
        {"text": f"launch {text}", "tags": [text[:60].strip()], "space": {"project": "apollo"}} for text in PAYLOADS
    ]
    outcomes = alice.remember_many(statements)
    assert sum(one.item is not None for one in outcomes) >= 500
    for text in PAYLOADS[:40]:
        in_chat.remember(f"launch in the chat {text}")
        alice.remember(f"it may be {text}", space={"project": "apollo"}, confidence=0.4)
        alice.remember(text, kind="profile", key=f"launch {text[:40]}")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Visitor]:
    service = made_team(tmp_path_factory.mktemp("hostile") / Path("memory.db"))
    fill(service)
    with running(service) as url:
        visitor = Visitor(browser, url)
        visitor.context.add_init_script(_WATCH)
        visitor.page.on("dialog", lambda dialog: (visitor.complaints.append(dialog.message), dialog.dismiss()))
        visitor.sign_in(service.key("alice", "read", "write", "review", "act_for"), at="project=apollo")
        yield visitor
        visitor.close()
    in_thread(service.close)


def test_there_are_enough_of_them() -> None:
    assert len(PAYLOADS) >= 500


_MORE = (
    *(Visit("two-people", {"b": _EVIL + "0", "q": text[:40], "limit": 100, "chat": _EVIL}) for text in PAYLOADS[::60]),
    Visit("two-people", {"b": '" autofocus onfocus="hit(9)', "q": "</title><script>hit(8)</script>"}),
    Visit("two-people", {"as": '"><script>hit(7)</script>', "at": "chat=<script>hit(6)</script>"}),
    Visit("<script>hit(5)</script>"),
)


@pytest.mark.parametrize("visit", [*VISITS, *_MORE], ids=str)
def test_nothing_that_was_said_runs(hostile: Visitor, visit: Visit) -> None:
    hostile.complaints.clear()
    hostile.open(visit.path, **visit.parameters)
    hostile.page.keyboard.press("Tab")
    hostile.page.mouse.move(400, 400)
    hostile.page.wait_for_timeout(50)
    assert hostile.page.evaluate("window.hits") == []
    assert [one for one in hostile.complaints if "Failed to load resource" not in one] == []


_FORMS = (
    ("chat", "Message", "Say"),
    ("policy", "A preset's name", "Replay"),
    ("imports", "Its text", "Preview"),
)


@pytest.mark.parametrize(("page", "field", "button"), _FORMS, ids=[form[0] for form in _FORMS])
def test_what_a_form_gives_back_does_not_run(hostile: Visitor, page: str, field: str, button: str) -> None:
    """Forms that are answered with the page itself print what was sent."""
    hostile.complaints.clear()
    for text in PAYLOADS[:: len(PAYLOADS) // 12]:
        hostile.open(page)
        hostile.page.get_by_label(field, exact=page == "chat").fill(f"launch {text}")
        with hostile.page.expect_response("**/studio/**") as answered:
            hostile.page.get_by_role("button", name=button, exact=True).click()
        assert answered.value.status < 500
        hostile.page.wait_for_load_state()
        hostile.page.wait_for_timeout(50)
        assert hostile.page.evaluate("window.hits") == [], text
    assert [one for one in hostile.complaints if "Failed to load resource" not in one] == []


def test_the_watch_sees_what_runs(hostile: Visitor) -> None:
    """The control: a page that prints one of them as it is runs it, and the policy of Studio's pages refuses it."""
    hostile.page.goto("about:blank")
    hostile.page.set_content("<script>hit(1)</script><img src=x onerror=hit(2)>")
    hostile.page.wait_for_timeout(100)
    assert sorted(hostile.page.evaluate("window.hits")) == [1, 2]
    hostile.open("sessions")
    hostile.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=hit(3)>')")
    hostile.page.wait_for_timeout(100)
    assert any(str(one).startswith("policy: script-src-attr") for one in hostile.page.evaluate("window.hits"))
