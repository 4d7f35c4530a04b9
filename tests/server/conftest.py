from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.client import Service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """An empty store behind the application."""
    made = Service(tmp_path / "memory.db")
    yield made
    made.close()


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[Service]:
    """The same with the policy for agents' memories. Alice owns `helper`, Bob owns `other`."""
    made = Service(tmp_path / "memory.db", policy="agents")
    made.memory.agent.register("helper", owner="alice")
    made.memory.agent.register("other", owner="bob")
    yield made
    made.close()
