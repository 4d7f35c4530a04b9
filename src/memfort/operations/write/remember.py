"""Remember a statement."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.default_place import place_of
from memfort.engine.inputs import candidate_of
from memfort.engine.redact import redact_outcome
from memfort.engine.transaction import Session, Transaction
from memfort.model.decision import Outcome
from memfort.model.space import Space
from memfort.operations.admit.write import write
from memfort.operations.requests import Coordinates, NonBlank, TypeName
from memfort.operations.touched import place_named, places_of
from memfort.operations.write.statement import StatedVisibility, StatementRequest, given_fields
from memfort.policy.admission import Placement


class RememberRequest(StatementRequest, frozen=True, kw_only=True):
    """A statement to keep."""

    text: Annotated[NonBlank, Meta(description="The statement.", extra={"remedy": "give the statement to remember"})]
    type: Annotated[
        TypeName | None,
        Meta(
            description="The statement's type, from the policy's table of types.",
            extra={"default": "default_type"},  # the command line's default, which infers none
        ),
    ] = None
    space: Annotated[
        Coordinates | None, Meta(description="The space it is for; the policy's default place if not given.")
    ] = None
    visibility: StatedVisibility = None


def touches(session: Session, request: RememberRequest) -> list[Space]:
    return places_of(session, [place_named(request.space, request.visibility)])


def handle(tx: Transaction, request: RememberRequest) -> Outcome:
    """Keep a statement if policy admits it. The outcome says what was decided, and why."""
    candidate = candidate_of(tx.actor, given_fields(request))
    space = place_of(tx, candidate)
    return redact_outcome(tx, write(tx, Placement(candidate, space)))
