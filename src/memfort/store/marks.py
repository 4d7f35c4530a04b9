"""Marks as a store keeps them: keyed numbers, so that it holds no words.

The number of some words is the sum of their numbers. So it is the same in whatever order they come, and that of all but
one is a subtraction away: every write asks for it with each of its words, and digests would be a tenth of its work.
"""

from __future__ import annotations

from memfort.model.marks import Marks
from memfort.trace.keys import Keys

_HALF, _ALL = 1 << 63, (1 << 64) - 1


def own_numbers(keys: Keys, marks: Marks) -> list[int]:
    """The marks of a statement."""
    return _apart(keys, marks, [sum(keys.terms(marks.words))])


def asked_numbers(keys: Keys, marks: Marks) -> list[int]:
    """The marks of those that a statement can be the news of."""
    numbers = keys.terms(marks.words)
    total = sum(numbers)
    less = dict.fromkeys(numbers) if marks.is_news_of_less else ()
    return _apart(keys, marks, [total, *[total - number for number in less]])


def _apart(keys: Keys, marks: Marks, said: list[int]) -> list[int]:
    """With that of the attribute, for each person, in the 64 bits that a column has."""
    if marks.attribute is not None:
        said.append(keys.term(f"\x00{marks.attribute}"))
    if marks.persons:
        said = [one + keys.term(f"\x00\x00{person}") for person in marks.persons for one in said]
    return [((number + _HALF) & _ALL) - _HALF for number in said]
