"""The chat histories catch every deliberate leak between chats, and find nothing in the same history without one."""

from __future__ import annotations

import pytest
from chat_leaks import TAGS, ChatLeak
from disclosure_leaks import CHAT_LEAKS
from leak_seeds import CHAT_HISTORIES, seeds_to_try

from memfort.testing.chat_histories import difference_in_chat, generate_chat_history, without_tags_out_of_sight
from memfort.testing.histories import OpenMemory

ENOUGH = 400  # histories within which every leak has to show


def test_there_are_enough_leaks() -> None:
    assert len({leak.name for leak in CHAT_LEAKS}) == len(CHAT_LEAKS) >= 80


def test_recorded_histories_name_known_leaks_only() -> None:
    assert CHAT_HISTORIES.keys() <= {leak.name for leak in CHAT_LEAKS}
    assert set(CHAT_HISTORIES.values()) <= set(range(ENOUGH))


@pytest.mark.parametrize("leak", CHAT_LEAKS, ids=lambda leak: leak.name)
def test_every_leak_between_chats_is_caught(
    leak: ChatLeak, on_dict: OpenMemory, on_sqlite: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_memory = {"dict": on_dict, "sqlite": on_sqlite}[leak.on]

    def shows(seed: int) -> bool:
        history = generate_chat_history(seed)
        other = {"other": without_tags_out_of_sight} if leak.shown_by == TAGS else {}
        return difference_in_chat(history, open_memory, **other) is not None

    def shows_when_patched(seed: int) -> bool:
        with monkeypatch.context() as patch:
            leak.apply(patch)
            return shows(seed)

    seeds = seeds_to_try(leak.name, CHAT_HISTORIES, ENOUGH)
    # A history that fails without the leak has not caught it.
    caught = next((seed for seed in seeds if shows_when_patched(seed) and not shows(seed)), None)
    assert caught is not None, f"in {ENOUGH} histories no answer showed that {leak.says}"
    print(f"{leak.name}: caught by history {caught}")
