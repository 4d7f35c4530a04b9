"""Erase everything by and about a person."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.model.results import PersonLink, Receipt
from memfort.operations.ending.forget_person import erase_person, person_task
from memfort.operations.requests import OneWord, Request


class SubjectEraseRequest(Request, frozen=True):
    """The person whose memories are erased."""

    person: Annotated[OneWord, Meta(description="The person: `me`, `@bob`, an id or a name.")]
    namesakes: Annotated[
        tuple[OneWord, ...],
        Meta(
            description="What becomes of memories that only say the name: `keep`, `erase`, or ids of those to erase.",
            extra={"most": 10_000},
        ),
    ] = ()
    dry_run: Annotated[bool, Meta(description="Show what would happen, and do nothing.")] = False


def handle(session: Session, request: SubjectEraseRequest) -> Receipt:
    """Remove physically what the person wrote and said, what is known about them, and all of their own spaces, as far
    as the caller may end it; with the names and relations that the caller may take back."""
    with session.view() as view:
        task = person_task(view, request.person, PersonLink.BOTH, with_own=True)
    receipt = erase_person(session, task, dry_run=request.dry_run, namesakes=request.namesakes).receipt
    assert receipt is not None
    return receipt
