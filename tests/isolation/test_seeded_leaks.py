"""The purge test catches every deliberate leak, and finds nothing in the same history without one."""

from __future__ import annotations

import pytest
from leak_seeds import SPACE_HISTORIES, seeds_to_try
from leaks import LEAKS, Leak

from memfort.operations.recall import show_once
from memfort.testing.histories import OpenMemory
from memfort.testing.purge import difference
from memfort.testing.space_histories import generate_history

ENOUGH = 400  # histories within which every leak has to show


def test_there_are_enough_leaks() -> None:
    assert len({leak.name for leak in LEAKS}) == len(LEAKS) >= 70
    assert len({(leak.says, leak.on) for leak in LEAKS}) == len(LEAKS)


def test_recorded_histories_name_known_leaks_only() -> None:
    assert SPACE_HISTORIES.keys() <= {leak.name for leak in LEAKS}
    assert set(SPACE_HISTORIES.values()) <= set(range(ENOUGH))


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.name)
def test_every_leak_is_caught(
    leak: Leak, on_dict: OpenMemory, on_sqlite: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_memory = {"dict": on_dict, "sqlite": on_sqlite}[leak.on]
    with monkeypatch.context() as patch:
        leak.apply(patch)
        seeds = (seed for seed in seeds_to_try(leak.name, SPACE_HISTORIES, ENOUGH) if _shows(seed, open_memory))
        caught = next(seeds, None)
    assert caught is not None, f"in {ENOUGH} histories no answer showed that {leak.says}"
    print(f"{leak.name}: caught by history {caught}")
    assert not _shows(caught, open_memory), "caught by a history that fails anyway"


def test_a_broken_leak_patch_raises_instead_of_answering(on_dict: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be the same with ada and without her, so no difference could show behind it."""
    monkeypatch.setattr(show_once, "select", lambda *_: None)  # not what a recall expects
    with pytest.raises(AttributeError) as raised:
        _shows(0, on_dict)
    assert "recall(" in raised.value.__notes__[0]


def _shows(seed: int, open_memory: OpenMemory) -> bool:
    return difference(generate_history(seed), "ada", "bea", open_memory) is not None
