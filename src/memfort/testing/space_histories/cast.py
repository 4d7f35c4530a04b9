"""The participants of a history, their standpoints, and what each of them can see."""

from __future__ import annotations

import random

from msgspec.structs import replace

from memfort.model.item import Readers
from memfort.model.learned import OUTSIDE_ANY_CHAT, Learned, LearnedKind
from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.model.people.directory import Trust
from memfort.model.space import GROUP_LEVELS, Level, Space, Visibility
from memfort.testing.histories import Group, Voice, World
from memfort.testing.space_histories.policies import POLICIES_WITH_WEIGHTS

BEA, CLEO = "bea", "cleo"
SHARED = {"project": "apollo", "org": "acme", "chat": "room", "workspace": "lab", "role": "dev"}
GUILD = {"org": "guild"}  # a group of ada and cleo without bea
# Names that prefix matching, string joining, case folding or accent stripping would confuse with bea's.
ADA_NAMES = ("ada", "bea:apollo", "bea2", "be", "Bea", "be\u0301a", "bea ", "bea project=apollo")
ADA_PLACES = {
    "project": ("apollo2", "apollo:s1", "Apollo", "apoll", "apollo org=acme"),
    "org": ("acme2", "Acme", "acm"),
    "chat": ("room2", "room:1", "Room"),
    "workspace": ("lab:1", "lab2", "LAB"),
}


