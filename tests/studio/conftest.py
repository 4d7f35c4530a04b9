"""A server with a store to look at, and a real browser before it."""

from __future__ import annotations

import os
import shutil
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.postgres.conftest import databases, key_file, server  # noqa: F401  # fixtures: a database for a test
from tests.server.client import Service
from tests.server.running import running
from tests.studio.visitor import Visitor

from memfort.surfaces.cli.demo_studio import add_launch
from memfort.surfaces.studio import routes

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
START_TOKEN = "the-start-token-of-the-tests"


def find_chromium() -> str:
    """The browser that is installed. `make test-studio` installs Debian's where it may."""
    named = os.environ.get("MEMFORT_TEST_CHROMIUM")
    found = named or next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail("no Chromium is installed: run `apt-get install chromium`, or name one in MEMFORT_TEST_CHROMIUM")
    return found


@pytest.fixture(autouse=True)
def _failures_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that fails says nothing of itself to the visitor; a test prints where it failed."""
    monkeypatch.setattr(routes, "log_failure", lambda error, _: traceback.print_exception(error))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=find_chromium(), args=list(_FLAGS))
        yield made
        made.close()


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The team that plans a launch. Tests that share it only read."""
    service = made_team(tmp_path_factory.mktemp("studio") / "memory.db")
    yield service
    in_thread(service.close)


@pytest.fixture
def own_team(tmp_path: Path) -> Iterator[Service]:
    """The same for a test that changes something."""
    service = made_team(tmp_path / "memory.db")
    yield service
    in_thread(service.close)


def in_thread(work: Callable[[], Any]) -> Any:
    """The browser's driver has an event loop in this thread, so what wants one of its own runs in another."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def made_team(path: Path, **settings: Any) -> Service:
    service = Service(path, start_token=START_TOKEN, **settings)
    add_launch(service.memory)
    return service


@pytest.fixture(scope="session")
def team_url(team: Service) -> Iterator[str]:
    with running(team) as url:
        yield url


@pytest.fixture
def own_url(own_team: Service) -> Iterator[str]:
    with running(own_team) as url:
        yield url


@pytest.fixture
def operator(browser: Browser, team: Service, team_url: str) -> Iterator[Visitor]:
    """Whoever started the server, looking as alice in the project."""
    visitor = Visitor(browser, team_url)
    visitor.sign_in(team.operator_key, looks_as="alice", at="project=apollo")
    yield visitor
    visitor.close()


@pytest.fixture
def alice(browser: Browser, team: Service, team_url: str) -> Iterator[Visitor]:
    """Alice, with a key of her own that may not act for others."""
    visitor = Visitor(browser, team_url)
    visitor.sign_in(team.key("alice"), at="project=apollo")
    yield visitor
    visitor.close()


@pytest.fixture
def owner(browser: Browser, own_team: Service, own_url: str) -> Iterator[Visitor]:
    """Alice with her own key, before a store that is this test's alone."""
    visitor = Visitor(browser, own_url)
    visitor.sign_in(own_team.key("alice"), at="project=apollo")
    yield visitor
    visitor.close()
