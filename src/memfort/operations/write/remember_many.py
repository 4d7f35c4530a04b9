"""Remember many statements in one commit, each decided on its own and in order.

What depends on a statement alone, its speaker and its space is precomputed in chunks of 100, step by step: a processor
that has a step's code in its cache takes it two to three times as fast. The results live for one write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.default_place import place_of
from memfort.engine.engine import ChangeBuffer
from memfort.engine.indexing.text_analysis import TextAnalysis
from memfort.engine.inputs import candidate_of
from memfort.engine.redact import redact_outcome
from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput, NotFound
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Kind
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.admit.batch_contexts import BatchContexts
from memfort.operations.admit.decide import change_keys_in, digests_of, screen_alone, statement_for_store
from memfort.operations.admit.enrich import enrich, names_nobody
from memfort.operations.admit.placement import NOTHING_PRECOMPUTED, Digests, Enriched, Placement, Precomputed
from memfort.operations.admit.write import write
from memfort.operations.requests import Request
from memfort.policy.admission import Screened
from memfort.store.port import Statement

_CHUNK = 100  # enough that each step pays, and few enough that little is held in memory


class RememberManyRequest(Request, frozen=True):
    """Statements to keep."""

    memories: Annotated[
        tuple[Any, ...],
        Meta(description="Statements: texts, or mappings of the fields that `remember` takes."),
    ]


def handle(tx: Transaction, request: RememberManyRequest) -> list[Outcome]:
    """Keep many statements in one commit, each decided on its own. One that cannot be used says why, and costs no
    other."""
    batch, outcomes = request.memories, list[Outcome]()
    for start in range(0, len(batch), _CHUNK):
        for outcome in _write_chunk(tx, batch[start : start + _CHUNK]):
            outcomes.append(outcome)
            tx.progress(len(outcomes), len(batch))
    return [redact_outcome(tx, outcome) for outcome in outcomes]


def _write_chunk(tx: Transaction, chunk: Sequence[Any]) -> Iterator[Outcome]:
    """The outcomes of a chunk, in order. Changes of a statement that meets no other memory are held back and applied
    together, unless somebody is told of the progress, who may look or write."""
    policy, engine = tx.policy, tx.engine
    buffer = ChangeBuffer(tx.store) if tx.call.progress is None else None
    flush = buffer.flush if buffer is not None else lambda: None
    given = [_placement_or_error(tx, one) for one in chunk]
    usable = [one for one in given if isinstance(one, Placement)]
    precomputed = _precompute(tx, usable)
    statements = [_statement(tx, one.space, known) for one, known in zip(usable, precomputed, strict=True)]
    contexts = BatchContexts(tx.store, tx.decision_view.sight, statements, flush)
    places = iter(range(len(usable)))
    for one in given:
        if isinstance(one, InvalidInput):
            yield _unusable(tx, one)
            continue
        place = next(places)
        is_same = tx.policy is policy  # whoever is told of the progress may have put another policy to use
        context, statement = contexts.of(place) if is_same else None, statements[place]
        known = replace(precomputed[place], context=context) if is_same else NOTHING_PRECOMPUTED
        if buffer is not None and context is not None and context.is_clear and statement and not statement.wants_counts:
            with engine.buffering(buffer):
                outcome = _write(tx, one, known)
        else:
            flush()
            outcome = _write(tx, one, known)
        contexts.note(place, context, outcome)
        applied = engine.applied
        yield outcome
        if engine.applied != applied:  # whoever is told of the progress has written something
            contexts.forget()
    flush()


def _write(tx: Transaction, placement: Placement, known: Precomputed) -> Outcome:
    try:
        return write(tx, placement, known)
    except (InvalidInput, NotFound) as error:
        return _unusable(tx, error)


def _placement_or_error(tx: Transaction, given: Any) -> Placement | InvalidInput:
    try:
        candidate = candidate_of(tx.actor, given)
        return Placement(candidate, place_of(tx.standpoint, candidate, tx.policy))
    except InvalidInput as error:
        return error


def _unusable(tx: Transaction, error: InvalidInput | NotFound) -> Outcome:
    detail = {"problem": str(error)}
    return Outcome(Decision(Verdict.DENIED, "input", Reason.INVALID, tx.policy.digest, detail))


# -- precomputing ------------------------------------------------------------------------------------------------------


def _precompute(tx: Transaction, placements: Sequence[Placement]) -> list[Precomputed]:
    """What can be worked out of statements before their turn, one step after the other."""
    analyses = _analyse(tx, placements)
    enriched = [_enrich(tx, one, words) for one, words in zip(placements, analyses, strict=True)]
    rows = list(zip(placements, enriched, analyses, strict=True))
    screened = [_screen(tx, one, known, words) for one, known, words in rows]
    digests = [
        _digests(tx, one, known, words) for one, known, words in zip(placements, screened, analyses, strict=True)
    ]
    return [Precomputed(*row) for row in zip(analyses, enriched, screened, digests, strict=True)]


def _analyse(tx: Transaction, placements: Sequence[Placement]) -> list[TextAnalysis | None]:
    texts = [one.candidate.text for one in placements if one.candidate.kind is Kind.SEMANTIC]
    found = iter(tx.engine.embedding.analysis(texts))
    return [next(found) if one.candidate.kind is Kind.SEMANTIC else None for one in placements]


def _enrich(tx: Transaction, placement: Placement, analysis: TextAnalysis | None) -> Enriched | None:
    """Unless a person has to be looked up, whom an earlier statement of the batch may first enter."""
    if analysis is None or not names_nobody(placement.candidate, analysis):
        return None
    try:
        return enrich(tx, placement, analysis)
    except InvalidInput:
        return None  # it is raised again in its turn


def _screen(
    tx: Transaction, placement: Placement, enriched: Enriched | None, analysis: TextAnalysis | None
) -> Screened | None:
    if enriched is None:
        return None
    try:
        return screen_alone(tx, Placement(enriched.candidate, placement.space), analysis)
    except InvalidInput:
        return None


def _digests(
    tx: Transaction, placement: Placement, screened: Screened | None, analysis: TextAnalysis | None
) -> Digests | None:
    if screened is None or analysis is None or analysis.text != screened.candidate.text:
        return None
    return digests_of(tx, screened.candidate, placement.space, analysis)


def _statement(tx: Transaction, space: Space, known: Precomputed) -> Statement | None:
    """The statement as the store is asked about it, if everything for that is worked out and it will be decided."""
    screened, analysis, digests = known.screened, known.analysis, known.digests
    if screened is None or analysis is None or digests is None or screened.candidate.derived_from:
        return None
    if screened.decision.verdict is Verdict.DENIED:
        return None
    candidate = screened.candidate
    return statement_for_store(tx, space, candidate, digests, change_keys_in(candidate, analysis))
