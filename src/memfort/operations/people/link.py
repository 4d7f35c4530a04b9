"""Say which user a person is."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.model.people.person import Person, person_of_user
from memfort.model.space import check_id
from memfort.operations.people.merge import merge
from memfort.operations.requests import PersonId, Request


class LinkRequest(Request, frozen=True):
    """Which person is which user."""

    id: Annotated[PersonId, Meta(description="The person.")]
    user: Annotated[str, Meta(description="The user they are.")]


def handle(session: Session, request: LinkRequest) -> Person:
    """Say which user a person is. It applies to the actor's own memories; only the system can say it for all."""
    return merge(session, person_of_user(check_id(request.user, "user")), request.id)
