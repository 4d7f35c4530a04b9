"""Phases and time, imports and extraction, and the box to chat in: each as the verbs do it, with a preview before what
is taken back."""

from __future__ import annotations

import json

from playwright.sync_api import Browser, expect
from tests.server.client import Service
from tests.studio.visitor import Visitor

SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
TRAIN = "My train gets in at ten on launch day."
RECORDS = "\n".join(
    json.dumps({"text": text, "observed_at": "2026-03-01T09:00:00Z"})
    for text in ("I like dark roast in the morning.", f"The old key was {SECRET}.", "My bike is blue.")
)


# -- phases and time ---------------------------------------------------------------------------------------------------


def test_a_phase_begins_and_what_changed_is_shown(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice")
    owner.kept = {}
    owner.open("phases", space="user=alice")
    assert "One phase so far" in owner.text
    owner.page.get_by_label("Why, in a few words").fill("the week of the launch")
    owner.page.get_by_role("button", name="Begin").click()
    assert "A new phase begins." in owner.text
    assert [one.reason for one in alice.phase.list()] == ["auto", "the week of the launch"]
    alice.remember("I bring the flowers on launch day.")
    owner.page.reload()
    changes = owner.page.locator("section[aria-labelledby=h-changed] .diff")
    assert changes.locator(".add .said").all_inner_texts() == ["I bring the flowers on launch day."]
    assert TRAIN not in alice.recall("train on launch day").texts  # it is history


def test_what_was_known_then_stands_beside_what_is_known_now(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice")
    alice.remember("I bring the flowers on launch day.")
    owner.open("phases", q="flowers on launch day", step="1", span="week")
    row = owner.page.locator(".then tbody tr").filter(has_text="flowers")
    assert [cell.split("\n")[-1] for cell in row.locator("td").all_inner_texts()[1:]] == ["not yet", "known"]
    owner.open("phases", q="flowers on launch day")
    row = owner.page.locator(".then tbody tr").filter(has_text="flowers")
    assert [cell.split("\n")[-1] for cell in row.locator("td").all_inner_texts()[1:]] == ["known", "known"]


def test_the_slider_asks_again_by_itself(owner: Visitor, own_team: Service) -> None:
    own_team.memory.as_user("alice").remember("I bring the flowers on launch day.")
    owner.open("phases", q="flowers on launch day")
    expect(owner.page.locator(".then .chip.held")).to_have_count(0)
    owner.page.locator("input[type=range]").focus()
    owner.page.keyboard.press("Home")
    owner.page.wait_for_url("**step=1&**")
    assert owner.page.locator(".then .chip.held").count() > 0


# -- imports and extraction --------------------------------------------------------------------------------------------


def test_a_file_is_looked_at_before_it_is_imported_and_can_be_taken_back(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice")
    owner.kept = {}
    owner.open("imports")
    assert "Nothing was imported yet" in owner.text
    assert "Nothing waits" in owner.text
    upload = {"name": "notes.jsonl", "mimeType": "application/x-ndjson", "buffer": RECORDS.encode()}
    owner.page.get_by_label("Choose a file").set_input_files(upload)  # type: ignore[arg-type]
    expect(owner.page.get_by_label("Its name")).to_have_value("notes.jsonl")
    owner.page.get_by_role("button", name="Preview").click()
    assert "It would become" in owner.text
    shown = owner.page.locator("[role=status] .receipt").inner_text().split()
    assert dict(zip(shown[::2], shown[1::2], strict=True)) == {"read": "3", "kept": "2", "denied": "1"}
    assert not list(alice.sources())
    assert not alice.recall("dark roast").hits
    assert SECRET not in owner.page.url

    owner.page.get_by_role("button", name="Import it").click()
    assert "It became" in owner.text
    [source] = alice.sources()
    assert source.filename == "notes.jsonl"
    assert alice.recall("dark roast in the morning").hits
    owner.open("memories", source=source.id)
    assert owner.page.locator(".mem").count() == 2
    owner.open("imports")
    owner.page.get_by_role("link", name="Take back").click()
    assert "2 memories go" in owner.text
    assert alice.recall("dark roast in the morning").hits
    owner.page.get_by_role("button", name="Take it back").click()
    assert "Taken back: 2" in owner.text
    assert not alice.recall("dark roast in the morning").hits


def test_what_cannot_be_read_is_said_and_nothing_is_kept(owner: Visitor, own_team: Service) -> None:
    owner.kept = {}
    owner.open("imports")
    owner.page.get_by_label("Its text").fill("{ no json at all")
    owner.page.get_by_role("button", name="Preview").click()
    assert owner.page.locator(".error, .receipt").first.is_visible()
    assert owner.page.get_by_role("button", name="Import it").count() == 0 or "kept" not in owner.text
    assert not list(own_team.memory.as_user("alice").sources())


# -- chat --------------------------------------------------------------------------------------------------------------


def _say(visitor: Visitor, text: str) -> None:
    visitor.page.get_by_label("Message", exact=True).fill(text)
    visitor.page.get_by_role("button", name="Say").click()
    expect(visitor.page.get_by_label("Message", exact=True)).to_have_value("")


def test_what_is_said_is_learned_and_a_correction_replaces(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice")
    owner.kept = {}
    owner.open("chat")
    assert "What happens to a message" in owner.text
    _say(owner, "My gym class is on Tuesday.")
    learned = owner.page.locator("section[aria-labelledby=h-learned]")
    expect(learned).to_contain_text("My gym class is on Tuesday")
    assert "My gym class is on Tuesday" in " ".join(alice.recall("gym class").texts)
    _say(owner, "No wait, Thursday.")
    expect(learned).to_contain_text("It replaced:")
    assert learned.locator("del").inner_text() == "My gym class is on Tuesday"
    assert "Thursday" in alice.recall("gym class").texts[0]
    said = [turn.text for turn in alice.window(conversation="studio")]
    assert said[0] == "My gym class is on Tuesday."
    assert said[1] == "Noted."
    _say(owner, "When is my gym class?")
    expect(learned).to_contain_text("question")
    expect(owner.page.locator("section[aria-labelledby=h-given]")).to_contain_text("Thursday")
    assert "Here is what I may say here." in owner.page.locator(".talk .theirs").last.inner_text()


def test_a_secret_is_not_kept_and_the_page_says_so(owner: Visitor, own_team: Service) -> None:
    owner.kept = {}
    owner.open("chat")
    _say(owner, f"My token is {SECRET}")
    expect(owner.page.locator("section[aria-labelledby=h-learned]")).to_contain_text("The message was not stored.")
    assert SECRET not in owner.page.content()
    assert SECRET not in " ".join(turn.text for turn in own_team.memory.as_user("alice").window(conversation="studio"))


def test_in_a_group_what_may_not_be_said_is_counted_with_its_reason(
    own_team: Service, own_url: str, browser: Browser
) -> None:
    visitor = Visitor(browser, own_url)
    visitor.sign_in(own_team.key("alice"), at="project=apollo, chat=apollo-team")
    visitor.open("chat")
    _say(visitor, "What is the budget for the launch?")
    withheld = visitor.page.locator("section[aria-labelledby=h-withheld]")
    withheld.get_by_text("Only you see which one").first.click()
    expect(withheld).to_contain_text("not_for_this_chat")
    assert "Bob listens" in withheld.inner_text()
    assert "18,000" not in withheld.locator(".gap").first.inner_text()
    assert "18,000" in withheld.locator(".own .said").first.inner_text()  # for alice alone, who wrote it
    assert "18,000" not in visitor.page.locator(".talk").inner_text()
    assert "18,000" not in visitor.page.locator("section[aria-labelledby=h-given]").inner_text()
    alone = Visitor(browser, own_url)
    alone.sign_in(own_team.key("alice"), at="project=apollo")
    alone.open("chat")
    _say(alone, "What is the budget for the launch?")
    assert "18,000" in alone.page.locator(".talk .theirs").last.inner_text()
    for one in (visitor, alone):
        one.close()


def test_what_was_learned_is_taken_back_with_one_key(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice")
    owner.kept = {}
    owner.open("chat")
    _say(owner, "My gym class is on Tuesday.")
    assert "My gym class is on Tuesday" in " ".join(alice.recall("gym class").texts)
    owner.page.locator("h1").click()
    owner.page.keyboard.press("u")
    expect(owner.page.locator("main > .flash")).to_contain_text("Taken back")
    assert "gym" not in " ".join(alice.recall("gym class").texts)
