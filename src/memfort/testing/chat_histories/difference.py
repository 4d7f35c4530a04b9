"""Compares what bea is shown in her chat in two histories."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from memfort.testing.chat_histories.policies import FADING_NAMES
from memfort.testing.chat_histories.words import HIDDEN, OBSERVER
from memfort.testing.histories import History, OpenMemory, Step, Transcript
from memfort.testing.playback import play
from memfort.testing.purge import Difference, compare_transcripts

Transcripts = Mapping[str, Transcript]


def difference_in_chat(
    story: History, open_memory: OpenMemory, other: Callable[[History], History] = lambda story: story.without(HIDDEN)
) -> Difference | None:
    """The first answer in which bea, in her chat, could tell a history from another one: by default, from the same
    without the hidden party."""
    return compare_in_chat(story, play(story, open_memory), play(other(story), open_memory))


def compare_in_chat(story: History, disclosed: Transcripts, otherwise: Transcripts) -> Difference | None:
    """The first answer to bea that differs between two plays. Ticks are compared only under policies that use them."""
    if story.world.policy.name not in FADING_NAMES:
        disclosed, otherwise = _without_ticks(disclosed), _without_ticks(otherwise)
    return compare_transcripts(disclosed, otherwise, OBSERVER)


_TICK = re.compile(rb'"created_tick": \d+')


def _without_ticks(disclosed: Transcripts) -> Transcripts:
    return {OBSERVER: [(step, _TICK.sub(b"", answer)) for step, answer in disclosed.get(OBSERVER, [])]}


def without_tags_out_of_sight(story: History) -> History:
    """The same history, without the tags of memories out of bea's sight: tags are not disclosed."""
    hers = [step.voice.coordinates for step in story.steps if step.voice.party == OBSERVER]
    shares = [step.given["space"] for step in story.steps if step.verb == "share"]

    def bare(step: Step) -> Step:
        space = step.given.get("space") or {}
        is_seen = space in shares or any(space.items() <= places.items() for places in hers)
        if step.verb != "remember" or step.voice.party == OBSERVER or is_seen:
            return step
        return replace(step, given={name: value for name, value in step.given.items() if name != "tags"})

    return replace(story, steps=tuple(map(bare, story.steps)))
