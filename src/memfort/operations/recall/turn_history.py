"""What came of the turns that a recall found: the statements taken from them, and what replaced those since.

The store is asked about all turns together and about each of them once, so that the number of questions does not grow
with the number of turns. Everything is read through the sight of the asker.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from memfort.capture.marks import has_marks
from memfort.engine.view import View
from memfort.model.item import Item, Kind, Origin, Status, parents_of

_BEFORE = 4  # turns before an answer, among which is what it answers
_MAX_STEPS = 8  # from a superseded statement to the one in force


class TurnHistory:
    """What came of turns, for one recall. The store is asked in `look_up` and `follow`, and nowhere else."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._statements: dict[str, list[Item]] = {}  # by turn
        self._answered: dict[str, str] = {}  # the turn that a turn answers
        self._known: dict[tuple[bytes, str], Item | None] = {}  # replacements, by space and id; none: out of sight

    def look_up(self, turns: Sequence[Item]) -> None:
        """Ask for the statements of those turns, and of the turns that they answer, of which any is out of date."""
        fresh = [one for one in turns if one.id not in self._statements]
        answers = [one for one in fresh if one.origin is not Origin.USER and one.conversation is not None]
        around = self._view.store.turns_around(self._view.sight, answers, _BEFORE, 0) if answers else []
        for answer, (before, _) in zip(answers, around, strict=True):
            if (asked := next((one.id for one in reversed(before) if one.origin is Origin.USER), None)) is not None:
                self._answered[answer.id] = asked
        ids = dict.fromkeys([*(one.id for one in fresh), *self._answered.values()])
        marked = {one.id for one in fresh if has_marks(one.text)}
        made = changed_statements(self._view, [id for id in ids if id not in self._statements], marked)
        self._statements.update(made)
        self._note(one for some in made.values() for one in some)

    def follow(self, superseded: Iterable[Item]) -> None:
        """Ask for what replaced statements, and for what replaced that: all of them a step at a time."""
        current = list(superseded)
        for _ in range(_MAX_STEPS):
            wanted = {(one.space.id, one.superseded_by) for one in current if one.superseded_by is not None}
            if unknown := wanted - self._known.keys():
                self._known.update(dict.fromkeys(unknown))
                self._note(self._view.items(sorted({id for _, id in unknown})))
            current = [item for place in wanted if (item := self._known[place]) is not None]

    def statements(self, turn: Item) -> Sequence[Item]:
        """The statements in sight that were taken from a turn, if any of them is out of date."""
        return self._statements.get(turn.id, ())

    def replaced(self, turn: Item) -> list[Item]:
        """The statements of a turn that were replaced since, or of the turn that it answers."""
        if turn.origin is Origin.USER:
            return _replaced(self.statements(turn))
        return _replaced(self._statements.get(self._answered.get(turn.id, ""), ()))

    def replacement(self, item: Item) -> Item | None:
        """The memory in force at the end of a chain of replacements, if the asker may see it."""
        for _ in range(_MAX_STEPS):
            if item.superseded_by is None:
                break
            found = self._known.get((item.space.id, item.superseded_by))
            if found is None:
                return None
            item = found
        return item if self._view.is_shown(item) else None

    def _note(self, items: Iterable[Item]) -> None:
        self._known.update(((item.space.id, item.id), item) for item in items)


def changed_statements(view: View, turns: Sequence[str], marked: Collection[str]) -> dict[str, list[Item]]:
    """The statements in sight, in any state, that were taken from each turn of which any is not in force, or which is
    `marked`: a part of it has ended. Of the other turns, which are nearly all, none."""
    made: dict[str, list[Item]] = defaultdict(list, {turn: [] for turn in turns})
    if ended := parents_of_ended(view, turns).union(marked):
        for item in view.store.derived(view.sight, sorted(ended)):
            if item.kind is not Kind.SHORT_TERM:
                for turn in ended & set(parents_of(item)):
                    made[turn].append(item)
    return dict(made)


def parents_of_ended(view: View, turns: Sequence[str]) -> set[str]:
    """Those of these turns from which a statement in sight was taken that is not in force."""
    found = view.store.derived_not_in_force(view.sight, turns) if turns else ()
    return {turn for one in found if one.kind is not Kind.SHORT_TERM for turn in parents_of(one)}.intersection(turns)


def _replaced(statements: Iterable[Item]) -> list[Item]:
    """The statements with evidence that were replaced or taken back, of which no other says that they still hold."""
    quoted = [one for one in statements if one.evidence is not None and one.deleted_at_us is None]
    held = {one.evidence.words for one in quoted if one.evidence is not None and one.status is Status.APPROVED}
    old = (one for one in quoted if one.status is Status.SUPERSEDED)
    return [one for one in old if one.evidence is not None and one.evidence.words not in held]
