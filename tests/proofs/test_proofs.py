"""Every theorem about the rules is proved, for any number of people, agents, chats and spaces; and what does not hold
is refuted by a case as small as it says."""

from __future__ import annotations

import pytest
from tests.proofs import (  # noqa: F401
    theorems_of_disclosure,
    theorems_of_listeners,
    theorems_of_origins,
    theorems_of_people,
    theorems_of_sight,
)
from tests.proofs.prove import THEOREMS, Theorem, is_about_something, refute


@pytest.mark.parametrize("one", THEOREMS, ids=[one.name for one in THEOREMS])
def test_a_theorem_is_proved_or_refuted_as_it_says(one: Theorem) -> None:
    assert is_about_something(one)
    found = refute(one)
    if one.holds:
        assert found is None, f"{one.sentence}\nnot where {found and found.case}"
    else:
        assert found is not None, "it holds: make it a theorem"
        assert found.people == one.people, found.case
