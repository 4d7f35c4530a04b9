"""Say how a person is called."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.model.people.person import Person, check_names
from memfort.operations.people.edits import check_texts, edit_people, find_changeable, rename
from memfort.operations.requests import PersonId, Request


class UpdatePersonRequest(Request, frozen=True):
    """The names of a person."""

    id: Annotated[PersonId, Meta(description="The person.")]
    name: Annotated[str | None, Meta(description="What they are called from now on.")] = None
    aliases: Annotated[tuple[str, ...] | None, Meta(description="In place of the other names; repeat it for more.")] = (
        None
    )


def handle(session: Session, request: UpdatePersonRequest) -> Person:
    """Say how a person is called. Only who entered them may, or they themselves."""
    with edit_people(session, "update_person") as (tx, edits):
        person = find_changeable(tx, request.id)
        name = person.name if request.name is None else request.name
        called, aliases = check_names(name, person.aliases if request.aliases is None else request.aliases)
        check_texts(tx.engine, called, *aliases)
        return rename(edits, person, called, aliases, "update_person")
