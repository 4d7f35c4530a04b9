"""A server does not grow with the requests that it has answered."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.client import RUN_TOKEN, Client

from memfort.store.port.values.columns import Columns
from memfort.surfaces.http.serve import Served, open_app
from memfort.surfaces.http.settings import ServerSettings

WRITES = 120
MOST_INDEXES = 40
LOADED_OBJECTS = 400_000  # as many as a server with every extra has


@pytest.fixture
def thresholds_of_the_command_line() -> Iterator[None]:
    """`memfort` starts every command with them, also `serve`."""
    before, loaded = gc.get_threshold(), [[] for _ in range(LOADED_OBJECTS)]
    gc.set_threshold(100_000)
    yield
    del loaded
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.fixture
def process_as_before() -> Iterator[None]:
    """What a server sets up for its whole process is as it was: the tests after this one share it."""
    interval = sys.getswitchinterval()
    loggers = [logging.getLogger(name) for name in ("memfort.http", "uvicorn.error", "asyncio")]
    logs = [(one, list(one.handlers), one.level, one.propagate) for one in loggers]
    yield
    sys.setswitchinterval(interval)
    for logger, handlers, level, propagate in logs:
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


@pytest.mark.usefixtures("thresholds_of_the_command_line", "process_as_before")
def test_the_index_of_every_write_is_freed(tmp_path: Path) -> None:
    """Each write makes the index of its space anew, and the old one refers to itself."""
    app = open_app(Served(str(tmp_path / "memory.db"), ServerSettings(run_token=RUN_TOKEN), gc_every=None))
    runner = asyncio.Runner()
    alice = Client(app, RUN_TOKEN, runner, x_requester_id="alice")
    most = 0
    for number in range(WRITES):
        assert alice.post("/v1/remember", {"text": f"whale number {number} was seen in bay {number}"}).status == 201
        assert alice.post("/v1/recall", {"query": f"whale {number}"}).json["hits"]
        if number % 5 == 4:
            most = max(most, sum(isinstance(one, Columns) for one in gc.get_objects()))
    runner.run(app._server.close())
    runner.close()
    assert 0 < most < MOST_INDEXES
