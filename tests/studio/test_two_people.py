"""Same question, two people: the page says what the verbs say, and no more than the visitor may know."""

from __future__ import annotations

from playwright.sync_api import Browser, expect
from tests.server.client import Service
from tests.studio.visitor import Visitor

BUDGET = "The budget for the launch is 18,000 euros."


def test_a_room_changes_both_columns(alice: Visitor) -> None:
    alice.open("two-people", b="bob", q="launch", chat="apollo-team")
    page = alice.page
    before = page.locator(".verdict").inner_text()
    assert "In this group of 3, alice gets" in before
    page.get_by_role("checkbox", name="bob takes part").filter(visible=True).uncheck()
    expect(page.locator(".verdict")).to_contain_text("In this group of 2, alice gets")
    assert "room=alice&room=carol" in page.url
    assert alice.complaints == []


def test_a_withheld_memory_is_a_gap_with_its_reason(alice: Visitor) -> None:
    alice.open("two-people", b="bob", q="budget of the launch", chat="apollo-team")
    row = alice.page.locator(".duo tbody tr").filter(has_text=BUDGET)
    assert row.locator("td").nth(0).locator(".gap").inner_text().startswith("not_for_this_chat")
    assert "Only you see which one" in row.locator("td").nth(0).inner_text()
    second = row.locator("td").nth(1)
    assert "not_a_reader" in second.locator(".gap").inner_text()
    assert "18,000" not in second.inner_text()


def test_the_tree_stops_where_the_engine_does_and_says_who_decides(alice: Visitor) -> None:
    alice.open("two-people", b="bob", q="budget of the launch", chat="apollo-team")
    tree = alice.page.locator(".tree")
    assert "May this room hear it?" in tree.locator("li.stopped").first.inner_text()
    assert "bob listens, and decides it" in tree.locator("li.decides").inner_text()
    assert "Alice asks where bob does not listen." in alice.page.locator(".remedy").inner_text()
    alice.page.get_by_role("checkbox", name="bob takes part").filter(visible=True).uncheck()
    row = alice.page.locator(".duo tbody tr").filter(has_text=BUDGET)
    expect(row.locator("td").nth(0).locator(".gap")).to_have_count(0)  # what the page promised is so


def test_without_scripts_a_button_asks_again(browser: Browser, team: Service, team_url: str) -> None:
    visitor = Visitor(browser, team_url, scripts=False)
    visitor.sign_in(team.key("alice"), at="project=apollo")
    visitor.open("two-people", b="bob", q="launch", chat="apollo-team")
    visitor.page.get_by_role("checkbox", name="carol takes part").filter(visible=True).uncheck()
    visitor.page.get_by_role("button", name="Ask").click()
    assert "In this group of 2" in visitor.text
    visitor.close()


def test_what_only_the_other_has_is_neither_shown_nor_counted(own_team: Service, browser: Browser) -> None:
    """And with a key that may act for others it is shown on request, and is then in their trail."""
    from tests.server.running import running

    bob = own_team.memory.as_user("bob")
    bob.remember("My surprise for the launch is a cake.")
    with running(own_team) as url:
        visitor = Visitor(browser, url)
        visitor.sign_in(own_team.key("alice"), at="project=apollo")
        visitor.open("two-people", b="bob", q="launch", own="1")
        assert "cake" not in visitor.page.content()
        with_secret = visitor.page.locator(".verdict").inner_text()
        bob.forget(bob.recall("surprise").hits[0].id)
        visitor.page.reload()
        assert visitor.page.locator(".verdict").inner_text() == with_secret
        bob.remember("My other surprise for the launch is a song.")
        visitor.sign_in(own_team.key("alice", "read", "act_for"), at="project=apollo")
        visitor.open("two-people", b="bob", q="launch surprise")
        assert "song" not in visitor.page.content()
        before = len(bob.trace.list(limit=100))
        visitor.page.get_by_role("link", name="look as bob too").click()
        assert "My other surprise for the launch is a song." in visitor.text
        assert len(bob.trace.list(limit=100)) == before + 1
        visitor.close()


def test_a_chat_of_others_looks_like_one_that_does_not_exist(team: Service, team_url: str, browser: Browser) -> None:
    visitor = Visitor(browser, team_url)
    visitor.sign_in(team.key("bob"))
    pages = []
    for chat in ("alice-carol", "alice-nowhr"):
        answer = visitor.open("two-people", b="alice", chat=chat)
        pages.append((answer.status, visitor.page.locator("body").inner_html().replace(chat, "…")))
    assert pages[0] == pages[1]
    assert pages[0][0] == 404
    visitor.open("two-people", b="alice", chat="apollo-team")
    assert "In this group of 3" in visitor.text
    visitor.close()


def test_the_system_is_asked_as_whom_it_looks(browser: Browser, team: Service, team_url: str) -> None:
    visitor = Visitor(browser, team_url)
    visitor.sign_in(team.operator_key)
    visitor.open("two-people")
    visitor.page.get_by_label("Look as").last.fill("alice")
    visitor.page.get_by_role("button", name="Compare").click()
    assert "alice gets" in visitor.text
    visitor.close()


def test_one_that_is_pointed_at_comes_in_any_case(alice: Visitor, team: Service) -> None:
    [budget] = [one for one in team.memory.as_user("alice", project="apollo").list() if one.text == BUDGET]
    alice.open("two-people", b="bob", q="train", why=budget.id, who="bob")
    assert "Why bob does not get it" in alice.text
    assert BUDGET in alice.page.locator(".pin").inner_text()
