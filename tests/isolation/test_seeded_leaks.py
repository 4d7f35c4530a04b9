"""The purge test catches every leak that is sown; without one it finds nothing in the same histories."""

from __future__ import annotations

import pytest
from leaks import LEAKS, Leak

from memfort.testing.histories import OpenMemory, difference
from memfort.testing.storyteller import generate

ENOUGH = 400  # histories within which every leak has to show


def test_there_are_leaks_enough() -> None:
    assert len({leak.name for leak in LEAKS}) == len(LEAKS) >= 70
    assert len({(leak.says, leak.on) for leak in LEAKS}) == len(LEAKS)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.name)
def test_every_leak_is_caught(
    leak: Leak, on_dict: OpenMemory, on_sqlite: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_memory = {"dict": on_dict, "sqlite": on_sqlite}[leak.on]
    with monkeypatch.context() as patch:
        leak.sow(patch)
        caught = next(
            (seed for seed in range(ENOUGH) if difference(generate(seed), "ada", "bea", open_memory) is not None), None
        )
    assert caught is not None, f"in {ENOUGH} histories nobody noticed that {leak.says}"
    print(f"{leak.name}: caught by history {caught}")
    assert difference(generate(caught), "ada", "bea", open_memory) is None, "caught by a history that fails anyway"
