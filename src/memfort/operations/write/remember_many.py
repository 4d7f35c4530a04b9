"""Remember many statements in one commit, each decided on its own and in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from memfort.engine.default_place import place_of
from memfort.engine.inputs import candidate_of
from memfort.engine.redact import redact_outcome
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.decision import Outcome
from memfort.model.item import Candidate
from memfort.model.space import Space
from memfort.operations.admit.batch import CHUNK, write_batch
from memfort.operations.requests import Request
from memfort.operations.touched import place_named, places_of
from memfort.policy.admission import Placement

MAX_STATEMENTS = 100_000


class RememberManyRequest(Request, frozen=True):
    """Statements to keep."""

    read_one_by_one = frozenset({"memories"})
    memories: Annotated[
        tuple[Any, ...],
        Meta(
            description="Statements: texts, candidates, or mappings of the fields that `remember` takes.",
            extra={
                "annotation": "str | Candidate | Mapping[str, Any]",
                "imports": {"Candidate": "memfort.model.item"},
                "most": MAX_STATEMENTS,
            },
        ),
    ]


def touches(session: Session, request: RememberManyRequest) -> list[Space]:
    return places_of(session, map(_place_named, request.memories))


def _place_named(given: Any) -> Any:
    if isinstance(given, Candidate):
        return place_named(given.space, given.visibility)
    return place_named(given.get("space"), given.get("visibility")) if isinstance(given, Mapping) else None


def handle(tx: Transaction, request: RememberManyRequest) -> list[Outcome]:
    """Keep many statements in one commit, each decided on its own. One that cannot be used says why, and does not
    affect the others."""
    batch, outcomes = request.memories, list[Outcome]()
    for start in range(0, len(batch), CHUNK):
        chunk = [_placement_or_error(tx, one) for one in batch[start : start + CHUNK]]
        for outcome in write_batch(tx, chunk):
            outcomes.append(outcome)
            tx.progress(len(outcomes), len(batch))
    return [redact_outcome(tx, outcome) for outcome in outcomes]


def _placement_or_error(tx: Transaction, given: Any) -> Placement | InvalidInput:
    try:
        candidate = candidate_of(tx.actor, given)
        return Placement(candidate, place_of(tx, candidate))
    except InvalidInput as error:
        return error
