"""A trail with a little of everything in it, as each actor exports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memfort import Memory

Lines = list[dict[str, Any]]
SECRET = "AKIAQ3EGRVFJ7WKPZT5M"  # shaped like an AWS key id, but made up
SOURCE = "/memfort/stores/test"


@pytest.fixture
def lived(memory: Memory) -> Memory:
    alice = memory.as_user("alice", project="apollo")
    bob = memory.as_user("bob", project="apollo")
    helper = memory.as_agent("helper", owner="alice", acting_for="bob")
    tea = alice.remember("alice drinks volcanic tea")
    alice.correct(tea.id, "alice drinks volcanic coffee")
    alice.remember("alice waits for volcanic review", confidence=0.1)
    alice.remember(f"the volcanic key is {SECRET}")
    alice.remember("volcanic words for all", space={"project": "apollo"})
    bob.remember("more volcanic words", space={"project": "apollo"})
    helper.remember("volcanic words of the helper")
    alice.forget(alice.remember("volcanic, and forgotten").id)
    alice.erase(alice.remember("volcanic, and erased").id)
    alice.share(user="bob")
    bob.recall("volcanic")
    alice.list()
    memory.member.add({"project": "apollo"}, user="carol")
    return memory


@pytest.fixture
def trail(lived: Memory) -> Callable[..., Lines]:
    """The trail as exported by the system, or by a user standing in the project."""
    bound = {"system": lived.as_system()} | {name: lived.as_user(name, project="apollo") for name in ("alice", "bob")}
    return lambda who="system": list(bound[who].trail.export())
