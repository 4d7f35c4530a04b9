"""A store that is backed up and restored in the middle of a history gives every observer the same answers."""

from __future__ import annotations

import msgspec
import pytest
from tests.purge.histories import generate
from tests.purge.replay import play
from tests.purge.steps import READS, History, Standpoint, Step
from tests.purge.stores import open_dict, open_sqlite

EVERYTHING = {"reads": [{"verb": verb} for verb, about in READS.items() if not about]}


@pytest.mark.parametrize("seed", range(6))
def test_a_restored_store_answers_as_if_it_had_stayed(seed: int) -> None:
    history = generate(seed)
    found = 0
    for observer in _standpoints(history)[:4]:
        stayed = _look_last(history, observer)
        answers = play(stayed, open_sqlite).answers
        assert play(_move(stayed), open_sqlite).answers == answers
        found += any('"text": ' in answer for answer in answers[stayed.steps[-1].number].values())
    assert found


def test_a_memory_that_is_lost_on_the_way_is_noticed() -> None:
    history = generate(0)
    failed = play(history, open_dict).failed
    said = next(step for step in history.steps if step.kind == "remember" and step.number not in failed)
    assert said.who
    stayed = _look_last(history, said.who)
    lost = stayed.without(frozenset({said.number}))
    assert play(_move(lost), open_sqlite).answers != play(stayed, open_sqlite).answers


def _standpoints(history: History) -> list[Standpoint]:
    return list(dict.fromkeys(step.who for step in reversed(history.steps) if step.who))


def _look_last(history: History, observer: Standpoint) -> History:
    """The same history without moves, in which somebody else looks on, and asks everything in the end."""
    steps = tuple(step for step in history.steps if step.kind != "move_store")
    last = Step(steps[-1].number + 1, "look", observer, EVERYTHING)
    return msgspec.structs.replace(history, observer=observer, steps=(*steps, last))


def _move(history: History) -> History:
    """The store moves after every seventh step, and before the last."""
    move = Step(-1, "move_store", None, {})
    steps = [
        one
        for place, step in enumerate(history.steps)
        for one in ((move, step) if place % 7 == 6 or step is history.steps[-1] else (step,))
    ]
    return msgspec.structs.replace(history, steps=tuple(steps))
