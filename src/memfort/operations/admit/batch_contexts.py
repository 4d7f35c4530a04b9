"""The store's answers about the statements of a batch, fetched for many at once and kept up to date during the writes.

A batch decides its second statement knowing the first. A statement without a rival memory changes little for later
ones: numbers, ticks and counts, which are tracked here; and it may become their rival. Statements that it may affect
are looked up again at their turn, and so are all others after any other write.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from memfort.model.decision import Outcome
from memfort.model.item import Item, Kind, Status, is_in_force
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.store.port import Statement, Store, WriteContext
from memfort.store.port.values.change_keys import stored_key_numbers, updatable_key_numbers

_ASKED_AGAIN = 10  # statements that are looked up together, once a batch has changed their answers


class BatchContexts:
    """The store's answer about each statement, at its turn. `None` stands for a statement that cannot be looked up
    before."""

    def __init__(self, store: Store, sight: Sight, statements: Sequence[Statement | None]) -> None:
        self._store, self._sight, self._statements = store, sight, statements
        self._written = _Written()
        self._contexts: dict[int, WriteContext] = {}
        self._ask(0, len(statements))

    def of(self, place: int) -> WriteContext | None:
        """The context of the statement at this position in the batch, as of now."""
        statement = self._statements[place]
        if statement is None:
            return None
        if place not in self._contexts or self._is_met(statement, self._contexts[place]):
            self._ask(place, place + _ASKED_AGAIN)
        return self._written.adjust(statement, self._contexts[place])

    def note(self, place: int, context: WriteContext | None, outcome: Outcome) -> None:
        """Take in the outcome of the statement, which was decided in this context."""
        item, statement = outcome.item, self._statements[place]
        if item is None or outcome.decision.reason == Reason.DUPLICATE:
            return  # nothing was kept
        is_rejected = item.status is Status.REJECTED  # which later statements may be, in other words
        if statement is None or context is None or not context.is_clear or is_rejected or _has_evicted(outcome):
            self._contexts.clear()
        else:
            self._written.add(statement, item, self._numbers_of(statement, own=True))

    def forget(self) -> None:
        """Another writer has changed the store: ask again."""
        self._contexts.clear()

    def _ask(self, first: int, past: int) -> None:
        self._written = _Written()
        places = [place for place in range(first, min(past, len(self._statements))) if self._statements[place]]
        # As many memories may have come into force by its turn as there are statements before it.
        asked = [replace(one, ticks=place - first + 1) for place in places if (one := self._statements[place])]
        self._contexts = dict(zip(places, self._store.write_contexts(self._sight, asked), strict=True)) if asked else {}

    def _is_met(self, statement: Statement, context: WriteContext) -> bool:
        """Whether a write since then may affect the statement."""
        return self._written.may_meet(statement, context) or self._written.may_update(
            statement, self._numbers_of(statement, own=False)
        )

    def _numbers_of(self, statement: Statement, *, own: bool) -> list[int]:
        if statement.change_keys is None:
            return []
        return (stored_key_numbers if own else updatable_key_numbers)(self._store.keys, statement.change_keys)


def _has_evicted(outcome: Outcome) -> bool:
    return "evicted" in outcome.decision.detail


class _Written:
    """What a batch has written since the store was asked."""

    def __init__(self) -> None:
        self._numbers: Counter[object] = Counter()
        self._ticks: Counter[object] = Counter()
        self._counts: defaultdict[object, Counter[Kind]] = defaultdict(Counter)
        self._authored = 0
        self._values: set[object] = set()
        self._change_keys: set[object] = set()
        self._last_ticks: dict[object, int] = {}  # by partition, the earliest at which something written ends

    def add(self, statement: Statement, item: Item, stored_key_numbers: Sequence[int]) -> None:
        partition, author = _partition(statement), statement.author.key
        self._numbers[partition, author, statement.kind] += 1
        self._ticks[partition] += item.created_tick > 0
        if is_in_force(item):
            self._counts[partition, author][statement.kind] += 1
            self._authored += statement.kind is not Kind.SHORT_TERM and statement.readers.admits(statement.author)
        self._values.add((_group(statement), statement.value))
        self._change_keys.update((_group(statement), number) for number in stored_key_numbers)
        if item.expires_tick is not None:
            self._last_ticks[partition] = min(item.expires_tick, self._last_ticks.get(partition, item.expires_tick))

    def may_meet(self, statement: Statement, context: WriteContext) -> bool:
        partition = _partition(statement)
        ends = self._last_ticks.get(partition)
        is_said = statement.value is not None and (_group(statement), statement.value) in self._values
        return is_said or (ends is not None and ends <= context.tick + self._ticks[partition] + 1)

    def may_update(self, statement: Statement, updatable_key_numbers: Sequence[int]) -> bool:
        group = _group(statement)
        return any((group, number) in self._change_keys for number in updatable_key_numbers)

    def adjust(self, statement: Statement, context: WriteContext) -> WriteContext:
        """The context with what was written counted in, without memories that end at a later tick than the next."""
        partition, author = _partition(statement), statement.author.key
        tick = context.tick + self._ticks[partition]
        return replace(
            context,
            next_number=context.next_number + self._numbers[partition, author, statement.kind],
            tick=tick,
            due_by_tick=[
                one for one in context.due_by_tick if one.expires_tick is not None and one.expires_tick <= tick + 1
            ],
            counts=Counter(context.counts) + self._counts[partition, author] if statement.wants_counts else {},
            authored_count=context.authored_count + self._authored if statement.wants_counts else 0,
        )


def _group(statement: Statement) -> object:
    return statement.space.id, statement.readers


def _partition(statement: Statement) -> object:
    return statement.space.id, statement.readers, statement.audience
