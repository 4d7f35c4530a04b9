"""Register an agent with its owner."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Transaction
from memfort.errors import Denied, InvalidInput
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.directory import Agent
from memfort.model.reason import Reason, explanation
from memfort.model.space import check_id
from memfort.operations.directory.events import directory_event
from memfort.operations.requests import OneWord, Request
from memfort.operations.touched import in_directory
from memfort.store.port import PutAgent


class RegisterAgentRequest(Request, frozen=True):
    """An agent and its owner."""

    id: Annotated[OneWord, Meta(description="The agent's id.")]
    owner: Annotated[str, Meta(description="The one user it belongs to.")]


touches = in_directory


def handle(tx: Transaction, request: RegisterAgentRequest) -> Agent:
    """Register an agent with its one owner. An agent that has an owner keeps it. The host program may do this, and a
    user for agents of their own."""
    agent = Agent(check_id(request.id, "id"), check_id(request.owner, "owner"))
    known = tx.store.agent(agent.id)
    if tx.actor.kind is not ActorKind.SYSTEM and not _is_own(tx.actor, agent, known):
        raise Denied(Reason.NOT_YOUR_IDENTITY, explanation(Reason.NOT_YOUR_IDENTITY))
    if known is not None and known.owner != agent.owner:
        raise InvalidInput("owner", f"the agent `{agent.id}` has another owner", "an agent has exactly one owner")
    if known is None:
        tx.apply([PutAgent(agent)], [directory_event(tx, "register_agent", agent=agent.id, owner=agent.owner)])
    return agent


def _is_own(actor: Actor, agent: Agent, known: Agent | None) -> bool:
    """Whether a user registers an agent of their own. An agent does not register others, whoever it acts for."""
    return actor.kind is ActorKind.USER and agent.owner == actor.id and known in {None, agent}
