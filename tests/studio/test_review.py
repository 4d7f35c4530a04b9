"""Review: the queue, the keys, and two reviewers at once."""

from __future__ import annotations

from playwright.sync_api import Browser, expect
from tests.server.client import Service
from tests.studio.visitor import Visitor

PRESS = "The press list for the launch is with Dora."
STANDUP = "The launch standup may move to Tuesdays."


def test_a_reviewer_decides_by_keyboard(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    assert len(alice.review.list()) == 3
    owner.open("review")
    owner.page.keyboard.press("j")
    expect(owner.page.locator("#h-item ~ .chip")).to_have_text("low_confidence")
    assert PRESS in owner.page.locator(".c8").inner_text()
    owner.page.keyboard.press("a")
    expect(owner.page.locator("main > .flash")).to_have_text("1 approved.")
    owner.page.keyboard.press("r")
    expect(owner.page.locator("main > .flash")).to_have_text("1 rejected.")
    assert PRESS in alice.recall("press list").texts
    assert len(alice.review.list()) == 1


def test_what_one_changes_is_approved_as_it_is_changed(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    [entry] = [one for one in alice.review.list() if one.item.text == STANDUP]
    owner.open("review", item=entry.item.id)
    owner.page.get_by_text("Edit first").click()
    owner.page.get_by_label("What it should say").fill("The launch standup moves to Tuesdays.")
    owner.page.get_by_role("button", name="Change and approve").click()
    assert "Changed and approved." in owner.text
    assert "The launch standup moves to Tuesdays." in alice.recall("launch standup").texts


def test_several_are_decided_together(owner: Visitor, own_team: Service) -> None:
    owner.open("review")
    for box in owner.page.get_by_role("checkbox", name="Choose").all()[1:]:
        box.check()
    owner.page.get_by_role("button", name="Reject the chosen").click()
    assert "2 rejected." in owner.text
    assert len(own_team.memory.as_user("alice", project="apollo").review.list()) == 1


def test_several_are_chosen_by_keyboard(owner: Visitor, own_team: Service) -> None:
    owner.open("review")
    for _ in range(2):
        with owner.page.expect_navigation():
            owner.page.keyboard.press("j")
    owner.page.keyboard.press("x")
    boxes = owner.page.get_by_role("checkbox", name="Choose")
    assert [box.is_checked() for box in boxes.all()] == [False, False, True]
    owner.page.get_by_role("button", name="Approve the chosen").click()
    assert "1 approved." in owner.text
    alice = own_team.memory.as_user("alice", project="apollo")
    assert STANDUP in alice.recall("launch standup Tuesdays").texts


def test_two_reviewers_do_not_trip_over_each_other(
    owner: Visitor, own_team: Service, own_url: str, browser: Browser
) -> None:
    """The second one to decide is told, and nothing is decided twice."""
    carol = Visitor(browser, own_url)
    carol.sign_in(own_team.key("carol"), at="project=apollo")
    alice = own_team.memory.as_user("alice", project="apollo")
    [entry] = [one for one in alice.review.list() if one.item.text == PRESS]
    for one in (owner, carol):
        one.open("review", item=entry.item.id)
    owner.page.get_by_role("button", name="Reject r").click()
    assert "1 rejected." in owner.text
    carol.page.get_by_role("button", name="Approve a").click()
    assert carol.page.locator(".error").is_visible()
    assert PRESS not in alice.recall("press list").texts
    carol.open("review", item=entry.item.id)
    assert "That one was decided meanwhile." in carol.text
    carol.close()


def test_a_reviewer_sees_only_what_they_may_review(own_team: Service, own_url: str, browser: Browser) -> None:
    carol = Visitor(browser, own_url)
    carol.sign_in(own_team.key("carol"), at="project=apollo")
    carol.open("review")
    assert PRESS in carol.text
    assert "+49" not in carol.page.content()  # it waits in alice's own space
    carol.close()
