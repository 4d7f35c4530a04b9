"""How long a statement is kept: as asked, else as its type says, else as its kind and event type say, else the default.

Wall time and ticks are two clocks; each may set a limit, and the first limit reached ends the memory. A tick is one
memory coming into force in the same space for the same readers: events elsewhere do not age it.

A lifetime that was said ends a memory: by the caller, by a type that the caller named, by a rule of the policy, or by
the words themselves ("until Friday"). The lifetime of a type that was only guessed from the words makes it fade
instead, unless the policy says otherwise.
"""

from __future__ import annotations

from msgspec import Struct

from memfort.errors import InvalidInput, a
from memfort.language.dates.ends import find_end
from memfort.language.dates.parse import find_days
from memfort.model.item import Candidate, EventType, Kind
from memfort.model.moment import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND, Moment, day_of, start_of_day
from memfort.model.reason import Reason
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import GuessedLifetime, Keep, KeepMode


class Limits(Struct, frozen=True):
    """The times that a statement's lifetime sets on the wall clock."""

    expires_at: Moment | None = None
    fades_at: Moment | None = None


def limits_of(candidate: Candidate, type: str, event_type: EventType, policy: Policy, now: Moment) -> Limits:
    """When the statement's time runs out on the wall clock, and when it has faded, if ever."""
    if candidate.expires_at_us is not None:
        if candidate.expires_at_us <= now:
            raise InvalidInput("expires_at", "it is already past", "give a later time, or leave it out")
        return Limits(candidate.expires_at_us)
    if candidate.ttl_seconds is not None:
        return Limits(_after(now, candidate.ttl_seconds))
    start = now if candidate.observed_at_us is None else candidate.observed_at_us
    is_turn = candidate.kind is Kind.SHORT_TERM and candidate.conversation is not None  # its type says how it is ranked
    if (lifetime := policy.types[type].lifetime_seconds) is not None and not is_turn:
        if candidate.type_inferred:
            return _guessed(candidate, lifetime, start, policy, now)
        return Limits(_still_to_come(_after(start, lifetime), type, now))
    if (end := end_by_rule(candidate.kind, event_type, policy, start)) is not None:
        return Limits(_still_to_come(end, type, now))
    return Limits(_end_in_words(candidate, start, now))


def lifetime_ticks(candidate: Candidate, event_type: EventType, policy: Policy) -> int | None:
    """How many ticks after its own the statement expires, if ever. Past an age means one tick after it."""
    if candidate.ttl_ticks is not None:
        return candidate.ttl_ticks
    rule = policy.retention.rule(candidate.kind, event_type)
    return None if rule.ticks is None else rule.ticks + (rule.mode is KeepMode.DECAY)


def is_kept_by_rule(candidate: Candidate, event_type: EventType, policy: Policy) -> bool:
    """Whether a rule of the policy says how long it is kept, and not the candidate itself."""
    if (candidate.ttl_ticks, candidate.ttl_seconds, candidate.expires_at) != (None, None, None):
        return False
    return policy.retention.rule(candidate.kind, event_type).mode is not KeepMode.NEVER


def forget_reason(rule: Keep) -> Reason:
    """The reason word for an expired rule."""
    return Reason.DECAY if rule.mode is KeepMode.DECAY else Reason.TTL_EXPIRED


def _guessed(candidate: Candidate, lifetime: float, start: Moment, policy: Policy, now: Moment) -> Limits:
    """The limits of a statement whose type was inferred. What tells of a time so long ago that its lifetime would be
    over is a record of the past, which no policy ends by a guess."""
    if (said := _end_in_words(candidate, start, now)) is not None:
        return Limits(said)
    over = _after(start, lifetime)
    if (
        policy.retention.guessed is GuessedLifetime.END
        and over > now
        and not _tells_of_past(candidate, start, lifetime)
    ):
        return Limits(over)
    occurred = candidate.occurred_span
    return Limits(fades_at=over if occurred is None else max(over, _after(occurred.end_us, lifetime)))


def _tells_of_past(candidate: Candidate, start: Moment, lifetime: float) -> bool:
    today = day_of(start)
    latest = max((last for _, last in find_days(candidate.text, (), today)), default=today.toordinal())
    return (latest + 1 - today.toordinal()) * MICROSECONDS_PER_DAY + lifetime * MICROSECONDS_PER_SECOND <= 0


def _end_in_words(candidate: Candidate, start: Moment, now: Moment) -> Moment | None:
    """The end that the words say, if it is still to come. A turn is a record of what was said, and a type that the
    caller named has the lifetime of that type."""
    if candidate.kind is not Kind.SEMANTIC or (candidate.type is not None and not candidate.type_inferred):
        return None
    last = find_end(candidate.text, day_of(start))
    end = None if last is None else Moment(start_of_day(last) + MICROSECONDS_PER_DAY)
    return end if end is not None and end > now else None


def _still_to_come(end: Moment, type: str, now: Moment) -> Moment:
    if end <= now:
        raise InvalidInput(
            "observed_at", f"{a(type)} of that time has expired already", "leave it out, or give `expires_at`"
        )
    return end


def end_by_rule(kind: Kind, event_type: EventType, policy: Policy, start: Moment) -> Moment | None:
    """When the policy ends memories of this kind that begin at `start`, whatever their type."""
    rule = policy.retention.rule(kind, event_type)
    if rule.seconds is not None:
        return Moment(_after(start, rule.seconds) + (rule.mode is KeepMode.DECAY))
    is_listed = policy.retention.find_rule(kind, event_type) is not None
    if policy.retention.default_seconds is not None and not is_listed:
        return _after(start, policy.retention.default_seconds)
    return None


def _after(start: Moment, seconds: float) -> Moment:
    return Moment(start + round(seconds * MICROSECONDS_PER_SECOND))
