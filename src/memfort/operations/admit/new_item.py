"""The memory that is made from a statement which the gates admitted."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.model.item import Facts, Item, Sensitivity, Status, memory_id
from memfort.operations.admit.decide import DecidedStatement
from memfort.operations.admit.enrich import audience_of_candidate
from memfort.operations.admit.placement import Placement
from memfort.policy.admission import Placed, Screened, importance_of, policy_tags
from memfort.policy.settings.policy import Policy


def new_item(view: View, placement: Placement, decided: DecidedStatement) -> Item:
    """The memory as it would be kept, with the next number of its author's sequence."""
    screened, placed, policy = decided.screened, decided.placed, view.policy
    candidate = screened.candidate
    actor, space, now, supersedes = view.actor, placement.space, view.now, placement.supersedes
    partition = audience_of_candidate(candidate)
    assert decided.context is not None  # it was not refused before the store was asked
    number = decided.context.next_number
    importance, reasons = _importance(screened, placed, policy)
    winner = None if placed.beaten_by is None else placed.beaten_by[0]
    phase = view.sight.phase_of(space).id
    return Item(
        id=memory_id(space, candidate.readers, actor, candidate.kind, number, partition.text),
        number=number,
        space=space,
        kind=candidate.kind,
        type=screened.type,
        type_chosen=candidate.type == policy.default_type,
        text=candidate.text,
        key=candidate.key,
        tags=candidate.tags,
        author=actor,
        origin=candidate.origin,
        source=candidate.source,
        observed_at_us=candidate.observed_at_us,
        sensitivity=candidate.sensitivity or Sensitivity.PUBLIC,
        readers=candidate.readers,
        confidence=float(candidate.confidence),
        authority=screened.authority,
        importance=importance,
        pii_risk=screened.pii_risk,
        status=screened.status if winner is None else Status.SUPERSEDED,
        status_reason=str(placed.decision.reason),
        created_at_us=now,
        updated_at_us=now,
        expires_at_us=placed.expires_at,
        supersedes=None if supersedes is None else supersedes.id,
        superseded_by=None if winner is None else winner.id,
        derived_from=candidate.derived_from,
        deleted_at_us=None,
        deleted_reason=None,
        provenance=Facts({"source": str(candidate.origin), "timestamp": now, **candidate.provenance}),
        meta=Facts(candidate.meta),
        policy=policy.digest,
        version=1,
        event_type=screened.event_type,
        is_correction=candidate.is_correction,
        subjects=candidate.subjects,
        stated_by=candidate.stated_by,
        learned_in=candidate.learned_in,
        portable=candidate.portable is not False,
        authority_reason=screened.authority_reason,
        importance_reasons=reasons,
        policy_tags=policy_tags(candidate, screened.event_type, policy),
        expires_tick=placed.ticks,
        replaces=tuple([loser.id for loser, _ in placed.replaced]),
        phase=phase,
        ended_phase=None if winner is None else phase,
    )


def _importance(screened: Screened, placed: Placed, policy: Policy) -> tuple[float, tuple[str, ...]]:
    """The importance of a statement, with its reasons. It is at least that of a memory with the same words which gives
    way to it."""
    own, reasons = importance_of(screened, policy), screened.candidate.importance_reasons
    if not placed.replaced:
        return own, reasons
    words = normal_text(screened.candidate.text)
    same = [loser.importance for loser, _ in placed.replaced if normal_text(loser.text) == words]
    merged = max([own, *same])
    return merged, reasons if merged == own else (*reasons, "conflict_merge")
