"""agent, chat, member: the directory. It says who stands where, and holds no memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memfort.cli.completing import TRUSTS, OneOf, levels
from memfort.cli.options import Verbs
from memfort.cli.output import Table
from memfort.cli.session import Session
from memfort.cli.values import coordinate
from memfort.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from memfort.memory import Memory


@click.group("agent", cls=Verbs)
def agent_command() -> None:
    """Register agents with their owners."""


@agent_command.command("register")
@click.argument("id")
@click.option("--owner", required=True, metavar="USER", help="The one user it belongs to.")
@click.pass_obj
def register_agent(session: Session, id: str, owner: str) -> None:
    """Enter an agent with its one owner. An agent that has an owner keeps it."""
    with session.memory(make=True) as store:
        made = store.directory.register_agent(id, owner=owner)
    document = {"agent": {"id": made.id, "owner": made.owner}}
    session.output.answer(document, f"agent {made.id} belongs to {made.owner}")


@agent_command.command("show")
@click.argument("id")
@click.pass_obj
def show_agent(session: Session, id: str) -> None:
    """Show whose an agent is."""
    with session.memory() as store:
        found = store.directory.agent(id)
    if found is None:
        raise NotFound("agent", id)
    document = {"agent": {"id": found.id, "owner": found.owner}}
    session.output.answer(document, f"agent {found.id} belongs to {found.owner}")


@click.group("chat", cls=Verbs)
def chat_command() -> None:
    """Register chats with their participants."""


@chat_command.command("register")
@click.argument("id")
@click.option("--kind", required=True, type=OneOf("private", "group"), metavar="KIND", help="private or group.")
@click.option("--participant", "participants", multiple=True, metavar="USER", help="A user in it; repeat it for more.")
@click.option("--agent", "agents", multiple=True, metavar="AGENT", help="An agent in it; repeat it for more.")
@click.pass_obj
def register_chat(session: Session, id: str, kind: str, participants: tuple[str, ...], agents: tuple[str, ...]) -> None:
    """Enter a chat with everybody who is in it. Registered again, it has the participants named last."""
    with session.memory(make=True) as store:
        made = store.directory.register_chat(id, kind=kind, participants=participants, agents=agents)
    _show_chat(session, made)


@chat_command.command("show")
@click.argument("id")
@click.pass_obj
def show_chat(session: Session, id: str) -> None:
    """Show who is in a chat."""
    with session.memory() as store:
        found = store.directory.chat(id)
    if found is None:
        raise NotFound("chat", id)
    _show_chat(session, found)


@click.group("member", cls=Verbs)
def member_command() -> None:
    """Keep the members of workspaces, projects, roles and orgs.

    GROUP is written `level=id`, for example `project=apollo`.
    """


@member_command.command("add")
@click.argument("group", shell_complete=levels)
@click.option("--user", metavar="USER", help="The user who joins.")
@click.option("--agent", metavar="AGENT", help="The agent that joins.")
@click.option("--trust", type=OneOf(*TRUSTS), metavar="HOW", default="contributor", show_default=True,
              help="How far it is trusted: viewer, contributor, approver or owner.")  # fmt: skip
@click.pass_obj
def add_member(session: Session, group: str, user: str | None, agent: str | None, trust: str) -> None:
    """Make a user or an agent a member of a group, or change how far it is trusted.

    A viewer proposes nothing; a contributor may; an approver decides on proposals with others, an owner alone.
    """
    level, id = coordinate(group, "group")
    with session.memory(make=True) as store:
        store.directory.add_member(level, id, user=user, agent=agent, trust=trust)
        members = _members(store, level, id)
    _show_members(session, level, id, members)


@member_command.command("remove")
@click.argument("group", shell_complete=levels)
@click.option("--user", metavar="USER", help="The user who leaves.")
@click.option("--agent", metavar="AGENT", help="The agent that leaves.")
@click.pass_obj
def remove_member(session: Session, group: str, user: str | None, agent: str | None) -> None:
    """End a membership. The group stays registered, even when nobody is left in it."""
    level, id = coordinate(group, "group")
    if (user is None) == (agent is None):
        raise InvalidInput("member", "exactly one is needed", "give either --user or --agent")
    with session.memory() as store:
        if store.directory.trust(level, id, user=user, agent=agent) is None:
            raise NotFound("member", str(user or agent))
        store.directory.remove_member(level, id, user=user, agent=agent)
        members = _members(store, level, id)
    _show_members(session, level, id, members)


@member_command.command("list")
@click.argument("group", shell_complete=levels)
@click.pass_obj
def list_members(session: Session, group: str) -> None:
    """List the members of a group."""
    level, id = coordinate(group, "group")
    with session.memory() as store:
        members = _members(store, level, id)
    _show_members(session, level, id, members)


def _show_chat(session: Session, chat: Any) -> None:
    people = [{"kind": one.kind.value, "id": one.id} for one in sorted(chat.participants)]
    names = ", ".join(str(one) for one in sorted(chat.participants)) or "nobody"
    document = {"chat": {"id": chat.id, "kind": chat.kind.value, "participants": people}}
    session.output.answer(document, f"{chat.kind} chat {chat.id}: {names}")


def _members(store: Memory, level: str, id: str) -> list[dict[str, str]]:
    found = []
    for one in sorted(store.directory.members(level, id)):
        trust = store.directory.trust(level, id, **{one.kind.value: one.id})
        found.append({"kind": one.kind.value, "id": one.id, "trust": str(trust)})
    return found


def _show_members(session: Session, level: str, id: str, found: list[dict[str, str]]) -> None:
    rows = [(one["kind"], one["id"], one["trust"]) for one in found]
    session.output.answer({"group": {level: id}, "members": found}, Table(("kind", "name", "trust"), rows))
    if not found and not session.output.as_json:
        session.output.note("no members")
