"""Which memories a briefing looks at first, by the columns of the index alone: nothing is opened for it.

A briefing is short, and a store may have tens of thousands of memories. What says who somebody is comes first, then
standing wishes, events near to today and tasks, then the most important and the newest of the rest. There are no turns
in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from memfort.capture.turns import Trait
from memfort.language.concepts import term_of
from memfort.recall.packed_weight import unpack_importance
from memfort.store.port.values.columns import Columns, Numbers

# What says who a person is, in the order in which a profile names it.
OF_A_PERSON = (
    "name", "pronouns", "home", "work", "study", "partner", "child", "sibling", "mother", "father", "relative", "pet",
    "illness", "allergy", "medication", "diet", "pregnancy", "birthday", "age", "nationality", "language",
)  # fmt: skip
_TASKS = ("task", "deadline", "appointment")
_OF_EACH = 4  # memories of one such subject
_WISHES, _COMING, _PAST, _OF_TASKS = 16, 12, 8, 12
_RECENT = 30  # days


def order_candidates(columns: Sequence[Columns], number: Callable[[str], int], today: int) -> Iterator[int]:
    """The handles of statements in the order in which a briefing looks at them, each once."""
    ranked = [_Ranked(one, number, today) for one in columns]
    lists = chain.from_iterable(zip(*(one.lists() for one in ranked), strict=True)) if ranked else ()
    return iter(dict.fromkeys(handle for some in lists for handle in some))


def subject_places(columns: Sequence[Columns], number: Callable[[str], int]) -> Mapping[int, int]:
    """For each memory that says who a person is, the place of what it says in `OF_A_PERSON`, by handle."""
    found: dict[int, int] = {}
    for one in columns:
        for place, name in reversed(list(enumerate(OF_A_PERSON))):
            found.update(dict.fromkeys(one.handles[one.postings.of(number(term_of(name)))[0]].tolist(), place))
    return found


class _Ranked:
    """The statements of one partition group, in the order of their worth."""

    def __init__(self, columns: Columns, number: Callable[[str], int], today: int) -> None:
        self._columns, self._number, self._today = columns, number, today
        is_turn = columns.in_talk & (columns.turns != 0)
        self._is_statement = columns.shown & ~is_turn
        rows = np.flatnonzero(self._is_statement)
        worth = unpack_importance(columns.traits[rows])
        self._rows = rows[np.lexsort((-columns.handles[rows], -columns.days[rows], -worth))]

    def lists(self) -> list[list[int]]:
        columns, rows = self._columns, self._rows
        event_days = columns.event_days[rows]
        coming = rows[event_days >= self._today]
        past = rows[(event_days > 0) & (event_days < self._today) & (event_days >= self._today - _RECENT)]
        chosen = [
            *(self._about(name)[:_OF_EACH] for name in OF_A_PERSON),
            rows[(columns.traits[rows] & int(Trait.INSTRUCTION)) > 0][:_WISHES],
            coming[np.argsort(columns.event_days[coming], kind="stable")][:_COMING],
            past[np.argsort(-columns.event_days[past], kind="stable")][:_PAST],
            *(self._about(name)[:_OF_TASKS] for name in _TASKS),
            rows,
        ]
        return [columns.handles[some].tolist() for some in chosen]

    def _about(self, name: str) -> Numbers:
        """The statements of a concept, in the order of their worth."""
        found = np.zeros(len(self._columns.handles), np.bool_)
        found[self._columns.postings.of(self._number(term_of(name)))[0]] = True
        rows: Numbers = self._rows[found[self._rows]]
        return rows
