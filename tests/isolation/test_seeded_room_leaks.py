"""The room stories catch every leak between rooms that is sown; without one they find nothing in the same story."""

from __future__ import annotations

import pytest
from caught import STORIES, tried
from room_leaks import FILE, ROOM_LEAKS, RoomLeak

from memfort.testing.chat_histories import difference_in_chat, generate_chat_history, without_tags_out_of_sight
from memfort.testing.histories import OpenMemory

ENOUGH = 400  # stories within which every leak has to show


def test_there_are_leaks_enough() -> None:
    assert len({leak.name for leak in ROOM_LEAKS}) == len(ROOM_LEAKS) >= 60


def test_recorded_stories_name_known_leaks_only() -> None:
    assert STORIES.keys() <= {leak.name for leak in ROOM_LEAKS}
    assert set(STORIES.values()) <= set(range(ENOUGH))


@pytest.mark.parametrize("leak", ROOM_LEAKS, ids=lambda leak: leak.name)
def test_every_leak_between_chats_is_caught(
    leak: RoomLeak, on_dict: OpenMemory, on_sqlite: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_memory = {"dict": on_dict, "sqlite": on_sqlite}[leak.on]

    def shows(seed: int) -> bool:
        story = generate_chat_history(seed)
        other = {"other": without_tags_out_of_sight} if leak.shown_by == FILE else {}
        return difference_in_chat(story, open_memory, **other) is not None

    def shows_when_sown(seed: int) -> bool:
        with monkeypatch.context() as patch:
            leak.sow(patch)
            return shows(seed)

    seeds = tried(leak.name, STORIES, ENOUGH)
    # What shows in a story that fails anyway has not been caught by it.
    caught = next((seed for seed in seeds if shows_when_sown(seed) and not shows(seed)), None)
    assert caught is not None, f"in {ENOUGH} stories nobody noticed that {leak.says}"
    print(f"{leak.name}: caught by story {caught}")
