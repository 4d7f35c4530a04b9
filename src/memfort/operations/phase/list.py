"""List the phases of a space."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.phases import known_phases, view_of_space
from memfort.engine.view import View
from memfort.model.phase import Phase
from memfort.operations.requests import Coordinates, Request


class ListPhasesRequest(Request, frozen=True):
    """The space."""

    space: Annotated[Coordinates | None, Meta(description="The space; your own if none is named.")] = None


def handle(view: View, request: ListPhasesRequest) -> list[Phase]:
    """The phases of a space in sight that the policy still keeps, the oldest first."""
    view, space = view_of_space(view, request.space)
    return known_phases(view.engine, view.sight, space)
