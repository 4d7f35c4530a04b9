"""The participants of a chat history, its chats, and the chat that bea is in."""

from __future__ import annotations

import random

from memfort.model.people.actor import Actor, ActorKind
from memfort.model.space import Space
from memfort.testing.chat_histories.listener import GROUP, PRIVATE, Chats, Listener
from memfort.testing.chat_histories.policies import POLICIES
from memfort.testing.chat_histories.words import APOLLO, OBSERVER
from memfort.testing.histories import ChatEntry, Voice, World
from memfort.testing.space_histories.cast import BEA, CLEO

ADA_NAMES = ("ada", "bea2", "Bea", "bea@")


class Cast:
    """The participants, the chats before and after the directory changes, and the chat that bea is in."""

    def __init__(self, rng: random.Random) -> None:
        self.ada = rng.choice(ADA_NAMES)
        (self.rule, self.provenance, self.fading), self.policy = rng.choice(list(POLICIES.items()))
        self.memberships = rng.choice(("trusted", "registered"))
        self.before = self._chats(rng)
        self.chat = rng.choice((None, None, "team", "team", "dm", "adm", "nook", "den"))
        self.change = self._change(rng)
        self.shares = rng.random() < 0.4  # whether cleo shares her own space with bea
        self.users = {"ada": self.ada, "bea": BEA, "cleo": CLEO}
        # Who links a named person to a user in this history, and to which; and whether ada calls herself Sarah.
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
        """The directory at the start, and after the change in the middle."""
        first = {id: (kind, frozenset(users)) for id, kind, users in self.before}
        id, kind, users = self.change
        return first, {**first, id: (kind, frozenset(users))}

    def listeners(self, *, everywhere: bool, from_state: int = 0) -> list[Listener]:
        """Bea in her chat, or in all her chats, from the first or the second state of the directory on."""
        chats = self.chats_of(BEA) if everywhere else [self.chat]
        shared = frozenset({Space.of({"user": CLEO})}) if self.shares else frozenset[Space]()
        rules = {"participants": self.rule == "participants", "shows_unknown_origin": self.provenance == "open"}
        voices = [voice for chat in chats for voice in self.voices_in(OBSERVER, BEA, chat)]
        return [
            Listener(voice, chats, **rules, shared=shared) for voice in voices for chats in self.states[from_state:]
        ]

    def users_behind_names(self, speaker: str | None) -> frozenset[str]:
        """The users a speaker may mean by a name. A link to a user counts for the speaker who made it, and for all
        speakers if the system made it."""
        linked = {f"@{self.linked}"} if self.linker in {None, speaker} else set()
        return frozenset(linked | ({f"@{self.ada}"} if self.is_sarah else set()))

    def chats_of(self, user: str) -> list[str | None]:
        taking_part = {id for chats in self.states for id, (_, users) in chats.items() if user in users}
        return [None, "den", *sorted(taking_part - {"den"})]

    def voices_in(self, party: str, user: str, chat: str | None) -> list[Voice]:
        """A user in a chat, with and without the project, and an agent that acts for them there."""
        person = Actor(ActorKind.USER, user)
        bot = {self.ada: "ada-bot", BEA: "bea-bot", CLEO: "cleo-bot"}[user]
        place = {} if chat is None else {"chat": chat}
        places: list[tuple[Actor, dict[str, str]]] = [
            (person, place),
            (person, {**place, **APOLLO}),
            (person, {**place, **APOLLO, "session": "out"}),
            (Actor(ActorKind.AGENT, bot, acting_for=user, owner=user), {**place, **APOLLO}),
        ]
        return [Voice(party, actor, tuple(where.items())) for actor, where in places]

    def _chats(self, rng: random.Random) -> tuple[ChatEntry, ...]:
        team = (BEA, CLEO, self.ada) if rng.random() < 0.6 else (BEA, CLEO)
        return (
            ("team", GROUP, team),
            ("crowd", GROUP, (self.ada, CLEO)),
            ("dm", PRIVATE, (BEA, CLEO)),
            ("adm", PRIVATE, (BEA, self.ada)),
            ("tete", PRIVATE, (self.ada, CLEO)),
            ("nook", PRIVATE, (BEA,)),
        )

    def _change(self, rng: random.Random) -> ChatEntry:
        """A participant joins or leaves, or an unknown chat is registered; in bea's own chat more often than
        elsewhere."""
        every = (self.ada, BEA, CLEO)
        changes: tuple[ChatEntry, ...] = (
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
        here = [change for change in changes if change[0] == self.chat]
        return rng.choice(here if here and rng.random() < 0.6 else changes)
