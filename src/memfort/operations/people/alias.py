"""Give a person more names."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.model.people.person import Person, check_name, check_names
from memfort.operations.people.edits import check_texts, edit_people, find_changeable, rename
from memfort.operations.requests import PersonId, Request


class AliasRequest(Request, frozen=True):
    """More names of a person."""

    id: Annotated[PersonId, Meta(description="The person.")]
    aliases: Annotated[tuple[str, ...], Meta(description="Names beside those that they have.")]


def handle(session: Session, request: AliasRequest) -> Person:
    """Give a person more names."""
    more = [check_name(one, "alias") for one in request.aliases]
    with edit_people(session, "update_person") as (tx, edits):
        person = find_changeable(tx, request.id)
        check_texts(tx.engine, *more)
        return rename(edits, person, *check_names(person.name, (*person.aliases, *more)), "update_person")
