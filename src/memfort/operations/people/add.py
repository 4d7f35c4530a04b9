"""Add a person to the directory, or to one space."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import space_of
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.people.actor import Actor
from memfort.model.people.person import Person, check_names, check_term, person_of_user
from memfort.model.reason import Reason
from memfort.model.space import Space, check_id
from memfort.operations.people.edits import (
    KnownTo,
    PeopleEdits,
    change_people,
    check_border,
    check_texts,
    new_person,
    rename,
)
from memfort.operations.people.merge import merge_records
from memfort.operations.people.relations.relate import relate
from memfort.operations.people.resolve.look_up import get_person
from memfort.operations.requests import Coordinates, Request
from memfort.policy.people import ALLOWED, may_change


class AddPersonRequest(Request, frozen=True):
    """The person to add."""

    name: Annotated[str, Meta(description="The person's name.")]
    aliases: Annotated[tuple[str, ...], Meta(description="Another name.")] = ()
    relation: Annotated[str | None, Meta(description="What they are to you, for example wife.")] = None
    user: Annotated[str | None, Meta(description="The user they are.")] = None
    space: Annotated[Coordinates | None, Meta(description="The only space in which they are known.")] = None


def handle(session: Session, request: AddPersonRequest) -> Person:
    """Add a person: to the directory, visible to all, or to one space. `relation` says what they are to the speaker;
    `user` says which user they are."""
    name, others = check_names(request.name, request.aliases)
    term = None if request.relation is None else check_term(request.relation, "relation")
    home = None if request.space is None else space_of(session.standpoint, request.space)

    def change(tx: Transaction, edits: PeopleEdits) -> Person:
        check_texts(tx.policy, name, *others, *([] if request.relation is None else [request.relation]))
        check_border(tx.sight, home)
        person = _enter(tx, edits, home, (name, others), request.user)
        if term is not None:
            relate(tx, edits, (_speaker_of(tx.actor), term, person.id), home)
        return person

    own = [] if request.user is None else [person_of_user(request.user)]
    return change_people(session, "add_person", own, change, home)


def _enter(
    tx: Transaction, edits: PeopleEdits, home: Space | None, names: tuple[str, tuple[str, ...]], user: str | None
) -> Person:
    own = None if user is None else get_person(tx.store, tx.sight, person_of_user(check_id(user, "user")))
    if own is not None and home is None and may_change(tx.actor, own) in ALLOWED:
        return rename(edits, own, *names, "add_person")
    person = new_person(edits, KnownTo(home), *names, Reason.REGISTERED)
    return person if own is None else merge_records(tx, edits, own, person)


def _speaker_of(actor: Actor) -> str:
    """The actor's own person."""
    if actor.user is None:
        raise InvalidInput("relation", "the speaker is not a person here", "use `relate`, or act for a user")
    return person_of_user(actor.user)
