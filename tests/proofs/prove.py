"""Prove theorems: a function gets a `World` and returns premises and a claim, and the solver looks for a case in which
the premises hold and the claim does not. That the premises can hold is asked too: a theorem about nothing says nothing.

What the solver may spend is counted in its own steps, never in seconds, so an answer does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import z3
from tests.proofs.logic import Truth
from tests.proofs.symbols import Agent, Chat, Person, formula
from tests.proofs.world import World

Statement = Callable[[World], tuple[list[Truth], Truth]]
_MOST_STEPS = 40_000_000  # many times what the longest proof takes
_NAMES = {Person: ("Ann", "Ben", "Cid", "Dot", "Eva"), Agent: ("bot", "bot2", "bot3"), Chat: ("chat", "chat2")}
_SIZES = ((1, 1), (2, 1), (2, 2), (3, 2), (4, 2))  # people; agents and chats


class UnknownAnswer(Exception):
    """The solver gave up."""


@dataclass(frozen=True)
class Theorem:
    """A sentence of the design and what it says of all cases. `people`: it does not hold, and so many people are in the
    smallest case; with `because`, why that is as it should be."""

    name: str
    sentence: str
    statement: Statement
    people: int = 0
    because: str = ""

    @property
    def holds(self) -> bool:
        return not self.people


THEOREMS: list[Theorem] = []


def theorem(sentence: str) -> Callable[[Statement], Statement]:
    """A theorem that holds, with the sentence of the design that it stands for."""
    return _keep(sentence, 0, "")


def refuted(sentence: str, *, people: int, because: str) -> Callable[[Statement], Statement]:
    """A sentence that does not hold, with the number of people in its smallest case, and why it may stay so."""
    return _keep(sentence, people, because)


def _keep(sentence: str, people: int, because: str) -> Callable[[Statement], Statement]:
    def keep(statement: Statement) -> Statement:
        THEOREMS.append(Theorem(statement.__name__, sentence, statement, people, because))
        return statement

    return keep


@dataclass(frozen=True)
class Refutation:
    people: int
    case: str


def is_about_something(one: Theorem) -> bool:
    """Whether the premises of a theorem can hold."""
    world = World()
    premises, _ = one.statement(world)
    return _ask(_solver(world, premises))


def is_refuted(one: Theorem) -> bool:
    """Whether there is a case in which a theorem does not hold."""
    return _ask(_against(one, World()))


def refute(one: Theorem) -> Refutation | None:
    """The smallest case in which a theorem does not hold; none if it is proved."""
    if one.holds and not is_refuted(one):
        return None
    world = World()
    solver = _against(one, world)
    for people, others in _SIZES:
        solver.push()
        solver.add(*_at_most(people, others))
        if _ask(solver):
            return Refutation(people, describe(world, solver.model()))
        solver.pop()
    if _ask(solver):
        raise UnknownAnswer(f"`{one.name}` has no small case")
    return None


def _against(one: Theorem, world: World) -> Any:
    premises, claim = one.statement(world)
    return _solver(world, [*premises, z3.Not(formula(claim))])


def _solver(world: World, given: list[Truth]) -> Any:
    solver = z3.Solver()
    solver.set("rlimit", _MOST_STEPS)
    solver.set("random_seed", 0)
    solver.add(*(formula(one) for one in (*world.assumed, *given)))
    return solver


def _ask(solver: Any) -> bool:
    answer = solver.check()
    if answer == z3.unknown:
        raise UnknownAnswer(solver.reason_unknown())
    return bool(answer == z3.sat)


def _at_most(people: int, others: int) -> Iterator[Any]:
    for sort, most in ((Person, people), (Agent, others), (Chat, others)):
        one, known = z3.Const("one!of", sort), [z3.Const(f"only!{place}", sort) for place in range(most)]
        yield z3.ForAll([one], z3.Or(*(one == other for other in known)))


def describe(world: World, case: Any) -> str:
    """A case in words: what each value is, and who is in each set."""
    names = {
        str(one): name
        for sort, given in _NAMES.items()
        for one, name in zip(case.get_universe(sort) or [], given, strict=False)
    }
    missing = {one.name()[:-1] for one in case.decls() if one.name().endswith("?") and not z3.is_true(case[one])}
    lines = [f"{one.name}={one.value(case)}" for one in world.names]
    for one in sorted(case.decls(), key=lambda one: one.name()):
        name = one.name()
        if "!" in name or name.endswith("?") or name in missing or name.rsplit(".", 1)[-1].isdigit():
            continue
        lines += _described(case, one, names)
    return "; ".join(lines)


def _described(case: Any, one: Any, names: dict[str, str]) -> list[str]:
    if one.arity() == 0:
        value = names.get(str(case[one]), str(case[one]))
        return [] if value == "False" else [f"{one.name()}={value}"]
    if one.arity() != 1 or one.domain(0) not in _NAMES:
        return []
    known = case.get_universe(one.domain(0)) or []
    found = {str(each): case.eval(one(each), model_completion=True) for each in known}
    if one.range() == z3.BoolSort():
        inside = ", ".join(names.get(each, each) for each, value in found.items() if z3.is_true(value))
        return [f"{one.name()}={{{inside}}}"] if inside else []
    return [f"{one.name()}({names.get(each, each)})={names.get(str(to), to)}" for each, to in found.items()]
