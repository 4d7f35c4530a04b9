"""Reviewing: what waits for a person, and what the person says to it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.engine import Engine
from memfort.memory.input import candidate_of
from memfort.memory.lifetimes import changed, fade, in_force, lapsed
from memfort.memory.promoting import agree, is_void, may_refuse, settle_promotion, source_of
from memfort.memory.results import InboxEntry
from memfort.memory.writing import (
    Lost,
    bar_of,
    before,
    changeable,
    kept_fields,
    outranked,
    refuse,
    supersede,
    told_bar,
    wordings,
    write,
)
from memfort.model.actor import Actor, ActorKind, Standpoint
from memfort.model.decision import Outcome, Verdict
from memfort.model.item import Candidate, Item, Status, is_expired, is_live
from memfort.model.moment import Moment
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.policy.admit import HIGH_RISK
from memfort.policy.conflict import ConflictRule, claim_of, settle
from memfort.policy.phase import in_phase
from memfort.policy.sight import owned_and_held_sight
from memfort.store.port import Change, Filter, PutBar


def inbox(engine: Engine, standpoint: Standpoint, limit: int) -> list[InboxEntry]:
    """Memories that wait for review where the standpoint may write, and in every space of its own; oldest last."""
    with engine.store.reading():
        sight, now = reviewable(engine, engine.sight(standpoint)), engine.clock.now()
        wanted = Filter(statuses=frozenset({Status.PENDING}), and_only=lambda item: not is_void(engine, item))
        waiting = engine.store.page(sight, wanted, None, limit, now)
        entries = [_entry(engine, sight, item, now) for item in waiting]
    engine.note_sight_of("inbox", standpoint.actor, [entry.item.id for entry in entries], now)
    return entries


def reviewable(engine: Engine, held: Sight) -> Sight:
    """Where a standpoint may review: where it may write, and everything of the user's own, wherever the user stands.
    An import fills all of a user's own spaces, and what waits there must not be out of reach."""
    return owned_and_held_sight(held, engine.own_spaces(held))


def approve(engine: Engine, standpoint: Standpoint, ids: Sequence[str]) -> list[Item]:
    """Approve pending memories. What they were to replace is superseded now."""
    with engine.writing():
        held, now = engine.sight(standpoint), engine.clock.now()
        reach = reviewable(engine, held)
        return [_approve(engine, standpoint.actor, reach, pending(engine, held, reach, id, now), now) for id in ids]


def reject(engine: Engine, standpoint: Standpoint, ids: Sequence[str]) -> list[Item]:
    """Reject pending memories. The value does not come back by itself."""
    with engine.writing():
        held, now = engine.sight(standpoint), engine.clock.now()
        reach = reviewable(engine, held)
        waiting = [pending(engine, held, reach, id, now) for id in ids]
        return [_reject(engine, standpoint.actor, item, now) for item in waiting]


def edit(engine: Engine, standpoint: Standpoint, id: str, text: str) -> Outcome:
    """Change a pending memory's words and approve it, as far as every gate, run again on the new words, allows."""
    with engine.writing():
        held, now = engine.sight(standpoint), engine.clock.now()
        sight = reviewable(engine, held)
        old = _decidable(engine, pending(engine, held, sight, id, now))
        if old.status_reason == Reason.PROMOTION_WAITS:
            raise InvalidInput("id", f"`{id}` waits to be agreed to as it is", "reject it, and promote other words")
        given = {**kept_fields(old), **_kept_by_edit(old), "text": text, "status": Status.APPROVED}
        candidate = candidate_of(standpoint.actor, given)
        if (refused := outranked(engine, standpoint.actor, sight, candidate, old)) is not None:
            return refuse(engine, standpoint.actor, "edit", refused, candidate, old.space, now)
        if old.promoted_from is not None:
            return _edit_copy(engine, standpoint.actor, sight, old, candidate, now)
        return write(engine, standpoint.actor, sight, candidate, old.space, now, supersedes=old, edits=True)


def _edit_copy(engine: Engine, actor: Actor, sight: Sight, old: Item, candidate: Candidate, now: Moment) -> Outcome:
    """The same of a copy that was promoted: in other words it is still a copy, and weighs no more than its source."""
    source = source_of(engine, old)
    outcome = write(
        engine, actor, sight, candidate, old.space, now, supersedes=old, edits=True, promotes=source,
        finish=lambda made: made.but(promoted_from=old.promoted_from, promotion_reason=old.promotion_reason),
    )  # fmt: skip
    if outcome.item is None and source is not None:  # whoever promotes says so
        denied = outcome.decision.but(verdict=Verdict.DENIED)
        return refuse(engine, actor, "edit", denied, candidate, old.space, now)
    if outcome.item is not None and outcome.item.promoted_from == old.promoted_from:
        _settle_source(engine, actor, sight, outcome.item, now)
    return outcome


