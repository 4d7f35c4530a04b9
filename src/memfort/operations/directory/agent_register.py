"""Register an agent with its owner."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput
from memfort.model.people.directory import Agent
from memfort.model.space import check_id
from memfort.operations.directory.events import directory_event
from memfort.operations.requests import OneWord, Request
from memfort.operations.touched import no_space
from memfort.store.port import PutAgent


class RegisterAgentRequest(Request, frozen=True):
    """An agent and its owner."""

    id: Annotated[OneWord, Meta(description="The agent's id.")]
    owner: Annotated[str, Meta(description="The one user it belongs to.")]


touches = no_space


def handle(tx: Transaction, request: RegisterAgentRequest) -> Agent:
    """Register an agent with its one owner. An agent that has an owner keeps it."""
    agent = Agent(check_id(request.id, "id"), check_id(request.owner, "owner"))
    known = tx.store.agent(agent.id)
    if known is not None and known.owner != agent.owner:
        raise InvalidInput("owner", f"the agent `{agent.id}` has another owner", "an agent has exactly one owner")
    if known is None:
        tx.apply([PutAgent(agent)], [directory_event(tx, "register_agent", agent=agent.id, owner=agent.owner)])
    return agent