class Cast:
    """The participants of one history and their standpoints."""

    def __init__(self, rng: random.Random) -> None:
        self.ada = rng.choice(ADA_NAMES)
        self.own = {level: rng.choice(names) for level, names in ADA_PLACES.items()}
        self.ada_user, self.bea_user, self.cleo_user = (Actor(ActorKind.USER, name) for name in (self.ada, BEA, CLEO))
        self.registered = rng.random() < 0.5
        self.policy = rng.choices(*zip(*POLICIES_WITH_WEIGHTS, strict=True))[0]
        self.voices = {
            "ada": self._ada(),
            "bea": self._bea(),
            "cleo": self._cleo(),
            "system": [Voice("system", SYSTEM)],
        }

    @property
    def world(self) -> World:
        agents = (("ada-bot", self.ada), ("ada-helper", self.ada), ("bea-bot", BEA), ("cleo-bot", CLEO))
        all_users, all_agents = (self.ada, BEA, CLEO), ("ada-bot", "bea-bot", "cleo-bot")
        groups: list[Group] = [(level, id, (self.ada,), ("ada-bot",)) for level, id in self.own.items()]
        if self.registered or self.needs_approvals:  # the directory says who may approve
            groups += [(level, id, all_users, all_agents) for level, id in SHARED.items()]
            groups += [(level, id, (self.ada, CLEO), ()) for level, id in GUILD.items()]
        trust = {BEA: Trust.APPROVER, CLEO: Trust.OWNER}
        return World("registered" if self.registered else "trusted", agents, tuple(groups), trust, self.policy)

    @property
    def needs_approvals(self) -> bool:
        return any(way.approvals for way in self.policy.spaces.promotions)

    @property
    def is_capped(self) -> bool:
        """Whether an author's memories in one space use up the same author's budget elsewhere."""
        return self.policy.budget.owner is not None

    def bea_sees(self, space: Space, readers: Readers) -> bool:
        """Whether policy lets bea see a memory there: the one exception to her not noticing."""
        return self.bea_reads(readers) and all(
            self._bea_matches(space, level, id) for level, id in space.to_dict().items()
        )

    def bea_reads(self, readers: Readers) -> bool:
        return any(readers.admits(voice.actor) for voice in self.voices["bea"] if voice.actor is not None)

    def is_refused_to_ada(self, space: Space) -> bool:
        return (
            space.get(Level.USER) in {BEA, CLEO}
            or space.get(Level.AGENT) in {"bea-bot", "cleo-bot"}
            or Level.SYSTEM in space.levels
        )

    def ada_reaches(self, space: Space, readers: Readers) -> bool:
        return not self.is_refused_to_ada(space) and any(
            readers.admits(voice.actor) for voice in self.voices["ada"] if voice.actor is not None
        )

    def learned_by(self, voice: Voice, space: Space) -> Learned:
        """The origin of a statement that this voice makes for this space. A chat that is not registered counts as
        private, unless the statement is for a wider space."""
        assert voice.actor is not None
        chat = dict(voice.places).get("chat")
        if chat is None:
            return OUTSIDE_ANY_CHAT
        own = voice.actor.user or voice.actor.owner
        inside = self._owners_in(chat)
        if inside is None:
            is_wider = not space.is_private and space.get(Level.CHAT) != chat
            return OUTSIDE_ANY_CHAT if is_wider else Learned(chat, None, (f"@{own}",))
        return Learned(chat, LearnedKind.GROUP, tuple(sorted(f"@{user}" for user in inside | {str(own)})))

    def _owners_in(self, chat: str) -> set[str] | None:
        """The users in a chat and the owners of the agents there; `None` if it is not registered."""
        owners = dict(self.world.agents)
        inside = [(users, agents) for level, id, users, agents in self.world.groups if (level, id) == ("chat", chat)]
        return {*inside[0][0], *(owners[agent] for agent in inside[0][1])} if inside else None

    def _bea_matches(self, space: Space, level: str, id: str) -> bool:
        if level == Level.USER:
            return id == BEA
        if level == Level.VISIBILITY:
            return id != Visibility.PRIVATE or space.get(Level.AGENT) == "bea-bot"
        if level in GROUP_LEVELS or level == Level.CHAT:
            return SHARED[level] == id
        return True

    def _ada(self) -> list[Voice]:
        own, bot = self.own, Actor(ActorKind.AGENT, "ada-bot", owner=self.ada)
        return [
            _voice("ada", self.ada_user),
            _voice("ada", self.ada_user, "project", "org"),
            _voice("ada", self.ada_user, "project", session="s1"),
            _voice("ada", self.ada_user, "chat"),
            _voice("ada", self.ada_user, "workspace", track="t1"),
            _voice("ada", self.ada_user, project=own["project"], org=own["org"], session="s1"),
            _voice("ada", self.ada_user, chat=own["chat"], workspace=own["workspace"]),
            _voice("ada", self.ada_user, "project", agent="ada-bot"),
            _voice("ada", bot, "project"),
            _voice("ada", replace(bot, acting_for=self.ada), "project", session="s1"),
            _voice("ada", Actor(ActorKind.AGENT, "ada-helper", owner=self.ada), "chat"),
            _voice("ada", self.ada_user, agent="bea-bot", session="s1"),
        ]

    def _bea(self) -> list[Voice]:
        bot = Actor(ActorKind.AGENT, "bea-bot", owner=BEA)
        outsider = _voice("bea", self.bea_user, project=self.own["project"], chat=self.own["chat"])
        return [
            _voice("bea", self.bea_user),
            _voice("bea", self.bea_user, "project", "org", session="s1"),
            _voice("bea", self.bea_user, "project", "role"),
            _voice("bea", self.bea_user, "chat"),
            _voice("bea", self.bea_user, "workspace", track="t1"),
            _voice("bea", self.bea_user, "project", agent="ada-bot"),
            _voice("bea", self.bea_user, agent="bea-bot", session="s1"),
            _voice("bea", bot, "project"),
            _voice("bea", replace(bot, acting_for=BEA), "project"),
            _voice("bea", Actor(ActorKind.AGENT, "ada-bot", acting_for=BEA, owner=self.ada), "project"),
            outsider,
        ]

    def in_guild(self, party: str) -> Voice:
        """Cleo in the group bea is not in, or ada's agent acting for cleo there: what it says is cleo's word, and so it
        ages cleo's memories. Used in one scene only: see `_hidden_end_of_a_source`."""
        bot = Actor(ActorKind.AGENT, "ada-bot", acting_for=CLEO, owner=self.ada)
        return _voice(party, {"ada": bot, "cleo": self.cleo_user}[party], "project", **GUILD)

    def _cleo(self) -> list[Voice]:
        return [
            _voice("cleo", self.cleo_user),
            _voice("cleo", self.cleo_user, "project", "org", session="s1"),
            _voice("cleo", self.cleo_user, "chat"),
            _voice("cleo", self.cleo_user, "workspace", agent="ada-bot"),
        ]


def _voice(party: str, actor: Actor, *shared: str, **places: str) -> Voice:
    return Voice(party, actor, tuple({**{level: SHARED[level] for level in shared}, **places}.items()))


def choose_voices(rng: random.Random, theme: str, voices: list[Voice]) -> list[Voice]:
    """Three voices, two of them with the theme of the history."""
    fitting = [voice for voice in voices if theme in {*dict(voice.places), voice.actor and voice.actor.kind}]
    chosen = rng.sample(fitting, min(2, len(fitting)))
    rest = [voice for voice in voices if voice not in chosen]
    return chosen + rng.sample(rest, min(3 - len(chosen), len(rest)))
