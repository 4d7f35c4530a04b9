"""A memory: one remembered statement with all that is known about it; and a candidate for one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from memfort.errors import InvalidInput, a
from memfort.model.judgement import SensitivityJudgement
from memfort.model.learned import LearnedKind
from memfort.model.moment import Instant, Microseconds, Moment, OptionalInstant, to_datetime, to_moment
from memfort.model.notebook import facts
from memfort.model.occurred import Evidence, Occurred, to_occurred
from memfort.model.people.actor import Actor
from memfort.model.reason import Reason
from memfort.model.serialize.encoding import canonical_json, short_name
from memfort.model.space import Space, Visibility, check_id
from memfort.model.value import Value, shortened

MAX_TEXT_BYTES = 65_536
MAX_TAGS = 64
MAX_META_BYTES = 16_384
MAX_META_DEPTH = 32
MAX_TTL_SECONDS = 1_000 * 365 * 86_400
MAX_TICKS = 2**53
MAX_SUBJECTS = 64
MAX_DERIVED_FROM = 1_000
MAX_READERS = 10_000  # of each list
MAX_IMPORTANCE = 10


class Kind(StrEnum):
    SHORT_TERM = "short_term"  # a recent turn of a conversation
    SEMANTIC = "semantic"  # a statement worth finding again
    PROFILE = "profile"  # a stable fact under a key


class EventType(StrEnum):
    """What kind of thing was said."""

    PREFERENCE = "preference"  # how somebody likes things to be
    DECISION = "decision"  # what was settled
    FACT = "fact"  # something about the speaker that stays true
    CORRECTION = "correction"  # what was said before does not hold
    EXECUTION = "execution"  # what a tool did
    CONTEXT = "context"  # all the rest


class Status(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


class Origin(StrEnum):
    """Who the words came from."""

    USER = "user"
    AI = "ai"
    TOOL = "tool"
    SYSTEM = "system"


class Authority(StrEnum):
    """How much weight the words carry, the heaviest first."""

    SYSTEM_IMPOSED = "system_imposed"
    TOOL_VERIFIED = "tool_verified"
    USER_ASSERTED = "user_asserted"
    AI_INFERRED = "ai_inferred"


class Sensitivity(StrEnum):
    PUBLIC = "public"
    PERSONAL = "personal"
    SENSITIVE = "sensitive"


FIRST_PHASE = "phase-1"

AUTHORITY_OF = {
    Origin.SYSTEM: Authority.SYSTEM_IMPOSED,
    Origin.TOOL: Authority.TOOL_VERIFIED,
    Origin.USER: Authority.USER_ASSERTED,
    Origin.AI: Authority.AI_INFERRED,
}


def outweighs(left: Authority, right: Authority, order: Sequence[Authority] = tuple(Authority)) -> bool:
    """Whether `left` carries strictly more weight than `right`, in this order."""
    return order.index(left) < order.index(right)


class Readers(Value, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Who, of those who see the space, may read one memory. `None` leaves a list open; an empty list admits nobody.

    Where both lists are given, both must admit: the right user through the right agent.
    """

    users: frozenset[str] | None = None
    agents: frozenset[str] | None = None

    @classmethod
    def of(cls, users: Iterable[str] | None = None, agents: Iterable[str] | None = None) -> Readers:
        return cls(_names(users, "access.users"), _names(agents, "access.agents"))

    @property
    def is_open(self) -> bool:
        return self.users is None and self.agents is None

    def admits(self, actor: Actor) -> bool:
        if self.users is not None and actor.user not in self.users:
            return False
        return self.agents is None or actor.agent in self.agents

    def are_among(self, others: Readers) -> bool:
        """Whether everyone whom this list admits is also admitted by the other."""
        return _is_narrower(self.users, others.users) and _is_narrower(self.agents, others.agents)

    def to_dict(self) -> dict[str, list[str] | None]:
        return {
            "users": None if self.users is None else sorted(self.users),
            "agents": None if self.agents is None else sorted(self.agents),
        }


EVERYONE = Readers()


Facts = MappingProxyType[str, Any]  # JSON values under names, which nobody changes
NOTHING: Facts = MappingProxyType({})


def _is_narrower(names: frozenset[str] | None, others: frozenset[str] | None) -> bool:
    return others is None or (names is not None and names <= others)


