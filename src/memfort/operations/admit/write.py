"""The whole chain for one statement: enrich, decide, make room, write. And the same without writing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from memfort.engine.indexing.statement_text import StatementText
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.model.decision import Decision, Outcome
from memfort.model.item import Candidate, Item, Kind, Status, waits_for_judgement
from memfort.model.reason import Reason
from memfort.operations.admit.analysis import Analysis
from memfort.operations.admit.budget import make_room
from memfort.operations.admit.decide import decide
from memfort.operations.admit.enrich import enrich
from memfort.operations.admit.new_item import new_item
from memfort.operations.admit.refuse import lifted_values, refuse, rejection_changes, rejection_detail
from memfort.operations.admit.supersede import Lost, supersede, wordings
from memfort.operations.admit.ticks import expire_by_tick, with_tick
from memfort.operations.people.edits import PeopleEdits
from memfort.policy.admission import Admission, Placement
from memfort.policy.gates.conflict import ConflictRule
from memfort.policy.gates.supersession import ClaimsOfTexts
from memfort.store.port import Change
from memfort.trail.event import Event


def write(tx: Transaction, placement: Placement, analysis: Analysis | None = None) -> Outcome:
    """Keep a statement if policy admits it, and record the outcome either way."""
    analysis = _with_text(placement, Analysis() if analysis is None else analysis)
    placement, newcomers = _enriched(tx, placement, analysis)
    admission, analysis = decide(tx, placement, analysis)
    if admission.is_denied or (placement.promotes is not None and admission.beaten_by is not None):
        return _refuse(tx, placement, admission.decision)
    if admission.duplicate is not None:
        return _keep_duplicate(tx, placement, admission, admission.duplicate)
    deciding, digests, context = tx.decision_view, analysis.digests, analysis.context
    assert context is not None  # the store was asked, as it was not refused before
    item = new_item(deciding, placement, admission, context.next_number)
    lifted = lifted_values(tx, admission, item, context.rejected)
    if placement.finish is not None:
        item, digests, context = placement.finish(item), None, None  # it may be of another partition
    losers = _losers(tx, placement, item, admission)
    full, evicted = make_room(deciding, item, [loser for loser, _ in losers], context)
    if full is not None:
        return _refuse(tx, placement, full)
    item = with_tick(deciding, item, None if context is None else context.tick)
    rejections = rejection_changes(tx, item, lifted)
    superseded, supersessions = supersede(tx, losers, item) if losers else ([], [])
    tx.apply(
        [*newcomers.changes, tx.insert(item, _link_elsewhere(placement), digests), *rejections, *superseded],
        [*newcomers.events, _event(tx, placement, admission, item, rejections), *supersessions],
    )
    if waits_for_judgement(item):
        tx.engine.classifier.on_unjudged(item)
    for one in evicted:
        tx.retire(one, "evict", Reason.EVICTED, by=item.id)
    gone = {one.id for one in (*evicted, *(loser for loser, _ in losers))}
    expire_by_tick(
        deciding, item, None if context is None else [one for one in context.due_by_tick if one.id not in gone]
    )
    rest = [kept for loser, _ in losers for kept in _keep_rest(tx, item, loser, analysis.claims)]
    told = [
        kept.id for kept in rest if tx.sight.admits(kept)
    ]  # of what may not be said here, not even that it is there
    return Outcome.of(_with_detail(_with_evicted_ids(admission.decision, evicted), "remaining", told), item)


def _keep_rest(tx: Transaction, item: Item, loser: Item, claims: ClaimsOfTexts) -> Iterator[Item]:
    """Keep what still holds of a memory of which `item` updates only one clause, linked to the memory it is from."""
    if item.kind is not Kind.SEMANTIC or loser.kind is not Kind.SEMANTIC:
        return
    given_way = replace(loser, status=Status.SUPERSEDED, superseded_by=item.id)
    for text in claims[item.text].compare(claims[loser.text]).remaining:
        placement = Placement(
            _clause_of(loser, text), loser.space, supersedes=given_way, is_enriched=True, at_most=loser.authority
        )
        kept = write(tx, placement).item
        if kept is not None:
            yield kept


def _clause_of(item: Item, text: str) -> Candidate:
    """One clause of a memory as a statement of its own, which is from and for the same people."""
    return Candidate(
        text=text,
        tags=item.tags,
        origin=item.origin,
        source=item.source,
        observed_at=item.observed_at_us,
        sensitivity=item.sensitivity,
        readers=item.readers,
        confidence=item.confidence,
        status=Status.APPROVED,
        derived_from=item.derived_from,
        subjects=item.subjects,
        stated_by=item.stated_by,
        learned_in=item.learned_in,
        learned_kind=item.learned_kind,
        learned_with=item.learned_with,
        portable=item.portable,
        conversation=item.conversation,
        evidence=item.evidence,
        meta=item.meta,
        expires_at=item.expires_at_us,
    )


def _link_elsewhere(placement: Placement) -> Item | None:
    """The memory in another space that it copies or quotes. The turn in its own space is named by its evidence."""
    turn = placement.quotes
    return turn if turn is not None and turn.space != placement.space else placement.promotes


def rehearse(view: View, placement: Placement) -> Decision:
    """The decision that `write` would come to."""
    analysis = _with_text(placement, Analysis())
    placement, _ = enrich(view, placement, analysis.text)
    admission, analysis = decide(view, placement, analysis)
    if admission.is_denied or admission.duplicate is not None:
        return admission.decision
    assert analysis.context is not None
    item = new_item(view.decision_view, placement, admission, analysis.context.next_number)
    full, evicted = make_room(view.decision_view, item, [loser for loser, _ in admission.replaced], analysis.context)
    return _with_evicted_ids(admission.decision, evicted) if full is None else full


def _with_text(placement: Placement, analysis: Analysis) -> Analysis:
    """What is known of a statement, with its text, which is read once for all that follows."""
    return analysis if analysis.text is not None else replace(analysis, text=StatementText(placement.candidate.text))


def _enriched(tx: Transaction, placement: Placement, analysis: Analysis) -> tuple[Placement, PeopleEdits]:
    return (placement, PeopleEdits(tx)) if placement.is_enriched else enrich(tx, placement, analysis.text)


def _refuse(tx: Transaction, placement: Placement, decision: Decision) -> Outcome:
    """A refusal, on record; that of a promotion is recorded by the caller."""
    if placement.promotes is not None:
        return Outcome.of(decision)
    return refuse(tx, "remember", decision, placement.candidate, placement.space)


def _keep_duplicate(tx: Transaction, placement: Placement, admission: Admission, known: Item) -> Outcome:
    """Nothing new to keep; but what it was to correct gives way to the memory that says so already."""
    detail = {
        "gate": admission.decision.gate,
        "id": known.id,
        "levels": sorted(level.value for level in known.space.levels),
    }
    changes: list[Change] = []
    events = [tx.actor_event("remember", "allowed", Reason.DUPLICATE, detail)]
    if known.status is Status.APPROVED:
        losers = [(one, ConflictRule.CORRECTION) for one in wordings(tx, placement.supersedes)]
        changes, more = supersede(tx, losers, known)
        events += more
    tx.apply(changes, events)
    return Outcome.of(admission.decision, known)


def _losers(tx: Transaction, placement: Placement, item: Item, admission: Admission) -> list[Lost]:
    """The memories that give way to an item, and by which rule."""
    is_approved, earlier = item.status is Status.APPROVED, placement.supersedes
    replaced = admission.replaced if is_approved else ()
    if earlier is None:
        return list(replaced)
    worded = wordings(tx, earlier) if is_approved else [earlier] if placement.is_edit else []
    return [*replaced, *((one, ConflictRule.CORRECTION) for one in worded)]


def _event(
    tx: Transaction, placement: Placement, admission: Admission, item: Item, rejections: Sequence[Change]
) -> Event:
    """That a statement was kept; and what it gave way to, if it did."""
    decision, detail = admission.decision, rejection_detail(tx.engine, rejections)
    if admission.beaten_by is not None:
        winner, rule = admission.beaten_by
        detail |= {"by": winner.id, "rule": rule.value}
    return tx.event("edit" if placement.is_edit else "remember", item, decision.reason, gate=decision.gate, **detail)


def _with_evicted_ids(decision: Decision, evicted: Sequence[Item]) -> Decision:
    """The decision, with the ids of the evicted memories."""
    return _with_detail(decision, "evicted", [one.id for one in evicted])


def _with_detail(decision: Decision, name: str, ids: list[str]) -> Decision:
    return replace(decision, detail={**decision.detail, name: ids}) if ids else decision
