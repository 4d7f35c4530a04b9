"""Open what a search found, with what came of the turns among it: the turns around them, the statements taken from
them, and what replaced those since.

Memories are opened and asked about together, and each once, so that the number of questions to the store does not grow
with the number of turns. Everything is read through the sight of the asker.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from memfort.capture.marks import has_marks
from memfort.engine.view import View
from memfort.model.item import Item, Kind, Origin, Status, parents_of
from memfort.store.port import LIVE, MOST_REPLACEMENTS, Filter

MOST_BESIDE = 5  # turns of an answer that come with those beside them


class TurnHistory:
    """What one recall has opened, and what came of the turns among it."""

    def __init__(self, view: View, filter: Filter, ahead: Sequence[int] = ()) -> None:
        self._view = view
        self._opens_all = filter is not LIVE  # few may be wanted: only the turns that are get a history
        self._ahead = ahead  # handles to open with the first ones, for they will be wanted too
        self._opened: dict[int, Item | None] = {}
        self._looked_up: set[int] = set()
        self._around: dict[str, tuple[Sequence[Item], Sequence[Item]]] = {}  # by turn
        self._statements: dict[str, list[Item]] = {}  # by turn
        self._ended: set[str] = set()  # turns from which something was taken that is not in force
        self._known: dict[tuple[bytes, str], Item] = {}  # statements and replacements, by space and id

    def open(self, handles: Sequence[int]) -> dict[int, Item]:
        """The memories behind handles, the best first. A damaged one is left out."""
        if fresh := [one for one in handles if one not in self._opened]:
            wanted = list(dict.fromkeys([*fresh, *(one for one in self._ahead if one not in self._opened)]))
            self._ahead = ()
            if self._opens_all:
                found = self._view.store.items_by_handle(self._view.sight, wanted)
                self._opened.update({one: found.get(one) for one in wanted})
            else:
                self._ask(wanted)
        return {one: item for one in handles if (item := self._opened[one]) is not None}

    def look_up(self, turns: Mapping[int, Item]) -> None:
        """Ask for what came of these turns, by handle, as far as it is not known."""
        if fresh := [handle for handle in turns if handle not in self._looked_up]:
            self._ask(fresh)
        if marked := {one.id for one in turns.values() if has_marks(one.text)} - self._statements.keys():
            self._note_made(marked, self._view.store.derived(self._view.sight, sorted(marked)))

    def look_around(self, turns: Mapping[int, Item]) -> None:
        """Ask for the turns around these, by handle, as far as they are not known."""
        if any(one.conversation is not None and one.id not in self._around for one in turns.values()):
            self._ask(list(turns))

    def _ask(self, handles: Sequence[int]) -> None:
        found = self._view.store.found_items(self._view.sight, handles, MOST_BESIDE)
        self._opened.update({one: found.items.get(one) for one in handles})
        self._looked_up.update(handles)
        self._around.update(found.around)
        self._known.update(((one.space.id, one.id), one) for one in (*found.ended, *found.made, *found.newer))
        old = [one for one in found.ended if one.kind is not Kind.SHORT_TERM]
        self._ended.update(turn for one in old for turn in (*one.derived_from, *_evidence_turns(one)))
        turns = {one.id for one in found.items.values()}.union(
            one.id for before, after in found.around.values() for one in (*before, *after)
        )
        self._note_made(turns.intersection(turn for one in old for turn in parents_of(one)), found.made)

    def _note_made(self, turns: Collection[str], made: Iterable[Item]) -> None:
        self._statements.update({turn: [] for turn in turns})
        for one in made:
            if one.kind is not Kind.SHORT_TERM:
                for turn in set(parents_of(one)).intersection(turns):
                    self._statements[turn].append(one)

    def around(self, turn: Item) -> tuple[Sequence[Item], Sequence[Item]]:
        """The turns in force before and after a turn that was looked around, in the order in which they were said."""
        return self._around.get(turn.id, ((), ()))

    def has_ended(self, turn: Item) -> bool:
        """Whether a statement of a turn that was opened, or is around one, does not hold any more."""
        return turn.id in self._ended

    def statements(self, turn: Item) -> Sequence[Item]:
        """The statements in sight, in any state, that were taken from a turn, if any of them is out of date."""
        return self._statements.get(turn.id, ())

    def replaced(self, turn: Item) -> list[Item]:
        """The statements of a turn that were replaced since, or of the turn that it answers."""
        if turn.origin is Origin.USER:
            return _replaced(self.statements(turn))
        asked = next((one for one in reversed(self.around(turn)[0]) if one.origin is Origin.USER), None)
        return [] if asked is None else _replaced(self.statements(asked))

    def replacement(self, item: Item) -> Item | None:
        """The memory in force at the end of a chain of replacements, if the asker may see it."""
        for _ in range(MOST_REPLACEMENTS):
            if item.superseded_by is None:
                break
            found = self._known.get((item.space.id, item.superseded_by))
            if found is None:
                return None
            item = found
        return item if self._view.is_shown(item) else None


def _evidence_turns(item: Item) -> tuple[str, ...]:
    return () if item.evidence is None else (item.evidence.turn,)


def _replaced(statements: Iterable[Item]) -> list[Item]:
    """The statements with evidence that were replaced or taken back, of which no other says that they still hold."""
    quoted = [one for one in statements if one.evidence is not None and one.deleted_at_us is None]
    held = {one.evidence.words for one in quoted if one.evidence is not None and one.status is Status.APPROVED}
    old = (one for one in quoted if one.status is Status.SUPERSEDED)
    return [one for one in old if one.evidence is not None and one.evidence.words not in held]
