"""The directory: which agents and chats there are, and who belongs where. It is the host program's to keep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memfort.errors import InvalidInput, a
from memfort.memory.engine import Engine
from memfort.memory.input import choice, list_of, principal_of_names
from memfort.model.actor import SYSTEM, ActorKind
from memfort.model.directory import Agent, Chat, ChatKind, Principal, Trust
from memfort.model.reason import Reason
from memfort.model.space import GROUP_LEVELS, Coordinate, Level, check_id, level_of
from memfort.store.port import Change, DropMember, PutAgent, PutChat, PutMember
from memfort.trace.event import DIRECTORY_CHAIN, Event


class Directory:
    """Agents, chats and memberships. Every change takes effect with the next read, and is in the trail."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def register_agent(self, id: str, *, owner: str) -> Agent:
        """Enter an agent with its one owner. An agent that has an owner keeps it."""
        agent = Agent(check_id(id, "agent"), check_id(owner, "owner"))
        with self._engine.writing():
            known = self._engine.store.agent(agent.id)
            if known is not None and known.owner != agent.owner:
                raise InvalidInput("owner", f"the agent `{id}` has another owner", "an agent has exactly one owner")
            if known is None:
                self._apply(PutAgent(agent), "register_agent", agent=agent.id, owner=agent.owner)
        return agent

    def agent(self, id: str) -> Agent | None:
        return self._engine.store.agent(check_id(id, "agent"))

    def register_chat(
        self, id: str, *, kind: str, participants: Iterable[str] = (), agents: Iterable[str] = ()
    ) -> Chat:
        """Enter a chat, or change who takes part in it."""
        users = (
            Principal(ActorKind.USER, check_id(name, "participants")) for name in list_of(participants, "participants")
        )
        helpers = (Principal(ActorKind.AGENT, check_id(name, "agents")) for name in list_of(agents, "agents"))
        chat = Chat(check_id(id, "chat"), choice(ChatKind, kind, "kind"), frozenset((*users, *helpers)))
        taking_part = [_names(one) for one in sorted(chat.participants)]
        self._apply(PutChat(chat), "register_chat", chat=chat.id, kind=chat.kind.value, participants=taking_part)
        return chat

    def chat(self, id: str) -> Chat | None:
        return self._engine.store.chat(check_id(id, "chat"))

    def add_member(
        self, level: str, id: str, *, user: str | None = None, agent: str | None = None, trust: str = Trust.CONTRIBUTOR
    ) -> None:
        """Make a user or an agent a member of a workspace, project, role or org, or change how far it is trusted
        there: a viewer proposes nothing, a contributor does, an approver decides with others, an owner alone."""
        group, member = _group(level, id), principal_of_names(user, agent, "member")
        trusted = choice(Trust, trust, "trust")
        self._apply(PutMember(group, member, trusted), "add_member", **_membership(group, member), trust=trusted.value)

    def remove_member(self, level: str, id: str, *, user: str | None = None, agent: str | None = None) -> None:
        """End a membership. The group stays registered, even when nobody is left in it."""
        group, member = _group(level, id), principal_of_names(user, agent, "member")
        self._apply(DropMember(group, member), "remove_member", **_membership(group, member))

    def members(self, level: str, id: str) -> list[Principal]:
        return self._engine.store.members(_group(level, id))

    def trust(self, level: str, id: str, *, user: str | None = None, agent: str | None = None) -> Trust | None:
        """How far a member is trusted; who is no member is not."""
        return self._engine.store.trust(_group(level, id), principal_of_names(user, agent, "member"))

    def _apply(self, change: Change, action: str, **detail: Any) -> None:
        engine = self._engine
        event = Event(
            chain=DIRECTORY_CHAIN, at=engine.clock.now(), action=action, actor=SYSTEM, surface=engine.surface,
            decision="allowed", reason=Reason.REGISTERED, policy=engine.policy.digest, detail=detail,
        )  # fmt: skip
        engine.apply([change], [event])


def _membership(group: Coordinate, member: Principal) -> dict[str, list[str]]:
    return {"group": [group.level.value, group.id], "member": _names(member)}


def _names(one: Principal) -> list[str]:
    """A principal for the trail: kind and name apart, because a name may hold any character."""
    return [one.kind.value, one.id]


def _group(level: str, id: str) -> Coordinate:
    found = level_of(level)
    if found not in GROUP_LEVELS and found is not Level.CHAT:
        known = ", ".join(sorted(GROUP_LEVELS))
        raise InvalidInput("level", f"{a(found)} has no members", f"use one of {known}, chat")
    return Coordinate(found, check_id(id, "id"))
