"""Make a user or an agent a member of a group."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import principal_of_names
from memfort.engine.transaction import Transaction
from memfort.model.people.directory import Members, Trust
from memfort.operations.directory.events import directory_event
from memfort.operations.directory.member_list import Group, check_owner, group_of, members_of, membership
from memfort.operations.requests import Request
from memfort.operations.touched import in_directory
from memfort.store.port import PutMember


class AddMemberRequest(Request, frozen=True):
    """Who joins which group: a user or an agent."""

    group: Group
    user: Annotated[str | None, Meta(description="The user who joins.")] = None
    agent: Annotated[str | None, Meta(description="The agent that joins.")] = None
    trust: Annotated[Trust, Meta(description="How far it is trusted: viewer, contributor, approver or owner.")] = (
        Trust.CONTRIBUTOR
    )


touches = in_directory


def handle(tx: Transaction, request: AddMemberRequest) -> Members:
    """Make a user or an agent a member of a workspace, project, role, team or org, or change how far it is trusted
    there: a viewer reads, a contributor writes and ends their own, an approver reviews and ends others', an owner adds
    members. The host program may do this, and an owner of the group."""
    group, member = group_of(request.group), principal_of_names(request.user, request.agent, "member")
    check_owner(tx, group)
    event = directory_event(tx, "add_member", **membership(group, member), trust=request.trust.value)
    tx.apply([PutMember(group, member, request.trust)], [event])
    return members_of(tx, group)
