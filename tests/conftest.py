"""What all tests share: how Hypothesis behaves, and a memory on each store with a clock that a test moves."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from msgspec.structs import replace
from tests.generated import FRESH, fresh_digest
from tests.processor_time import ProcessorTime

from memfort import FixedClock, Memory, Policy, Sensitivity, SensitivityRules
from memfort.embed import classifier
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore
from memfort.store.port import new_keys
from memfort.store.sqlite import SqliteStore
from memfort.trail.keys import Keys

# No deadline: a slow machine must not fail the build. Derandomised: the same change gives the same answer twice.
settings.register_profile(
    "memfort", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("memfort")

# Temporary folders lie in memory where there is room for them: a store that is made waits for the disk again and again,
# and this was half of the time that all tests took. The tests of faults do have a disk under them, see there.
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

ORDER = "MEMFORT_TEST_ORDER"
NOW = Moment(1_767_225_600_000_000)  # 2026-01-01T00:00:00Z


# The folders of tests that are about something else and write text without a label where a chat, a share or a public
# space has to show it. Their stores take what nobody labelled for public, whatever the lexicon knows, unless a test is
# marked `fails_closed`. All other tests have the policies as they ship, unless one is marked `unlabelled_is_public`.
# No test depends on whether an encoder is installed.
UNLABELLED_IS_PUBLIC_IN = frozenset(
    [
        "benchmarks",
        "capture",
        "cli",
        "disclosure",
        "docs",
        "embed",
        "faults",
        "isolation",
        "language",
        "operations",
        "people",
        "policy",
        "postgres",
        "purge",
        "python",
        "recall",
        "seeds",
        "server",
        "store",
        "stories",
        "test_benchmarks.py",
        "test_demo.py",
    ]
)
UNLABELLED_IS_PUBLIC = SensitivityRules(unknown=Sensitivity.PUBLIC, unknown_language=Sensitivity.PUBLIC)


def labelled_only(policy: Any) -> Policy:
    """The policy, with what nobody labelled public."""
    return replace(Policy.of(policy), sensitivity=UNLABELLED_IS_PUBLIC)


def takes_unlabelled_for_public(request: pytest.FixtureRequest) -> bool:
    """Whether a test has stores in which text that nobody labelled is public; otherwise the shipped policies."""
    if request.node.get_closest_marker("unlabelled_is_public") is not None:
        return True
    folder = request.path.relative_to(Path(__file__).parent).parts[0]
    return folder in UNLABELLED_IS_PUBLIC_IN and request.node.get_closest_marker("fails_closed") is None


@pytest.fixture(autouse=True)
def shipped_policies_unless_unlabelled_is_public(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No encoder; and the policies as they ship, except where `takes_unlabelled_for_public` says otherwise."""
    monkeypatch.setattr(classifier, "find_spec", lambda _: None)
    if takes_unlabelled_for_public(request):
        default = labelled_only(Policy())
        monkeypatch.setattr("memfort.client.memory._default_policy", lambda: default)


def pytest_configure(config: pytest.Config) -> None:
    """All processes of one run play the same fresh histories, even if a file changes meanwhile."""
    os.environ[FRESH] = fresh_digest()
    config.pluginmanager.register(ProcessorTime())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With `MEMFORT_TEST_ORDER=7`, files and the tests in them come in another order, the same for the same number: no
    test may depend on which one ran before it."""
    if order := os.environ.get(ORDER):
        random = Random(order)
        turns = {file: random.random() for file in sorted({item.path for item in items})}
        random.shuffle(items)
        items.sort(key=lambda item: turns[item.path])


def pytest_collection_finish() -> None:
    """What is loaded and collected stays until the end: the collector of garbage need not look at 20,000 tests and all
    modules again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Each store that a test makes has keys of its own, the same in every run. So ids are the same, and no word that a
    test looks for in an answer is spelled by an id in one run of a thousand."""
    _number_keys_from(0)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    """A key that a test makes is another than those of the stores that its fixtures made."""
    _number_keys_from(1_000)


def _number_keys_from(first: int) -> None:
    numbers = count(first)
    new_keys.make_keys = lambda: _keys(next(numbers))


def _keys(number: int) -> Keys:
    secret, signing = (sha256(f"{name} {number}".encode()).digest() for name in ("secret", "signing"))
    return Keys(secret=secret, signing=signing)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails on fresh histories says how to play them again."""
    report = yield
    if report.failed and item.get_closest_marker("fresh") is not None:
        again = f"{FRESH}={fresh_digest()} .venv/bin/pytest -n 0 '{item.nodeid}'"
        report.sections.append(("these histories are fresh: play them again, also on other code", again))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which histories were fresh, if some were played."""
    played = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    if any("fresh" in getattr(report, "keywords", ()) for report in played):
        terminalreporter.write_line(f"Fresh histories are from {FRESH}={fresh_digest()}.")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture(params=["dict", "sqlite"])
def open_memory(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Callable[..., Memory]]:
    """Make a fresh memory, on the dict store and on SQLite in turn."""
    made: list[Memory] = []

    def make(**options: Any) -> Memory:
        path = tmp_path / str(len(made)) / "memory.db"
        if options.get("policy") is not None and takes_unlabelled_for_public(request):
            options["policy"] = labelled_only(options["policy"])
        store = MemoryStore() if request.param == "dict" else SqliteStore(path, ballast_bytes=0)
        made.append(Memory(store, clock=clock, **options))
        return made[-1]

    yield make
    for memory in made:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()
