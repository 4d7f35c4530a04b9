"""Show one person."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.people.person import Person
from memfort.operations.people.resolve.look_up import look_up
from memfort.operations.requests import PersonId, Request


class GetPersonRequest(Request, frozen=True):
    """Which person."""

    id: Annotated[PersonId, Meta(description="`@bob` for the user bob, `per_…` for an added person, or `me`.")]


def handle(view: View, request: GetPersonRequest) -> Person | None:
    """The person that an id stands for now. The id of a merged person gives the person they were merged into."""
    return look_up(view.store, view.sight, request.id)
