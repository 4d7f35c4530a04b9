"""Change keys as a store keeps them: keyed numbers, so that it holds no words.

The number of several words is the sum of their numbers: it does not depend on their order, and that of all words but
one is a subtraction away. Every write looks for it without each of its words, and digests would be a tenth of its work.
"""

from __future__ import annotations

from memfort.model.item import ChangeKeys
from memfort.trail.keys import Keys

_HALF, _ALL = 1 << 63, (1 << 64) - 1


def stored_key_numbers(keys: Keys, change_keys: ChangeKeys) -> list[int]:
    """The change keys of a statement."""
    return _with_attributes_and_persons(keys, change_keys, [sum(keys.terms(change_keys.words))])


def updatable_key_numbers(keys: Keys, change_keys: ChangeKeys) -> list[int]:
    """The change keys of those memories that a statement may update."""
    numbers = keys.terms(change_keys.words)
    total = sum(numbers)
    less = dict.fromkeys(numbers) if change_keys.is_news_of_less else ()
    return _with_attributes_and_persons(keys, change_keys, [total, *[total - number for number in less]])


def _with_attributes_and_persons(keys: Keys, change_keys: ChangeKeys, said: list[int]) -> list[int]:
    """The numbers with those of the attributes, for each person, as signed 64-bit numbers."""
    said += [keys.term(f"\x00{attribute}") for attribute in change_keys.attributes]
    if change_keys.persons:
        said = [one + keys.term(f"\x00\x00{person}") for person in change_keys.persons for one in said]
    return [((number + _HALF) & _ALL) - _HALF for number in said]
