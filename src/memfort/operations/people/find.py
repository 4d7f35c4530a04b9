"""Find the people that a name could mean."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.people.person import Person
from memfort.operations.people.resolve.names import find
from memfort.operations.people.resolve.said_names import find_said
from memfort.operations.requests import Request


class FindRequest(Request, frozen=True):
    """The reference to resolve."""

    reference: Annotated[str, Meta(description="A name, an alias, `my wife`, `@bob` or an id.")]


def handle(view: View, request: FindRequest) -> list[Person]:
    """Everybody whom a reference could mean to the asker, the asker's own connections first."""
    return find(view, request.reference) or find_said(view, request.reference)
