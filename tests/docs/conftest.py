"""A folder of one's own to play a page in: its own home, its own store, and a clock that starts at the same moment."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from tests.postgres.server import shared_server

from memfort import SystemClock

START = 1_767_603_600_000_000  # 2026-01-05 09:00 UTC, a Monday


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A PostgreSQL server with an empty database, for the page that needs one."""
    page = getattr(request.node, "callspec", None)
    if page is None or getattr(page.params.get("page"), "name", "") != "move-to-postgresql.md":
        yield
        return
    with shared_server(tmp_path) as server:
        with server.admin() as admin:
            admin.execute("create database memories")
            admin.execute("create database notes")
        monkeypatch.setenv("PGHOST", str(server.folder))
        yield


@pytest.fixture
def folder(tmp_path: Path, database: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in [name for name in os.environ if name.startswith("MEMFORT_")]:
        monkeypatch.delenv(name)
    home, work = tmp_path / "home", tmp_path / "work"
    for directory in (home, work):
        directory.mkdir(mode=0o700)
    settings = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "MEMFORT_STORE": "memory.db",
        "COLUMNS": "200",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    moments = count(START, 1_000_000)
    monkeypatch.setattr(SystemClock, "now", lambda _: next(moments))
    monkeypatch.chdir(work)
    monkeypatch.syspath_prepend(str(work))
    yield work
    for file in work.glob("*.pid"):  # a server that a page started
        with suppress(ProcessLookupError, ValueError):
            os.kill(int(file.read_text()), signal.SIGTERM)
