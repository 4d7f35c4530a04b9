"""The whole chain for one statement: enrich, decide, make room, write. And the same without writing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Item, Status
from memfort.model.reason import Reason
from memfort.operations.admit.budget import make_room
from memfort.operations.admit.decide import DecidedStatement, decide
from memfort.operations.admit.enrich import enrich
from memfort.operations.admit.new_item import new_item
from memfort.operations.admit.placement import NOTHING_PRECOMPUTED, Enriched, Placement, Precomputed
from memfort.operations.admit.refuse import refuse, rejection_changes, rejection_detail
from memfort.operations.admit.supersede import Lost, supersede, wordings
from memfort.operations.admit.ticks import expire_by_tick, with_tick
from memfort.policy.admission import Placed
from memfort.policy.gates.conflict import ConflictRule
from memfort.store.port import Change
from memfort.trail.event import Event


def write(tx: Transaction, placement: Placement, precomputed: Precomputed = NOTHING_PRECOMPUTED) -> Outcome:
    """Keep a statement if policy admits it, and record the outcome either way."""
    if placement.is_enriched:
        enriched = Enriched(placement.candidate)
    else:
        enriched = precomputed.enriched or enrich(tx, placement, precomputed.analysis)
        placement = replace(placement, candidate=enriched.candidate)
    decided = decide(tx, placement, precomputed)
    placed, promotes = decided.placed, placement.promotes
    is_beaten_copy = promotes is not None and placed.beaten_by is not None
    if placed.decision.verdict is Verdict.DENIED or is_beaten_copy:
        return _refuse(tx, placement, placed.decision)
    if placed.duplicate is not None:
        return _keep_duplicate(tx, placement, placed)
    deciding = tx.decision_view
    item = new_item(deciding, placement, decided)
    item = item if placement.finish is None else placement.finish(item)
    context = decided.context if placement.finish is None else None  # a finished item may be of another partition
    losers = _losers(tx, placement, item, placed)
    full, evicted = make_room(deciding, item, [loser for loser, _ in losers], context)
    if full is not None:
        return _refuse(tx, placement, full)
    item = with_tick(deciding, item, None if context is None else context.tick)
    _insert(tx, placement, enriched, decided, item, losers)
    for one in evicted:
        tx.retire(one, "evict", Reason.EVICTED, by=item.id)
    gone = {one.id for one in (*evicted, *(loser for loser, _ in losers))}
    expire_by_tick(
        deciding, item, None if context is None else [one for one in context.due_by_tick if one.id not in gone]
    )
    return Outcome(_with_evicted_ids(placed.decision, evicted), item)


def rehearse(view: View, placement: Placement) -> Decision:
    """The decision that `write` would come to."""
    placement = replace(placement, candidate=enrich(view, placement).candidate)
    deciding = view.decision_view
    decided = decide(view, placement)
    placed = decided.placed
    if placed.decision.verdict is Verdict.DENIED or placed.duplicate is not None:
        return placed.decision
    item = new_item(deciding, placement, decided)
    full, evicted = make_room(deciding, item, [loser for loser, _ in placed.replaced], decided.context)
    return _with_evicted_ids(placed.decision, evicted) if full is None else full


def _refuse(tx: Transaction, placement: Placement, decision: Decision) -> Outcome:
    """A refusal, on record; that of a promotion is recorded by the caller."""
    if placement.promotes is not None:
        return Outcome(decision)
    return refuse(tx, "remember", decision, placement.candidate, placement.space)


def _keep_duplicate(tx: Transaction, placement: Placement, placed: Placed) -> Outcome:
    """Nothing new to keep; but what it was to correct gives way to the memory that says so already."""
    assert placed.duplicate is not None
    levels = sorted(level.value for level in placed.duplicate.space.levels)
    detail = {"gate": placed.decision.gate, "id": placed.duplicate.id, "levels": levels}
    changes: list[Change] = []
    events = [tx.actor_event("remember", "allowed", Reason.DUPLICATE, detail)]
    if placed.duplicate.status is Status.APPROVED:
        losers = [(one, ConflictRule.CORRECTION) for one in wordings(tx, placement.supersedes)]
        changes, more = supersede(tx, losers, placed.duplicate)
        events += more
    tx.apply(changes, events)
    return Outcome(placed.decision, placed.duplicate)


def _losers(tx: Transaction, placement: Placement, item: Item, placed: Placed) -> list[Lost]:
    """The memories that give way to an item, and by which rule."""
    is_approved, supersedes = item.status is Status.APPROVED, placement.supersedes
    replaced = placed.replaced if is_approved else ()
    if supersedes is None:
        return list(replaced)
    worded = wordings(tx, supersedes) if is_approved else [supersedes] if placement.is_edit else []
    return [*replaced, *((one, ConflictRule.CORRECTION) for one in worded)]


def _insert(
    tx: Transaction,
    placement: Placement,
    enriched: Enriched,
    decided: DecidedStatement,
    item: Item,
    losers: Sequence[Lost],
) -> None:
    """Write the item with everything that changes because of it, and its events."""
    rejected = None if decided.context is None else decided.context.rejected
    lifted = rejected if decided.placed.lifts_rejection else None
    rejections = rejection_changes(tx, item, lifted)
    insert = tx.insert(item, placement.promotes, decided.known if placement.finish is None else None)
    changes: list[Change] = [*enriched.changes, insert, *rejections]
    kept = _event(tx, placement, decided, item, rejection_detail(tx.engine, rejections))
    events = [*enriched.events, kept]
    if losers:
        superseded, more = supersede(tx, losers, item)
        changes += superseded
        events += more
    tx.apply(changes, events)


def _event(
    tx: Transaction, placement: Placement, decided: DecidedStatement, item: Item, detail: dict[str, Any]
) -> Event:
    action, placed, screened = "edit" if placement.is_edit else "remember", decided.placed, decided.screened
    if placed.beaten_by is None:
        return tx.event(action, item, screened.decision.reason, gate=screened.decision.gate, **detail)
    winner, rule = placed.beaten_by
    detail |= {"gate": placed.decision.gate, "by": winner.id, "rule": rule.value}
    return tx.event(action, item, placed.decision.reason, **detail)


def _with_evicted_ids(decision: Decision, evicted: Sequence[Item]) -> Decision:
    """The decision, with the ids of the memories that had to make room."""
    if not evicted:
        return decision
    return replace(decision, detail={**decision.detail, "evicted": [one.id for one in evicted]})
