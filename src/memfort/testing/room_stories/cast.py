"""Who takes part in a room story, which chats there are, and which room bea is in."""

from __future__ import annotations

import random

from memfort.model.people.actor import Actor, ActorKind
from memfort.model.space import Space
from memfort.testing.cast import BEA, CLEO
from memfort.testing.histories import Talk, Voice, World
from memfort.testing.room_stories.policies import POLICIES
from memfort.testing.room_stories.words import APOLLO, OBSERVER
from memfort.testing.rooms import GROUP, PRIVATE, Chats, Listener

ADA_NAMES = ("ada", "bea2", "Bea", "bea@")


class RoomCast:
    """Who takes part, which chats there are before and after the directory changes, and which room bea is in."""

    def __init__(self, rng: random.Random) -> None:
        self.ada = rng.choice(ADA_NAMES)
        (self.rule, self.provenance, self.fading), self.policy = rng.choice(list(POLICIES.items()))
        self.memberships = rng.choice(("trusted", "registered"))
        self.before = self._chats(rng)
        self.room = rng.choice((None, None, "team", "team", "dm", "adm", "nook", "den"))
        self.change = self._change(rng)
        self.shares = rng.random() < 0.4  # whether cleo lets bea read what is hers
        self.users = {"ada": self.ada, "bea": BEA, "cleo": CLEO}
        # Who says in this story that somebody with a name is a user, and which; and whether ada calls herself Sarah.
        self.linker = rng.choice((self.ada, CLEO, None))  # `None`: the system
        self.linked = rng.choice((BEA, BEA, BEA, self.ada, CLEO))
        self.is_sarah = rng.random() < 0.2

    @property
    def world(self) -> World:
        agents = (("ada-bot", self.ada), ("bea-bot", BEA), ("cleo-bot", CLEO))
        groups = (("project", "apollo", (self.ada, BEA, CLEO), ()),)
        return World(self.memberships, agents, groups, policy=self.policy, chats=self.before)

    @property
    def states(self) -> tuple[Chats, Chats]:
        """The directory as it is at first, and after the change in the middle."""
        first = {id: (kind, frozenset(users)) for id, kind, users in self.before}
        id, kind, users = self.change
        return first, {**first, id: (kind, frozenset(users))}

    def listeners(self, *, everywhere: bool, from_now: int = 0) -> list[Listener]:
        """Bea in her room, or in all of them, at any time from the first or the second state of the directory on."""
        rooms = self.rooms_of(BEA) if everywhere else [self.room]
        shared = frozenset({Space.of({"user": CLEO})}) if self.shares else frozenset[Space]()
        rules = {"participants": self.rule == "participants", "open": self.provenance == "open"}
        voices = [voice for room in rooms for voice in self.voices_in(OBSERVER, BEA, room)]
        return [Listener(voice, chats, **rules, shared=shared) for voice in voices for chats in self.states[from_now:]]

    def could_be(self, speaker: str | None) -> frozenset[str]:
        """The users whom somebody could mean by a name: that it is one of them counts for who said so, and for all if
        the system did."""
        linked = {f"@{self.linked}"} if self.linker in {None, speaker} else set()
        return frozenset(linked | ({f"@{self.ada}"} if self.is_sarah else set()))

    def rooms_of(self, user: str) -> list[str | None]:
        taking_part = {id for chats in self.states for id, (_, users) in chats.items() if user in users}
        return [None, "den", *sorted(taking_part - {"den"})]

    def voices_in(self, party: str, user: str, room: str | None) -> list[Voice]:
        """A user in a room, with and without the project at hand; and an agent that acts for them there."""
        person = Actor(ActorKind.USER, user)
        bot = {self.ada: "ada-bot", BEA: "bea-bot", CLEO: "cleo-bot"}[user]
        chat = {} if room is None else {"chat": room}
        places: list[tuple[Actor, dict[str, str]]] = [
            (person, chat),
            (person, {**chat, **APOLLO}),
            (person, {**chat, **APOLLO, "session": "out"}),
            (Actor(ActorKind.AGENT, bot, acting_for=user, owner=user), {**chat, **APOLLO}),
        ]
        return [Voice(party, actor, tuple(where.items())) for actor, where in places]

    def _chats(self, rng: random.Random) -> tuple[Talk, ...]:
        team = (BEA, CLEO, self.ada) if rng.random() < 0.6 else (BEA, CLEO)
        return (
            ("team", GROUP, team),
            ("crowd", GROUP, (self.ada, CLEO)),
            ("dm", PRIVATE, (BEA, CLEO)),
            ("adm", PRIVATE, (BEA, self.ada)),
            ("tete", PRIVATE, (self.ada, CLEO)),
            ("nook", PRIVATE, (BEA,)),
        )

    def _change(self, rng: random.Random) -> Talk:
        """Somebody comes or goes, or an unknown chat becomes known; in bea's own room more often than elsewhere."""
        every = (self.ada, BEA, CLEO)
        changes: tuple[Talk, ...] = (
            ("team", GROUP, (BEA, CLEO)),
            ("team", GROUP, every),
            ("crowd", GROUP, every),
            ("dm", PRIVATE, every),
            ("adm", PRIVATE, every),
            ("adm", PRIVATE, (BEA,)),
            ("nook", PRIVATE, (BEA, self.ada)),
            ("den", GROUP, every),
            ("den", PRIVATE, (BEA, CLEO)),
        )
        here = [change for change in changes if change[0] == self.room]
        return rng.choice(here if here and rng.random() < 0.6 else changes)
