"""Give a person more names."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session, Transaction
from memfort.model.people.person import Person, check_name, check_names
from memfort.operations.people.edits import PeopleEdits, change_people, check_texts, find_changeable, rename
from memfort.operations.requests import PersonId, PersonNames, Request


class AliasRequest(Request, frozen=True):
    """More names of a person."""

    id: Annotated[PersonId, Meta(description="The person.")]
    aliases: Annotated[PersonNames, Meta(description="Names beside those that they have.")]


def handle(session: Session, request: AliasRequest) -> Person:
    """Give a person more names."""
    more = [check_name(one, "alias") for one in request.aliases]

    def change(tx: Transaction, edits: PeopleEdits) -> Person:
        person = find_changeable(tx, request.id)
        check_texts(tx.policy, *more)
        return rename(edits, person, *check_names(person.name, (*person.aliases, *more)), "update_person")

    return change_people(session, "update_person", [request.id], change)
