"""Three people use Studio from beginning to end, on both engines: a developer, a privacy officer and a reviewer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.postgres.conftest import Databases
from tests.server.client import Service
from tests.server.running import running
from tests.studio.conftest import in_thread, made_team
from tests.studio.visitor import Visitor

from memfort.surfaces.cli.demo_studio import add_launch

DESK = "The support desk opens at eight on launch day."
APPOINTMENT = "@carol has a hospital appointment on 8 December and is not on call for the launch."
PRESS = "The press list for the launch is with Dora."
STANDUP = "The launch standup may move to Tuesdays."


@pytest.fixture(params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    """The team that plans a launch, in a file and in a database."""
    if request.param == "sqlite":
        made = made_team(tmp_path / "memory.db")
    else:
        databases: Databases = request.getfixturevalue("databases")
        made = Service(store=databases.new_store())
        add_launch(made.memory)
    yield made
    in_thread(made.close)
    made.memory.close()


@pytest.fixture
def url(service: Service) -> Iterator[str]:
    with running(service) as address:
        yield address


def test_a_developer_finds_out_why_a_memory_was_not_recalled(service: Service, url: str, browser: Browser) -> None:
    """From a question that brings nothing to the stage and the number that dropped it, and to one that brings it; then
    what the agent is given, byte by byte."""
    alice = service.memory.as_user("alice", project="apollo")
    developer = Visitor(browser, url)
    developer.sign_in(service.key("alice"), at="project=apollo")
    page = developer.page
    developer.open("")
    page.get_by_role("link", name="Recall lab").first.click()
    page.get_by_label("Query").fill("when may customers phone")
    page.get_by_role("button", name="Recall").click()
    assert DESK not in page.locator("section[aria-labelledby=h-hits]").inner_text()
    page.locator(".pointers li").filter(has_text=DESK).get_by_role("link").click()
    stopped = page.locator(".tree li.stopped")
    assert "no_match" in stopped.inner_text()
    assert page.locator(".tree .gauge.short").count() > 0
    page.locator(".remedy a").first.click()
    assert DESK in page.locator("section[aria-labelledby=h-hits]").inner_text()
    query = page.get_by_label("Query").input_value()
    shown = page.locator("#prompt").text_content()
    assert (shown or "").rstrip("\n") == alice.context(query, limit=10, budget_tokens=1000).text.rstrip("\n")

    page.get_by_label("With the weights").fill("words=0")
    page.get_by_role("button", name="Run beside it").click()
    runs = page.locator("section[aria-labelledby=h-runs]")
    assert "weights words=0" in runs.inner_text()
    assert runs.locator("td:nth-child(1) .said").all_inner_texts() == alice.recall(query).texts
    tried = alice.recall(query, weights={"words": 0.0}).texts
    assert runs.locator("td:nth-child(2) .said").all_inner_texts() == tried
    developer.close()


def test_a_privacy_officer_answers_who_hears_it_and_has_it_erased(service: Service, url: str, browser: Browser) -> None:
    """What bob would hear in the group and alone, who decides it; then carol's request, its receipt, and a trail that
    holds."""
    officer = Visitor(browser, url)
    officer.sign_in(service.operator_key, looks_as="alice", at="project=apollo")
    page = officer.page
    officer.open("two-people", b="bob", q="hospital appointment")
    row = page.locator(".duo tbody tr").filter(has_text=APPOINTMENT)
    assert "not_your_identity" in row.locator("td").nth(1).inner_text()
    assert "hospital" not in row.locator("td").nth(1).inner_text()
    row.locator("td").nth(1).locator("a.chip").click()
    assert "Why bob does not get it" in officer.text
    assert "Alice promotes it to a space that bob reads." in page.locator(".remedy").inner_text()
    page.get_by_label("in the chat").fill("apollo-team")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".kind")).to_contain_text("group")
    row = page.locator(".duo tbody tr").filter(has_text=APPOINTMENT)
    assert row.locator("td").nth(0).locator(".gap").count() == 1

    carol = service.memory.as_user("carol")
    carol.remember("My seat on launch day is by the window.")
    officer.kept = {"as": "carol"}
    officer.open("people/request", person="me")
    assert "by the window" in officer.text
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the copy").click()
    assert "by the window" in download.value.path().read_text()
    page.get_by_role("button", name="Erase for good").click()
    assert "Receipt of an erasure" in officer.text
    page.get_by_role("link", name="Search for anything left").click()
    expect(page.locator(".chip.yes")).to_have_text("no residue found")
    assert not carol.recall("seat on launch day").hits

    officer.kept = {"as": "carol"}
    officer.open("trail", verify="1")
    assert "Every link holds." in officer.text
    assert "by system" in page.locator(".events").inner_text()  # carol can see who looked as her
    assert "window" not in officer.text
    officer.close()


def test_a_reviewer_works_off_the_queue_by_keyboard(service: Service, url: str, browser: Browser) -> None:
    """They see the effects before they decide; what is approved is recalled, and the trail names who did it."""
    reviewer = Visitor(browser, url)
    reviewer.sign_in(service.key("carol"), at="project=apollo")
    page = reviewer.page
    reviewer.open("")
    page.keyboard.type("gr")
    expect(page.locator("h1")).to_have_text("Review")
    assert "2 wait" in reviewer.text
    assert "It is recalled from then on" in page.locator(".effects").inner_text()
    with page.expect_navigation():
        page.locator(".queue a").filter(has_text=PRESS).click()
    page.keyboard.press("a")
    expect(page.locator("main > .flash")).to_have_text("1 approved.")
    with page.expect_navigation():
        page.locator(".queue a").filter(has_text=STANDUP).click()
    page.keyboard.press("r")
    expect(page.locator("main > .flash")).to_have_text("1 rejected.")
    assert "Nothing waits for review" in reviewer.text

    alice = service.memory.as_user("alice", project="apollo")
    assert PRESS in alice.recall("press list").texts
    assert STANDUP not in alice.recall("launch standup Tuesdays").texts
    reviewer.open("trail", action="approve")
    assert "carol approve" in page.locator(".events").inner_text()
    assert PRESS not in page.locator("section[aria-labelledby=h-twin]").inner_text()  # it holds no words
    reviewer.close()


def test_two_browsers_see_each_others_changes_and_nothing_more(service: Service, url: str, browser: Browser) -> None:
    alice, bob = Visitor(browser, url), Visitor(browser, url)
    alice.sign_in(service.key("alice"), at="project=apollo")
    bob.sign_in(service.key("bob"), at="project=apollo")
    for visitor in (alice, bob):
        visitor.open("memories", q="launch notes")
        assert "Launch notes go to apollo-news the day before." in visitor.text
    alice.page.locator(".mem").filter(has_text="Launch notes").get_by_role("link", name="Open").click()
    alice.page.get_by_label("What is right").fill("Launch notes go to apollo-news two days before.")
    alice.page.get_by_role("button", name="Correct").click()
    bob.page.reload()
    assert "two days before" in bob.text
    assert "the day before." not in bob.text
    assert "18,000" not in bob.text
    alice.open("sessions")
    assert alice.page.locator("tbody tr").count() == 1  # bob's is not hers to see
    alice.page.get_by_role("button", name="End").click()
    alice.open("memories")
    expect(alice.page.locator("h1")).to_have_text("Sign in")
    bob.open("memories")
    expect(bob.page.locator("h1")).to_have_text("Memories")
    for visitor in (alice, bob):
        visitor.close()
