"""Histories: what several parties do with one memory, as plain values.

`memfort.testing.playback` plays a history on a fresh memory, and `memfort.testing.purge` compares two plays. Histories
are generated from seeds by `memfort.testing.space_histories` and `memfort.testing.chat_histories`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.client import Memory
from memfort.client.bound import BoundMemory
from memfort.clock import FixedClock
from memfort.engine.default_place import space_or_home
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import ChatKind, Trust
from memfort.model.space import Level, Space
from memfort.policy.settings.policy import Policy

START = Moment(1_700_000_000_000_000)
_DEFAULT_POLICY = Policy()  # made once: generators name spaces thousands of times


class Voice(Struct, frozen=True, dict=True):  # a dict for the cached property
    """One standpoint that a party speaks from."""

    party: str  # whose transcript the answers go to
    actor: Actor | None = None
    places: tuple[tuple[str, str], ...] = ()

    @cached_property
    def coordinates(self) -> Mapping[str, str]:
        """The coordinates it stands at. Cached, because generators read them all the time."""
        assert self.actor is not None
        own = {"user": self.actor.user, "agent": self.actor.agent}
        return MappingProxyType(dict(self.places) | {level: id for level, id in own.items() if id is not None})

    def bind(self, memory: Memory) -> BoundMemory:
        assert self.actor is not None
        match self.actor.kind:
            case ActorKind.USER:
                return memory.as_user(self.actor.id, **dict(self.places))
            case ActorKind.AGENT:
                return memory.as_agent(self.actor.id, acting_for=self.actor.acting_for, **dict(self.places))
            case _:
                return memory.as_system()

    def space(self, given: Mapping[str, str] | None) -> Space:
        """The space that `given` names."""
        assert self.actor is not None
        return space_or_home(Standpoint(self.actor, ()), given, _DEFAULT_POLICY)

    def __str__(self) -> str:
        at = "".join(f" {level}={id!r}" for level, id in self.places)
        return f"{self.party}: {self.actor}{' at' + at if at else ''}" if self.actor else self.party


UPKEEP = Voice("upkeep")


class Step(Struct, frozen=True):
    """One call of a voice, or an upkeep step such as moving the clock."""

    voice: Voice
    verb: str  # a name of the table of operations, or of `COMPOSITE_VERBS` in playback
    given: Mapping[str, Any]
    traced: bool = False  # whether the trace of the call is part of the answer

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"[{self.voice}] {self.verb}({given}){' and its trace' if self.traced else ''}"


Group = tuple[str, str, tuple[str, ...], tuple[str, ...]]  # level, id, users, agents
ChatEntry = tuple[str, str, tuple[str, ...], tuple[str, ...]]  # id, kind, and participating users and agents


class World(Struct, frozen=True):
    """The directory before the first step, and the policy in force."""

    memberships: str
    agents: tuple[tuple[str, str], ...]  # agent and owner
    groups: tuple[Group, ...]
    trust: Mapping[str, Trust] = field(default_factory=dict)  # by user, in every group; the default is contributor
    policy: Policy = field(default_factory=Policy)
    chats: tuple[ChatEntry, ...] = ()

    def register_in(self, memory: Memory) -> None:
        for agent, owner in self.agents:
            memory.agent.register(agent, owner=owner)
        for level, id, users, agents in self.groups:
            if level == Level.CHAT:
                memory.chat.register(id, kind="group", participants=users, agents=agents)
            for user in users:
                memory.member.add({level: id}, user=user, trust=self.trust.get(user, Trust.CONTRIBUTOR))
            for agent in agents:
                memory.member.add({level: id}, agent=agent)
        for id, kind, users, bots in self.chats:
            memory.chat.register(id, kind=ChatKind(kind), participants=users, agents=bots)


class History(Struct, frozen=True):
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
Transcript = list[tuple[Step, bytes]]  # each step with its answer in canonical JSON
