"""The words that the rules are written in. One text, two readings: with plain values the rules compute an answer, with
symbols they build a formula about all values at once. So what is proved and what is compared is the same text.

A truth is a `bool` or a formula; a set is a `frozenset` or a `Symbols` (anything that knows `has`, `every`, `some`); an
optional value is a set of at most one; a value of an enumeration is a `str` or a symbol that knows `is_one_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Truth = Any
Set = Any
Choice = Any

NOBODY: Set = frozenset()


def no(one: Truth) -> Truth:
    return not one if isinstance(one, bool) else _z3().Not(one)


def both(*all: Truth) -> Truth:
    """Whether all of them hold."""
    rest = [one for one in all if one is not True]
    if any(one is False for one in rest):
        return False
    return True if not rest else rest[0] if len(rest) == 1 else _z3().And(*rest)


def either(*all: Truth) -> Truth:
    """Whether any of them holds."""
    rest = [one for one in all if one is not False]
    if any(one is True for one in rest):
        return True
    return False if not rest else rest[0] if len(rest) == 1 else _z3().Or(*rest)


def implies(one: Truth, other: Truth) -> Truth:
    return either(no(one), other)


def choose(condition: Truth, then: Truth, otherwise: Truth) -> Truth:
    if isinstance(condition, bool):
        return then if condition else otherwise
    return either(both(condition, then), both(no(condition), otherwise))


def same(one: Any, other: Any) -> Truth:
    return one == other


def is_(value: Choice, *names: str) -> Truth:
    """Whether a value of an enumeration is one of these."""
    return value in names if isinstance(value, str) else value.is_one_of(names)


def first_of(**given: Truth) -> Choice:
    """The name of the first condition that holds; one of them has to."""
    if all(isinstance(one, bool) for one in given.values()):
        return next(name for name, holds in given.items() if holds)
    from tests.proofs.symbols import FirstOf

    return FirstOf(given)


def has(set: Set, one: Any) -> Truth:
    return one in set if isinstance(set, frozenset) else set.has(one)


def every(set: Set, holds: Callable[[Any], Truth]) -> Truth:
    return both(*(holds(one) for one in set)) if isinstance(set, frozenset) else set.every(holds)


def some(set: Set, holds: Callable[[Any], Truth]) -> Truth:
    return either(*(holds(one) for one in set)) if isinstance(set, frozenset) else set.some(holds)


def is_empty(set: Set) -> Truth:
    return every(set, lambda _: False)


def is_given(set: Set) -> Truth:
    return some(set, lambda _: True)


def is_only(set: Set, one: Any) -> Truth:
    """Whether the set is exactly this one."""
    return both(has(set, one), every(set, lambda other: same(other, one)))


def within(one: Set, other: Set) -> Truth:
    return every(one, lambda each: has(other, each))


def meets(one: Set, other: Set) -> Truth:
    """Whether they have one in common."""
    return some(one, lambda each: has(other, each))


def several(set: Set) -> Truth:
    """Whether it has at least two."""
    return some(set, lambda one: some(set, lambda other: no(same(one, other))))


def only_if(condition: Truth, set: Set) -> Set:
    """The set if the condition holds, otherwise nothing."""
    return picked(set, lambda _: condition)


def picked(set: Set, holds: Callable[[Any], Truth]) -> Set:
    """Those of a set for which something holds."""
    answers = {one: holds(one) for one in set} if isinstance(set, frozenset) else {None: None}
    if all(isinstance(one, bool) for one in answers.values()):
        return frozenset(one for one, is_in in answers.items() if is_in)
    from tests.proofs.symbols import Picked

    return Picked(set, holds)


def union(*sets: Set) -> Set:
    if all(isinstance(one, frozenset) for one in sets):
        return frozenset().union(*sets)
    from tests.proofs.symbols import Union

    return Union(sets)


def image(set: Set, of: Callable[[Any], Set]) -> Set:
    """All that a function gives for the members of a set; the function gives sets."""
    if isinstance(set, frozenset) and all(isinstance(of(one), frozenset) for one in set):
        return frozenset().union(*map(of, set))
    from tests.proofs.symbols import Image

    return Image(set, of)


Steps = list[tuple[str, Truth]]  # (reason, condition): the first condition that holds decides; the last always does


def under(condition: Truth, steps: Steps) -> Steps:
    return [(reason, both(condition, holds)) for reason, holds in steps]


def reached(steps: Steps) -> Mapping[str, Truth]:
    """For each reason whether it is the one that decides."""
    found: dict[str, Truth] = {}
    before: list[Truth] = []
    for reason, holds in steps:
        found[reason] = either(found.get(reason, False), both(holds, *(no(one) for one in before)))
        before.append(holds)
    return found


def _z3() -> Any:
    import z3

    return z3
