"""The second purge fuzzer through HTTP: the observer notices nothing that is hidden, in any answer of the server.

A server takes registered memberships only, so every history is played with them; the model knows who is in which
group.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.generated import Seeds, half_fresh
from tests.purge.histories import generate
from tests.purge.model import Model, Verdict
from tests.purge.replay import compare, count_calls, differences, play
from tests.purge.report import Leak, report
from tests.purge.steps import History
from tests.purge.stores import Open, Opened, policy_of
from tests.server.behind import Served

from memfort import FixedClock
from memfort.store.sqlite import SqliteStore
from memfort.testing import REFERENCE_KEYS


@contextmanager
def open_served(clock: FixedClock, history: History) -> Iterator[Opened]:
    assert history.memberships == "registered"
    with Served(clock, policy_of(history)) as memory:
        yield Opened(memory)


@contextmanager
def open_served_file(clock: FixedClock, history: History) -> Iterator[Opened]:
    """The same on a store in a file."""
    assert history.memberships == "registered"
    with tempfile.TemporaryDirectory(prefix="purge-") as folder:
        store = SqliteStore(Path(folder) / "memory.db", keys=REFERENCE_KEYS, ballast_bytes=0)
        with Served(clock, policy_of(history), store) as memory:
            yield Opened(memory)


def store_for(seed: int) -> Open:
    """Every tenth history is played on SQLite."""
    return open_served_file if seed % 10 == 9 else open_served


def history_of(seed: int) -> History:
    return replace(generate(seed), memberships="registered")


@pytest.mark.parametrize("seeds", half_fresh(40, 400))
def test_the_observer_notices_nothing_that_is_hidden_through_http(seeds: Seeds) -> None:
    called, worked = Counter[str](), Counter[str]()
    for seed in seeds:
        found = compare(history_of(seed), store_for(seed))
        if found.differences:
            raise Leak(report(found, store_for(seed)))
        calls, successes = count_calls(found)
        called, worked = called + calls, worked + successes
    reads = sum(count for verb, count in worked.items() if verb.startswith("read "))
    assert reads > len(seeds) * 5  # the observer does get answers
    assert worked["remember"] > called["remember"] / 2


def test_taking_away_what_the_observer_may_see_is_noticed_through_http() -> None:
    """The positive control: of 12 histories with steps of others that the observer may see, most are told apart."""
    noticed = played = seed = 0
    while played < 12:
        history = history_of(seed)
        seed += 1
        visible = frozenset(number for number, one in Model(history).verdicts().items() if one == Verdict.VISIBLE)
        if visible:
            played += 1
            full = play(history, open_served)
            noticed += bool(differences(full, play(history.without(visible), open_served, full.made)))
    assert noticed >= 7
