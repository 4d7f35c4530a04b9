"""The world of a history, and whom and what its steps are made of. Each kind of step has a module that composes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.purge.conversations import HEALTH
from tests.purge.steps import (
    CITIES,
    GROUPS,
    LEVELS,
    NAMES,
    OWN_SPACES,
    RECORDS,
    RELATIVES,
    TAGS,
    THINGS,
    USERS,
    Actor,
    ForgetRequests,
    Memberships,
    Standpoint,
    Step,
)

KINDS_OF_THINGS_MADE = ("memory", "pending", "person", "share", "export", "import", "undo", "receipt", "promotion")


class Composer:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(f"purge-{seed}")
        self.steps: list[Step] = []
        self.things: list[str] = []  # that were talked about
        self.users = self.random.sample(USERS, self.random.choice((3, 3, 4, 5)))
        self.chats: dict[str, tuple[str, list[str], list[str]]] = {}  # kind, users, agents
        self.owners = {"bot": self.users[0], "clerk": self.users[1], "drone": "host"}
        self.groups: dict[tuple[str, str], list[str]] = {}
        self.people_of_interest = list(self.users)
        self.made: dict[str, list[int]] = {kind: [] for kind in KINDS_OF_THINGS_MADE}
        self.memberships: Memberships = self.random.choice(("trusted", "registered"))
        self.forget_requests: ForgetRequests = "act" if self.random.random() < 0.2 else "ask"
        self.left_out: set[str] = set()  # kinds of reads that nobody asks in this history
        if self.random.random() < 0.85:
            self.left_out |= RECORDS
        self.reaches_own_spaces = self.random.random() < 0.35  # whether the observer ends memories in bulk, or tries to
        if not self.reaches_own_spaces:
            self.left_out |= OWN_SPACES
        self.observer = Standpoint(Actor("user", self.users[0]))

    def build_world(self) -> None:
        for agent, owner in self.owners.items():
            self.add("register_agent", None, id=agent, owner=owner)
        pair, group = self.random.sample(self.users, 2), self.random.sample(self.users, min(3, len(self.users)))
        self.open_chat("pair", "private", pair, ["bot"] if self.random.random() < 0.3 else [])
        self.open_chat("crew", "group", group, ["clerk"] if self.random.random() < 0.3 else [])
        if self.random.random() < 0.4:
            self.open_chat("solo", "private", [self.random.choice(self.users)], ["bot"])
        if self.random.random() < 0.4:
            self.open_chat("club", "group", self.random.sample(self.users, 2), [])
        for group_name in self.random.sample(GROUPS, self.random.choice((1, 1, 2))):
            self.groups[group_name] = []
            for user in self.random.sample(self.users, self.random.randint(2, len(self.users))):
                self.join_group(group_name, user)

    def open_chat(self, chat: str, kind: str, users: list[str], agents: list[str], step: str = "open_chat") -> None:
        self.chats[chat] = (kind, list(users), list(agents))
        self.add(step, None, id=chat, kind=kind, participants=sorted(users), agents=sorted(agents))

    def join_group(self, group: tuple[str, str], user: str) -> None:
        trust = self.random.choice(("viewer", "contributor", "contributor", "approver", "owner"))
        self.add_to_group(group, user, trust)

    def add_to_group(self, group: tuple[str, str], user: str, trust: str) -> None:
        self.groups[group].append(user)
        self.add("add_member", None, group=dict([group]), user=user, trust=trust)

    def choose_observer(self, observer: Standpoint) -> None:
        """From now on, the observer and those in a chat with the observer are talked about more often than others."""
        self.observer = observer
        chat = self.chats.get(self.observer.chat or "")
        near = [self.observer.actor.person] * 3 + (chat[1] if chat else [])
        self.people_of_interest = [one for one in near if one in self.users] + self.users

    def actor(self) -> Actor:
        draw = self.random.random()
        if draw < 0.7:
            return Actor("user", self.random.choice(self.users))
        agent = self.random.choice(("bot", "clerk"))
        owner = self.owners[agent]
        if draw < 0.8:
            return Actor("agent", agent, acting_for=owner, owner=owner)
        if draw < 0.92:
            return Actor("agent", agent, acting_for=self.random.choice(self.users), owner=owner)
        if draw < 0.98:
            return Actor("agent", agent, owner=owner)
        return Actor("agent", "drone", owner="host")

    def somebody(self) -> Standpoint:
        """Who takes the next step: often the observer, from here or elsewhere, or who talks with the observer."""
        draw, actor = self.random.random(), self.observer.actor
        if draw < 0.16:
            return self.observer
        if draw < 0.32 and actor.person:
            return self.standpoint(Actor("user", actor.person))
        chat = self.chats.get(self.observer.chat or "")
        if draw < 0.5 and chat and chat[1]:
            return self.standpoint(Actor("user", self.random.choice(chat[1])))
        return self.standpoint()

    def standpoint(self, actor: Actor | None = None, stranger: float = 0.08) -> Standpoint:
        actor = actor or self.actor()
        places: dict[str, str] = {}
        if self.random.random() < 0.55:
            open_to = [c for c in self.chats if self.takes_part(actor, c) != (self.random.random() < stranger)]
            if open_to:
                places["chat"] = self.random.choice(open_to)
        for group, members in self.groups.items():
            if self.random.random() < 0.45 and (actor.user in members or self.random.random() < stranger):
                places[group[0]] = group[1]
        if actor.kind == "user" and self.random.random() < 0.08:
            places["agent"] = self.random.choice(("bot", "clerk"))
        if actor.user and "chat" not in places and self.random.random() < 0.12:
            places["session"] = "monday"  # the same name for all
        return Standpoint(actor, tuple(sorted(places.items())))

    def takes_part(self, actor: Actor, chat: str) -> bool:
        _, users, agents = self.chats[chat]
        return actor.user in users if actor.user else (actor.id in agents or actor.owner in users)

    def author_of(self, number: int) -> Standpoint:
        """Somebody who acts on what a step made: mostly who made it, sometimes from elsewhere, sometimes another."""
        who = next(step.who for step in self.steps if step.number == number)
        draw = self.random.random()
        if who is None or draw > 0.85:
            return self.standpoint()
        return who if draw < 0.55 else self.standpoint(who.actor, stranger=0.02)

    def add(self, kind: str, who: Standpoint | None, /, **given: Any) -> int:
        self.steps.append(Step(len(self.steps), kind, who, given))
        return len(self.steps) - 1

    def subject(self) -> str:
        if self.random.random() < 0.75:
            return f"@{self.random.choice(self.people_of_interest)}"
        return self.random.choice(NAMES)

    def text(self) -> str:
        self.things.append(self.random.choice(THINGS))
        thing = f"{self.things[-1]} from {self.random.choice(CITIES)}"
        draw = self.random.random()
        if draw < 0.25:
            return f"I like {thing}"
        if draw < 0.62:
            return f"{self.subject()} likes {thing}"
        if draw < 0.74:
            return f"{self.subject()} and {self.subject()} like {thing}"
        if draw < 0.84:
            return f"My {self.random.choice(RELATIVES)} likes {thing}"
        return f"The {thing} are in the cellar"

    def about(self, whom: str) -> str:
        """A statement about a user, or about somebody by name."""
        self.things.append(self.random.choice(THINGS))
        subject = f"@{whom}" if whom in self.users else whom
        return f"{subject} likes {self.things[-1]} from {self.random.choice(CITIES)}"

    def write(self, who: Standpoint, /, **given: Any) -> int:
        number = self.add("remember", who, **given)
        self.made["memory"].append(number)
        if "confidence" in given:
            self.made["pending"].append(number)
        return number

    def change(self, kind: str, who: Standpoint, /, **given: Any) -> int:
        self.made["memory"].append(self.add(kind, who, **given))
        return self.made["memory"][-1]

    def statement(self, who: Standpoint, spaces: bool = True) -> dict[str, Any]:
        chance = self.random.random
        given: dict[str, Any] = {"text": self.text()}
        if chance() < 0.85:
            given["sensitivity"] = self.random.choice(LEVELS)
        if chance() < 0.2:
            given["subjects"] = self.random.choice(([self.subject()], ["me"], [self.subject(), self.subject()]))
        if chance() < 0.15:
            given["access"] = {"users": sorted({who.actor.user or self.users[0], self.random.choice(self.users)})}
        elif chance() < 0.04:
            given["access"] = {"agents": ["bot"]}
        if chance() < 0.35:
            given["tags"] = [self.random.choice(TAGS)]
        if chance() < 0.2:
            given["portable"] = chance() < 0.6
        if chance() < 0.12:
            given |= {"kind": "profile", "key": "hobby"}
        if chance() < 0.15:
            given["confidence"] = 0.4
        if chance() < 0.08:
            given |= self.random.choice(({"ttl_ticks": 2}, {"ttl_seconds": 3600.0}))
        space = self.space(who)
        if spaces and space and chance() < 0.45:
            given["space"] = space
        return given

    def space(self, who: Standpoint) -> dict[str, str] | None:
        options = [{level: id} for level, id in who.places if level not in {"agent", "session"}]
        if who.actor.kind == "agent":
            options.append({"agent": who.actor.id, "visibility": self.random.choice(("private", "public"))})
        if who.actor.user and options and self.random.random() < 0.15:
            options.append({"user": who.actor.user} | options[0])
        return self.random.choice(options) if options else None

    def observe(self, who: Standpoint, /, *messages: dict[str, Any], has_ids: bool = True, **given: Any) -> int:
        number = len(self.steps)
        if has_ids:
            messages = tuple({**message, "id": f"m{number}-{place}"} for place, message in enumerate(messages))
        return self.change("observe", who, messages=list(messages), **given)

    def about_health(self) -> str:
        self.things.append(self.random.choice(THINGS))
        return f"{HEALTH} {self.things[-1]}"

    def correction(self) -> str:
        text = self.text()
        return self.random.choice((f"No wait, it's {self.things[-1]} from Porto", f"Actually, {text}", "Scratch that"))

    def import_plain(self, who: Standpoint, /, **given: Any) -> int:
        self.made["import"].append(self.add("import_plain", who, **given))
        return self.made["import"][-1]

    def choose(self, made: str) -> int:
        """The number of a step that made such a thing."""
        return self.random.choice(self.made[made])

    def step(self, number: int) -> Step:
        return self.steps[number]


Steps = Mapping[str, tuple[int, Callable[[Composer], None]]]  # how often a kind of step is chosen, and what composes it
