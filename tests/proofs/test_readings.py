"""The two readings of the rules agree: what they compute of plain values is what their formula says of the same."""

from __future__ import annotations

from dataclasses import fields
from random import Random
from typing import Any

import z3
from tests.proofs.cases import AGENTS, CHATS, PEOPLE, random_case
from tests.proofs.disclosure import heard, told, told_about
from tests.proofs.logic import has, is_
from tests.proofs.symbols import Agent, Chat, Many, Maybe, Named, Person, formula
from tests.proofs.world import World

_CASES = 60


def test_what_is_computed_is_what_the_formula_says() -> None:
    world = World()
    memory, room, policy = world.memory(), world.room(), world.policy()
    leaves, by_name = z3.Bool("leaves"), z3.Bool("by_name")
    known = {
        name: z3.Const(name, sort)
        for sort, names in ((Person, PEOPLE), (Agent, AGENTS), (Chat, CHATS))
        for name in names
    }
    asked = {name: heard(told_about(memory, known[name], room, policy, by_name)) for name in PEOPLE}
    in_sight = heard(told(memory, room, policy, leaves))
    solver = z3.Solver()
    solver.add(*map(formula, world.assumed), *_different(known))
    answers = set()
    for number in range(_CASES):
        case = random_case(Random(number))
        computed = heard(told(case.memory, case.room, case.policy, case.leaves))
        computed_about = heard(told_about(case.memory, case.person, case.room, case.policy, case.by_name))
        solver.push()
        for symbolic, plain in ((memory, case.memory), (room, case.room), (policy, case.policy)):
            solver.add(*_is_the_same(symbolic, plain, known))
        solver.add(leaves == case.leaves, by_name == case.by_name)
        assert solver.check() == z3.sat, case  # the world allows it
        differs = z3.Or(formula(in_sight) != computed, formula(asked[case.person]) != computed_about)
        assert solver.check(differs) == z3.unsat, case
        solver.pop()
        answers |= {computed, computed_about}
    assert answers == {True, False}


def _different(known: dict[str, Any]) -> list[Any]:
    """That the names are of different ones, and of all that there are."""
    made = []
    for sort in (Person, Agent, Chat):
        named, one = [each for each in known.values() if each.sort() == sort], z3.Const("each", sort)
        made += [z3.Distinct(*named), z3.ForAll([one], z3.Or(*(one == each for each in named)))]
    return made


def _is_the_same(symbolic: Any, plain: Any, known: dict[str, Any]) -> list[Any]:
    """That each field of a thing with symbols has the value of the same field of a thing with plain values."""
    made = []
    for field in fields(symbolic):
        one, value = getattr(symbolic, field.name), getattr(plain, field.name)
        if isinstance(one, Named):
            made.append(formula(is_(one, value)))
        elif isinstance(one, Maybe | Many):
            sort = one.one.sort() if isinstance(one, Maybe) else one.sort
            each = {name: of for name, of in known.items() if of.sort() == sort}
            made += [formula(has(one, of)) == (name in value) for name, of in each.items()]
            made += [one.given == bool(value)] if isinstance(one, Maybe) else []
        else:
            made.append(one == value)
    return made
