"""The worker that reads turns with a model: what the model answers passes the gates of the policy in force then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.completion_server import statement
from tests.entry_points.scene import LOOSE, OWN, RIGHT, STRICT, WRONG, Scene, Write

from memfort import Memory

SEND = {"extraction": {"send": ["public", "personal"]}}
SAID = "where would anybody put a third bicycle?"  # the rules take no statement from a question
WRITES = [one for one in (*WRONG.values(), *RIGHT.values()) if one.space == OWN]


@pytest.mark.parametrize("by", ["store.extract", "a worker"])
@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.name)
def test_what_a_model_says_does_not_come_into_force_if_it_is_refused(
    open_memory: Callable[..., Memory], clock: Any, tmp_path: Path, write: Write, by: str
) -> None:
    def model(_: Any) -> Any:
        return {"statements": [statement(1, f"A third bicycle is wanted. {write.text}.", "a third bicycle")]}

    memory = open_memory(extractor=model, memberships="registered")
    scene = Scene(memory, tmp_path)
    memory.policy.use({**LOOSE, **SEND})
    scene.alice.observe([SAID], space=OWN)
    scene.tighten(write)
    memory.policy.use({**STRICT, **SEND})
    clock.advance(60.0)
    done = memory.store.extract() if by == "store.extract" else memory.extract_due()
    assert done.read == 1
    assert bool(scene.in_force(write)) is not write.is_wrong, done
    assert write.name != "secret" or scene.mentions(write) == 0
