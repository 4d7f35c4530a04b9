"""Studio has no powers of its own: every verb that a page asks has the same answer over HTTP with the same credential,
and a page of a credential that may not is refused as HTTP refuses it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.server.client import Client, Service
from tests.studio.conftest import in_thread, made_team
from tests.studio.test_signing_in import Person
from tests.studio.visits import NEWEST, VISITS, Visit

from memfort import FixedClock
from memfort.model.moment import Moment
from memfort.operations.table import TABLE
from memfort.surfaces.studio.visit import Call
from memfort.surfaces.studio.visit import Visit as PageVisit

_CHANGING = re.compile(r"(trc|era)_[a-z0-9]+")  # each call, and each erasure, has a name of its own


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = made_team(tmp_path_factory.mktemp("parity") / "memory.db", clock=FixedClock(Moment(1_795_000_000_000_000)))
    yield made
    in_thread(made.close)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Call, Any]]:
    """What pages ask, with what they are given."""
    noted: list[tuple[Call, Any]] = []
    ask = PageVisit.call

    async def noting(self: PageVisit, verb: str, *args: Any, **more: Any) -> Any:
        try:
            answer = await ask(self, verb, *args, **more)
        except Exception as error:
            noted.append((self.calls[-1], getattr(error, "problem", None)))
            raise
        noted.append((self.calls[-1], answer))
        return answer

    monkeypatch.setattr(PageVisit, "call", noting)
    return noted


SCOPES = (("read",), ("read", "write", "review"), ("read", "write", "review", "act_for"))


@pytest.mark.parametrize("scopes", SCOPES, ids="+".join)
@pytest.mark.parametrize("visit", VISITS, ids=str)
def test_a_page_shows_what_http_answers(
    service: Service, calls: list[tuple[Call, Any]], visit: Visit, scopes: tuple[str, ...]
) -> None:
    key = service.key("alice", *scopes)
    person, client = Person(service), service.with_credential(key)
    person.sign_in(key)
    newest = service.memory.as_user("alice", project="apollo").list(limit=1).items[0].id
    query = "&".join(
        f"{name}={one}".replace(" ", "%20")
        for name, value in {"at": "project=apollo", **visit.parameters}.items()
        for one in (value if isinstance(value, list) else [newest if value == NEWEST else value])
    )
    answer = person.get(f"/studio/{visit.path}?{query}")
    assert answer.status in {200, 400, 403, 404, 422}
    for call, given in calls:
        assert _same(given) == _same(_over_http(client, call)), call


def _over_http(client: Client, call: Call) -> Any:
    headers = {name.replace("-", "_"): value for name, value in call.headers.items()}
    return in_thread(lambda: client.post(TABLE[call.verb].path, dict(call.fields), **headers)).json


def _same(answer: Any) -> Any:
    """An answer without what differs from call to call: the name of the call, cursors signed anew, and reads that were
    recorded between the two."""
    if isinstance(answer, dict) and "events" in answer:
        return "events"  # the trail grows by each of these calls; test_trail.py compares it
    return json.loads(_CHANGING.sub("trc", json.dumps(answer)))


def test_what_was_compared_is_something(service: Service, calls: list[tuple[Call, Any]]) -> None:
    person = Person(service)
    person.sign_in(service.key("alice"))
    person.get("/studio/two-people?b=bob&q=launch&chat=apollo-team")
    assert [call.verb for call, _ in calls] == ["member.list", "compare"]
    assert calls[1][1]["memories"]


@pytest.mark.parametrize(
    ("action", "fields", "scope"),
    [
        ("memories/correct", {"text": "x", "version": "1"}, "write"),
        ("memories/erase", {"ids": "mem_x"}, "write"),
        ("review/approve", {"ids": "mem_x"}, "review"),
        ("review/reject", {"ids": "mem_x"}, "review"),
    ],
)
def test_a_key_that_may_only_read_changes_nothing(
    service: Service, action: str, fields: dict[str, str], scope: str
) -> None:
    [item] = service.memory.as_user("alice", project="apollo").list(limit=1).items
    person = Person(service)
    person.sign_in(service.key("alice", "read"))
    sent = {
        "csrf": person.csrf,
        "id": item.id,
        **{name: item.id if value == "mem_x" else value for name, value in fields.items()},
    }
    answer = person.send(f"/studio/{action}", sent)
    assert answer.status == 403
    assert f"does not have the scope `{scope}`".encode() in answer.body.replace(b"&#39;", b"'")
    assert service.memory.as_user("alice", project="apollo").get(item.id) == item


def test_nobody_looks_as_another_without_the_scope(service: Service) -> None:
    person = Person(service)
    person.sign_in(service.key("alice"))
    for page in ("", "memories", "trail", "review", "recall?q=launch", "two-people"):
        joined = "&" if "?" in page else "?"
        answer = person.get(f"/studio/{page}{joined}as=bob")
        assert answer.status == 403, page
        assert b"may not act for others" in answer.body
