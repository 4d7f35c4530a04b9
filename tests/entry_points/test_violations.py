"""No way into the store brings into force what the policy refuses: not a new write, and not one that an earlier policy
admitted. Every attempt succeeds with harmless words, so it is the words that are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.entry_points.attempts import ATTEMPTS, NOT_POSSIBLE, verb_of
from tests.entry_points.scene import OWN, PROJECT, RIGHT, WRONG, Scene, Write
from tests.entry_points.surfaces import SURFACES, open_scene

from memfort import FixedClock
from memfort.operations.table import TABLE

WITHOUT_A_PLACE = {"mcp"}  # surfaces on which a caller cannot name a space: it goes to their own
NEW_WORDS = {"remember", "remember_many", "correct", "review.edit", "observe", "import"}  # not those of the store
MAKES_OWN_PLACE = {"promote"}


def tries() -> Iterator[tuple[str, str]]:
    for surface, (_, offers, _) in SURFACES.items():
        yield from ((surface, attempt) for attempt in ATTEMPTS if offers(TABLE[verb_of(attempt)]))


def is_possible(surface: str, attempt: str, write: Write) -> bool:
    if (attempt, write.name) in NOT_POSSIBLE:
        return False
    names_space = attempt in {"remember", "remember:derived", "remember_many", "observe"} or attempt.startswith(
        "import"
    )
    return not (surface in WITHOUT_A_PLACE and names_space and write.space != OWN)


every_try = pytest.mark.parametrize(("surface", "attempt"), list(tries()))


@pytest.fixture
def scenes(tmp_path: Path, clock: FixedClock) -> Iterator[Callable[[str], Scene]]:
    made: list[Scene] = []

    def make(surface: str) -> Scene:
        made.append(open_scene(surface, tmp_path / str(len(made)) / "memory.db", clock))
        return made[-1]

    yield make
    for scene in made:
        scene.memory.close()


@every_try
def test_what_the_policy_refuses_does_not_come_into_force(
    scenes: Callable[[str], Scene], surface: str, attempt: str
) -> None:
    send, row = SURFACES[surface][0], TABLE[verb_of(attempt)]
    for write in (one for one in WRONG.values() if is_possible(surface, attempt, one)):
        scene = scenes(surface)
        fields = ATTEMPTS[attempt](scene, write)
        if fields is None:  # a file cannot name that space
            assert write.space != OWN
            continue
        before, mentioned = scene.in_force(write), scene.mentions(write)
        answer = send(scene, write, row, fields)
        where = f"{write.name}: {answer}"
        assert scene.in_force(write) <= before, where
        finds_nothing = write.is_elsewhere and attempt.startswith("undo")  # which is no error
        assert finds_nothing or any(reason in answer for reason in write.reasons), where
        if write.name == "secret" and verb_of(attempt) in NEW_WORDS:
            assert scene.mentions(write) == mentioned == 0, where
            assert write.words not in answer, where
        assert scene.memory.trail.verify().ok


@every_try
def test_the_same_with_harmless_words_does(scenes: Callable[[str], Scene], surface: str, attempt: str) -> None:
    send, row = SURFACES[surface][0], TABLE[verb_of(attempt)]
    for write in (one for one in RIGHT.values() if is_possible(surface, attempt, one)):
        scene = scenes(surface)
        fields = ATTEMPTS[attempt](scene, write)
        if fields is None:  # a file cannot name that space
            assert write.space != OWN
            continue
        target = str(PROJECT if attempt in MAKES_OWN_PLACE else write.space)
        before = {space for space, _ in scene.in_force(write)}
        answer = send(scene, write, row, fields)
        assert target not in before
        assert target in {space for space, _ in scene.in_force(write)}, f"{write.name}: {answer}"