class Item(Value, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One memory as it is kept. `memfort.model.serialize.fields` says what each field is.

    Without `gc`: values that never change make no cycles. Records omit default values; the codec compares them by
    identity, so a default is `None`, a flag, an empty list or text, 0 or a member of an enum: there is one of each.
    """

    id: str
    number: int
    space: Space
    kind: Kind
    type: str
    text: str
    key: str | None = None
    tags: tuple[str, ...] = ()
    author: Actor
    origin: Origin
    source: str | None = None
    observed_at_us: Microseconds | None = None
    sensitivity: Sensitivity
    judgement: SensitivityJudgement | None = None
    readers: Readers
    confidence: float
    authority: Authority
    importance: float
    pii_risk: int
    status: Status
    status_reason: str
    created_at_us: Microseconds
    updated_at_us: Microseconds
    expires_at_us: Microseconds | None = None
    fades_at_us: Microseconds | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    derived_from: tuple[str, ...] = ()
    deleted_at_us: Microseconds | None = None
    deleted_reason: str | None = None
    provenance: Facts
    meta: Facts
    policy: str
    version: int
    event_type: EventType = EventType.FACT
    is_correction: bool = False
    subjects: tuple[str, ...] = ()
    stated_by: str | None = None
    learned_in: str | None = None
    learned_kind: LearnedKind | None = None
    learned_with: tuple[str, ...] = ()
    portable: bool = True
    authority_reason: str = ""
    importance_reasons: tuple[str, ...] = ()
    policy_tags: tuple[str, ...] = ()
    in_force_at_us: Microseconds | None = None
    created_tick: int = 0
    expires_tick: int | None = None
    phase: str = field(default_factory=lambda: FIRST_PHASE)  # made each time, so that no record omits it
    ended_phase: str | None = None
    approvals: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    may_replace: str | None = None
    promoted_from: str | None = None
    promotion_reason: str | None = None
    uses: int = 0
    type_chosen: bool = False
    conversation: str | None = None
    evidence: Evidence | None = None
    occurred: Occurred | None = None

    observed_at = OptionalInstant()
    created_at = Instant()
    updated_at = Instant()
    expires_at = OptionalInstant()
    fades_at = OptionalInstant()
    deleted_at = OptionalInstant()
    in_force_at = OptionalInstant()

    def __repr__(self) -> str:
        ended = "ended " if self.deleted_at_us is not None else ""
        state = ended or ("" if self.status is Status.APPROVED else f"{self.status} ")
        return f"<Item {self.id} {state}{shortened(self.text, 60)!r}>"

    def _repr_html_(self) -> str:
        names = ("text", "space", "kind", "type", "key", "author", "origin", "sensitivity", "status", "status_reason")
        times = ("created_at", "observed_at", "expires_at", "deleted_at")
        return facts(self.id, {name: getattr(self, name) for name in (*names, *times)})


PASSED_ON = "passed_on"  # the promotion reason of a copy out of a shared space, whose source stays


def memory_id(space: Space, readers: Readers, author: Actor, kind: Kind, number: int, audience: str = "") -> str:
    """The name of an author's n-th memory of a kind, in a space, for these readers, under this audience.

    Every part is known to whoever may see the memory, so nothing that anybody else does, and nothing its author does
    out of their sight, can change it.
    """
    before, after = _partition(readers, kind, audience)
    return short_name("mem_", b"memfort/memory\x00%b%b%b%d%b" % (space.id, author.key, before, number, after))


def unsequenced_id(
    space: Space, readers: Readers, author: Actor, kind: Kind, audience: str, at: Moment, place: int
) -> str:
    """The name of a memory that is in no sequence: the author's n-th of that very moment, in its partition."""
    before, after = _partition(readers, kind, audience)
    moment = b"[%d,%d]" % (at, place)
    return short_name("mem_", b"memfort/unsequenced\x00%b%b%b%b%b" % (space.id, author.key, before, moment, after))


@lru_cache(maxsize=4096)
def _partition(readers: Readers, kind: Kind, audience: str) -> tuple[bytes, bytes]:
    """Readers, kind, number and audience as canonical JSON: what comes before the number, and what after it."""
    before, after = [readers.to_dict(), kind.value], [audience] if audience else []
    return canonical_json(before)[:-1] + b",", b"," + canonical_json(after)[1:] if audience else b"]"


def conversation_of(item: Item) -> str | None:
    """The conversation that the item is a turn of, if it is one."""
    return item.conversation if item.kind is Kind.SHORT_TERM else None


def turn_of(item: Item) -> str:
    """The id of the turn that it is or was taken from, and that says it by itself; empty if there is none."""
    if item.kind is Kind.SHORT_TERM:
        return item.id
    if item.evidence is not None:
        return item.evidence.turn if item.evidence.composed is None else ""
    return item.derived_from[0] if len(item.derived_from) == 1 else ""


def parents_of(item: Item) -> tuple[str, ...]:
    """The memories that the item was made from: those it is derived from, and the turns that say it."""
    turns = () if item.evidence is None else item.evidence.turns
    return tuple(dict.fromkeys((*item.derived_from, *turns)))


def is_hearsay(item: Item) -> bool:
    """Whether it is what somebody said about somebody else."""
    return bool(item.subjects) and item.stated_by not in item.subjects


def is_expired(item: Item, now: Moment) -> bool:
    """Whether the item's time has run out: at the very instant of its limit it has."""
    return item.expires_at_us is not None and now >= item.expires_at_us


def has_faded(item: Item, now: Moment) -> bool:
    """Whether a lifetime that was only guessed from the item's words is over. It is still found when asked for."""
    return item.fades_at_us is not None and now >= item.fades_at_us


def is_in_force(item: Item) -> bool:
    """Whether the item is kept and not deleted. Whether its time is up is asked at each read."""
    return item.status is Status.APPROVED and item.deleted_at_us is None


def has_ended(item: Item) -> bool:
    """Whether the item is deleted, superseded or rejected: neither in force nor pending."""
    return item.deleted_at_us is not None or item.status not in {Status.APPROVED, Status.PENDING}


def waits_for_judgement(item: Item) -> bool:
    """Whether the encoder is to judge its sensitivity: it is in force or pending, and its words settled nothing."""
    is_kept = item.status in {Status.APPROVED, Status.PENDING} and item.deleted_at_us is None
    return is_kept and item.judgement is not None and item.judgement.waits


def is_live(item: Item, now: Moment) -> bool:
    """Whether the item can be recalled at all: approved, not deleted, not expired now."""
    return is_in_force(item) and not is_expired(item, now)


class ChangeKeys(Struct, frozen=True, gc=False):
    """The words that a statement says, in whatever order, and the attributes whose values it gives, for each person
    that it is about."""

    words: tuple[str, ...]
    attributes: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()  # nobody in particular, if there is none
    is_news_of_less: bool = False  # also of what says all of the words but one

    def about(self, persons: Sequence[str]) -> ChangeKeys:
        """The same of a statement about these persons."""
        return ChangeKeys(self.words, self.attributes, tuple(persons), self.is_news_of_less) if persons else self

    @property
    def count(self) -> int:
        """How many change keys those are of one statement."""
        return (1 + len(self.attributes)) * (len(self.persons) or 1)


class Candidate(Value, frozen=True, kw_only=True, gc=False):
    """A statement that has not been admitted yet. Checked for form here; policy decides on the rest.
    `memfort.model.serialize.fields` says what each field is."""

    text: str
    space: Mapping[str, str] | None = None
    visibility: Visibility | None = None
    kind: Kind = Kind.SEMANTIC
    type: str | None = None
    key: str | None = None
    tags: tuple[str, ...] = ()
    origin: Origin = Origin.USER
    source: str | None = None
    observed_at: datetime | str | int | None = None
    sensitivity: Sensitivity | None = None
    judgement: SensitivityJudgement | None = None
    readers: Readers = EVERYONE
    confidence: float = 1.0
    importance: float | None = None
    status: Status | None = None
    ttl_seconds: float | None = None
    expires_at: datetime | str | int | None = None
    ttl_ticks: int | None = None
    derived_from: tuple[str, ...] = ()
    event_type: EventType | None = None
    is_correction: bool = False
    subjects: tuple[str, ...] = ()
    portable: bool | None = None
    stated_by: str | None = None
    learned_in: str | None = None
    learned_kind: LearnedKind | None = None
    learned_with: tuple[str, ...] = ()
    importance_reasons: tuple[str, ...] = ()
    captured: bool = False
    type_inferred: bool = False
    about_nobody: bool = False
    conversation: str | None = None
    evidence: Evidence | None = None
    occurred: Occurred | Mapping[str, Any] | date | str | int | None = None
    provenance: Mapping[str, Any] = NOTHING
    meta: Mapping[str, Any] = NOTHING

    def __post_init__(self) -> None:
        check_text(self.text)
        for name, enum in _ENUMS.items():
            value = getattr(self, name)
            if type(value) is not enum and (value is not None or name in _NEEDED):
                force_setattr(self, name, _member(enum, value, name))
        for name in ("observed_at", "expires_at"):
            if (time := getattr(self, name)) is not None:
                force_setattr(self, name, to_datetime(to_moment(time, name)))
        if self.occurred is not None:
            force_setattr(self, "occurred", to_occurred(self.occurred))
        if self.portable is not None:
            _check_flag(self.portable, "portable")
        for name in ("is_correction", "captured", "type_inferred", "about_nobody"):
            _check_flag(getattr(self, name), name)
        for name in ("tags", "derived_from", "subjects", "importance_reasons"):
            if (texts := getattr(self, name)) != ():
                force_setattr(self, name, _texts(texts, name))
        _check_numbers(self)
        _check_labels(self)
        for name in ("provenance", "meta"):
            if (facts := getattr(self, name)) is not NOTHING:
                force_setattr(self, name, _plain_json(facts, name))

    @property
    def observed_at_us(self) -> Moment | None:
        return None if self.observed_at is None else to_moment(self.observed_at, "observed_at")

    @property
    def expires_at_us(self) -> Moment | None:
        return None if self.expires_at is None else to_moment(self.expires_at, "expires_at")

    @property
    def occurred_span(self) -> Occurred | None:
        return None if self.occurred is None else to_occurred(self.occurred)

    def filled(self, **made: Any) -> Candidate:
        """The same statement with values that the engine has made, which need no check: it was checked once."""
        after: Candidate = self.__copy__()  # type: ignore[attr-defined]  # every struct has it
        for name, value in made.items():
            force_setattr(after, name, value)
        return after


def plain_candidate(text: str, origin: Origin) -> Candidate:
    """A statement of which nothing is said but its text: that alone is left to check."""
    check_text(text)
    return _PLAIN[origin].filled(text=text)


def check_text(text: object) -> None:
    if not isinstance(text, str):
        raise InvalidInput("text", f"{a(type(text).__name__)} is not a text", "give the statement as text")
    if not text.strip():
        raise InvalidInput("text", "it is empty", "give the statement to remember")
    check_size(text, "text", MAX_TEXT_BYTES)


def _check_numbers(candidate: Candidate) -> None:
    _check_fraction(candidate.confidence, "confidence")
    if candidate.importance is not None:
        check_importance(candidate.importance)
    ttl = candidate.ttl_seconds
    if ttl is not None and (not is_finite(ttl) or ttl <= 0):
        raise InvalidInput("ttl_seconds", f"`{ttl}` is not a lifetime", "give more than zero, or leave it out")
    if ttl is not None and ttl > MAX_TTL_SECONDS:
        raise InvalidInput("ttl_seconds", f"`{ttl}` is more than a thousand years", "leave it out to keep it for good")
    if ttl is not None and candidate.expires_at is not None:
        raise InvalidInput("expires_at", "`ttl_seconds` is given too", "give one of the two")
    ticks = candidate.ttl_ticks
    if ticks is not None and (not isinstance(ticks, int) or isinstance(ticks, bool) or not 0 < ticks <= MAX_TICKS):
        raise InvalidInput("ttl_ticks", f"`{ticks}` is not a lifetime", "give a whole number above zero")


def _check_labels(candidate: Candidate) -> None:
    if candidate.status is Status.SUPERSEDED:
        raise InvalidInput("status", f"`{candidate.status}` cannot be asked for", "use pending, approved or rejected")
    if len(candidate.tags) > MAX_TAGS:
        raise InvalidInput("tags", f"there are {len(candidate.tags)}", f"use at most {MAX_TAGS}")
    for tag in candidate.tags:
        check_id(tag, "tags")
    if len(candidate.subjects) > MAX_SUBJECTS:
        raise InvalidInput("subjects", f"there are {len(candidate.subjects)}", f"use at most {MAX_SUBJECTS}")
    for subject in candidate.subjects:
        check_id(subject, "subjects")
    if (count := len(candidate.derived_from)) > MAX_DERIVED_FROM:
        raise InvalidInput("derived_from", f"there are {count}", f"use at most {MAX_DERIVED_FROM}")
    for id in candidate.derived_from:
        check_id(id, "derived_from")
    for name in ("key", "source", "type", "conversation"):
        if (value := getattr(candidate, name)) is not None:
            check_id(value, name)
    if not isinstance(candidate.readers, Readers):
        raise InvalidInput("access", "it is not a reader list", "give `users` and `agents`")
    if candidate.readers is not EVERYONE:
        force_setattr(candidate, "readers", Readers.of(candidate.readers.users, candidate.readers.agents))
    if candidate.kind is Kind.PROFILE and candidate.key is None:
        raise InvalidInput("key", "a profile memory needs one", "name the fact, for example `timezone`")


def _check_flag(value: object, field: str) -> None:
    if not isinstance(value, bool):
        raise InvalidInput(field, f"`{value}` is not yes or no", "give true or false")


def _check_fraction(value: object, field: str) -> None:
    if not is_finite(value) or not 0 <= value <= 1:  # type: ignore[operator]  # finite means a number
        raise InvalidInput(field, f"`{value}` is not between 0 and 1", "give a number from 0 to 1")


def check_importance(value: object) -> None:
    if not is_finite(value) or not 0 <= value <= MAX_IMPORTANCE:  # type: ignore[operator]  # finite means a number
        remedy = f"give a number from 0 to {MAX_IMPORTANCE}"
        raise InvalidInput("importance", f"`{value}` is not between 0 and {MAX_IMPORTANCE}", remedy)


def is_finite(value: object) -> bool:
    """Whether this is a number that can be calculated with; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_size(text: str, field: str, limit: int) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput(field, "it is not valid Unicode", "remove the lone surrogate") from None
    if size > limit:
        raise InvalidInput(field, f"it has {size} bytes", f"use at most {limit}, or split it")


def _plain_json(value: object, field: str) -> Facts:
    """A copy in JSON's own types: every store gives back the same, and the caller can change its own as it likes."""
    if not isinstance(value, Mapping):
        raise InvalidInput(field, "it is not a mapping", "give a mapping of names to JSON values")
    if not value:
        return NOTHING
    _check_depth(value, field, MAX_META_DEPTH)
    try:
        data = canonical_json(dict(value))
    except (TypeError, ValueError):
        raise InvalidInput(field, "it holds something that is not JSON", "use texts, numbers, lists and maps") from None
    if len(data) > MAX_META_BYTES:
        raise InvalidInput(field, f"it has {len(data)} bytes", f"use at most {MAX_META_BYTES}")
    return MappingProxyType(json.loads(data))


def _check_depth(value: object, field: str, left: int) -> None:
    if left == 0:
        raise InvalidInput(field, "it is nested too deeply", f"use at most {MAX_META_DEPTH} levels")
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise InvalidInput(field, "a name in it is not a text", "use texts as names, as JSON does")
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            _check_depth(inner, field, left - 1)


_NEEDED = frozenset({"kind", "origin"})
_ENUMS: dict[str, type[StrEnum]] = {
    "kind": Kind,
    "visibility": Visibility,
    "origin": Origin,
    "sensitivity": Sensitivity,
    "status": Status,
    "event_type": EventType,
}


def _member(enum: type[StrEnum], value: object, field: str) -> StrEnum:
    try:
        return enum(value)  # type: ignore[arg-type]  # StrEnum answers any value with ValueError
    except ValueError:
        known = ", ".join(member.value for member in enum)
        raise InvalidInput(field, f"`{value}` is not possible", f"use one of {known}") from None


def _texts(value: object, field: str) -> tuple[str, ...]:
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise InvalidInput(field, "it is not a list", "give a list of texts")
    return tuple(value)


def _names(names: Iterable[str] | None, field: str) -> frozenset[str] | None:
    if names is None:
        return None
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        raise InvalidInput(field, "it is not a list", "give a list of names")
    given = list(islice(names, MAX_READERS + 1))
    if len(given) > MAX_READERS:
        raise InvalidInput(field, f"there are more than {MAX_READERS}", f"use at most {MAX_READERS}")
    return frozenset(check_id(name, field) for name in given)


_PLAIN = {origin: Candidate(text="text", origin=origin) for origin in Origin}


def next_version(item: Item, now: Moment, **fields: Any) -> Item:
    """The memory with these fields changed, as its next version."""
    return replace(item, **fields, updated_at_us=now, version=item.version + 1)


def as_expired(item: Item, now: Moment) -> Item:
    """The memory as a sweep leaves it, if its time has run out. The tombstone is dated by the limit and not by the
    sweep, and reads show it like this before the sweep too: one actor's recall sweeps, and no other actor may be able
    to tell that they recalled."""
    if not is_expired(item, now) or item.deleted_at_us is not None:
        return item
    assert item.expires_at_us is not None
    return next_version(item, item.expires_at_us, deleted_at_us=item.expires_at_us, deleted_reason=Reason.EXPIRED.value)


def out_of_force(item: Item, now: Moment) -> Reason | None:
    """Why a memory is not in force, or `None` if it is."""
    if item.deleted_reason == Reason.EXPIRED or is_expired(item, now):
        return Reason.EXPIRED
    if item.deleted_at_us is not None:
        return Reason(item.deleted_reason or Reason.FORGOTTEN)
    return {
        Status.PENDING: Reason.PENDING_REVIEW,
        Status.REJECTED: Reason.REJECTED,
        Status.SUPERSEDED: Reason.SUPERSEDED,
        Status.APPROVED: None,
    }[item.status]
