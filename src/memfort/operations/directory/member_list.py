"""List the members of a group."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.errors import Denied, InvalidInput, NotFound, a
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Member, Members, Principal, Trust, principal_of
from memfort.model.reason import Reason, explanation
from memfort.model.space import GROUP_LEVELS, Coordinate, Level, check_id, level_of
from memfort.operations.directory.events import names_of
from memfort.operations.requests import Coordinates, Request

Group = Annotated[Coordinates, Meta(description="One level and its id, for example project=apollo.")]


class ListMembersRequest(Request, frozen=True):
    """Which group."""

    group: Group


def handle(view: View, request: ListMembersRequest) -> Members:
    """The members of a workspace, project, role, team, org or chat, and how far each is trusted. The host may ask about
    any group; an actor sees the members of its own groups, and any other group looks like one without members."""
    group = group_of(request.group)
    if view.actor.kind is not ActorKind.SYSTEM and view.store.trust(group, principal_of(view.actor)) is None:
        return Members({group.level.value: group.id}, ())
    return members_of(view, group)


def check_owner(view: View, group: Coordinate) -> None:
    """Refuse an actor who may not change the members of a group: the host may, and an owner, in person. For an actor
    that is no member, the group does not exist."""
    if view.actor.kind is ActorKind.SYSTEM:
        return
    trust = view.store.trust(group, principal_of(view.actor))
    if trust is None:
        raise NotFound("group", str(group))
    if trust is not Trust.OWNER:
        raise Denied(Reason.LEVEL_TOO_LOW, explanation(Reason.LEVEL_TOO_LOW))
    if view.actor.acting_for is not None:
        raise Denied(Reason.NEEDS_A_PERSON, explanation(Reason.NEEDS_A_PERSON))


def members_of(view: View, group: Coordinate) -> Members:
    found = ((one, view.store.trust(group, one)) for one in sorted(view.store.members(group)))
    members = tuple(Member(one.kind, one.id, trust) for one, trust in found if trust is not None)
    return Members({group.level.value: group.id}, members)


def group_of(given: dict[str, str]) -> Coordinate:
    if len(given) != 1:
        raise InvalidInput("group", "it is not one group", "name one level and its id, for example project=apollo")
    [(level, id)] = given.items()
    found = level_of(level)
    if found not in GROUP_LEVELS and found is not Level.CHAT:
        known = ", ".join(sorted(GROUP_LEVELS))
        raise InvalidInput("level", f"{a(found)} has no members", f"use one of {known}, chat")
    return Coordinate(found, check_id(id, "group"))


def membership(group: Coordinate, member: Principal) -> dict[str, list[str]]:
    """A membership for the trail."""
    return {"group": [group.level.value, group.id], "member": names_of(member)}
