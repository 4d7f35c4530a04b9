"""Policy: a replay before it is put to use. People: names, namesakes, and a person's request with a receipt."""

from __future__ import annotations

from playwright.sync_api import Browser
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
    assert f"{len(expected.changes)} would be different" in owner.text
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
