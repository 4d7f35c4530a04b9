"""End a membership."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import principal_of_names
from memfort.engine.transaction import Transaction
from memfort.errors import NotFound
from memfort.model.people.directory import Members
from memfort.operations.directory.events import directory_event
from memfort.operations.directory.member_list import Group, check_owner, group_of, members_of, membership
from memfort.operations.requests import Request
from memfort.operations.touched import in_directory
from memfort.store.port import DropMember


class RemoveMemberRequest(Request, frozen=True):
    """Who leaves which group: a user or an agent."""

    group: Group
    user: Annotated[str | None, Meta(description="The user who leaves.")] = None
    agent: Annotated[str | None, Meta(description="The agent that leaves.")] = None


touches = in_directory


def handle(tx: Transaction, request: RemoveMemberRequest) -> Members:
    """End a membership. The group stays registered, even when no member is left in it. The host program may do this,
    and an owner of the group."""
    group, member = group_of(request.group), principal_of_names(request.user, request.agent, "member")
    check_owner(tx, group)
    if tx.store.trust(group, member) is None:
        raise NotFound("member", member.id)
    tx.apply([DropMember(group, member)], [directory_event(tx, "remove_member", **membership(group, member))])
    return members_of(tx, group)
