"""Symbols for each thing, and what is true of each whatever it stands for."""

from __future__ import annotations

from typing import Any

import z3
from tests.proofs.logic import (
    Set,
    Truth,
    both,
    implies,
    is_,
    is_empty,
    is_given,
    no,
    within,
)
from tests.proofs.symbols import Agent, Chat, Many, Maybe, Named, Person
from tests.proofs.things import (
    BELONGING,
    LEVELS,
    ORIGINS,
    ROOMS,
    SENSITIVITIES,
    VISIBILITIES,
    Directory,
    Memory,
    Policy,
    Room,
    Space,
    Standpoint,
)
from tests.proofs.things import Chat as ChatNow

_SORTS = {level: Chat if level == "chat" else z3.DeclareSort(level.title()) for level in LEVELS}
_WITH_A_CHAT = ("unregistered", "private")
_WITH_LISTENERS = ("group", "private", "released")


class World:
    """Makes symbols, and gathers what may be assumed of them."""

    def __init__(self) -> None:
        self.assumed: list[Truth] = []
        self.names: list[Named] = []
        self._has_owner = z3.Function("has_owner", Agent, z3.BoolSort())
        self._owner = z3.Function("owner", Agent, Person)

    def person(self, name: str) -> Any:
        return z3.Const(name, Person)

    def owner(self, agent: Any) -> Maybe:
        """The owner of an agent, if it has one."""
        return Maybe("", Person, given=self._has_owner(agent), one=self._owner(agent))

    def listens_for(self, agent: Any) -> Maybe:
        """Whom an agent listens for: its owner, or one whom nobody knows."""
        return Maybe("", Person, given=True, one=self._owner(agent))

    def one_of(self, name: str, names: tuple[str, ...]) -> Named:
        made = Named(name, names)
        self.names.append(made)
        self.assumed.append(made.axiom)
        return made

    def memory(self, name: str = "memory") -> Memory:
        made = Memory(
            sensitivity=self.one_of(f"{name}.sensitivity", SENSITIVITIES),
            subjects=Many(f"{name}.subjects", Person),
            about_nobody=z3.Bool(f"{name}.about_nobody"),
            speaker=Maybe(f"{name}.speaker", Person),
            owner=Maybe(f"{name}.owner", Person),
            may_read=Many(f"{name}.may_read", Person),
            of_chat=Maybe(f"{name}.of_chat", Chat),
            portable=z3.Bool(f"{name}.portable"),
            origin=self.one_of(f"{name}.origin", ORIGINS),
            origin_chat=Maybe(f"{name}.origin_chat", Chat),
            heard_by=Many(f"{name}.heard_by", Person),
            for_users=z3.Bool(f"{name}.for_users"),
            users=Many(f"{name}.users", Person),
            for_agents=z3.Bool(f"{name}.for_agents"),
            agents=Many(f"{name}.agents", Agent),
        )
        self.assumed += [*possible_origin(made.origin, made.origin_chat, made.heard_by)]
        self.assumed.append(within(made.owner, made.may_read))
        return made

    def room(self, name: str = "room") -> Room:
        """Who listens, however they came there."""
        made = Room(
            kind=self.one_of(f"{name}.kind", ROOMS),
            chat=Maybe(f"{name}.chat", Chat),
            asker=Maybe(f"{name}.asker", Person),
            user=Maybe(f"{name}.user", Person),
            persons=Many(f"{name}.persons", Person),
            listeners=Many(f"{name}.listeners", Person),
            agents=Many(f"{name}.agents", Agent),
            all_by_agents=z3.Bool(f"{name}.all_by_agents"),
        )
        alone = is_(made.kind, "alone")
        self.assumed += [
            within(made.user, made.asker),
            within(made.asker, made.persons),
            within(made.persons, made.listeners),
            both(implies(alone, is_empty(made.chat)), implies(is_empty(made.chat), alone)),
            implies(alone, within(made.listeners, made.asker)),
        ]
        return made

    def policy(self, name: str = "policy") -> Policy:
        return Policy(*(z3.Bool(f"{name}.{one}") for one in ("participants", "open_provenance", "told_alone", "own")))

    def space(self, name: str = "space") -> Space:
        return Space(
            levels={level: Maybe(f"{name}.{level}", _SORTS[level]) for level in LEVELS},
            user=Maybe(f"{name}.user", Person),
            agent=Maybe(f"{name}.agent", Agent),
            system=z3.Bool(f"{name}.system"),
            visibility=self.one_of(f"{name}.visibility", VISIBILITIES),
        )

    def standpoint(self, name: str = "at", kinds: tuple[str, ...] = ("user", "agent", "system")) -> Standpoint:
        made = Standpoint(
            kind=self.one_of(f"{name}.kind", kinds),
            user=Maybe(f"{name}.user", Person),
            agent=Maybe(f"{name}.agent", Agent),
            levels={level: Maybe(f"{name}.at_{level}", _SORTS[level]) for level in LEVELS},
            at_user=Maybe(f"{name}.at_user", Person),
            at_agents=Many(f"{name}.at_agents", Agent),
            at_system=z3.Bool(f"{name}.at_system"),
        )
        self.assumed += [
            implies(is_(made.kind, "user"), both(is_given(made.user), is_empty(made.agent))),
            implies(is_(made.kind, "agent"), is_given(made.agent)),
            implies(is_(made.kind, "system"), both(is_empty(made.user), is_empty(made.agent))),
        ]
        return made

    def directory(self, name: str = "record") -> Directory:
        joins = [level for level in LEVELS if level not in BELONGING]
        made = Directory(
            belongs={level: z3.Bool(f"{name}.belongs.{level}") for level in BELONGING},
            member={level: z3.Bool(f"{name}.member.{level}") for level in joins},
            registered={level: z3.Bool(f"{name}.registered.{level}") for level in joins},
            takes_word=z3.Bool(f"{name}.takes_word"),
            owner=self.owner,
        )
        self.assumed += [implies(made.member[level], made.registered[level]) for level in joins]
        return made

    def chat(self, name: str = "chat", kinds: tuple[str, ...] = ("private", "group", "unregistered")) -> ChatNow:
        return ChatNow(self.one_of(f"{name}.kind", kinds), Many(f"{name}.users", Person), Many(f"{name}.agents", Agent))


def possible_origin(kind: Any, chat: Set, heard_by: Set) -> list[Truth]:
    """What a write can give: there is a chat only if it was learned in one, and listeners only if they were known."""
    return [
        implies(is_(kind, "outside", "unknown", "several"), is_empty(chat)),
        implies(is_(kind, *_WITH_A_CHAT), is_given(chat)),
        implies(no(is_(kind, *_WITH_LISTENERS)), is_empty(heard_by)),
    ]
