"""Compare the product with the model: in random cases, and in all of a small world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from tests.proofs import disclosure, production, sight, things
from tests.proofs.cases import AGENTS, CHATS, PEOPLE, maybe, random_place, some_of
from tests.proofs.disclosure import room_of
from tests.proofs.logic import Set, Steps
from tests.proofs.origins import Origin, stricter
from tests.proofs.production import NAMES, SOMEONE, STRAY, Answer, Asked, Looked, only
from tests.proofs.things import BELONGING, DEFAULT, LEVELS, ORIGINS, SENSITIVITIES, Memory, Policy, Room

from memfort.model.people.actor import Actor, ActorKind
from memfort.model.space import Level, Space

NONE: frozenset[str] = frozenset()
_SUBJECTS = (*PEOPLE, SOMEONE)
_ALL_AGENTS = (*AGENTS, STRAY)


@dataclass(frozen=True)
class Question:
    """What the model and the product are asked about a memory."""

    steps: Callable[[Asked], Steps]
    answer: Callable[[Asked], Answer]


IN_SIGHT = Question(
    lambda asked: disclosure.told(asked.memory, asked.room, asked.policy, asked.leaves),
    lambda asked: production.told(asked),
)
ABOUT = Question(
    lambda asked: disclosure.told_about(asked.memory, asked.person, asked.room, asked.policy, asked.by_name),
    lambda asked: production.told_about(asked),
)


# -- random cases -----------------------------------------------------------------------------------------------------


def random_asked(random: Random) -> tuple[Question, Asked]:
    at, chat, owner = random_place(random, _ALL_AGENTS, production.owner_of)
    closed = bool(at.levels["chat"]) and random.random() < 0.03
    room = room_of(at, chat, owner, closed)
    policy = DEFAULT if random.random() < 0.5 else Policy(*(random.random() < 0.3 for _ in range(4)))
    question = random.choice((IN_SIGHT, ABOUT))
    origins, portable = random_origins(random), random.random() < 0.7
    origin = join(origins, portable)
    owners, leaves = maybe(random, PEOPLE), question is IN_SIGHT and random.random() < 0.25
    space = random_space(random, owners, question)
    memory = Memory(
        sensitivity=random.choice(SENSITIVITIES),
        subjects=random_subjects(random),
        about_nobody=random.random() < 0.3,
        speaker=maybe(random, PEOPLE),
        owner=owners,
        may_read=readers_of(random, space, owners, room, in_sight=question is IN_SIGHT and not leaves),
        of_chat=frozenset({one}) if (one := space.get(Level.CHAT)) is not None else NONE,
        portable=portable,
        origin=origin.kind,
        origin_chat=origin.chat,
        heard_by=origin.heard_by,
        for_users=random.random() < 0.1,
        users=some_of(random, PEOPLE) | some_of(random, PEOPLE),
        for_agents=random.random() < 0.05,
        agents=some_of(random, _ALL_AGENTS) | some_of(random, _ALL_AGENTS),
    )
    asked = Asked(memory, origins, space, room, production.actor_of(at), policy, leaves, place=(at, chat))
    if question is ABOUT:
        person = random.choice(sorted(memory.subjects - {SOMEONE}) or PEOPLE)
        asked = replace(asked, person=person, by_name=person not in room.persons or random.random() < 0.5)
    return question, asked


def random_origins(random: Random) -> tuple[Origin, ...]:
    return tuple(random_origin(random) for _ in range(1 if random.random() < 0.75 else 2))


def random_origin(random: Random) -> Origin:
    kind = random.choice((*ORIGINS, "group", "group", "private", "private"))
    return Origin(
        kind,
        frozenset({random.choice(CHATS)}) if kind in {"group", "private", "released", "unregistered"} else NONE,
        some_of(random, PEOPLE) | some_of(random, PEOPLE) if kind in {"group", "private", "released"} else NONE,
    )


def join(origins: tuple[Origin, ...], portable: bool) -> Origin:
    first, *rest = origins
    for one in rest:
        first = stricter(first, one, portable)
    return first


def random_subjects(random: Random) -> frozenset[str]:
    match random.randrange(4):
        case 0:
            return NONE
        case 1:
            return some_of(random, _SUBJECTS)
        case _:
            return frozenset({random.choice(_SUBJECTS)})


def random_space(random: Random, owners: Set, question: Question) -> Space:
    """A space that has this owner."""
    if (owner := only(owners)) is None:
        in_chat = question is ABOUT or random.random() < 0.4
        return Space.of({"chat": random.choice(CHATS)} if in_chat else {"project": "p"})
    if question is ABOUT:
        return Space.of({"user": owner})
    agent = {"agent": f"bot of {owner}"}
    return Space.of(
        random.choice(
            (
                {"user": owner},
                {"user": owner, "project": "p"},
                {"user": owner, "visibility": "shared"},
                {**agent, "visibility": "private"},
                {**agent, "visibility": "public"},
            )
        )
    )


def readers_of(random: Random, space: Space, owner: Set, room: Room, *, in_sight: bool) -> Set:
    """Who may read a space outside chats: what is in sight, the asker too; but not the owner of an agent that stands
    there for nobody."""
    asker = room.user if in_sight else NONE
    if space.levels == {Level.CHAT}:
        here = room.persons if space.get(Level.CHAT) == only(room.chat) else NONE
        return asker | here
    if space.get(Level.VISIBILITY) == "public":
        return frozenset(PEOPLE) | asker | room.listeners
    return owner | asker | (some_of(random, PEOPLE) if Level.PROJECT in space.levels else NONE)


def random_looked(random: Random) -> Looked:
    """A space, and who looks from where. The agents are registered; who stands anywhere stands at the system too."""
    at, _, _ = random_place(random)
    levels = {level: frozenset({"1"}) if random.random() < 0.4 else NONE for level in LEVELS}
    agents = at.agent if random.random() < 0.7 else some_of(random, AGENTS)
    stands = any((at.at_user, agents, *levels.values()))
    at = replace(at, levels=levels, at_agents=agents, at_system=stands)
    joins = [level for level in LEVELS if level not in BELONGING]
    member = {level: random.random() < 0.5 for level in joins}
    record = things.Directory(
        belongs=dict.fromkeys(BELONGING, True),
        member=member,
        registered={level: member[level] or random.random() < 0.5 for level in joins},
        takes_word=random.random() < 0.7,
        owner=production.owner_of,
    )
    agent = maybe(random, AGENTS) if random.random() < 0.5 else NONE
    space = things.Space(
        levels={level: frozenset({random.choice("112")}) if random.random() < 0.15 else NONE for level in LEVELS},
        user=maybe(random, PEOPLE),
        agent=agent,
        system=random.random() < 0.05,
        visibility=random.choice(("private", "public") if agent else ("none", "none", "shared")),
    )
    return Looked(space, at, record, random.random() < 0.1)


def seen_by_the_model(looked: Looked) -> tuple[bool, bool]:
    given = looked.space, looked.at, looked.record
    seen = sight.in_sight(*given, looked.shared)
    return seen, seen and sight.leaves_its_space(*given)


# -- all of a small world ---------------------------------------------------------------------------------------------


def small_world() -> Iterator[tuple[Question, Asked]]:
    """Every memory of a few fields, in every kind of room, in sight and about somebody."""
    ann, all = frozenset({"ann"}), frozenset(PEOPLE)
    here, there = frozenset({"here"}), frozenset({"there"})
    rooms = [
        Room(kind, chat, ann, ann, persons, persons, NONE, False)
        for kind, chat, persons in (
            ("alone", NONE, ann),
            ("private", here, ann),
            ("private", here, frozenset({"ann", "ben"})),
            ("group", here, all),
            ("unregistered", here, ann),
        )
    ]
    origins = [
        *(Origin(kind, NONE, NONE) for kind in ("outside", "unknown", "several")),
        *(Origin("unregistered", chat, NONE) for chat in (here, there)),
        *(
            Origin(kind, chat, heard)
            for kind, chat, heard in product(("group", "private", "released"), (here, there), (ann, all))
        ),
    ]
    people = (NONE, ann, frozenset({"ben"}))
    subjects = (*people, frozenset({"cid"}), frozenset({"ann", "ben"}))
    for room, origin, level, about, speaker, owner in product(rooms, origins, SENSITIVITIES, subjects, people, people):
        memory = Memory(
            sensitivity=level,
            subjects=about,
            about_nobody=False,
            speaker=speaker,
            owner=owner,
            may_read=owner | ann,
            of_chat=NONE,
            portable=True,
            origin=origin.kind,
            origin_chat=origin.chat,
            heard_by=origin.heard_by,
            for_users=False,
            users=NONE,
            for_agents=False,
            agents=NONE,
        )
        user = only(owner)
        space = Space.of({"project": "p"} if user is None else {"user": user})
        asked = Asked(memory, (origin,), space, room, Actor(ActorKind.USER, "ann"), DEFAULT)
        yield IN_SIGHT, asked
        for person in sorted(about):
            out = replace(asked, memory=replace(memory, may_read=owner), person=person)
            where = Space.of({"chat": "elsewhere"}) if user is None else space
            yield ABOUT, replace(out, space=where, by_name=person not in room.persons)


# -- the comparison ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    question: str
    asked: Asked
    model: str
    product: Answer

    @property
    def is_about_the_reason(self) -> bool:
        """Whether both tell it or both withhold it."""
        return "of the reasons only" in self.model

    @property
    def is_leak(self) -> bool:
        return self.product.is_told and not self.is_about_the_reason

    def __str__(self) -> str:
        kind = "the product tells" if self.is_leak else "the product withholds"
        return f"{kind} ({self.product.reason}), the model says {self.model}, {self.question}: {described(self.asked)}"


def described(asked: Asked) -> str:
    """A case in words: what is not as usual."""
    memory, room = asked.memory, asked.room
    learned = " and ".join(f"{one.kind} {_words(one.chat)} {_words(one.heard_by)}" for one in asked.origins)
    parts = {
        "": f"{memory.sensitivity} in {asked.space}, learned {learned}" + ("" if memory.portable else ", not portable"),
        "about": _words(memory.subjects) + (" (nobody)" if memory.about_nobody else ""),
        "said by": _words(memory.speaker),
        "read by": _words(memory.may_read),
        "for users": _words(memory.users) if memory.for_users else "",
        "for agents": _words(memory.agents) if memory.for_agents else "",
        "where": f"{room.kind} {_words(room.chat)}",
        "asked by": f"{asked.actor}" + (f" as {_words(room.asker)}" if room.asker else ""),
        "present": _words(room.persons),
        "listening": _words(room.listeners),
        "agents": _words(room.agents),
        "policy": "" if asked.policy == DEFAULT else str(asked.policy),
        "leaving": "yes" if asked.leaves else "",
        "asked about": asked.person + (" by name" if asked.by_name else ""),
    }
    return "; ".join(f"{name} {value}".strip() for name, value in parts.items() if value)


def _words(names: Set) -> str:
    return ", ".join(sorted(names))


def difference(question: Question, asked: Asked) -> Difference | None:
    """Where the product tells what the model does not or the other way, or gives a reason that does not hold."""
    steps, answer = question.steps(asked), question.answer(asked)
    name, reason = "in sight" if question is IN_SIGHT else "about somebody", disclosure.reason_of(steps)
    if answer.is_told != (reason in disclosure.HEARD):
        return Difference(name, asked, reason, answer)
    held = {NAMES.get(reason, reason) for reason, holds in steps if holds}
    if answer.reason and answer.reason not in held:
        return Difference(name, asked, f"{reason}; of the reasons only {', '.join(sorted(held))}", answer)
    return None
