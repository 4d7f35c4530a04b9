"""The participants of a chat history, its chats, and the chat that bea is in."""

from __future__ import annotations

import random

from memfort.model.people.actor import Actor, ActorKind
from memfort.model.space import Level, Space
from memfort.testing.chat_histories.listener import (
    GROUP,
    OUTSIDE,
    PRIVATE,
    RELEASED,
    UNKNOWN,
    Chats,
    Listener,
    Origin,
    RegisteredChat,
)
from memfort.testing.chat_histories.policies import POLICIES
from memfort.testing.chat_histories.words import APOLLO, OBSERVER
from memfort.testing.histories import ChatEntry, Voice, World
from memfort.testing.space_histories.cast import BEA, CLEO

ADA_NAMES = ("ada", "bea2", "Bea", "bea@")


class Cast:
    """The participants, the chats before and after the directory changes, and the chat that bea is in."""

    def __init__(self, rng: random.Random) -> None:
        self.ada = rng.choice(ADA_NAMES)
        self.rules, self.fading, self.policy = rng.choice(POLICIES)
        self.memberships = rng.choice(("trusted", "registered"))
        self.bots = {"ada-bot": self.ada, "bea-bot": BEA, "cleo-bot": CLEO}
        self.before = self._chats(rng)
        self.chat = rng.choice((None, None, "team", "team", "team", "dm", "dm", "adm", "adm", "nook", "den", "tete"))
        self.change = self._change(rng)
        self.shares = rng.random() < 0.4  # whether cleo shares her own space with bea
        self.users = {"ada": self.ada, "bea": BEA, "cleo": CLEO}
        # Who links a named person to a user in this history, and to which; and whether ada calls herself Sarah.
        self.linker = rng.choice((self.ada, CLEO, None))  # `None`: the system
        self.linked = rng.choice((BEA, BEA, BEA, self.ada, CLEO))
        self.is_sarah = rng.random() < 0.2

    @property
    def world(self) -> World:
        groups = (("project", "apollo", (self.ada, BEA, CLEO), ("bea-bot", "cleo-bot")),)
        return World(self.memberships, tuple(self.bots.items()), groups, policy=self.policy, chats=self.before)

    @property
    def states(self) -> tuple[Chats, Chats]:
        """The directory at the start, and after the change in the middle."""
        first = {id: self._registered(users, agents, kind) for id, kind, users, agents in self.before}
        id, kind, users, agents = self.change
        return first, {**first, id: self._registered(users, agents, kind)}

    def _registered(self, users: tuple[str, ...], agents: tuple[str, ...], kind: str) -> RegisteredChat:
        return RegisteredChat(kind, frozenset(users), {agent: self.bots[agent] for agent in agents})

    def origin(self, voice: Voice, space: Space, state: int) -> Origin:
        """Where a statement is made: in the chat of the voice, with those who listen there in this state of the
        directory. Naming a wider space on purpose releases it from a private chat."""
        assert voice.actor is not None
        chat = dict(voice.places).get("chat")
        if chat is None:
            return OUTSIDE
        here = self.states[state].get(chat)
        listeners = frozenset[str]() if here is None else here.listeners(voice.actor)
        is_wider = not space.is_private and space.get(Level.CHAT) is None
        if is_wider and (here is None or here.kind == PRIVATE):
            return Origin(chat, RELEASED, listeners)
        return Origin(chat, UNKNOWN if here is None else here.kind, listeners)

    def listeners(self, *, everywhere: bool, from_state: int = 0) -> list[Listener]:
        """Bea in her chat, or in all her chats, from the first or the second state of the directory on."""
        chats = self.chats_of(BEA) if everywhere else [self.chat]
        shared = frozenset({Space.of({"user": CLEO})}) if self.shares else frozenset[Space]()
        voices = [voice for chat in chats for voice in self.voices_in(OBSERVER, BEA, chat)]
        bots = [self.bot_in(chat) for chat in chats if chat is not None]
        told = [(voice, shared) for voice in voices] + [(bot, frozenset[Space]()) for bot in bots]
        return [
            Listener(voice, chats, self.rules, shared) for voice, shared in told for chats in self.states[from_state:]
        ]

    def bot_in(self, chat: str | None) -> Voice:
        """Bea's agent in one of her chats, where it acts for no user."""
        place = {} if chat is None else {"chat": chat}
        return Voice(OBSERVER, Actor(ActorKind.AGENT, "bea-bot", owner=BEA), tuple({**place, **APOLLO}.items()))

    @property
    def chat_of_others(self) -> str | None:
        """A chat that bea is never in, if there is one."""
        return next((chat for chat in ("crowd", "tete") if chat not in self.chats_of(BEA)), None)

    def users_behind_names(self, speaker: str | None) -> frozenset[str]:
        """The users a speaker may mean by a name. A link to a user counts for the speaker who made it, and for all
        speakers if the system made it."""
        linked = {f"@{self.linked}"} if self.linker in {None, speaker} else set()
        return frozenset(linked | ({f"@{self.ada}"} if self.is_sarah else set()))

    def chats_of(self, user: str) -> list[str | None]:
        taking_part = {id for chats in self.states for id, chat in chats.items() if user in chat.users}
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
        bot = ("ada-bot",) if rng.random() < 0.3 else ()  # it listens for ada
        return (
            ("team", GROUP, team, bot),
            ("crowd", GROUP, (self.ada, CLEO), ()),
            ("dm", PRIVATE, (BEA, CLEO), bot),
            ("adm", PRIVATE, (BEA, self.ada), ()),
            ("tete", PRIVATE, (self.ada, CLEO), ()),
            ("nook", PRIVATE, (BEA,), bot),
        )

    def _change(self, rng: random.Random) -> ChatEntry:
        """A participant joins or leaves, a private chat becomes a group, or an unknown chat is registered; in bea's
        own chat more often than elsewhere. Bea joins the private chat of the others only then."""
        every = (self.ada, BEA, CLEO)
        changes: tuple[ChatEntry, ...] = (
            ("team", GROUP, (BEA, CLEO), ()),
            ("team", GROUP, every, ()),
            ("crowd", GROUP, every, ()),
            ("dm", PRIVATE, (BEA, self.ada), ()),
            ("dm", GROUP, every, ()),
            ("adm", PRIVATE, (BEA, CLEO), ()),
            ("adm", PRIVATE, (BEA,), ()),
            ("adm", GROUP, (BEA, self.ada), ()),
            ("tete", GROUP, every, ()),
            ("tete", PRIVATE, (BEA, CLEO), ()),
            ("nook", PRIVATE, (BEA, self.ada), ()),
            ("nook", PRIVATE, (BEA,), ("cleo-bot",)),
            ("den", GROUP, every, ()),
            ("den", GROUP, (self.ada, BEA), ()),
            ("den", PRIVATE, (BEA, CLEO), ()),
        )
        here = [change for change in changes if change[0] == self.chat]
        return rng.choice(here if here and (self.chat == "tete" or rng.random() < 0.6) else changes)
