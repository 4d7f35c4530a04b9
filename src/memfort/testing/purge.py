"""The purge test of Goguen and Meseguer: a party left out of a history must change no answer to the observer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from memfort.testing.histories import History, OpenMemory, Step, Transcript
from memfort.testing.playback import play


class Difference(Struct, frozen=True):
    """The first answer in which one party could notice another."""

    step: Step
    with_party: bytes
    without_party: bytes

    def __str__(self) -> str:
        at = next((n for n, (a, b) in enumerate(zip(self.with_party, self.without_party, strict=False)) if a != b), 0)
        around = slice(max(at - 200, 0), at + 200)
        sides = {"with": self.with_party, "without": self.without_party}
        shown = (f"  {name}: …{text[around].decode(errors='replace')}…" for name, text in sides.items())
        return "\n".join((str(self.step), *shown))


def difference(history: History, unseen: str, observer: str, open_memory: OpenMemory) -> Difference | None:
    """The first answer in which `observer` could notice `unseen`, or `None`."""
    return compare_transcripts(play(history, open_memory), play(history.without(unseen), open_memory), observer)


def compare_transcripts(
    left: Mapping[str, Transcript], right: Mapping[str, Transcript], party: str
) -> Difference | None:
    """The first answer to `party` in which two plays of the same steps differ."""
    pairs = zip(left.get(party, []), right.get(party, []), strict=True)
    return next((Difference(step, one, other) for (step, one), (_, other) in pairs if one != other), None)


def shrink(history: History, fails: Callable[[History], bool]) -> History:
    """The smallest failing history found by greedily leaving out runs of steps: no single step more can be left out."""
    size = max(len(history.steps) // 2, 1)
    while True:
        start, smaller = 0, False
        while start < len(history.steps):
            rest = replace(history, steps=history.steps[:start] + history.steps[start + size :])
            if fails(rest):
                history, smaller = rest, True
            else:
                start += size
        if size == 1 and not smaller:
            return history
        size = max(size // 2, 1)
