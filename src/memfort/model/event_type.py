"""What kind of thing was said: the six words that seed 004 sorts every statement by."""

from __future__ import annotations

from enum import StrEnum


class EventType(StrEnum):
    PREFERENCE = "preference"  # how somebody likes things to be
    DECISION = "decision"  # what was settled
    FACT = "fact"  # something about the speaker that stays true
    CORRECTION = "correction"  # what was said before does not hold
    EXECUTION = "execution"  # what a tool did
    CONTEXT = "context"  # all the rest
