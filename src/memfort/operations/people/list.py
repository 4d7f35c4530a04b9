"""List people."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.people.person import Person
from memfort.operations.requests import Cursor, Limit, Request
from memfort.policy.people import is_shown

_PAGE = 1000


class ListPeopleRequest(Request, frozen=True):
    """The page to list."""

    limit: Annotated[Limit, Meta(description="How many at most.")] = 100
    after: Annotated[Cursor | None, Meta(description="Continue after this id, the last of the previous page.")] = None


def handle(view: View, request: ListPeopleRequest) -> list[Person]:
    """Every person who was added or mentioned in sight, in the order of their ids."""
    found: list[Person] = []
    after = request.after
    while len(found) < request.limit and (page := view.store.all_people(view.sight, after, _PAGE)):
        found += [person for person in page if is_shown(view.sight, person)]
        after = page[-1].id
    return found[: request.limit]
