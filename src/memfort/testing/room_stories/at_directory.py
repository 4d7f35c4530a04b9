"""Steps at the directory of people: its verbs, from whoever stands there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memfort.memory import Memory
from memfort.memory.bound import BoundMemory
from memfort.testing.histories import Step, Voice


@dataclass(frozen=True)
class AtDirectory(Voice):
    """Somebody at the directory of people: what they do are its verbs."""

    def bound(self, memory: Memory) -> Any:
        return _Directory(super().bound(memory))


class _Directory:
    def __init__(self, bound: BoundMemory) -> None:
        self._bound = bound
        self.trace = bound.trace

    @property
    def last_trace(self) -> str | None:
        return self._bound.last_trace

    def __getattr__(self, verb: str) -> Any:
        return getattr(self._bound.people, verb)


def asking(voice: Voice, verb: str, traced: bool = False, **given: Any) -> Step:
    return Step(AtDirectory(voice.party, voice.actor, voice.places), verb, given, traced=traced)