def pending(engine: Engine, held: Sight, reach: Sight, id: str, now: Moment) -> Item:
    """The memory called `id`, if it waits for review."""
    item = changeable(engine, held, reach, id)
    if is_expired(item, now):
        raise NotFound("memory", id)
    if item.status is not Status.PENDING:
        raise InvalidInput("id", f"`{id}` is {item.status}, not pending", "look at `review list` for what is")
    return item


def _decidable(engine: Engine, item: Item) -> Item:
    if is_void(engine, item):
        raise InvalidInput("id", f"what `{item.id}` is a copy of was forgotten or corrected", "reject it")
    return item


def _entry(engine: Engine, sight: Sight, item: Item, now: Moment) -> InboxEntry:
    earlier = before(engine, sight, item)
    replaces = None if earlier is None else lapsed(earlier, now)
    old = [] if replaces is None else replaces.text.splitlines()
    diff = "\n".join(difflib.unified_diff(old, item.text.splitlines(), "now", "proposed", lineterm=""))
    reason = Reason(item.status_reason)
    return InboxEntry(item, reason, explanation(reason), replaces, diff)


def _approve(engine: Engine, actor: Actor, sight: Sight, item: Item, now: Moment) -> Item:
    if item.pii_risk >= HIGH_RISK and actor.kind is ActorKind.AGENT:
        raise Denied(Reason.NEEDS_A_PERSON, explanation(Reason.NEEDS_A_PERSON))
    _decidable(engine, item)
    if item.status_reason == Reason.PROMOTION_WAITS and (waiting := agree(engine, actor, item)) is not None:
        return _agreed(engine, actor, item, waiting, now)
    phase = sight.phase_of(item.space).id  # the one it comes into force in
    after = changed(item, now, status=Status.APPROVED, status_reason=Reason.APPROVED.value, phase=phase)
    after = in_force(engine, sight, after, now)
    same = _beaten(engine, actor, sight, item, now)
    earlier = [(one, ConflictRule.CORRECTION) for one in wordings(engine, sight, item, now) if one.id != item.id]
    changes: list[Change] = [engine.update(after)]
    events = [engine.changed("approve", actor, after, Reason.APPROVED, now)]
    supersede(engine, actor, [*same, *earlier], after, now, changes, events)
    engine.apply(changes, events)
    fade(engine, sight, after, now)
    _settle_source(engine, actor, sight, after, now)
    return after


def _settle_source(engine: Engine, actor: Actor, sight: Sight, copy: Item, now: Moment) -> None:
    """What a copy was promoted from gives way to it once it is in force, if it is still there."""
    is_copy = copy.promoted_from is not None and copy.status is Status.APPROVED
    source = source_of(engine, copy) if is_copy else None
    if source is not None and lapsed(source, now).deleted_at is None:
        settle_promotion(engine, actor, sight, source, copy, now)


def _agreed(engine: Engine, actor: Actor, item: Item, waiting: Item, now: Moment) -> Item:
    """One more has agreed to a promotion, and it goes on waiting for others."""
    after = changed(item, now, approvals=waiting.approvals)
    engine.apply([engine.update(after)], [engine.changed("agree", actor, after, Reason.PROMOTION_WAITS, now)])
    return after


def _beaten(engine: Engine, actor: Actor, sight: Sight, item: Item, now: Moment) -> list[Lost]:
    """The memories that give way to one that is approved now. A person's approval decides; an agent's cannot put
    aside what outweighs the memory."""
    found = engine.store.rivals(sight, item.space, item.readers, engine.value(item))
    here = sight.phase_of(item.space)
    rivals = [one for one in found if is_live(one, now) and one.id != item.id and in_phase(one, here, engine.policy)]
    settled = [(rival, *settle(claim_of(item), claim_of(rival), engine.policy)) for rival in rivals]
    if actor.kind is ActorKind.AGENT and any(winner.id != item.id for _, winner, _ in settled):
        raise Denied(Reason.OUTRANKED, explanation(Reason.OUTRANKED))
    return [(rival, rule if winner.id == item.id else ConflictRule.CORRECTION) for rival, winner, rule in settled]


def _reject(engine: Engine, actor: Actor, item: Item, now: Moment) -> Item:
    if item.status_reason == Reason.PROMOTION_WAITS and not may_refuse(engine, actor, item):
        raise Denied(Reason.LEVEL_TOO_LOW, explanation(Reason.LEVEL_TOO_LOW))
    after = changed(item, now, status=Status.REJECTED, status_reason=Reason.REJECTED.value)
    changes: list[Change] = [engine.update(after), PutBar(bar_of(engine, actor, item))]
    engine.apply(changes, [engine.changed("reject", actor, after, Reason.REJECTED, now, **told_bar(engine, changes))])
    return after


def _kept_by_edit(item: Item) -> dict[str, Any]:
    """What an edit takes over besides: it is the same memory, so it came from the same place and ends when that did."""
    return {
        "source": item.source,
        "observed_at": item.observed_at,
        "confidence": item.confidence,
        "importance": item.importance,
        "expires_at": item.expires_at,
        "provenance": item.provenance,
    }
