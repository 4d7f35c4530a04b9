"""Show the spaces in sight."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.operations.requests import Request


class SpacesRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: SpacesRequest) -> list[dict[str, str]]:  # noqa: ARG001  # it has no fields
    """The spaces in sight, in the order of recall."""
    return [seen.space.to_dict() for seen in view.sight.spaces]
