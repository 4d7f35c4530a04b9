"""What bea, in her room, could tell from another story."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from memfort.testing.histories import Difference, History, OpenMemory, Step, Transcript, compared, play
from memfort.testing.room_stories.policies import FADING_NAMES
from memfort.testing.room_stories.words import APART, OBSERVER

Told = Mapping[str, Transcript]


def room_difference(
    story: History, open_memory: OpenMemory, other: Callable[[History], History] = lambda story: story.without(APART)
) -> Difference | None:
    """The first answer in which bea, in her room, could tell a story from another: from the one without what was done
    apart."""
    return room_compared(story, play(story, open_memory), play(other(story), open_memory))


def room_compared(story: History, disclosed: Told, otherwise: Told) -> Difference | None:
    """The same of what was told in both. Ticks are looked at only where the policy goes by them: see `Book`."""
    if story.world.policy.name not in FADING_NAMES:
        disclosed, otherwise = _without_ticks(disclosed), _without_ticks(otherwise)
    return compared(disclosed, otherwise, OBSERVER)


_TICK = re.compile(rb'"created_tick": \d+')


def _without_ticks(disclosed: Told) -> Told:
    return {OBSERVER: [(step, _TICK.sub(b"", answer)) for step, answer in disclosed.get(OBSERVER, [])]}


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
