"""Random histories: who does what, from which standpoint, in a small world of people, agents, chats and groups.

A history is plain data, made from a number alone, so a failure is reproduced by its number. Steps refer to what earlier
steps made (`Ref`), never to ids: an id is known only when the history is played. Half of the histories begin with a
scene: a few steps that chance would hardly ever put together.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.purge import scenes
from tests.purge.conversations import HEALTH
from tests.purge.steps import (
    CITIES,
    GROUPS,
    LEVELS,
    NAMES,
    READS,
    RELATIVES,
    TAGS,
    THINGS,
    USERS,
    Actor,
    History,
    Memberships,
    Ref,
    Standpoint,
    Step,
)

# How often each kind of step is chosen.
WEIGHTS = {
    "remember": 34,
    "remember_many": 4,
    "correct": 7,
    "approve": 6,
    "reject": 4,
    "edit": 6,
    "promote": 6,
    "forget": 4,
    "restore": 5,
    "erase": 3,
    "forget_person": 2,
    "observe": 8,
    "used": 3,
    "phase": 2,
    "share": 4,
    "revoke": 5,
    "export": 1,
    "import": 2,
    "add_person": 4,
    "rename": 2,
    "alias": 3,
    "merge": 3,
    "link": 4,
    "relate": 4,
    "drop": 3,
    "join_chat": 4,
    "leave_chat": 2,
    "reopen_chat": 2,
    "add_member": 2,
    "remove_member": 2,
    "wait": 2,
    "read": 3,
}


def generate(seed: int) -> History:
    return Composer(seed).compose()


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
        self.made: dict[str, list[int]] = {"memory": [], "pending": [], "person": [], "share": [], "export": []}
        self.memberships: Memberships = self.random.choice(("trusted", "registered"))

    def compose(self) -> History:
        self._build_world()
        scene = self.random.choice(scenes.SCENES) if self.random.random() < 0.5 else None
        self.observer = scene(self) if scene else self._standpoint(stranger=0.06)
        self.people_of_interest = self._people_of_interest()
        length = self.random.randint(7, 16) if scene else self.random.randint(10, 22)
        for place in range(length):
            self._body_step()
            if place == length // 2 and self.random.random() < 0.5:
                self._look(self.observer, 8)
        self._look(self.observer, 16)
        return History(self.seed, self.memberships, self.observer, tuple(self.steps))

    # The world

    def _build_world(self) -> None:
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
                self._join_group(group_name, user)

    def open_chat(self, chat: str, kind: str, users: list[str], agents: list[str], step: str = "open_chat") -> None:
        self.chats[chat] = (kind, list(users), list(agents))
        self.add(step, None, id=chat, kind=kind, participants=sorted(users), agents=sorted(agents))

    def _join_group(self, group: tuple[str, str], user: str) -> None:
        trust = self.random.choice(("viewer", "contributor", "contributor", "approver", "owner"))
        self.add_to_group(group, user, trust)

    def add_to_group(self, group: tuple[str, str], user: str, trust: str) -> None:
        self.groups[group].append(user)
        self.add("add_member", None, group=dict([group]), user=user, trust=trust)

    def _people_of_interest(self) -> list[str]:
        """Users to talk about: the observer and those who are in a chat with the observer more often than others."""
        chat = self.chats.get(self.observer.chat or "")
        near = [self.observer.actor.person] * 3 + (chat[1] if chat else [])
        return [one for one in near if one in self.users] + self.users

    # Who acts from where

    def _actor(self) -> Actor:
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

    def _somebody(self) -> Standpoint:
        """Who takes the next step: often the observer, from here or elsewhere, or who talks with the observer."""
        draw, actor = self.random.random(), self.observer.actor
        if draw < 0.16:
            return self.observer
        if draw < 0.32 and actor.person:
            return self._standpoint(Actor("user", actor.person))
        chat = self.chats.get(self.observer.chat or "")
        if draw < 0.5 and chat and chat[1]:
            return self._standpoint(Actor("user", self.random.choice(chat[1])))
        return self._standpoint()

    def _standpoint(self, actor: Actor | None = None, stranger: float = 0.08) -> Standpoint:
        actor = actor or self._actor()
        places: dict[str, str] = {}
        if self.random.random() < 0.55:
            open_to = [c for c in self.chats if self._takes_part(actor, c) != (self.random.random() < stranger)]
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

    def _takes_part(self, actor: Actor, chat: str) -> bool:
        _, users, agents = self.chats[chat]
        return actor.user in users if actor.user else (actor.id in agents or actor.owner in users)

    def _author_of(self, number: int) -> Standpoint:
        """Somebody who acts on what a step made: mostly who made it, sometimes from elsewhere, sometimes another."""
        who = next(step.who for step in self.steps if step.number == number)
        draw = self.random.random()
        if who is None or draw > 0.85:
            return self._standpoint()
        return who if draw < 0.55 else self._standpoint(who.actor, stranger=0.02)

    # Steps

    def add(self, kind: str, who: Standpoint | None, /, **given: Any) -> int:
        self.steps.append(Step(len(self.steps), kind, who, given))
        return len(self.steps) - 1

    def _body_step(self) -> None:
        kind = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        compose: Callable[[], None] = getattr(self, f"_{kind}", self._remember)
        compose()

    def _subject(self) -> str:
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
            return f"{self._subject()} likes {thing}"
        if draw < 0.74:
            return f"{self._subject()} and {self._subject()} like {thing}"
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

    def _statement(self, who: Standpoint, spaces: bool = True) -> dict[str, Any]:
        chance = self.random.random
        given: dict[str, Any] = {"text": self.text()}
        if chance() < 0.85:
            given["sensitivity"] = self.random.choice(LEVELS)
        if chance() < 0.2:
            given["subjects"] = self.random.choice(([self._subject()], ["me"], [self._subject(), self._subject()]))
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
        space = self._space(who)
        if spaces and space and chance() < 0.45:
            given["space"] = space
        return given

    def _space(self, who: Standpoint) -> dict[str, str] | None:
        options = [{level: id} for level, id in who.places if level not in {"agent", "session"}]
        if who.actor.kind == "agent":
            options.append({"agent": who.actor.id, "visibility": self.random.choice(("private", "public"))})
        if who.actor.user and options and self.random.random() < 0.15:
            options.append({"user": who.actor.user} | options[0])
        return self.random.choice(options) if options else None

    def _remember(self) -> None:
        who = self._somebody()
        given = self._statement(who)
        if self.made["memory"] and self.random.random() < 0.16:
            source = self.random.choice(self.made["memory"])
            who = self._author_of(source)
            given["derived_from"] = [Ref(source)]
            given.pop("space", None)
            space = next(step.given.get("space") for step in self.steps if step.number == source)
            given |= {"space": space} if space else {}
        self.write(who, **given)

    def _remember_many(self) -> None:
        who = self._somebody()
        statements = [self._statement(who, spaces=False) for _ in range(2)]
        self.made["memory"].append(self.add("remember_many", who, memories=statements))

    def _on_memory(self, kind: str, /, pool: str = "memory", **given: Any) -> None:
        if not self.made[pool]:
            self._remember()
            return
        source = self.random.choice(self.made[pool])
        number = self.add(kind, self._author_of(source), memory=Ref(source), **given)
        if kind in {"correct", "edit", "promote", "restore"}:
            self.made["memory"].append(number)

    def _correct(self) -> None:
        level = {"sensitivity": self.random.choice(LEVELS)} if self.random.random() < 0.4 else {}
        self._on_memory("correct", text=self.text(), **level)

    def _approve(self) -> None:
        self._on_memory("approve", "pending")

    def _reject(self) -> None:
        self._on_memory("reject", "pending")

    def _edit(self) -> None:
        self._on_memory("edit", "pending", text=self.text())

    def _promote(self) -> None:
        if not self.made["memory"]:
            self._remember()
            return
        source = self.random.choice(self.made["memory"])
        who = self._author_of(source)
        to = self._space(who) or {"project": "apollo"}
        self.made["memory"].append(self.add("promote", who, memory=Ref(source), to=to))

    def _forget(self) -> None:
        self._on_memory("forget")

    def _restore(self) -> None:
        corrected = [step.given["memory"].step for step in self.steps if step.kind == "correct"]
        if not corrected:
            self._correct()
            return
        source = self.random.choice(corrected)
        self.made["memory"].append(self.add("restore", self._author_of(source), memory=Ref(source)))

    def _erase(self) -> None:
        self._on_memory("erase")

    def _used(self) -> None:
        self._on_memory("used")

    def _forget_person(self) -> None:
        which = self.random.choice(("about", "stated_by", "both"))
        who = self._standpoint(Actor("user", self.random.choice(self.users)))
        self.add("forget_person", who, person=self._subject(), which=which, erase=self.random.random() < 0.5)

    def _observe(self) -> None:
        earlier = [step for step in self.steps if step.kind == "observe"]
        if earlier and self.random.random() < 0.2:
            self._observe_again(self.random.choice(earlier))
            return
        who = self._somebody()
        given: dict[str, Any] = {"conversation": "plans"} if self.random.random() < 0.15 else {}
        space = self._space(who)
        if space and space.get("visibility") != "public" and self.random.random() < 0.1:
            given["space"] = space
        messages = [self._message() for _ in range(self.random.choice((1, 1, 2, 3)))]
        self.observe(who, *messages, has_ids=self.random.random() < 0.6, **given)

    def observe(self, who: Standpoint, /, *messages: dict[str, Any], has_ids: bool = True, **given: Any) -> int:
        number = len(self.steps)
        if has_ids:
            messages = tuple({**message, "id": f"m{number}-{place}"} for place, message in enumerate(messages))
        return self.change("observe", who, messages=list(messages), **given)

    def _observe_again(self, step: Step) -> None:
        """The same messages once more: as they are, with one more, or one of them with other words."""
        messages, draw = list(step.given["messages"]), self.random.random()
        if draw < 0.3:
            messages.append(self._message())
        elif draw < 0.5:
            messages[0] = {**messages[0], "content": self.text()}
        who = self._author_of(step.number)
        self.change("observe", who, **{**step.given, "messages": messages, "again": Ref(step.number)})

    def _message(self) -> dict[str, Any]:
        draw, message = self.random.random(), {"role": "user", "content": self.text()}
        if draw < 0.1:
            message["content"] = self.about_health()
        elif draw < 0.17:
            message["content"] += ". What do you think?"
        elif draw < 0.22:
            message["content"] = f"Our {self.things[-1]} from Oslo are in the cellar"
        elif draw < 0.36:
            message["speaker"] = self.random.choice(self.people_of_interest)
        elif draw < 0.48:
            message |= {"role": "assistant", "content": f"Noted: {message['content']}"}
        elif draw < 0.55:
            message |= {"role": "tool", "tool_call_id": "call_1"}
        elif draw < 0.67:
            message["content"] = self.correction()
        elif draw < 0.72:
            message["content"] = f"Please forget that {message['content']}"
        elif draw < 0.75:
            message["role"] = "system"
        if self.random.random() < 0.15:
            message["at"] = "2025-11-03T09:00:00+00:00"
        return message

    def about_health(self) -> str:
        self.things.append(self.random.choice(THINGS))
        return f"{HEALTH} {self.things[-1]}"

    def correction(self) -> str:
        text = self.text()
        return self.random.choice((f"No wait, it's {self.things[-1]} from Porto", f"Actually, {text}", "Scratch that"))

    def _phase(self) -> None:
        who = self._somebody()
        space = self._space(who)
        self.add("phase", who, reason="new plans", **({"space": space} if space else {}))

    def _share(self) -> None:
        who = self._somebody()
        reader: dict[str, Any] = {"user": self.random.choice(self.people_of_interest)}
        if self.random.random() < 0.2:
            reader = {"agent": self.random.choice(("bot", "clerk"))}
        if who.actor.user and self.random.random() < 0.5:
            space = {"user": who.actor.user}
        else:
            space = self._space(who) or {"user": who.actor.user or "nobody"}
        self.made["share"].append(self.add("share", who, space=space, **reader))

    def _revoke(self) -> None:
        if not self.made["share"]:
            self._share()
            return
        share = self.random.choice(self.made["share"])
        self.add("revoke", self._author_of(share), share=Ref(share))

    def _export(self) -> None:
        self.made["export"].append(self.add("export", self._somebody()))

    def _import(self) -> None:
        if not self.made["export"]:
            self._export()
        export = self.random.choice(self.made["export"])
        self.add("import", self._author_of(export), export=Ref(export))

    # People

    def _add_person(self) -> None:
        who = self._somebody()
        given: dict[str, Any] = {"name": self.random.choice(NAMES)}
        if self.random.random() < 0.75:
            own = {"user": who.actor.user} if who.actor.user else None
            space = (self._space(who) if self.random.random() < 0.4 else None) or own
            given |= {"space": space} if space else {}
        if self.random.random() < 0.3:
            given["aliases"] = ["Kiki"]
        if self.random.random() < 0.3 and who.actor.user:
            given["relation"] = self.random.choice(RELATIVES)
        self.made["person"].append(self.add("add_person", who, **given))

    def _rename(self) -> None:
        who = self._standpoint(Actor("user", self.random.choice(self.people_of_interest)))
        self.add("rename", who, name=self.random.choice(NAMES))

    def _on_person(self, kind: str, /, **given: Any) -> None:
        if not self.made["person"]:
            self._add_person()
            return
        person = self.random.choice(self.made["person"])
        self.add(kind, self._author_of(person), person=Ref(person), **given)

    def _alias(self) -> None:
        self._on_person("alias", alias=self.random.choice((*NAMES, "Kiki")))

    def _drop(self) -> None:
        self._on_person("drop")

    def _link(self) -> None:
        self._on_person("link", user=self.random.choice(self.users))

    def _merge(self) -> None:
        """Two persons whom the same actor entered are one, or a person is a user."""
        if not self.made["person"]:
            self._add_person()
        gone = self.random.choice(self.made["person"])
        entered = next(step for step in self.steps if step.number == gone)
        keep: Ref | str = f"@{self.random.choice(self.users)}"
        if self.random.random() < 0.6:
            keep = Ref(self.add("add_person", entered.who, **{**entered.given, "name": self.random.choice(NAMES)}))
        self.add("merge", entered.who, person=Ref(gone), keep=keep)

    def _relate(self) -> None:
        if not self.made["person"]:
            self._add_person()
            return
        person = self.random.choice(self.made["person"])
        who = self._author_of(person)
        given: dict[str, Any] = {"term": self.random.choice(RELATIVES), "person": Ref(person)}
        if who.actor.user and self.random.random() < 0.6:
            given["space"] = {"user": who.actor.user}
        self.add("relate", who, **given)

    # Chats, groups and time

    def _join_chat(self) -> None:
        chat = self.random.choice(list(self.chats))
        kind, users, agents = self.chats[chat]
        newcomers = [user for user in self.users if user not in users]
        if not newcomers or (kind == "private" and len(users) > 1):
            self._leave_chat()
            return
        self.open_chat(chat, kind, [*users, self.random.choice(newcomers)], agents, "join_chat")

    def _leave_chat(self) -> None:
        chat = self.random.choice(list(self.chats))
        kind, users, agents = self.chats[chat]
        if len(users) < 2:
            self._remember()
            return
        leaver = self.random.choice(users)
        self.open_chat(chat, kind, [user for user in users if user != leaver], agents, "leave_chat")

    def _reopen_chat(self) -> None:
        """Register a chat anew: with another partner, or as a chat of the other kind."""
        chat = self.random.choice(list(self.chats))
        kind, users, agents = self.chats[chat]
        if kind == "private" and self.random.random() < 0.6:
            self.open_chat(chat, "group", users, agents, "reopen_chat")
        elif kind == "private":
            self.open_chat(chat, "private", self.random.sample(self.users, 2), agents, "reopen_chat")
        else:
            self.open_chat(chat, "private", users[:2], agents, "reopen_chat")

    def _add_member(self) -> None:
        self._join_group(self.random.choice(list(self.groups)), self.random.choice(self.users))

    def _remove_member(self) -> None:
        group = self.random.choice(list(self.groups))
        if not self.groups[group]:
            self._remember()
            return
        user = self.groups[group].pop(self.random.randrange(len(self.groups[group])))
        self.groups[group] = [one for one in self.groups[group] if one != user]
        self.add("remove_member", None, group=dict([group]), user=user)

    def _wait(self) -> None:
        self.add("wait", None, seconds=self.random.choice((1800.0, 7200.0, 9 * 86400.0)))

    # Reading

    def _read(self) -> None:
        """Another actor, or the observer from elsewhere, reads: that must leave nothing behind."""
        self._look(self._standpoint(), 3)

    def _look(self, who: Standpoint, count: int) -> None:
        reads = [self._read_call(verb) for verb in self.random.sample(sorted(READS), count)]
        self.add("look", who, reads=reads)

    def _read_call(self, verb: str) -> dict[str, Any]:
        person = self.random.choice((self._subject(), self._subject(), "me", "my sister", "Kiki"))
        memory = Ref(self.random.choice(self.made["memory"])) if self.made["memory"] else "mem_absent"
        known = Ref(self.random.choice(self.made["person"])) if self.made["person"] else person
        thing = self.random.choice(self.things or THINGS)
        draws = {
            "query": f"who likes {thing} from {self.random.choice(CITIES)}",
            "question": f"What does {self._subject()} like?",
            "thing": thing,
            "tag": self.random.choice(TAGS),
            "person": person,
            "known": known,
            "memory": memory,
            "conversation": self.random.choice((None, None, None, "plans")),
            "checked": self.random.choice(("get", "history", "used", "forget", "erase", "correct", "approve")),
        }
        return {"verb": verb} | {name: draws[name] for name in READS[verb]}
