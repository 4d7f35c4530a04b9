"""Remove a relation between two people."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session, Transaction
from memfort.errors import NotFound
from memfort.model.people.person import Relation, check_term
from memfort.model.reason import Reason
from memfort.operations.people.edits import PeopleEdits, change_people, denial, may_end_relation
from memfort.operations.people.resolve.look_up import get_person
from memfort.operations.requests import OneWord, PersonId, Request
from memfort.policy.people import is_shown


class UnrelateRequest(Request, frozen=True):
    """The relation to remove."""

    person: Annotated[PersonId, Meta(description="The person whose relation it was.")]
    term: Annotated[OneWord, Meta(description="What the other person was to them.")]
    other: Annotated[PersonId, Meta(description="The other person.")]


def handle(session: Session, request: UnrelateRequest) -> list[Relation]:
    """Remove a relation between two people."""
    term = check_term(request.term)

    def change(tx: Transaction, edits: PeopleEdits) -> list[Relation]:
        ends = (
            get_person(tx.store, tx.sight, request.person).id,
            term,
            get_person(tx.store, tx.sight, request.other).id,
        )
        known = tx.store.relations(tx.sight, [ends[0]])
        found = [one for one in known if one.ends == ends and is_shown(tx.sight, one)]
        if not found:
            raise NotFound("relation", term)
        gone = [one for one in found if may_end_relation(tx, one)]
        if not gone:
            raise denial(Reason.NOT_YOUR_PERSON)
        for one in gone:
            edits.drop(one, "unrelate", Reason.REVOKED)
        return gone

    return change_people(session, "unrelate", [request.person, request.other], change)
