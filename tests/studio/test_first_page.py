"""What the first page weighs, and that it does not cost more the more there is. Measured with 100,000 memories: see
docs/how-to/use-studio.md."""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable
from statistics import median

from tests.server.client import Service
from tests.studio.conftest import START_TOKEN
from tests.studio.test_signing_in import Person
from tests.studio.visitor import Visitor

MOST_BYTES = 100_000


def test_the_first_page_with_all_it_loads_is_light(alice: Visitor) -> None:
    alice.open("")
    html = len(gzip.compress(alice.page.content().encode()))
    loaded = alice.page.evaluate(
        "performance.getEntriesByType('resource').map((one) => [one.name, one.encodedBodySize])"
    )
    names = " ".join(name for name, _ in loaded)
    assert re.search(r"studio\.css.*htmx.*studio\.js", names)
    assert alice.url in names
    assert all(name.startswith(alice.url) for name, _ in loaded)  # nothing of other hosts
    assert html + sum(size for _, size in loaded) < MOST_BYTES


def test_the_first_page_does_not_cost_more_the_more_there_is(own_team: Service) -> None:
    """The few that wait are found among many, and the latest of a long trail."""
    alice = own_team.memory.as_user("alice", project="apollo")
    person = Person(own_team)
    person.sign_in(own_team.key("alice"))

    def remember_crates(until: int) -> None:
        texts = [f"Crate {n} stands on shelf {n % 7}." for n in range(until - 1100, until)]
        alice.remember_many([{"text": text, "space": {"project": "apollo"}} for text in texts])

    def home() -> None:
        assert person.get("/studio/?at=project%3Dapollo").status == 200

    def queue() -> None:
        assert len(alice.review.list(limit=100)) == 3

    remember_crates(1100)
    few = _cost(home)
    remember_crates(2200)
    remember_crates(3300)
    many = _cost(home)
    assert "100+" in person.get("/studio/?at=project%3Dapollo").body.decode()
    assert many < 2 * few
    assert _cost(queue) < 0.2 * many  # a small part of the page


def _cost(work: Callable[[], None]) -> float:
    """Its processor time, the first time aside."""
    work()
    times = []
    for _ in range(7):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return median(times)


def test_a_started_studio_shows_its_first_page_from_the_link(own_team: Service) -> None:
    """The link of `memfort studio` leads to the first page, as whom one looks."""
    person = Person(own_team)
    there = person.get(f"/studio/start?token={START_TOKEN}&as=alice&at=project%3Dapollo").headers["location"]
    page = person.get(there)
    assert page.status == 200
    assert b"were learned" in page.body
