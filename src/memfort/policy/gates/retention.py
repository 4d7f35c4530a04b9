"""How long a statement is kept: as asked, else as its type says, else as its kind and event type say, else the default.

Wall time and ticks are two clocks; each may set a limit, and the first limit reached ends the memory. A tick is one
memory coming into force in the same space for the same readers: events elsewhere do not age it.
"""

from __future__ import annotations

from collections.abc import Mapping

from memfort.errors import InvalidInput, a
from memfort.model.item import Candidate, EventType
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.model.reason import Reason
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import Keep, KeepMode


def expiry(candidate: Candidate, type: str, event_type: EventType, policy: Policy, now: Moment) -> Moment | None:
    """When the statement's time runs out on the wall clock, if ever."""
    if candidate.expires_at_us is not None:
        if candidate.expires_at_us <= now:
            raise InvalidInput("expires_at", "it is already past", "give a later time, or leave it out")
        return candidate.expires_at_us
    if candidate.ttl_seconds is not None:
        return _after(now, candidate.ttl_seconds)
    ends = _limit(candidate, type, event_type, policy, now)
    if ends is not None and ends <= now:
        raise InvalidInput(
            "observed_at", f"{a(type)} of that time has expired already", "leave it out, or give `expires_at`"
        )
    return ends


def lifetime_ticks(candidate: Candidate, event_type: EventType, policy: Policy) -> int | None:
    """How many ticks after its own the statement expires, if ever. Past an age means one tick after it."""
    if candidate.ttl_ticks is not None:
        return candidate.ttl_ticks
    rule = policy.retention.rule(candidate.kind, event_type)
    return None if rule.ticks is None else rule.ticks + (rule.mode is KeepMode.DECAY)


def is_kept_by_rule(candidate: Candidate, event_type: EventType, policy: Policy) -> bool:
    return policy.retention.rule(candidate.kind, event_type).mode is not KeepMode.NEVER


def forget_reason(rule: Keep) -> Reason:
    """The reason word for an expired rule."""
    return Reason.DECAY if rule.mode is KeepMode.DECAY else Reason.TTL_EXPIRED


def _limit(candidate: Candidate, type: str, event_type: EventType, policy: Policy, now: Moment) -> Moment | None:
    start = now if candidate.observed_at_us is None else candidate.observed_at_us
    rule = policy.retention.rule(candidate.kind, event_type)
    if (lifetime := policy.types[type].lifetime_seconds) is not None:
        return _after(start, lifetime)
    if rule.seconds is not None:
        return Moment(_after(start, rule.seconds) + (rule.mode is KeepMode.DECAY))
    if policy.retention.default_seconds is not None and not _is_listed(candidate, event_type, policy):
        return _after(start, policy.retention.default_seconds)
    return None


def _is_listed(candidate: Candidate, event_type: EventType, policy: Policy) -> bool:
    """Whether the policy has a rule for this kind and event type. An explicit `never` counts as a rule."""
    rules: Mapping[EventType, Keep] = getattr(policy.retention, candidate.kind.value)
    return event_type in rules or EventType.CONTEXT in rules


def _after(start: Moment, seconds: float) -> Moment:
    return Moment(start + round(seconds * MICROSECONDS_PER_SECOND))
