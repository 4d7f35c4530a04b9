"""Infer a statement's type from its text, if the caller names none.

A type with a lifetime is a guess about the present. For an event so long ago that this lifetime would be over, the
guess is wrong: the statement is a record of the past.
"""

from __future__ import annotations

from memfort.language.dates.parse import find_days
from memfort.language.types import infer_type
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment, day_of
from memfort.policy.settings.policy import Policy

_DAY_SECONDS = 24 * 60 * 60


def type_from_text(policy: Policy, text: str) -> str | None:
    """The type that the text indicates, if the policy has it."""
    return type_in_policy(policy, infer_type(text))


def type_in_policy(policy: Policy, found: str | None) -> str | None:
    return found if found in policy.types else None


def has_passed(policy: Policy, type: str | None, text: str, observed_at: Moment | None, now: Moment) -> bool:
    """Whether a memory of this type would have expired by now, by its observation time or by the dates in its text."""
    lifetime = None if type is None else policy.types[type].lifetime_seconds
    if lifetime is None:
        return False
    seen_at = now if observed_at is None else observed_at
    if seen_at + lifetime * MICROSECONDS_PER_SECOND <= now:
        return True
    today = day_of(seen_at)
    latest = max((last for _, last in find_days(text, (), today)), default=today.toordinal())
    return (latest + 1 - today.toordinal()) * _DAY_SECONDS + lifetime <= 0
