"""Symbols that stand for any value: people, agents, chats and ids are elements of sorts of any size, a set of them is a
predicate, a value of an enumeration a few bits.

The rules have no "for all people there is a person" and no function from people to people, so a formula that can be
true at all is true of a few people (the Bernays-Schoenfinkel class): the solver decides it, and refutations are small.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import z3
from tests.proofs.logic import Set, Truth, both, either, every, has, implies, no, same, some

Person, Agent, Chat = (z3.DeclareSort(name) for name in ("Person", "Agent", "Chat"))
_numbers = itertools.count()


def formula(one: Truth) -> Any:
    return z3.BoolVal(one) if isinstance(one, bool) else one


class Named:
    """A value of an enumeration: exactly one of its names."""

    def __init__(self, name: str, names: tuple[str, ...]) -> None:
        self.name, self.names = name, names
        self._bits = [z3.Bool(f"{name}.{bit}") for bit in range(max(1, (len(names) - 1).bit_length()))]

    def is_one_of(self, names: tuple[str, ...]) -> Truth:
        return either(*(self._is(name) for name in names if name in self.names))

    @property
    def axiom(self) -> Truth:
        return self.is_one_of(self.names)

    def value(self, case: Any) -> str:
        return next(name for name in self.names if z3.is_true(case.eval(self._is(name), model_completion=True)))

    def _is(self, name: str) -> Any:
        number = self.names.index(name)
        return z3.And(*(bit if number >> place & 1 else z3.Not(bit) for place, bit in enumerate(self._bits)))


@dataclass(frozen=True)
class FirstOf:
    """The name of the first condition that holds."""

    given: Mapping[str, Truth]

    def is_one_of(self, names: tuple[str, ...]) -> Truth:
        found: list[Truth] = []
        before: list[Truth] = []
        for name, holds in self.given.items():
            if name in names:
                found.append(both(holds, *(no(one) for one in before)))
            before.append(holds)
        return either(*found)


class Maybe:
    """A set of at most one."""

    def __init__(self, name: str, sort: Any, *, given: Truth | None = None, one: Any = None) -> None:
        self.given = z3.Bool(f"{name}?") if given is None else given
        self.one = z3.Const(name, sort) if one is None else one

    def has(self, one: Any) -> Truth:
        return both(self.given, same(self.one, one))

    def every(self, holds: Callable[[Any], Truth]) -> Truth:
        return implies(self.given, holds(self.one))

    def some(self, holds: Callable[[Any], Truth]) -> Truth:
        return both(self.given, holds(self.one))


class Many:
    """A set of any size."""

    def __init__(self, name: str, sort: Any) -> None:
        self.sort, self.within = sort, z3.Function(name, sort, z3.BoolSort())

    def has(self, one: Any) -> Truth:
        return self.within(one)

    def every(self, holds: Callable[[Any], Truth]) -> Truth:
        one = self._any()
        return z3.ForAll([one], formula(implies(self.within(one), holds(one))))

    def some(self, holds: Callable[[Any], Truth]) -> Truth:
        one = self._any()
        return z3.Exists([one], formula(both(self.within(one), holds(one))))

    def _any(self) -> Any:
        return z3.Const(f"any!{next(_numbers)}", self.sort)


@dataclass(frozen=True)
class Union:
    parts: tuple[Set, ...]

    def has(self, one: Any) -> Truth:
        return either(*(has(part, one) for part in self.parts))

    def every(self, holds: Callable[[Any], Truth]) -> Truth:
        return both(*(every(part, holds) for part in self.parts))

    def some(self, holds: Callable[[Any], Truth]) -> Truth:
        return either(*(some(part, holds) for part in self.parts))


@dataclass(frozen=True)
class Picked:
    """Those of a set for which something holds."""

    set: Set
    holds: Callable[[Any], Truth]

    def has(self, one: Any) -> Truth:
        return both(has(self.set, one), self.holds(one))

    def every(self, holds: Callable[[Any], Truth]) -> Truth:
        return every(self.set, lambda one: implies(self.holds(one), holds(one)))

    def some(self, holds: Callable[[Any], Truth]) -> Truth:
        return some(self.set, lambda one: both(self.holds(one), holds(one)))


@dataclass(frozen=True)
class Image:
    """All that a function gives for the members of a set."""

    set: Set
    of: Callable[[Any], Set]

    def has(self, one: Any) -> Truth:
        return some(self.set, lambda each: has(self.of(each), one))

    def every(self, holds: Callable[[Any], Truth]) -> Truth:
        return every(self.set, lambda each: every(self.of(each), holds))

    def some(self, holds: Callable[[Any], Truth]) -> Truth:
        return some(self.set, lambda each: some(self.of(each), holds))


def just(one: Any) -> Maybe:
    """The set of exactly this one."""
    return Maybe("", one.sort(), given=True, one=one)
