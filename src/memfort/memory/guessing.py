"""The type that a statement gets by its words, where nobody has named one.

A type that ends is a guess about what is said now. Of what lies so far back that it would be over already the guess is
wrong: who tells of it has it told for the record.
"""

from __future__ import annotations

from memfort.capture.days import days_in
from memfort.capture.types import infer_type
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment, day_of
from memfort.policy.settings import Policy

_DAY_SECONDS = 24 * 60 * 60


def shown_type(policy: Policy, text: str) -> str | None:
    """The type that the words show, if the policy has it."""
    return known_type(policy, infer_type(text))


def known_type(policy: Policy, found: str | None) -> str | None:
    return found if found in policy.types else None


def has_passed(policy: Policy, type: str | None, text: str, observed_at: Moment | None, now: Moment) -> bool:
    """Whether a memory of this type would be over by now, by when it was observed or by the days its words name."""
    lifetime = None if type is None else policy.types[type].lifetime_seconds
    if lifetime is None:
        return False
    seen_at = now if observed_at is None else observed_at
    if seen_at + lifetime * MICROSECONDS_PER_SECOND <= now:
        return True
    today = day_of(seen_at)
    latest = max((last for _, last in days_in(text, (), today)), default=today.toordinal())
    return (latest + 1 - today.toordinal()) * _DAY_SECONDS + lifetime <= 0
