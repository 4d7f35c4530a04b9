"""Memories: found, corrected, forgotten and erased as the verbs do it, with a preview before what cannot be undone."""

from __future__ import annotations

from playwright.sync_api import Browser, expect
from tests.server.client import Service
from tests.studio.visitor import Visitor

NOTES = "Launch notes go to apollo-news the day before."


def open_notes(visitor: Visitor) -> None:
    """The memory that these tests change, from what a recall finds."""
    visitor.open("memories", q="launch notes")
    visitor.page.locator(".mem").filter(has_text=NOTES).get_by_role("link", name="Open").click()


def test_a_memory_is_found_by_its_words_and_listed_without(alice: Visitor) -> None:
    alice.open("memories", q="launch notes")
    assert NOTES in alice.text
    assert "the security review" not in alice.page.locator(".mem").first.inner_text()
    alice.open("memories")
    assert alice.page.locator(".mem").count() == 7
    alice.open("memories", author="user:bob")
    assert NOTES not in alice.text
    assert "the security review needs a week more" in alice.text
    alice.open("memories", person="@carol")
    assert "hospital appointment" in alice.text
    assert NOTES not in alice.text


def test_pages_of_a_listing_hold_everything_once(owner: Visitor, own_team: Service) -> None:
    texts = [f"The crate number {n} is on shelf {n % 7}." for n in range(120)]
    own_team.memory.as_user("alice", project="apollo").remember_many(texts)
    owner.open("memories")
    seen: list[str] = []
    for _ in range(4):
        seen += owner.page.locator(".mem .said").all_inner_texts()
        more = owner.page.get_by_role("link", name="the next")
        if not more.count():
            break
        more.click()
    assert len(seen) == len(set(seen)) == 127
    assert set(texts) <= set(seen)


def test_a_correction_replaces_and_can_be_taken_back(owner: Visitor, own_team: Service) -> None:
    open_notes(owner)
    owner.page.get_by_label("What is right").fill("Launch notes go to apollo-news two days before.")
    owner.page.get_by_role("button", name="Correct").click()
    assert "Corrected." in owner.text
    assert owner.page.locator(".mem ins").first.inner_text() == "two days"
    alice = own_team.memory.as_user("alice", project="apollo")
    assert "Launch notes go to apollo-news two days before." in alice.recall("launch notes").texts
    owner.page.get_by_role("button", name="Undo").click()
    assert "Taken back" in owner.text
    assert NOTES in alice.recall("launch notes").texts


def test_who_changed_it_meanwhile_is_not_overwritten(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    [hit, *_] = alice.recall("launch notes").hits
    owner.open("memories/memory", id=hit.id)
    alice.used(hit.id)
    alice.correct(hit.id, "Launch notes go to nobody.")
    owner.page.get_by_label("What is right").fill("Launch notes go to everybody.")
    owner.page.get_by_role("button", name="Correct").click()
    assert owner.page.locator(".error").is_visible()
    assert "Launch notes go to everybody." not in alice.recall("launch notes").texts


def test_what_a_gate_refuses_is_said_with_its_reason(owner: Visitor, own_team: Service) -> None:
    open_notes(owner)
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    owner.page.get_by_label("What is right").fill(f"The launch token is {secret}")
    owner.page.get_by_role("button", name="Correct").click()
    assert "secret" in owner.page.locator(".error .chip").inner_text()
    assert secret not in owner.page.content()
    assert secret not in owner.page.url


def test_forgetting_shows_its_preview_first(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    open_notes(owner)
    owner.page.get_by_role("link", name="Forget").click()
    assert NOTES in owner.text
    assert NOTES in alice.recall("launch notes").texts
    owner.page.get_by_role("button", name="Forget").click()
    assert "1 forgotten." in owner.text
    assert NOTES not in alice.recall("launch notes").texts


def test_erasing_leaves_a_receipt_and_nothing_else(owner: Visitor, own_team: Service) -> None:
    open_notes(owner)
    owner.page.get_by_role("link", name="Erase").click()
    assert "It cannot be undone" in owner.text
    owner.page.get_by_role("button", name="Erase for good").click()
    assert "complete" in owner.page.locator(".receipt.sum").inner_text()
    owner.page.get_by_role("link", name="Search for anything left").click()
    expect(owner.page.locator(".chip.yes")).to_have_text("no residue found")
    assert NOTES not in own_team.memory.as_user("alice", project="apollo").recall("launch notes").texts


def test_several_are_forgotten_at_once(owner: Visitor, own_team: Service) -> None:
    owner.open("memories", author="me")
    boxes = owner.page.get_by_role("checkbox", name="Choose")
    boxes.nth(0).check()
    boxes.nth(1).check()
    owner.page.get_by_role("button", name="Forget the chosen").click()
    assert "Forget 2 memories" in owner.text
    owner.page.get_by_role("button", name="Forget").click()
    assert "2 forgotten." in owner.text


def test_a_memory_of_somebody_else_looks_like_one_that_does_not_exist(
    browser: Browser, team: Service, team_url: str
) -> None:
    bobs = team.memory.as_user("bob").remember("I like the launch snacks.").item
    assert bobs is not None
    visitor = Visitor(browser, team_url)
    visitor.sign_in(team.key("alice"))
    pages = []
    for id in (bobs.id, "mem_" + "a" * 24):
        answer = visitor.open("memories/memory", id=id)
        pages.append((answer.status, visitor.page.locator("main").inner_html().replace(id, "…")))
    assert pages[0] == pages[1]
    assert pages[0][0] == 404
    visitor.close()


def test_who_may_only_read_gets_no_buttons(browser: Browser, team: Service, team_url: str) -> None:
    visitor = Visitor(browser, team_url)
    visitor.sign_in(team.key("alice", "read"), at="project=apollo")
    open_notes(visitor)
    assert NOTES in visitor.text
    assert visitor.page.get_by_role("button", name="Correct").count() == 0
    visitor.close()
