"""Histories: what several parties do with one memory, as plain values, and a runner that plays them.

A history is played on a fresh memory, and every party gets a transcript: what it asked, and every byte of the answers.
Played again without one party, it shows what the others could notice of that party: see `difference`. The histories
themselves are made from seeds by `memfort.testing.storyteller`.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from memfort.client import Memory
from memfort.client.bound import BoundMemory
from memfort.clock import FixedClock
from memfort.engine.default_place import space_or_home
from memfort.errors import MemfortError, a
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import ChatKind, Trust
from memfort.model.space import Level, Space
from memfort.policy.settings.policy import Policy

START = Moment(1_700_000_000_000_000)

# -- histories as values ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Voice:
    """One standpoint that a party speaks from."""

    party: str  # whose transcript the answers go to
    actor: Actor | None = None
    places: tuple[tuple[str, str], ...] = ()

    @cached_property
    def held(self) -> Mapping[str, str]:
        """The coordinates it stands at. Whoever writes a story asks for them all the time."""
        assert self.actor is not None
        own = {"user": self.actor.user, "agent": self.actor.agent}
        return MappingProxyType(dict(self.places) | {level: id for level, id in own.items() if id is not None})

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
        return space_or_home(Standpoint(self.actor, ()), given, Policy())

    def __str__(self) -> str:
        at = "".join(f" {level}={id!r}" for level, id in self.places)
        return f"{self.party}: {self.actor}{' at' + at if at else ''}" if self.actor else self.party


NOBODY = Voice("nobody")


@dataclass(frozen=True)
class Step:
    """One thing somebody does, or the clock moving on."""

    voice: Voice
    verb: str  # a name of the table of operations, or of `_COMPOSED` below
    given: Mapping[str, Any]
    traced: bool = False  # whether the trace of the call is asked for at once

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"[{self.voice}] {self.verb}({given}){' and its trace' if self.traced else ''}"


Group = tuple[str, str, tuple[str, ...], tuple[str, ...]]  # level, id, users, agents
Talk = tuple[str, str, tuple[str, ...]]  # a chat: its id, its kind, and the users who take part


@dataclass(frozen=True)
class World:
    """What the directory knows before the first step, and the policy that is in force."""

    memberships: str
    agents: tuple[tuple[str, str], ...]  # agent and owner
    groups: tuple[Group, ...]
    trust: Mapping[str, Trust] = field(default_factory=dict)  # by user, in every group; else a contributor
    policy: Policy = field(default_factory=Policy)
    chats: tuple[Talk, ...] = ()

    def settle(self, memory: Memory) -> None:
        for agent, owner in self.agents:
            memory.agent.register(agent, owner=owner)
        for level, id, users, agents in self.groups:
            if level == Level.CHAT:
                memory.chat.register(id, kind="group", participants=users, agents=agents)
            for user in users:
                memory.member.add({level: id}, user=user, trust=self.trust.get(user, Trust.CONTRIBUTOR))
            for agent in agents:
                memory.member.add({level: id}, agent=agent)
        for id, kind, users in self.chats:
            memory.chat.register(id, kind=ChatKind(kind), participants=users)


@dataclass(frozen=True)
class History:
    seed: int
    world: World
    steps: tuple[Step, ...]

    def without(self, party: str) -> History:
        return replace(self, steps=tuple(step for step in self.steps if step.voice.party != party))

    def __str__(self) -> str:
        return "\n".join(
            [f"history {self.seed}, {self.world.memberships}, policy {self.world.policy.name}", *map(str, self.steps)]
        )


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
    rendered: dict[str, Transcript] = {}
    with open_memory(history.world, clock) as memory:
        history.world.settle(memory)
        stage = _Stage(memory, clock)
        for step in history.steps:
            try:
                rendered.setdefault(step.voice.party, []).append((step, _answer(stage, step)))
            except Exception as error:
                error.add_note(f"in history {history.seed}, at {step}")
                raise
        if at_the_end is not None:
            at_the_end(memory)
    return rendered


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


@dataclass(frozen=True)
class _Stage:
    """What a history is played on, and the names of the calls that each actor has made so far."""

    memory: Memory
    clock: FixedClock
    traces: dict[Actor, list[str]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class _Asking:
    """Somebody who asks for something that takes more than one verb."""

    bound: BoundMemory
    memory: Memory
    traces: list[str]

    def trace(self, back: int) -> str:
        """The name of an earlier call of one's own."""
        return self.traces[-back] if len(self.traces) >= back else "trc_unknown"


def _answer(stage: _Stage, step: Step) -> bytes:
    if step.voice.actor is None:
        return _render(lambda: _UPKEEP[step.verb](stage, **step.given))
    bound, traces = step.voice.bound(stage.memory), stage.traces[step.voice.actor]
    answer = _render(lambda: _asked(_Asking(bound, stage.memory, traces), step))
    if bound.last_trace is None:
        return answer
    traces.append(bound.last_trace)
    if not step.traced:
        return answer
    return b'{"answer": ' + answer + b', "trace": ' + _render(lambda: bound.trace.show(traces[-1]).events) + b"}"


