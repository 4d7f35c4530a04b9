"""What bea, in her room, could tell from another story."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memfort.testing.histories import Difference, History, OpenMemory, Step, Transcript, compared, play
from memfort.testing.room_stories.policies import FADING_NAMES
from memfort.testing.room_stories.words import APART, OBSERVER


def room_difference(
    story: History, open_memory: OpenMemory, other: Callable[[History], History] = lambda story: story.without(APART)
) -> Difference | None:
    """The first answer in which bea, in her room, could tell a story from another: from the one without what was done
    apart. Ticks are looked at only where the policy goes by them: see `Book`."""
    left, right = play(story, open_memory), play(other(story), open_memory)
    if story.world.policy.name not in FADING_NAMES:
        left, right = _without_ticks(left), _without_ticks(right)
    return compared(left, right, OBSERVER)


_TICK = re.compile(rb'"created_tick": \d+')


def _without_ticks(told: dict[str, Transcript]) -> dict[str, Transcript]:
    return {party: [(step, _TICK.sub(b"", answer)) for step, answer in said] for party, said in told.items()}


def without_files(story: History) -> History:
    """The same story, in which what lies out of bea's sight has no tags: those are not told with it."""
    hers = [step.voice.held for step in story.steps if step.voice.party == OBSERVER]
    shares = [step.given["space"] for step in story.steps if step.verb == "share"]

    def bare(step: Step) -> Step:
        space = step.given.get("space") or {}
        is_seen = space in shares or any(space.items() <= places.items() for places in hers)
        if step.verb != "remember" or step.voice.party == OBSERVER or is_seen:
            return step
        return replace(step, given={name: value for name, value in step.given.items() if name != "tags"})

    return replace(story, steps=tuple(map(bare, story.steps)))
