"""Histories play every verb: a new verb fails here until a step or a read plays it, or a reason says why none does."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.purge.histories import generate
from tests.purge.replay import play
from tests.purge.stores import store_for
from tests.purge.verbs import NOT_GIVEN, NOT_PLAYED, WITH_PARAMETERS, count_verbs, documented_verbs, public_verbs
from tests.purge.verbs import parameters as parameters_of

HISTORIES = 120


@pytest.fixture(scope="module")
def counts() -> Counter[str]:
    with pytest.MonkeyPatch.context() as patch:
        counted = count_verbs(patch)
        for seed in range(HISTORIES):
            history = generate(seed)
            play(history, store_for(history))
    return counted


def test_every_verb_is_played_or_has_a_reason(counts: Counter[str]) -> None:
    assert {verb for verb in public_verbs() if not counts[verb]} - set(NOT_PLAYED) == set()


def test_reasons_are_for_verbs_that_exist() -> None:
    assert set(NOT_PLAYED) <= set(public_verbs())


def test_every_verb_of_the_reference_is_among_them() -> None:
    names = {verb.partition(".")[2] for verb in public_verbs()}
    assert {"forget", "people.forget", "store.backup"} <= documented_verbs()
    assert documented_verbs() - names == {"import"}  # `import_` in Python
    assert "import_" in names


@pytest.mark.parametrize("verb", WITH_PARAMETERS)
def test_every_parameter_of_a_verb_that_ends_is_given(verb: str, counts: Counter[str]) -> None:
    parameters = parameters_of(verb)
    assert parameters
    assert {name for name in parameters - set(NOT_GIVEN) if not counts[f"{verb}({name})"]} == set()
