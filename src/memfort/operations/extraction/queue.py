"""The queue of turns that a model is to read: which are queued, and which are read together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from memfort.engine.engine import Engine
from memfort.engine.transaction import Transaction
from memfort.model.item import Item, Origin
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.policy.sight import maintenance_sight
from memfort.policy.standing import Memberships
from memfort.store.port import PutQueuedTurn, QueuedTurn

_LOOKED_AT = 256  # due turns from which a batch is chosen
_LONGEST_DEBOUNCE = 10  # times the debounce: a conversation that never pauses is read in the end


class Batch(Struct, frozen=True):
    """Turns of one conversation that were observed from one standpoint, and were tried as often."""

    queued: tuple[QueuedTurn, ...]

    @property
    def first(self) -> QueuedTurn:
        return self.queued[0]


def queue_turns(tx: Transaction, turns: Sequence[Item], *, is_named: bool) -> None:
    """Queue the turns of the user among these, in the commit that stores them. What assistants and tools said is
    context."""
    if not tx.engine.learns_with_model:
        return
    due = later(tx.now, tx.policy.extraction.debounce_seconds)
    is_registered = tx.engine.memberships is Memberships.REGISTERED
    queued = [
        QueuedTurn(turn.space, turn.id, tx.standpoint, is_named, is_registered, tx.now, due)
        for turn in turns
        if turn.origin is Origin.USER
    ]
    tx.apply([PutQueuedTurn(one) for one in queued], [])


class Progress:
    """What one run has tried, and how often each space had its turn."""

    def __init__(self) -> None:
        self.tried = set[tuple[bytes, str]]()
        self._served = Counter[bytes]()

    def add(self, batch: Batch) -> None:
        self.tried.update(one.place for one in batch.queued)
        self._served[batch.first.space.id] += 1

    def served(self, queued: QueuedTurn) -> int:
        return self._served[queued.space.id]


def next_batch(engine: Engine, now: Moment, progress: Progress) -> Batch | None:
    """The turns to read next. Spaces are served in turn, so that nobody waits for all that another has queued; turns
    from files come after all that was said here."""
    return _next_of(engine, now, progress, is_imported=False) or _next_of(engine, now, progress, is_imported=True)


def _next_of(engine: Engine, now: Moment, progress: Progress, *, is_imported: bool) -> Batch | None:
    seen = set(progress.tried)
    due = engine.store.due_turns(now, _LOOKED_AT, is_imported=is_imported)
    for first in sorted(due, key=progress.served):
        if first.place in seen:
            continue
        together = _same_conversation(engine, first)
        seen.update(one.place for one in together)
        if chosen := _choose(engine, [one for one in together if one.place not in progress.tried], now):
            return Batch(tuple(chosen))
    return None


def _choose(engine: Engine, together: Sequence[QueuedTurn], now: Moment) -> list[QueuedTurn]:
    """Turns that are read in one request: so many that a request is worth it, or those of a conversation that has
    paused. After a failure fewer are tried together, so that one bad turn does not take others with it."""
    rules = engine.policy.extraction
    due = [one for one in together if one.due_at is not None and one.due_at <= now]
    if not due:
        return []
    first = due[0]
    alike = [one for one in together if one.attempts == first.attempts]
    size = max(1, rules.batch_messages >> first.attempts)
    if first.attempts:
        return [one for one in alike if one in due][:size]
    has_paused = len(due) == len(together) or now >= later(first.queued_at, _LONGEST_DEBOUNCE * rules.debounce_seconds)
    return alike[:size] if has_paused or len(alike) >= size else []


def _same_conversation(engine: Engine, first: QueuedTurn) -> list[QueuedTurn]:
    """The waiting turns of the conversation of one, from the same standpoint, as they were said; as far as they are
    among the next that were queued in its space."""
    whole = maintenance_sight([first.space])
    asker = (first.standpoint, first.is_named, first.is_registered)
    near = [one.turn for one in engine.store.waiting_turns(first, _LOOKED_AT)]
    queued = engine.store.queued_turns(whole, near)  # without damaged turns
    waiting = [one for one in queued if (one.standpoint, one.is_named, one.is_registered) == asker]
    conversations = {item.id: item.conversation for item in engine.store.items(whole, [one.turn for one in waiting])}
    here = conversations.get(first.turn)
    return [one for one in waiting if conversations.get(one.turn) == here]


def queued_now(tx: Transaction, turns: Sequence[QueuedTurn]) -> list[QueuedTurn]:
    """These turns of one space as they are queued now."""
    if not turns:
        return []
    return tx.store.queued_turns(maintenance_sight([turns[0].space]), [one.turn for one in turns])


def later(moment: Moment, seconds: float) -> Moment:
    return Moment(moment + round(seconds * MICROSECONDS_PER_SECOND))
