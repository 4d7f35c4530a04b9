"""Histories: what several parties do with one memory, as plain values, and a runner that plays them.

A history is played on a fresh memory, and every party gets a transcript: what it asked, and every byte of the answers.
Played again without one party, it shows what the others could notice of that party: see `difference`. The histories
themselves are made from seeds by `memfort.testing.storyteller`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from memfort.clock import FixedClock
from memfort.memory import Memory
from memfort.memory.bound import BoundMemory
from memfort.memory.input import space_of
from memfort.model.actor import Actor, ActorKind, Standpoint
from memfort.model.moment import Moment
from memfort.model.space import Level, Space

START = Moment(1_700_000_000_000_000)

# -- histories as values ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Voice:
    """One standpoint that a party speaks from."""

    party: str  # whose transcript the answers go to
    actor: Actor | None = None
    places: tuple[tuple[str, str], ...] = ()

    def bound(self, memory: Memory) -> BoundMemory:
        assert self.actor is not None
        match self.actor.kind:
            case ActorKind.USER:
                return memory.as_user(self.actor.id, **dict(self.places))
            case ActorKind.AGENT:
                return memory.as_agent(self.actor.id, acting_for=self.actor.acting_for, **dict(self.places))
            case _:
                return memory.as_system()

    def space(self, given: Mapping[str, str] | None) -> Space:
        """The space that is meant by `given`."""
        assert self.actor is not None
        return space_of(Standpoint(self.actor, ()), given)

    def __str__(self) -> str:
        at = "".join(f" {level}={id!r}" for level, id in self.places)
        return f"{self.party}: {self.actor}{' at' + at if at else ''}" if self.actor else self.party


NOBODY = Voice("nobody")


@dataclass(frozen=True)
class Step:
    """One thing somebody does, or the clock moving on."""

    voice: Voice
    verb: str
    given: Mapping[str, Any]

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"[{self.voice}] {self.verb}({given})"


Group = tuple[str, str, tuple[str, ...], tuple[str, ...]]  # level, id, users, agents


@dataclass(frozen=True)
class World:
    """What the directory knows before the first step."""

    memberships: str
    agents: tuple[tuple[str, str], ...]  # agent and owner
    groups: tuple[Group, ...]

    def settle(self, memory: Memory) -> None:
        for agent, owner in self.agents:
            memory.directory.register_agent(agent, owner=owner)
        for level, id, users, agents in self.groups:
            if level == Level.CHAT:
                memory.directory.register_chat(id, kind="group", participants=users, agents=agents)
                continue
            for user in users:
                memory.directory.add_member(level, id, user=user)
            for agent in agents:
                memory.directory.add_member(level, id, agent=agent)


@dataclass(frozen=True)
class History:
    seed: int
    world: World
    steps: tuple[Step, ...]

    def without(self, party: str) -> History:
        return replace(self, steps=tuple(step for step in self.steps if step.voice.party != party))

    def __str__(self) -> str:
        return "\n".join([f"history {self.seed}, memberships {self.world.memberships}", *map(str, self.steps)])


OpenMemory = Callable[[World, FixedClock], Memory]
Transcript = list[tuple[Step, bytes]]  # what was asked, and the answer in canonical JSON


def how_many(default: int) -> int:
    """How many histories a test should play. `MEMFORT_TEST_HISTORIES` asks for that many in all instead of 2,000, and
    every test's share grows or shrinks with it."""
    in_all = int(os.environ.get("MEMFORT_TEST_HISTORIES") or 2_000)
    return max(round(default * in_all / 2_000), 1)


def play(
    history: History, open_memory: OpenMemory, at_the_end: Callable[[Memory], None] | None = None
) -> dict[str, Transcript]:
    """Play a history on a fresh memory. Every party gets the transcript of what it asked and was told."""
    clock = FixedClock(START)
    told: dict[str, Transcript] = {}
    with open_memory(history.world, clock) as memory:
        history.world.settle(memory)
        for step in history.steps:
            told.setdefault(step.voice.party, []).append((step, _answer(memory, clock, step)))
        if at_the_end is not None:
            at_the_end(memory)
    return told


@dataclass(frozen=True)
class Difference:
    """The first answer in which one party could notice another."""

    step: Step
    with_them: bytes
    without_them: bytes

    def __str__(self) -> str:
        at = next((n for n, (a, b) in enumerate(zip(self.with_them, self.without_them, strict=False)) if a != b), 0)
        around = slice(max(at - 200, 0), at + 200)
        sides = {"with": self.with_them, "without": self.without_them}
        shown = (f"  {name}: …{text[around].decode(errors='replace')}…" for name, text in sides.items())
        return "\n".join((str(self.step), *shown))


