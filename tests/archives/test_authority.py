"""What has a source loses against what was said here, whatever else speaks for it."""

from __future__ import annotations

from itertools import product

import pytest

from memfort import Policy
from memfort.model.item import Authority
from memfort.policy.gates.conflict import Claim, ConflictRule, settle


def claim(id, *, is_imported, authority=Authority.AI_INFERRED, is_correction=False, at=1):
    return Claim(authority, False, is_correction, b"alice", (at, 1), 0.5, id, is_imported=is_imported)


@pytest.mark.parametrize(("authority", "is_correction", "at"), list(product(Authority, (False, True), (0, 9))))
def test_what_was_said_here_wins_in_any_order(authority, is_correction, at):
    here = claim("here", is_imported=False)
    there = claim("there", is_imported=True, authority=authority, is_correction=is_correction, at=at)
    policy = Policy.of("default")
    assert settle(here, there, policy) == settle(there, here, policy) == (here, ConflictRule.AUTHORITY)


def test_of_two_imported_claims_the_usual_rules_decide():
    old, new = claim("old", is_imported=True, at=1), claim("new", is_imported=True, at=2)
    assert settle(old, new, Policy.of("default")) == (new, ConflictRule.RECENCY)
