"""Answers about shares, agents, chats and members."""

from __future__ import annotations

from typing import Any

from memfort.model.people.directory import Agent, Chat, Members, Share, Withdrawal
from memfort.operations.table import Operation
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.documents import format_moment, share_document, withdrawal_document
from memfort.surfaces.cli.render.rendered import Rendered


def _share(_: Operation, made: Share) -> Rendered:
    return Rendered({"share": share_document(made)}, [f"shared {made.space} with {made.holder}: {made.id}"])


def _shares(_: Operation, found: list[Share]) -> Rendered:
    rows = [(one.id, one.space, one.holder, one.granted_by, format_moment(one.granted_at_us)) for one in found]
    table = Table(("id", "space", "reader", "by", "since"), rows)
    return Rendered(
        {"shares": [share_document(one) for one in found]}, [table], () if found else ("nothing is shared",)
    )


def _share_changes(_: Operation, found: list[Withdrawal]) -> Rendered:
    table = Table(("memory", "share", "withdrawn"), [(one.id, one.share, format_moment(one.at_us)) for one in found])
    documents = [withdrawal_document(one) for one in found]
    return Rendered({"withdrawn": documents}, [table], () if found else ("nothing was withdrawn",))


def _agent(_: Operation, agent: Agent) -> Rendered:
    document = {"agent": {"id": agent.id, "owner": agent.owner}}
    return Rendered(document, [f"agent {agent.id} belongs to {agent.owner}"])


def _chat(_: Operation, chat: Chat) -> Rendered:
    people = [{"kind": one.kind.value, "id": one.id} for one in sorted(chat.participants)]
    names = ", ".join(str(one) for one in sorted(chat.participants)) or "nobody"
    document = {"chat": {"id": chat.id, "kind": chat.kind.value, "participants": people}}
    return Rendered(document, [f"{chat.kind} chat {chat.id}: {names}"])


def _members(_: Operation, found: Members) -> Rendered:
    members: list[dict[str, Any]] = [{"kind": one.kind.value, "id": one.id, "trust": str(one.trust)} for one in found]
    table = Table(("kind", "name", "trust"), [tuple(one.values()) for one in members])
    return Rendered({"group": found.group, "members": members}, [table], () if members else ("no members",))


RENDERERS = {
    Share: _share,
    ("list", Share): _shares,
    ("list", Withdrawal): _share_changes,
    Agent: _agent,
    Chat: _chat,
    Members: _members,
}