def difference(history: History, unseen: str, observer: str, open_memory: OpenMemory) -> Difference | None:
    """What `observer` could notice of `unseen`: the purge test of Goguen and Meseguer. Nothing, if all is well."""
    return compared(play(history, open_memory), play(history.without(unseen), open_memory), observer)


def compared(left: Mapping[str, Transcript], right: Mapping[str, Transcript], party: str) -> Difference | None:
    """The first answer to `party` in which two plays of the same steps differ."""
    pairs = zip(left.get(party, []), right.get(party, []), strict=True)
    return next((Difference(step, one, other) for (step, one), (_, other) in pairs if one != other), None)


def shrunk(history: History, fails: Callable[[History], bool]) -> History:
    """A history that still fails and from which no single step can be left out: greedily, in ever smaller runs."""
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


# -- playing ---------------------------------------------------------------------------------------------------------


def _answer(memory: Memory, clock: FixedClock, step: Step) -> bytes:
    try:
        return written(_asked(memory, clock, step))
    except Exception as error:  # noqa: BLE001  # whatever is raised is what the party was told
        return written({"error": type(error).__name__, "message": str(error)})


def _asked(memory: Memory, clock: FixedClock, step: Step) -> Any:
    if step.voice.actor is None:
        return _UPKEEP[step.verb](memory, clock, **step.given)
    bound, given = step.voice.bound(memory), dict(step.given)
    if step.verb in _COMPOSED:
        return _COMPOSED[step.verb](bound, memory=memory, **given)
    return getattr(bound, step.verb)(*given.pop("ids", ()), **given)


def written(answer: Any) -> bytes:
    """Any answer as canonical JSON, with nothing left out."""
    return json.dumps(answer, default=_plain, ensure_ascii=False, sort_keys=True).encode()


def _plain(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case Space():
            return value.as_dict()
        case Mapping():
            return dict(value)
        case frozenset():
            return sorted(value, key=str)
        case Iterator():
            return list(value)
        case _ if is_dataclass(value):
            return {field.name: getattr(value, field.name) for field in fields(value)}
        case _:
            raise TypeError(f"a {type(value).__name__} in an answer: say here how it is written")


def _pages(bound: BoundMemory, *, memory: Memory, **given: Any) -> list[Any]:
    """A listing read page by page to its end, cursors included."""
    pages, cursor = [], None
    while True:
        page = bound.list(cursor=cursor, **given)
        pages.append(page)
        cursor = page.cursor
        if cursor is None:
            return pages


def _explain_recall(bound: BoundMemory, *, memory: Memory, query: str) -> Any:
    return bound.explain(bound.recall(query).trace)


def _explain_to(bound: BoundMemory, *, memory: Memory, id: str, viewer: Voice) -> Any:
    return bound.explain(id, viewer.bound(memory))


def _reimport(bound: BoundMemory, *, memory: Memory, dry_run: bool) -> Any:
    data = "\n".join(json.dumps(line, sort_keys=True) for line in bound.export()).encode()
    return bound.import_(data, dry_run=dry_run)


def _revoke(bound: BoundMemory, *, memory: Memory, space: Mapping[str, str], reader: str) -> Any:
    wanted = [share for share in bound.shares() if share.space.as_dict() == space and str(share.reader) == reader]
    return bound.revoke(wanted[0].id if wanted else "shr_unknown")


def _verify(bound: BoundMemory, *, memory: Memory) -> Any:
    """Check every erasure of one's own."""
    return [(erasure, bound.verify_erasure(erasure.id)) for erasure in bound.erasures()]


def _erase_source(bound: BoundMemory, *, memory: Memory, index: int, dry_run: bool) -> Any:
    sources = bound.sources()
    return bound.erase_source(sources[index % len(sources)].id if sources else "src_unknown", dry_run=dry_run)


def _import(bound: BoundMemory, *, memory: Memory, lines: Sequence[str], dry_run: bool) -> Any:
    return bound.import_("\n".join(lines).encode(), filename="notes.jsonl", dry_run=dry_run)


_COMPOSED: dict[str, Callable[..., Any]] = {
    "pages": _pages,
    "explain_recall": _explain_recall,
    "explain_to": _explain_to,
    "reimport": _reimport,
    "revoke": _revoke,
    "verify_erasure": _verify,
    "erase_source": _erase_source,
    "import_": _import,
}


def _wait(memory: Memory, clock: FixedClock, seconds: float) -> None:
    clock.advance(seconds)


_UPKEEP: dict[str, Callable[..., Any]] = {
    "wait": _wait,
    "sweep": lambda memory, clock: memory.sweep(),
    "reindex": lambda memory, clock: memory.reindex(),
    "finish_erasures": lambda memory, clock: memory.finish_erasures(),
}
