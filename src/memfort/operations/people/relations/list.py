"""List a person's relations."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.people.person import Relation
from memfort.operations.people.resolve.look_up import get_person
from memfort.operations.requests import PersonId, Request
from memfort.policy.people import is_shown


class RelationsRequest(Request, frozen=True):
    """Whose relations."""

    id: Annotated[PersonId, Meta(description="The person.")]


def handle(view: View, request: RelationsRequest) -> list[Relation]:
    """The relations of a person, in both directions."""
    person = get_person(view.store, view.sight, request.id)
    return [one for one in view.store.relations(view.sight, [person.id]) if is_shown(view.sight, one)]
