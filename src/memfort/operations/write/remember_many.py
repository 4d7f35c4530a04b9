"""Remember many statements in one commit, each decided on its own and in order.

What depends on a statement alone, its speaker and its space is precomputed in chunks of 100, step by step: with a
step's code in the processor's cache it runs two to three times as fast. The results live for one write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.default_place import place_of
from memfort.engine.engine import ChangeBuffer
from memfort.engine.indexing.text_analysis import TextAnalysis
from memfort.engine.inputs import candidate_of
from memfort.engine.redact import redact_outcome
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput, NotFound
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Candidate, Kind
from memfort.model.reason import Reason
from memfort.operations.admit.analysis import NOTHING_KNOWN, Analysis
from memfort.operations.admit.batch_contexts import BatchContexts
from memfort.operations.admit.decide import digests_of, screen_alone, statement_for_store
from memfort.operations.admit.enrich import enrich, names_nobody
from memfort.operations.admit.write import write
from memfort.operations.requests import Request
from memfort.operations.touched import place_named, places_of
from memfort.policy.admission import Placement
from memfort.store.port import Spaces, Statement

_CHUNK = 100  # large enough for the caches to help, small enough to keep memory use low


class RememberManyRequest(Request, frozen=True):
    """Statements to keep."""

    memories: Annotated[
        tuple[Any, ...],
        Meta(
            description="Statements: texts, candidates, or mappings of the fields that `remember` takes.",
            extra={"annotation": "str | Candidate | Mapping[str, Any]", "imports": {"Candidate": "memfort.model.item"}},
        ),
    ]


def touches(session: Session, request: RememberManyRequest) -> Spaces:
    return places_of(session, map(_place_named, request.memories))


def _place_named(given: Any) -> Any:
    if isinstance(given, Candidate):
        return place_named(given.space, given.visibility)
    return place_named(given.get("space"), given.get("visibility")) if isinstance(given, Mapping) else None


def handle(tx: Transaction, request: RememberManyRequest) -> list[Outcome]:
    """Keep many statements in one commit, each decided on its own. One that cannot be used says why, and does not
    affect the others."""
    batch, outcomes = request.memories, list[Outcome]()
    for start in range(0, len(batch), _CHUNK):
        for outcome in _write_chunk(tx, batch[start : start + _CHUNK]):
            outcomes.append(outcome)
            tx.progress(len(outcomes), len(batch))
    return [redact_outcome(tx, outcome) for outcome in outcomes]


def _write_chunk(tx: Transaction, chunk: Sequence[Any]) -> Iterator[Outcome]:
    """The outcomes of a chunk, in order. Changes of a statement without a rival memory are buffered and applied
    together, unless there is a progress callback, which may read or write."""
    policy, engine = tx.policy, tx.engine
    buffer = ChangeBuffer(tx.store) if tx.call.progress is None else None
    flush = buffer.flush if buffer is not None else lambda: None
    given = [_placement_or_error(tx, one) for one in chunk]
    prepared = _prepare(tx, [one for one in given if isinstance(one, Placement)])
    statements = [_statement(tx, *one) for one in prepared]
    contexts = BatchContexts(tx.store, tx.decision_view.sight, statements, flush)
    places = iter(range(len(prepared)))
    for one in given:
        if isinstance(one, InvalidInput):
            yield _unusable(tx, one)
            continue
        place = next(places)
        is_same = tx.policy is policy  # the progress callback may have put another policy to use
        context, statement = contexts.of(place) if is_same else None, statements[place]
        placement, analysis = prepared[place] if is_same else (one, NOTHING_KNOWN)
        analysis = analysis if context is None else replace(analysis, context=context)
        if buffer is not None and context is not None and context.is_clear and statement and not statement.wants_counts:
            with engine.buffering(buffer):
                outcome = _write(tx, placement, analysis)
        else:
            flush()
            outcome = _write(tx, placement, analysis)
        contexts.note(place, context, outcome)
        applied = engine.applied
        yield outcome
        if engine.applied != applied:  # the progress callback has written something
            contexts.forget()
    flush()


def _write(tx: Transaction, placement: Placement, analysis: Analysis) -> Outcome:
    try:
        return write(tx, placement, analysis)
    except (InvalidInput, NotFound) as error:
        return _unusable(tx, error)


def _placement_or_error(tx: Transaction, given: Any) -> Placement | InvalidInput:
    try:
        candidate = candidate_of(tx.actor, given)
        return Placement(candidate, place_of(tx, candidate))
    except InvalidInput as error:
        return error


def _unusable(tx: Transaction, error: InvalidInput | NotFound) -> Outcome:
    detail = {"problem": str(error)}
    return Outcome(Decision(Verdict.DENIED, "input", Reason.INVALID, tx.policy.digest, detail))


# -- precomputing ------------------------------------------------------------------------------------------------------

_Prepared = tuple[Placement, Analysis]  # a statement, enriched if that could be done, and what is known of it


def _prepare(tx: Transaction, placements: Sequence[Placement]) -> list[_Prepared]:
    """What can be worked out of statements before their turn, one step after the other."""
    texts = _analyse(tx, placements)
    prepared = [_enrich(tx, one, text) for one, text in zip(placements, texts, strict=True)]
    prepared = [_screen(tx, *one) for one in prepared]
    return [_digest(tx, *one) for one in prepared]


def _analyse(tx: Transaction, placements: Sequence[Placement]) -> list[TextAnalysis | None]:
    texts = [one.candidate.text for one in placements if one.candidate.kind is Kind.SEMANTIC]
    found = iter(tx.engine.embedding.analysis(texts))
    return [next(found) if one.candidate.kind is Kind.SEMANTIC else None for one in placements]


def _enrich(tx: Transaction, placement: Placement, text: TextAnalysis | None) -> _Prepared:
    """Unless a person has to be looked up, whom an earlier statement of the batch may first enter."""
    if text is None or not names_nobody(placement.candidate, text):
        return placement, Analysis(text)
    try:
        return enrich(tx, placement, text)[0], Analysis(text)
    except InvalidInput:
        return placement, Analysis(text)  # it is raised again in its turn


def _screen(tx: Transaction, placement: Placement, analysis: Analysis) -> _Prepared:
    if not placement.is_enriched:
        return placement, analysis
    try:
        return placement, Analysis(analysis.text, screen_alone(tx, placement, analysis.text))
    except InvalidInput:
        return placement, analysis


def _digest(tx: Transaction, placement: Placement, analysis: Analysis) -> _Prepared:
    text, admission = analysis.text, analysis.admission
    if admission is None or text is None or text.text != admission.candidate.text:
        return placement, analysis
    digests = digests_of(tx, placement.of(admission.candidate), text)
    return placement, Analysis(text, admission, digests)


def _statement(tx: Transaction, placement: Placement, analysis: Analysis) -> Statement | None:
    """The statement as the store is asked about it, if everything for that is worked out and it will be decided."""
    admission, digests = analysis.admission, analysis.digests
    if admission is None or digests is None or admission.is_denied or admission.candidate.derived_from:
        return None
    return statement_for_store(tx, placement.of(admission.candidate), digests)
