"""The memory that is made from a statement which the gates admitted."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.model.item import Candidate, Facts, Item, Sensitivity, Status, memory_id
from memfort.model.space import Space
from memfort.operations.admit.enrich import audience_of_candidate
from memfort.policy.admission import Admission, Placement, importance_of, policy_tags
from memfort.policy.settings.policy import Policy


def new_item(view: View, placement: Placement, admission: Admission, number: int) -> Item:
    """The memory as it would be kept, with this number of its author's sequence."""
    candidate, policy = admission.candidate, view.policy
    actor, space, now, supersedes = view.actor, placement.space, view.now, placement.supersedes
    importance, reasons = _importance(admission, policy)
    winner = None if admission.beaten_by is None else admission.beaten_by[0]
    phase = view.sight.phase_of(space).id
    return Item(
        id=_id(view, candidate, space, number),
        number=number,
        space=space,
        kind=candidate.kind,
        type=admission.type,
        type_chosen=candidate.type == policy.default_type,
        text=candidate.text,
        key=candidate.key,
        tags=candidate.tags,
        author=actor,
        origin=candidate.origin,
        source=candidate.source,
        observed_at_us=candidate.observed_at_us,
        sensitivity=candidate.sensitivity or Sensitivity.PUBLIC,
        judgement=candidate.judgement,
        readers=candidate.readers,
        confidence=float(candidate.confidence),
        authority=admission.authority,
        importance=importance,
        pii_risk=admission.pii_risk,
        status=admission.status if winner is None else Status.SUPERSEDED,
        status_reason=str(admission.decision.reason),
        created_at_us=now,
        updated_at_us=now,
        expires_at_us=admission.expires_at,
        fades_at_us=admission.fades_at,
        supersedes=None if supersedes is None else supersedes.id,
        superseded_by=None if winner is None else winner.id,
        derived_from=candidate.derived_from,
        deleted_at_us=None,
        deleted_reason=None,
        provenance=Facts({"source": str(candidate.origin), "timestamp": now, **candidate.provenance}),
        meta=Facts(candidate.meta),
        policy=policy.digest,
        version=1,
        event_type=admission.event_type,
        is_correction=candidate.is_correction,
        subjects=candidate.subjects,
        stated_by=candidate.stated_by,
        learned_in=candidate.learned_in,
        learned_kind=candidate.learned_kind,
        learned_with=candidate.learned_with,
        portable=candidate.portable is not False,
        authority_reason=admission.authority_reason,
        importance_reasons=reasons,
        policy_tags=policy_tags(candidate, admission.event_type, policy, placement.words_of or supersedes),
        expires_tick=admission.ticks,
        replaces=tuple([loser.id for loser, _ in admission.replaced]),
        may_replace=_may_replace(placement, admission),
        conversation=candidate.conversation,
        evidence=candidate.evidence,
        occurred=candidate.occurred_span,
        phase=phase,
        ended_phase=None if winner is None else phase,
    )


def _may_replace(placement: Placement, admission: Admission) -> str | None:
    """The memory that it may replace, unless it replaces one for sure."""
    if admission.replaced or placement.supersedes is not None:
        return None
    return placement.may_replace or admission.may_replace


def _id(view: View, candidate: Candidate, space: Space, number: int) -> str:
    """The next of the author's sequence in the partition. A memory that is not judged yet may come into another
    partition, whose readers must not see how many others there were beside it: it is in no sequence."""
    partition, actor = audience_of_candidate(candidate, space), view.actor
    if partition.judged:
        return memory_id(space, candidate.readers, actor, candidate.kind, number, partition.text)
    return view.engine.unsequenced_id(space, candidate.readers, actor, candidate.kind, partition, view.now)


def _importance(admission: Admission, policy: Policy) -> tuple[float, tuple[str, ...]]:
    """The importance of a statement, with its reasons. It is at least that of a memory with the same words which gives
    way to it."""
    own, reasons = importance_of(admission, policy), admission.candidate.importance_reasons
    if not admission.replaced:
        return own, reasons
    words = normal_text(admission.candidate.text)
    same = [loser.importance for loser, _ in admission.replaced if normal_text(loser.text) == words]
    merged = max([own, *same])
    return merged, reasons if merged == own else (*reasons, "conflict_merge")
