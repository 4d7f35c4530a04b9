"""Who is signed in: links that work once, keys, sessions that end, and forms of other pages that change nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.server.client import Answer, Client, Service
from tests.studio.conftest import START_TOKEN, in_thread

from memfort import FixedClock
from memfort.model.moment import Moment

HOUR = 3600
_FORM = "application/x-www-form-urlencoded"


class Person:
    """A browser without pages: it keeps the cookie, and sends forms as browsers do."""

    def __init__(self, service: Service) -> None:
        self.client: Client = service.anonymous
        self.cookie: str | None = None

    def get(self, path: str, **headers: str) -> Answer:
        return self._keep(in_thread(lambda: self.client.request("GET", path, cookie=self.cookie, **headers)))

    def send(self, path: str, fields: dict[str, str] | None = None, **headers: str) -> Answer:
        body = "&".join(f"{name}={value}" for name, value in (fields or {}).items()).encode()
        sent = {
            "content_type": _FORM,
            "content_length": str(len(body)),
            "origin": "http://127.0.0.1:8642",
            "sec_fetch_site": "same-origin",
        }
        sent |= headers
        return self._keep(in_thread(lambda: self.client.request("POST", path, raw=body, cookie=self.cookie, **sent)))

    def sign_in(self, key: str) -> Answer:
        return self.send("/studio/sign-in", {"key": key})

    @property
    def csrf(self) -> str:
        found = re.search(rb'name="csrf" value="([^"]+)"', self.get("/studio/sessions").body)
        assert found is not None
        return found[1].decode()

    def _keep(self, answer: Answer) -> Answer:
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(Moment(1_795_000_000_000_000))


@pytest.fixture
def studio(clock: FixedClock) -> Iterator[Service]:
    made = Service(start_token=START_TOKEN, clock=clock)
    yield made
    in_thread(made.close)


@pytest.fixture
def person(studio: Service) -> Person:
    return Person(studio)


def test_a_start_link_signs_one_browser_in_once(studio: Service, person: Person) -> None:
    answer = person.get(f"/studio/start?token={START_TOKEN}&as=alice&at=project%3Dapollo")
    assert (answer.status, answer.headers["location"]) == (303, "/studio/?as=alice&at=project%3Dapollo")
    flags = answer.headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=strict" in flags
    assert "path=/studio" in flags
    assert person.get("/studio/sessions").status == 200
    other = Person(studio)
    assert other.get(f"/studio/start?token={START_TOKEN}").status == 403
    assert other.get("/studio/").status == 303


def test_a_wrong_start_token_uses_nothing_up(studio: Service, person: Person) -> None:
    assert person.get("/studio/start?token=guess").status == 403
    assert person.get("/studio/start").status == 403
    assert person.get(f"/studio/start?token={START_TOKEN}").status == 303


def test_a_key_signs_in_and_goes_on_where_one_wanted_to_go(studio: Service, person: Person) -> None:
    there = person.get("/studio/two-people?q=launch").headers["location"]
    assert there == "/studio/sign-in?next=%2Fstudio%2Ftwo-people%3Fq%3Dlaunch"
    assert b'value="/studio/two-people?q=launch"' in person.get(there).body
    answer = person.send("/studio/sign-in", {"key": studio.key("alice"), "next": "/studio/two-people%3Fq%3Dlaunch"})
    assert (answer.status, answer.headers["location"]) == (303, "/studio/two-people?q=launch")


@pytest.mark.parametrize(
    "to", ["https://example.com/", "//example.com/studio/", "/v1/recall", "/studio/..%2F%5Cexample.com", "javascript:1"]
)
def test_nobody_is_sent_elsewhere_after_signing_in(studio: Service, person: Person, to: str) -> None:
    answer = person.send("/studio/sign-in", {"key": studio.key("alice"), "next": to})
    assert answer.status == 303
    assert answer.headers["location"] == "/studio/"


def test_a_wrong_key_is_refused_and_says_what_to_do(person: Person) -> None:
    answer = person.sign_in("mfk_nobody")
    assert answer.status == 401
    assert b"memfort keys create" in answer.body
    assert "set-cookie" not in answer.headers


def test_a_revoked_key_ends_its_sessions_at_once(studio: Service, person: Person) -> None:
    made = studio.memory.keys.create(user="alice", scopes=("read",))
    person.sign_in(made.token)
    assert person.get("/studio/sessions").status == 200
    studio.memory.keys.revoke(made.key.id)
    assert person.get("/studio/sessions").status == 303


@pytest.mark.parametrize(("hours", "status"), [(7, 200), (8, 303)])
def test_a_session_ends_when_nobody_uses_it(
    studio: Service, person: Person, clock: FixedClock, hours: int, status: int
) -> None:
    person.sign_in(studio.key("alice"))
    clock.advance(hours * HOUR)
    assert person.get("/studio/sessions").status == status


def test_a_session_ends_after_a_day_however_much_it_is_used(studio: Service, person: Person, clock: FixedClock) -> None:
    person.sign_in(studio.key("alice"))
    for _ in range(3):
        clock.advance(7 * HOUR)
        assert person.get("/studio/sessions").status == 200
    clock.advance(3 * HOUR)
    assert person.get("/studio/sessions").status == 303


def test_sessions_are_listed_and_ended_by_whoever_has_the_same_key(studio: Service) -> None:
    key, people = studio.key("alice"), [Person(studio) for _ in range(3)]
    for one in people[:2]:
        one.sign_in(key)
    people[2].sign_in(studio.key("bob"))
    listed = people[0].get("/studio/sessions").body
    ids = re.findall(rb'name="id" value="(\w+)"', listed)
    assert len(ids) == 2
    bobs = re.findall(rb'name="id" value="(\w+)"', people[2].get("/studio/sessions").body)
    assert len(bobs) == 1
    assert set(bobs).isdisjoint(ids)
    people[0].send("/studio/sessions/end", {"csrf": people[0].csrf, "id": bobs[0].decode()})
    assert people[2].get("/studio/sessions").status == 200  # of another key
    for id in ids:
        people[2].send("/studio/sessions/end", {"csrf": people[2].csrf, "id": id.decode()})
    assert people[1].get("/studio/sessions").status == 200
    for id in ids:
        people[0].send("/studio/sessions/end", {"csrf": people[0].csrf, "id": id.decode()})
        break
    assert sorted(one.get("/studio/sessions").status for one in people[:2]) == [200, 303]


def test_signing_out_ends_the_session(studio: Service, person: Person) -> None:
    person.sign_in(studio.key("alice"))
    kept, csrf = person.cookie, person.csrf
    assert person.send("/studio/sign-out", {"csrf": csrf}).status == 303
    person.cookie = kept
    assert person.get("/studio/sessions").status == 303


@pytest.mark.parametrize(
    ("fields", "headers", "status"),
    [
        ({}, {}, 403),
        ({"csrf": "guess"}, {}, 403),
        ({"csrf": "own"}, {"sec_fetch_site": "cross-site"}, 403),
        ({"csrf": "own"}, {"sec_fetch_site": "same-site"}, 403),
        ({"csrf": "own"}, {"origin": "https://example.com"}, 403),
        ({"csrf": "own"}, {"origin": "null"}, 403),
        ({"csrf": "own"}, {"host": "rebound.example"}, 421),
        ({"csrf": "own"}, {}, 303),
    ],
)
def test_only_a_form_of_this_session_changes_anything(
    studio: Service, person: Person, fields: dict[str, str], headers: dict[str, str], status: int
) -> None:
    person.sign_in(studio.key("alice"))
    sent = {name: person.csrf if value == "own" else value for name, value in fields.items()}
    assert person.send("/studio/sign-out", sent, **headers).status == status
    assert person.get("/studio/sessions").status == (303 if status == 303 else 200)


def test_the_word_of_another_session_is_no_use(studio: Service, person: Person) -> None:
    other = Person(studio)
    other.sign_in(studio.key("bob"))
    person.sign_in(studio.key("alice"))
    assert person.send("/studio/sign-out", {"csrf": other.csrf}).status == 403


def test_a_new_session_has_a_new_name(studio: Service, person: Person) -> None:
    """A name that somebody else set before is not taken over."""
    person.cookie = "memfort_studio_8642=chosen-by-somebody"
    person.sign_in(studio.key("alice"))
    assert person.cookie != "memfort_studio_8642=chosen-by-somebody"
    old = person.cookie
    person.sign_in(studio.key("alice"))
    fresh, person.cookie = person.cookie, old
    assert person.get("/studio/sessions").status == 303
    person.cookie = fresh
    assert person.get("/studio/sessions").status == 200


def test_what_a_browser_may_do_with_a_page(studio: Service, person: Person) -> None:
    person.sign_in(studio.key("alice"))
    for path in ("/studio/sessions", "/studio/nowhere", "/studio/sign-in"):
        headers = person.get(path).headers
        assert "unsafe" not in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-content-type-options"] == "nosniff"


def test_no_answer_to_a_stranger_has_anything_of_the_store(studio: Service) -> None:
    stranger = Person(studio)
    for path in ("/studio/", "/studio/two-people", "/studio/sessions", "/studio/nowhere"):
        answer = stranger.get(path)
        assert (answer.status, answer.body) == (303, b"")
    assert stranger.send("/studio/sessions/end", {"id": "x"}).status == 303


def test_files_are_only_those_of_studio(studio: Service, person: Person) -> None:
    person.sign_in(studio.key("alice"))
    address = re.search(rb'href="(/studio/static/[^"]+\.css)"', person.get("/studio/sessions").body)
    assert address is not None
    path = address[1].decode()
    answer = person.get(path, accept_encoding="gzip")
    assert (answer.status, answer.headers["content-encoding"]) == (200, "gzip")
    for name in ("../routes.py", "..%2froutes.py", "%2fetc%2fpasswd", "nothing.css"):
        assert person.get(path.rpartition("/")[0] + "/" + name).status == 404


def test_several_processes_have_no_pages() -> None:
    service = Service(studio=False)
    assert in_thread(lambda: service.anonymous.request("GET", "/studio/")).status == 404
    in_thread(service.close)
