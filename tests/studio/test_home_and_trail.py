"""Home counts what the verbs list, and the trail shows what they record."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
from playwright.sync_api import Browser
from tests.server.client import Service
from tests.studio.visitor import Visitor

from memfort.trail.public.plain import plain, plain_events

_SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def test_home_says_in_a_sentence_what_is_so(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    alice.remember(f"The launch token is {_SECRET}")
    owner.open("")
    sentence = owner.page.locator("h1").inner_text()
    learned = len(alice.list(limit=100).items)
    assert sentence == f"Today {learned} memories were learned, 3 wait for review, 1 request was refused."
    owner.page.locator("h1").get_by_role("link", name="1").click()
    assert "1 event" in owner.page.locator("#h-events").inner_text()
    assert _SECRET not in owner.page.content()


def test_every_number_leads_to_what_it_counts(owner: Visitor, own_team: Service) -> None:
    owner.open("")
    owner.page.locator("h1").get_by_role("link").nth(0).click()
    assert owner.page.locator(".mem").count() == len(own_team.memory.as_user("alice", project="apollo").list().items)
    owner.open("")
    owner.page.locator("h1").get_by_role("link").nth(1).click()
    assert "3 wait" in owner.text


def test_the_trail_is_what_the_verb_lists(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    alice.remember(f"The launch token is {_SECRET}")
    owner.open("trail", decision="denied")
    [event] = alice.trail.list(decision="denied")
    assert owner.page.locator(".events li").count() == 1
    shown = owner.page.get_by_role("region", name="JSON", exact=True).inner_text()
    assert json.loads(shown) == event.to_dict()
    assert owner.page.get_by_role("region", name="Plain", exact=True).inner_text() == plain(event.to_dict())
    assert "secret" in owner.page.locator(".events").inner_text()


def test_older_events_follow_without_a_gap(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    alice.remember_many([f"The crate number {n} is on shelf {n % 7}." for n in range(90)])
    wanted = sum(event.action == "remember" for event in alice.trail.list(limit=1000))
    owner.open("trail", action="remember")
    seen = 0
    while True:
        seen += owner.page.locator(".events li").count()
        older = owner.page.get_by_role("link", name="Older events")
        if not older.count():
            break
        older.click()
    assert seen == wanted > 90


def test_nobody_reads_the_trail_of_others(owner: Visitor, own_team: Service) -> None:
    own_team.memory.as_user("bob").recall("the launch")
    before = len(own_team.memory.as_user("bob").trail.list())
    assert before > 0
    owner.open("trail")
    assert "bob" not in owner.page.locator(".events").inner_text()


def test_an_administrator_verifies_the_whole_trail(operator: Visitor) -> None:
    operator.open("", verify="1")
    assert operator.page.locator("h1").inner_text().startswith("The trail is whole.")
    assert "Every link holds." in operator.text


def test_the_trail_is_exported_as_the_verb_does(owner: Visitor, own_team: Service) -> None:
    with owner.page.expect_download() as download:
        owner.page.evaluate(f"location.href = '{owner.url}/studio/trail/export'")
    lines = [json.loads(line) for line in download.value.path().read_text().splitlines()]
    known = list(own_team.memory.as_user("alice").trail.export())
    assert lines == known[: len(lines)]
    assert len(lines) >= 5


def test_a_call_is_shown_in_plain_and_as_json_and_keys_change_the_view(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    alice.recall("launch notes")
    trace = alice.trace.list()[0].trace
    owner.open("trail", trace=trace)
    shown = owner.page.get_by_role("region", name="Public Plain").inner_text()
    events = owner.page.get_by_role("region", name="Public JSON").locator("span").all_inner_texts()
    assert shown == plain_events([json.loads(one) for one in events])
    assert [json.loads(one)["type"] for one in events] == [one["type"] for one in alice.trace.show(trace).events]
    assert "type: memory_recall" in shown
    for view in ("json", "plain", "both"):
        owner.page.keyboard.press("v")
        owner.page.wait_for_url(f"**view={view}*")
    owner.page.keyboard.press("Control+v")
    assert "view=both" in owner.page.url


def test_the_chart_counts_what_matches(owner: Visitor, own_team: Service) -> None:
    alice = own_team.memory.as_user("alice", project="apollo")
    alice.remember(f"The launch token is {_SECRET}")
    owner.open("trail", action="remember")
    events = alice.trail.list(action="remember", limit=1000)
    allowed = sum(event.decision != "denied" for event in events)
    assert f"allowed {allowed}" in owner.page.locator(".volume .axis").inner_text()
    assert "refused 1" in owner.page.locator(".volume .axis").inner_text()
    assert owner.page.locator(".volume .s-no").count() == 1


def test_a_broken_link_is_shown_where_it_breaks(
    own_team: Service, own_url: str, browser: Browser, tmp_path: Path
) -> None:
    """And before it was touched, the same check says that every link holds."""
    visitor = Visitor(browser, own_url)
    visitor.sign_in(own_team.operator_key)
    visitor.open("trail", verify="1")
    assert "Every link holds." in visitor.text
    raw = apsw.Connection(str(tmp_path / "memory.db"))
    chain, number = raw.execute("select chain, max(number) from event group by chain having count(*) > 3").fetchone()
    raw.execute(
        "update event set body = cast(replace(cast(body as text), 'allowed', 'refused') as blob) "
        "where chain = ? and number = 2",
        (chain,),
    )
    assert raw.changes() == 1
    raw.close()
    assert number > 3
    [broken] = own_team.memory.trail.verify().broken
    visitor.page.get_by_role("link", name="Verify now").click()
    shown = visitor.page.locator(".checked .error")
    assert "The trail does not hold: 1 chain is broken" in shown.inner_text()
    assert broken.chain in shown.inner_text()
    assert visitor.page.locator(".links .broken").inner_text() == f"event {broken.number}"
    assert "memfort trail verify --anchors" in shown.inner_text()
    visitor.close()
