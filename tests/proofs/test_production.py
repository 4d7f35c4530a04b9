"""The product answers as the model does: in random cases, in a small world, in the tables; and no wrong rule of the
product stays unnoticed. What is known to differ stands in `known.py`, each with its sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from tests.generated import Seeds, half_fresh
from tests.proofs import disclosure as model
from tests.proofs.comparison import (
    IN_SIGHT,
    Asked,
    Question,
    random_asked,
    random_looked,
    seen_by_the_model,
    small_world,
)
from tests.proofs.known import unknown_difference
from tests.proofs.mutants import MUTANTS, Mutant
from tests.proofs.production import NAMES, Answer, seen_by

from memfort.policy.disclosure import TABLE, Column, Row

_COLUMNS = {"one": Column.ONE, "two": Column.TWO, "group": Column.GROUP}
_STEP = 23  # of the small world, each so many; `python -m tests.proofs --cases` asks all
_FOR_MUTANTS = 1_500
_FOR_RARE = 3_000  # to choose from


@pytest.mark.parametrize("seeds", half_fresh(200, 10_000))
def test_the_product_answers_random_cases_as_the_model_does(seeds: Seeds) -> None:
    """Each seed makes a hundred cases."""
    for seed in seeds:
        random = Random(seed)
        for _ in range(100):
            found = unknown_difference(*random_asked(random))
            assert found is None, f"{found}"


def test_the_product_answers_a_small_world_as_the_model_does() -> None:
    assert [str(found) for one in _of_the_small_world() if (found := unknown_difference(*one))] == []


def test_the_product_sees_the_spaces_that_the_model_sees() -> None:
    """But for a session that names no owner, which is no space of the product: two users would share it."""
    random, answers = Random("sight"), set()
    for _ in range(1_500):
        looked = random_looked(random)
        has_owner = bool(looked.space.user or looked.space.agent)
        if looked.space.levels["session"] and not has_owner:
            assert seen_by(looked) == (False, False)
            continue
        answers.add(seen_by_the_model(looked))
        assert seen_by(looked) == seen_by_the_model(looked), looked
    assert answers == {(False, False), (True, False), (True, True)}


@pytest.mark.parametrize("row", Row)
@pytest.mark.parametrize("column", _COLUMNS)
def test_each_cell_has_the_same_reasons(row: Row, column: str) -> None:
    wanted, has = model.TABLE[row.value][column], TABLE[row][_COLUMNS[column]]
    named = None if wanted is None else {NAMES.get(one, one) for one in wanted}
    assert (None if has is None else {reason.value for reason in has}) == named


@pytest.mark.parametrize("mutant", MUTANTS, ids=[one.says for one in MUTANTS])
def test_a_wrong_rule_of_the_product_is_found(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = _cases()  # answered before anything is sown
    mutant.sow(monkeypatch)
    changed = (one for one, before in cases if one[0].answer(one[1]) != before)
    assert any(unknown_difference(*one) for one in changed)


@cache
def _of_the_small_world() -> list[tuple[Question, Asked]]:
    return [one for number, one in enumerate(small_world()) if number % _STEP == 0]


@cache
def _cases() -> list[tuple[tuple[Question, Asked], Answer]]:
    random = Random("mutants")
    cases = [*_of_the_small_world(), *(random_asked(random) for _ in range(_FOR_MUTANTS))]
    cases += [*_public_between_two(random), *_leaving(random)]
    return [(one, one[0].answer(one[1])) for one in cases]


def _public_between_two(random: Random) -> Iterator[tuple[Question, Asked]]:
    """The cell with the most reasons, which seldom comes by chance."""
    for _ in range(_FOR_RARE):
        question, asked = random_asked(random)
        if asked.room.kind == "private" and len(asked.room.persons) > 1:
            policy = replace(asked.policy, open_provenance=True)
            yield question, replace(asked, memory=replace(asked.memory, sensitivity="public"), policy=policy)


def _leaving(random: Random) -> Iterator[tuple[Question, Asked]]:
    for _ in range(_FOR_RARE):
        question, asked = random_asked(random)
        if question is IN_SIGHT and asked.room.kind in {"private", "group"}:
            yield question, replace(asked, leaves=True)
