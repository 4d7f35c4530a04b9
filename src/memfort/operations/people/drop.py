"""Remove a person for good."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session, Transaction
from memfort.errors import NotFound
from memfort.model.reason import Reason
from memfort.model.results import TakenOut
from memfort.operations.people.edits import PeopleEdits, change_people, check_allowed, check_border, may_end_relation
from memfort.operations.requests import PersonId, Request
from memfort.policy.people import is_shown, may_change


class DropPersonRequest(Request, frozen=True):
    """The person to remove."""

    id: Annotated[PersonId, Meta(description="The person.")]


def handle(session: Session, request: DropPersonRequest) -> TakenOut:
    """Take a person out for good, with every name and with what the actor said they are to others. Memories keep the
    id, which is nobody's from then on."""

    def change(tx: Transaction, edits: PeopleEdits) -> TakenOut:
        found = [one for one in tx.store.people(tx.sight, [request.id]) if is_shown(tx.sight, one)]
        if not found:
            raise NotFound("person", request.id)
        reason = check_allowed(may_change(tx.actor, found[0]))
        check_border(tx.sight, found[0].home, Reason.READ_ONLY_HERE)
        for one in tx.store.relations(tx.sight, [request.id]):
            if may_end_relation(tx, one):
                edits.drop(one, "unrelate", reason)
        edits.drop(found[0], "drop_person", reason)
        return TakenOut(request.id)

    return change_people(session, "drop_person", [request.id], change)
