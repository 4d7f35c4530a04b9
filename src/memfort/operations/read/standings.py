"""Show an actor's standing at each of its places."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.operations.requests import Request
from memfort.policy.sight import standings
from memfort.policy.standing import Standing


class StandingsRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: StandingsRequest) -> list[Standing]:  # noqa: ARG001  # it has no fields
    """The actor's standing at each of its coordinates, and why."""
    facts = view.store.facts(view.standpoint)
    return list(standings(view.standpoint, facts, view.engine.memberships).values())
