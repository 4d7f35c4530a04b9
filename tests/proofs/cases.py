"""Random cases with plain values: a memory, who listens, and a policy, as the rules allow them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.proofs.disclosure import room_of
from tests.proofs.logic import Set
from tests.proofs.things import NO_LEVELS, ORIGINS, SENSITIVITIES, Chat, Memory, Policy, Room, Standpoint

PEOPLE, AGENTS, CHATS = ("ann", "ben", "cid"), ("bot of ann", "bot of ben"), ("here", "there")
_WITH_LISTENERS = ("group", "private", "released")
_WITH_A_CHAT = ("group", "private", "released", "unregistered")


@dataclass(frozen=True)
class Case:
    memory: Memory
    room: Room
    policy: Policy
    leaves: bool
    person: str  # who is asked about
    by_name: bool


def random_case(random: Random) -> Case:
    policy = Policy(*(random.random() < 0.2 for _ in range(4)))
    room, leaves = random_room(random), random.random() < 0.2
    return Case(random_memory(random), room, policy, leaves, random.choice(PEOPLE), random.random() < 0.5)


def random_memory(random: Random) -> Memory:
    origin, owner = random.choice(ORIGINS), maybe(random, PEOPLE)
    return Memory(
        sensitivity=random.choice(SENSITIVITIES),
        subjects=some_of(random, PEOPLE),
        about_nobody=random.random() < 0.2,
        speaker=maybe(random, PEOPLE),
        owner=owner,
        may_read=owner | some_of(random, PEOPLE),
        of_chat=maybe(random, CHATS),
        portable=random.random() < 0.7,
        origin=origin,
        origin_chat=frozenset({random.choice(CHATS)}) if origin in _WITH_A_CHAT else frozenset(),
        heard_by=some_of(random, PEOPLE) if origin in _WITH_LISTENERS else frozenset(),
        for_users=random.random() < 0.1,
        users=some_of(random, PEOPLE),
        for_agents=random.random() < 0.1,
        agents=some_of(random, AGENTS),
    )


def random_room(random: Random) -> Room:
    return room_of(*random_place(random), closed=random.random() < 0.05)


def random_place(
    random: Random, agents: tuple[str, ...] = AGENTS, owner: Callable[[str], Set] | None = None
) -> tuple[Standpoint, Chat, Callable[[str], Set]]:
    """Who asks where, the chat there, and for whom agents listen."""
    agent = maybe(random, agents)
    user = frozenset({random.choice(PEOPLE)}) if not agent or random.random() < 0.5 else frozenset()
    at = Standpoint(
        kind="agent" if agent else "user",
        user=user,
        agent=agent,
        levels={**NO_LEVELS, "chat": frozenset({random.choice(CHATS)}) if random.random() < 0.8 else frozenset()},
        at_user=user,
        at_agents=agent,
        at_system=False,
    )
    chat = Chat(
        random.choice(("private", "group", "unregistered")), user | some_of(random, PEOPLE), some_of(random, agents)
    )
    return at, chat, owner or owner_of


def owner_of(agent: str) -> frozenset[str]:
    return frozenset({agent.removeprefix("bot of ")})


def some_of(random: Random, names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for name in names if random.random() < 0.4)


def maybe(random: Random, names: tuple[str, ...]) -> frozenset[str]:
    return frozenset({random.choice(names)}) if random.random() < 0.5 else frozenset()
