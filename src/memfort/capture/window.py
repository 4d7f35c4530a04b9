"""The short-term window: the last messages of a conversation stay, the others are reduced to one short summary.

The summary consists of excerpts, never of new wording, and every segment refers to its turn. So it can be checked like
any text, and erasing a turn also erases its excerpt.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from memfort.errors import InvalidInput
from memfort.model.item import Origin

MAX_SEGMENTS = 6
MAX_SEGMENT_CHARS = 80
MAX_SUMMARY_CHARS = 240


class Turn(Struct, frozen=True):
    """One message of a conversation."""

    id: str
    speaker: Origin
    text: str


class Segment(Struct, frozen=True):
    """The excerpt of one evicted turn: its speaker and its first words, in one line."""

    turn_id: str
    text: str


class Summary(Struct, frozen=True):
    segments: tuple[Segment, ...] = ()

    @classmethod
    def from_text(cls, text: str, turn_ids: Sequence[str]) -> Summary:
        """The summary, rebuilt from its stored text and turn ids."""
        lines = text.split("\n") if text else []
        if len(lines) != len(turn_ids):
            problem = f"it has {len(lines)} lines for {len(turn_ids)} turns"
            raise InvalidInput("summary", problem, "give its text and its turn ids as they were made")
        return cls(tuple(Segment(turn_id, line) for turn_id, line in zip(turn_ids, lines, strict=True)))

    @property
    def text(self) -> str:
        return "\n".join(segment.text for segment in self.segments)

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """The turns it has excerpts of, one for each line."""
        return tuple(segment.turn_id for segment in self.segments)


class Window(Struct, frozen=True):
    kept: tuple[Turn, ...]
    evicted: tuple[Turn, ...]
    summary: Summary


NO_SUMMARY = Summary()


def slide(turns: Sequence[Turn], limit: int, former: Summary = NO_SUMMARY) -> Window:
    """Keep the last `limit` messages; the summary continues `former` with the others. Oldest first."""
    if limit < 0:
        raise InvalidInput("limit", f"`{limit}` is not a number of messages", "give zero or more")
    over = max(len(turns) - limit, 0)
    evicted = tuple(turns[:over])
    segments = (*former.segments, *map(_segment, evicted[-MAX_SEGMENTS:]))
    return Window(tuple(turns[over:]), evicted, _fit_summary(segments))


def _segment(turn: Turn) -> Segment:
    """A line has no line break, so no message can pose as a second one by another speaker."""
    line = f"{turn.speaker}: {' '.join(turn.text.split())}"
    return Segment(turn.id, line if len(line) <= MAX_SEGMENT_CHARS else line[: MAX_SEGMENT_CHARS - 1].rstrip() + "…")


def _fit_summary(segments: tuple[Segment, ...]) -> Summary:
    """As many of the newest as fit."""
    summary = Summary(segments[-MAX_SEGMENTS:])
    while len(summary.text) > MAX_SUMMARY_CHARS:
        summary = Summary(summary.segments[1:])
    return summary
