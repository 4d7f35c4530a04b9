"""Show the owner of an agent."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.people.directory import Agent
from memfort.model.space import check_id
from memfort.operations.requests import OneWord, Request


class GetAgentRequest(Request, frozen=True):
    """Which agent."""

    id: Annotated[OneWord, Meta(description="The agent's id.")]


def handle(view: View, request: GetAgentRequest) -> Agent | None:
    """An agent and its owner, if it is registered."""
    return view.store.agent(check_id(request.id, "id"))
