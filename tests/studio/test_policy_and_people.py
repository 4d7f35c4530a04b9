"""Policy: a replay before it is put to use. People: names, namesakes, and a person's request with a receipt."""

from __future__ import annotations

from playwright.sync_api import Browser, expect
from tests.server.client import Service
from tests.studio.visitor import Visitor


def test_a_policy_is_replayed_and_nothing_is_changed(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    before = own_team.memory.policy.show().digest
    owner.open("policy")
    owner.page.get_by_label("A preset's name").fill('[spaces]\nwrite = ["user"]\n')
    owner.page.get_by_role("button", name="Replay").click()
    expected = alice.policy.simulate({"spaces": {"write": ["user"]}})
    assert expected.changes
    assert f"{len(expected.changes)} decisions would be different" in owner.text
    assert owner.page.locator("tbody tr").count() == len(expected.changes)
    assert "write" not in owner.page.url
    assert own_team.memory.policy.show().digest == before
    assert owner.page.get_by_role("button", name="Put it to use").count() == 0  # no administrator


def test_an_administrator_puts_a_policy_to_use(own_team: Service, own_url: str, browser: Browser) -> None:
    visitor = Visitor(browser, own_url)
    visitor.sign_in(own_team.operator_key)
    visitor.open("policy", try_="scoped")
    visitor.page.get_by_role("button", name="Put it to use").click()
    assert "That policy is in use now." in visitor.text
    assert own_team.memory.policy.show().policy.name == "scoped"
    visitor.close()


def test_a_mistake_in_a_policy_is_said_with_its_remedy(owner: Visitor) -> None:
    owner.open("policy")
    owner.page.get_by_label("A preset's name").fill("[recall]\nlest_words = 1\n")
    owner.page.get_by_role("button", name="Replay").click()
    assert "least_words" in owner.page.locator(".error").inner_text()


def test_people_have_names_and_namesakes_are_decided_by_somebody(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    one, other = alice.people.add("Dora Klein"), alice.people.add("Dora Klein")
    owner.open("people", id=one.id)
    owner.page.get_by_label("More names").fill("Dorle, D. Klein")
    owner.page.get_by_role("button", name="Add").click()
    assert "Dorle" in owner.text

    owner.page.get_by_role("button", name=f"They are one: {other.id}").click()
    assert "They are one now." in owner.text
    assert {person.id for person in alice.people.find("Dora Klein")} == {one.id}


def test_a_request_is_answered_with_a_preview_and_a_receipt(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice")
    owner.open("people/request", person="me")
    assert "My train gets in at ten on launch day." in owner.text
    assert alice.recall("train").hits
    owner.page.get_by_role("button", name="Erase for good").click()
    assert "Receipt of an erasure" in owner.text
    assert not alice.recall("train").hits


def test_a_policy_is_checked_while_one_types(own_team: Service, own_url: str, browser: Browser) -> None:
    visitor = Visitor(browser, own_url)
    visitor.sign_in(own_team.operator_key)
    visitor.open("policy")
    field = visitor.page.get_by_label("A preset's name")
    field.press_sequentially("[recall]\nlest_words = 1\n")
    expect(visitor.page.locator("#checked .error")).to_contain_text("least_words")
    field.fill("approve_confidence = 0.9\n")
    expect(visitor.page.locator("#checked")).to_contain_text("1 setting differs")
    expect(visitor.page.locator("#checked")).to_contain_text("approve_confidence = 0.9")
    assert visitor.complaints == []
    assert own_team.memory.policy.show().policy.approve_confidence == 0.6
    visitor.close()


def test_each_line_says_where_it_comes_from_and_versions_are_compared(
    own_team: Service, own_url: str, browser: Browser
) -> None:
    own_team.memory.policy.use("chat")
    own_team.memory.policy.use({"extends": "chat", "approve_confidence": 0.9})
    visitor = Visitor(browser, own_url)
    visitor.sign_in(own_team.operator_key)
    visitor.open("policy")
    lines = visitor.page.locator(".document dd")
    changed = {one.key for one in own_team.memory.policy.diff("default", own_team.memory.policy.show().policy).changes}
    assert len(changed) > 10
    assert "set here" in visitor.page.locator("dt", has_text="approve_confidence").locator("+ dd").inner_text()
    assert lines.filter(has_text="preset chat").count() > 5
    versions = visitor.page.locator("section[aria-labelledby=h-versions] li")
    assert versions.count() == 2
    assert "in use" in versions.nth(0).inner_text()
    versions.nth(1).get_by_role("link", name="compare").click()
    shown = visitor.page.locator(".changes").inner_text()
    assert "approve_confidence = 0.9" in shown
    visitor.close()


def test_a_replay_can_be_of_the_last_week(owner: Visitor, own_team: Service) -> None:
    owner.open("policy", try_="scoped", span="week")
    of_week = owner.page.locator("#h-replayed").inner_text()
    changes = own_team.memory.as_user("alice", project="apollo").policy.simulate("scoped").changes
    assert of_week == f"{len(changes)} decisions would be different"
    assert changes[0].at.year >= 2026
    assert "in the last week" in owner.text
    assert "Launch notes go to apollo-news the day before." in owner.page.locator("tbody").inner_text()


def test_people_shows_to_whom_it_may_be_said(alice: Visitor) -> None:
    alice.open("people", id="@carol")
    row = alice.page.locator(".matrix tbody tr").filter(has_text="hospital appointment")
    assert [one.split("\n")[0] for one in row.locator("td").all_inner_texts()] == [
        "visible",
        "not_your_identity",
        "not_your_identity",
    ]
    row.locator("td").nth(2).get_by_role("link").click()
    assert "Why bob does not get it" in alice.text


def test_a_request_is_complete_when_somebody_decided_about_namesakes(
    own_team: Service, own_url: str, browser: Browser
) -> None:
    system = own_team.memory.as_system()
    for name in ("erin", "frank"):
        own_team.memory.as_user(name).remember("My sister Anna has a dog.")
    own_team.memory.as_user("erin").remember("@anna plays the cello.", subjects=["@anna"])
    namesakes = system.subject.erase("@anna", dry_run=True).namesakes
    assert namesakes
    visitor = Visitor(browser, own_url)
    visitor.sign_in(own_team.operator_key)
    visitor.open("people/request", person="@anna")
    assert visitor.page.locator(".namesakes input[name=namesakes]").count() == len(namesakes)
    assert "has a dog" not in visitor.page.content()  # the system owns none of it
    visitor.page.get_by_label("I have looked at all of them").check()
    visitor.page.get_by_role("button", name="Erase for good").click()
    assert "complete." in visitor.text
    assert system.subject.erase("@anna", dry_run=True).namesakes == namesakes  # kept, and still listed
    assert own_team.memory.as_user("frank").recall("Anna dog").hits
    visitor.close()
