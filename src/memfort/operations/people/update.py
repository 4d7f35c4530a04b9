"""Rename a person."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session, Transaction
from memfort.model.people.person import Person, check_names
from memfort.operations.people.edits import PeopleEdits, change_people, check_texts, find_changeable, rename
from memfort.operations.requests import PersonId, PersonNames, Request


class UpdatePersonRequest(Request, frozen=True):
    """The names of a person."""

    id: Annotated[PersonId, Meta(description="The person.")]
    name: Annotated[str | None, Meta(description="Their new name.")] = None
    aliases: Annotated[PersonNames | None, Meta(description="Replaces the other names.")] = None


def handle(session: Session, request: UpdatePersonRequest) -> Person:
    """Say how a person is called. Only who entered them may, or they themselves."""

    def change(tx: Transaction, edits: PeopleEdits) -> Person:
        person = find_changeable(tx, request.id)
        name = person.name if request.name is None else request.name
        called, aliases = check_names(name, person.aliases if request.aliases is None else request.aliases)
        check_texts(tx.policy, called, *aliases)
        return rename(edits, person, called, aliases, "update_person")

    return change_people(session, "update_person", [request.id], change)
