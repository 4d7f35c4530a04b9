"""Answers about shares, agents, chats and members."""

from __future__ import annotations

from memfort.model.people.directory import Agent, Chat, Members, Share, Withdrawal
from memfort.operations.table import Operation
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.lines import format_moment
from memfort.surfaces.cli.render.rendered import Rendered


def _share(_: Operation, made: Share) -> Rendered:
    return Rendered([f"shared {made.space} with {made.holder}: {made.id}"])


def _shares(_: Operation, found: list[Share]) -> Rendered:
    rows = [(one.id, one.space, one.holder, one.granted_by, format_moment(one.granted_at_us)) for one in found]
    table = Table(("id", "space", "reader", "by", "since"), rows)
    return Rendered([table], () if found else ("nothing is shared",))


def _share_changes(_: Operation, found: list[Withdrawal]) -> Rendered:
    table = Table(("memory", "share", "withdrawn"), [(one.id, one.share, format_moment(one.at_us)) for one in found])
    return Rendered([table], () if found else ("nothing was withdrawn",))


def _agent(_: Operation, agent: Agent) -> Rendered:
    return Rendered([f"agent {agent.id} belongs to {agent.owner}"])


def _chat(_: Operation, chat: Chat) -> Rendered:
    names = ", ".join(str(one) for one in sorted(chat.participants)) or "nobody"
    return Rendered([f"{chat.kind} chat {chat.id}: {names}"])


def _members(_: Operation, found: Members) -> Rendered:
    table = Table(("kind", "name", "trust"), [(one.kind.value, one.id, one.trust) for one in found])
    return Rendered([table], () if len(found) else ("no members",))


RENDERERS = {
    Share: _share,
    ("list", Share): _shares,
    ("list", Withdrawal): _share_changes,
    Agent: _agent,
    Chat: _chat,
    Members: _members,
}
