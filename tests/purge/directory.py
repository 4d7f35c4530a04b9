"""Who takes part where, and who may stand at a place: to read there, and to write there."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from tests.purge.steps import GROUPS, Standpoint, Step

Space = frozenset[tuple[str, str]]

GROUP_LEVELS = frozenset(level for level, _ in GROUPS)


class Chat(msgspec.Struct, frozen=True):
    kind: str  # private or group
    users: frozenset[str]
    agents: frozenset[str]


class Directory(msgspec.Struct, frozen=True):
    """Who takes part where, at one moment."""

    chats: Mapping[str, Chat]
    members: Mapping[tuple[str, str], Mapping[str, str]]  # trust by user
    owners: Mapping[str, str]
    registered: bool  # whether only registered memberships count

    def takes_part(self, who: Standpoint, chat: str) -> bool:
        found = self.chats.get(chat)
        if found is None:
            return not self.registered
        actor = who.actor
        if actor.user is not None:
            return actor.user in found.users
        return actor.id in found.agents or self.owners.get(actor.id) in found.users

    def is_shut_out(self, who: Standpoint) -> bool:
        """Whoever names a chat without taking part reads nothing and writes nothing, wherever it is meant for."""
        return who.chat is not None and not self.takes_part(who, who.chat)

    def trust(self, who: Standpoint, group: tuple[str, str]) -> str | None:
        members = self.members.get(group, {})
        return members.get(who.actor.user or "")

    def may_stand(self, who: Standpoint, coordinate: tuple[str, str], space: Space) -> bool:
        """Whether a standpoint has this coordinate of a space."""
        level, id = coordinate
        actor = who.actor
        if level == "system":
            return True
        if level == "user":
            return actor.user == id
        if level == "agent":
            return self._may_stand_at_agent(who, id, space)
        if level == "visibility":
            return True  # decided with the agent
        if coordinate not in who.places:
            return False
        if level == "chat":
            return self.takes_part(who, id)
        if level == "session":
            return True  # its owner is in the space too
        return not self.registered or self.trust(who, coordinate) is not None

    def _may_stand_at_agent(self, who: Standpoint, agent: str, space: Space) -> bool:
        actor, owner = who.actor, self.owners.get(agent)
        if owner is not None and actor.user == owner:
            return True  # who may always read it
        is_there = ("agent", agent) in who.places or (actor.kind == "agent" and actor.id == agent)
        if ("visibility", "public") in space:
            return is_there
        return is_there and actor.kind == "agent" and actor.id == agent and actor.acting_for in {None, owner}

    def may_read(self, who: Standpoint, space: Space) -> bool:
        return bool(space) and all(self.may_stand(who, coordinate, space) for coordinate in space)

    def may_write(self, who: Standpoint, space: Space) -> bool:
        if self.is_shut_out(who) or not self.may_read(who, space) or ("system", "") in space:
            return False
        if not self.registered:
            return True
        return all(self.trust(who, one) != "viewer" for one in space if one[0] in GROUP_LEVELS)


def directory_after(directory: Directory, step: Step) -> Directory:
    given = step.given
    if step.kind == "register_agent":
        return msgspec.structs.replace(directory, owners={**directory.owners, given["id"]: given["owner"]})
    if step.kind in {"open_chat", "join_chat", "leave_chat", "reopen_chat"}:
        chat = Chat(given["kind"], frozenset(given["participants"]), frozenset(given["agents"]))
        return msgspec.structs.replace(directory, chats={**directory.chats, given["id"]: chat})
    if step.kind in {"add_member", "remove_member"}:
        [group] = given["group"].items()
        members = {user: trust for user, trust in directory.members.get(group, {}).items() if user != given["user"]}
        if step.kind == "add_member":
            members[given["user"]] = given["trust"]
        return msgspec.structs.replace(directory, members={**directory.members, group: members})
    return directory


def default_spaces(who: Standpoint) -> list[Space]:
    if who.actor.user:
        return [frozenset({("user", who.actor.user)})]
    return [frozenset({("agent", who.actor.id), ("visibility", "private")})]


def as_space(coordinates: Mapping[str, str]) -> Space:
    return frozenset(coordinates.items())