def _render(ask: Callable[[], Any]) -> bytes:
    """The answer, or what was raised on purpose. Any other error ends the play: a fault that comes every time is the
    same with and without somebody, so as an answer it would hide whatever there is to notice behind it."""
    try:
        return written(ask())
    except MemfortError as error:
        return written({"error": type(error).__name__, "message": str(error)})


def _asked(asking: _Asking, step: Step) -> Any:
    given = dict(step.given)
    if step.verb in _COMPOSED:
        return _COMPOSED[step.verb](asking, **given)
    verb = attrgetter(step.verb)(asking.bound)
    return verb(*given.pop("ids", ()), **given)


def written(answer: Any) -> bytes:
    """Any answer as canonical JSON, with nothing left out."""
    return json.dumps(answer, default=_plain, ensure_ascii=False, sort_keys=True).encode()


def _plain(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case Space():
            return value.to_dict()
        case Mapping():
            return dict(value)
        case frozenset():
            return sorted(value, key=str)
        case Iterator():
            return list(value)
        case Struct():
            return asdict(value)
        case _ if is_dataclass(value):
            return {field.name: getattr(value, field.name) for field in fields(value)}
        case _:
            raise TypeError(f"{a(type(value).__name__)} in an answer: say here how it is written")


def _pages(asking: _Asking, **given: Any) -> list[Any]:
    """A listing read page by page to its end, cursors included."""
    pages, cursor = [], None
    while True:
        page = asking.bound.list(cursor=cursor, **given)
        pages.append(page)
        cursor = page.cursor
        if cursor is None:
            return pages


def _explain_recall(asking: _Asking, *, query: str) -> Any:
    return asking.bound.explain(asking.bound.recall(query).trace)


def _explain_trace(asking: _Asking, *, back: int) -> Any:
    return asking.bound.explain(asking.trace(back))


def _show_trace(asking: _Asking, *, back: int, expanded: bool) -> Any:
    return asking.bound.trace.show(asking.trace(back), expanded=expanded).events


def _explain_to(asking: _Asking, *, id: str, viewer: Voice) -> Any:
    return asking.bound.explain(id, viewer=viewer.bound(asking.memory))


def _reimport(asking: _Asking, *, dry_run: bool) -> Any:
    data = "\n".join(json.dumps(line, sort_keys=True) for line in asking.bound.export()).encode()
    return asking.bound.import_(data, dry_run=dry_run)


def _revoke(asking: _Asking, *, space: Mapping[str, str], reader: str) -> Any:
    wanted = [
        share for share in asking.bound.shares() if share.space.to_dict() == space and str(share.reader) == reader
    ]
    return asking.bound.revoke(wanted[0].id if wanted else "shr_unknown")


def _verify(asking: _Asking) -> Any:
    """Check every erasure of one's own."""
    return [(erasure, asking.bound.verify_erasure(erasure.id)) for erasure in asking.bound.erasures()]


def _erase_scope(asking: _Asking, *, scope: Mapping[str, str], **given: Any) -> Any:
    return asking.bound.erase(scope=scope, **given)


def _erase_source(asking: _Asking, *, index: int, dry_run: bool) -> Any:
    sources = asking.bound.sources()
    return asking.bound.erase(source=sources[index % len(sources)].id if sources else "src_unknown", dry_run=dry_run)


def _import(asking: _Asking, *, lines: Sequence[str], dry_run: bool) -> Any:
    return asking.bound.import_("\n".join(lines).encode(), filename="notes.jsonl", dry_run=dry_run)


# Steps that take more than one verb, or whose arguments are known only when they are played.
_COMPOSED: dict[str, Callable[..., Any]] = {
    "pages": _pages,
    "explain_recall": _explain_recall,
    "explain_trace": _explain_trace,
    "explain_to": _explain_to,
    "trace.show": _show_trace,
    "reimport": _reimport,
    "revoke": _revoke,
    "verify_erasure": _verify,
    "erase_scope": _erase_scope,
    "erase_source": _erase_source,
    "import": _import,
}


def _wait(stage: _Stage, seconds: float) -> None:
    stage.clock.advance(seconds)


def _register_chat(stage: _Stage, id: str, kind: str, users: Sequence[str]) -> Any:
    return stage.memory.chat.register(id, kind=ChatKind(kind), participants=users)


_UPKEEP: dict[str, Callable[..., Any]] = {
    "wait": _wait,
    "store.gc": lambda stage: stage.memory.store.gc(),
    "store.reindex": lambda stage: stage.memory.store.reindex(),
    "finish_erasures": lambda stage: stage.memory.finish_erasures(),
    "chat.register": _register_chat,
}
