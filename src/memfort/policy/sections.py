"""The sections of a policy: frozen values that check themselves. The gates that read them decide what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from memfort.errors import InvalidInput
from memfort.model.actor import ActorKind
from memfort.model.directory import Trust
from memfort.model.event_type import EventType
from memfort.model.feature import Feature
from memfort.model.item import Authority, Kind, Origin, check_importance, is_finite
from memfort.model.space import Level
from memfort.policy.fitting import conform
from memfort.policy.secrets import compile_pattern


class Effect(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


class WritePolicy(StrEnum):
    """How much is kept."""

    NONE = "none"  # nothing but recent turns
    MINIMAL = "minimal"  # facts, preferences, decisions and corrections
    NORMAL = "normal"  # everything but mere talk
    AGGRESSIVE = "aggressive"  # everything


class PersonalAction(StrEnum):
    """What happens to a statement with personal data in it."""

    ALLOW = "allow"
    REVIEW = "review"
    REDACT = "redact"
    DENY = "deny"


class AuditReads(StrEnum):
    """How reads get into the trail."""

    OFF = "off"
    BATCHED = "batched"
    DURABLE = "durable"


class KeepMode(StrEnum):
    NEVER = "never"  # its time never runs out
    TTL = "ttl"  # gone at its age
    DECAY = "decay"  # gone past its age: one tick later


class PhaseMode(StrEnum):
    CURRENT_ONLY = "current_only"
    CURRENT_PLUS_HISTORY = "current_plus_history"


class SensitiveMatch(StrEnum):
    """Where a sensitive word counts."""

    WORD = "word"  # standing by itself
    SUBSTRING = "substring"  # inside other words too


class WhenFull(StrEnum):
    EVICT = "evict"  # the author's own memory makes room, and where none can, the write is refused
    EXCEED = "exceed"  # the same, but where none can, it is kept all the same
    REFUSE = "refuse"


class EvictFirst(StrEnum):
    """Which of an author's memories makes room first."""

    LEAST_IMPORTANT = "least_important"  # and of equals the oldest
    OLDEST = "oldest"


class DisclosureRule(StrEnum):
    STRICT = "strict"
    PARTICIPANTS = "participants"


class DefaultPlace(StrEnum):
    """Where a write goes that names no space."""

    OWN = "own"  # the person the call is for; an agent's private space where it acts for nobody
    AGENT = "agent"  # the agent's own space: private where the statement is its owner's or short-lived, else public


class Provenance(StrEnum):
    CLOSED = "closed"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Rule:
    """One governance rule. Fields that are given must all match; a rule with none matches everything."""

    effect: Effect
    name: str = ""
    user: str | None = None
    agent: str | None = None
    source: str | None = None
    type: str | None = None
    tag: str | None = None
    level: Level | None = None  # of the space written to

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class TypeRule:
    """What a type of memory brings with it."""

    lifetime_seconds: float | None = None  # `None`: it does not end by itself
    importance: float = 1.0
    event_type: EventType = EventType.FACT
    domain: str = ""  # a word of the owner's own for what it is about
    aliases: tuple[str, ...] = ()  # other words for the same type

    def __post_init__(self) -> None:
        conform(self)
        _check_lifetime(self.lifetime_seconds, "lifetime_seconds")
        check_importance(self.importance)


@dataclass(frozen=True, slots=True)
class Keep:
    """How long: in ticks (memories that come into force beside it), in seconds, or both; the first limit ends it."""

    mode: KeepMode = KeepMode.NEVER
    ticks: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        conform(self)
        _check_lifetime(self.ticks, "ticks")
        _check_lifetime(self.seconds, "seconds")
        limited = self.ticks is not None or self.seconds is not None
        if limited and self.mode is KeepMode.NEVER:
            raise InvalidInput("mode", "`never` has no limit", "use ttl or decay, or leave the limit out")
        if not limited and self.mode is not KeepMode.NEVER:
            raise InvalidInput("mode", f"`{self.mode}` needs a limit", "give `ticks` or `seconds`")


@dataclass(frozen=True, slots=True)
class Retention:
    """How long memories are kept, by kind and event type. What is not listed is kept as `context` is, else for good."""

    default_seconds: float | None = None  # of whatever has no other limit
    short_term: Mapping[EventType, Keep] = field(default_factory=dict)
    semantic: Mapping[EventType, Keep] = field(default_factory=dict)
    profile: Mapping[EventType, Keep] = field(default_factory=dict)

    def __post_init__(self) -> None:
        conform(self)
        _check_lifetime(self.default_seconds, "default_seconds")

    def rule(self, kind: Kind, event_type: EventType) -> Keep:
        rules: Mapping[EventType, Keep] = getattr(self, kind)
        return rules.get(event_type) or rules.get(EventType.CONTEXT) or _FOR_GOOD if rules else _FOR_GOOD


@dataclass(frozen=True, slots=True)
class KindPromotion:
    """Which event types may become memories of a kind. `None`: all of them."""

    short_term: tuple[EventType, ...] | None = None
    semantic: tuple[EventType, ...] | None = None
    profile: tuple[EventType, ...] | None = None

    def __post_init__(self) -> None:
        conform(self)

    def allows(self, kind: Kind, event_type: EventType) -> bool:
        allowed: tuple[EventType, ...] | None = getattr(self, kind)
        return allowed is None or event_type in allowed


@dataclass(frozen=True, slots=True)
class Promotion:
    """A way from one space to another. A level stands for any space whose narrowest level it is."""

    from_level: Level
    to_level: Level
    authority: Authority = Authority.USER_ASSERTED  # at least
    override: Mapping[EventType, Authority] = field(default_factory=dict)  # for these event types, this much instead
    event_types: tuple[EventType, ...] | None = None  # `None`: all of them
    approvals: int = 0  # how many distinct members of the target have to agree
    trust: Trust = Trust.APPROVER  # what each of them has to be, at least

    def __post_init__(self) -> None:
        conform(self)
        if self.approvals < 0:
            raise InvalidInput("approvals", "it is below zero", "give 0 for none, or how many")


@dataclass(frozen=True, slots=True)
class Spaces:
    """Which spaces are read in which order, which are written to, and the ways between them."""

    read_order: tuple[Level, ...] = tuple(Level)
    write: tuple[Level, ...] | None = None  # the narrowest levels that are written to directly; `None`: all
    promotions: tuple[Promotion, ...] = ()
    default_place: DefaultPlace = DefaultPlace.OWN  # of a write that names no space

    def __post_init__(self) -> None:
        conform(self)
        if len(set(self.read_order)) < len(self.read_order):
            raise InvalidInput("read_order", "a level is named twice", "name each once")
        ways = [(one.from_level, one.to_level) for one in self.promotions]
        for number, way in enumerate(ways):
            if way in ways[:number]:
                raise InvalidInput(f"promotions[{number}]", "that way is named twice", "keep one of the two")

    def way(self, from_level: Level, to_level: Level) -> Promotion | None:
        return next((one for one in self.promotions if (one.from_level, one.to_level) == (from_level, to_level)), None)


@dataclass(frozen=True, slots=True)
class Origins:
    """Which origins each kind of actor may claim for its words. Any other claim counts as `ai`, unless the message of
    the user or the tool run is on record."""

    user: tuple[Origin, ...] = (Origin.USER, Origin.AI, Origin.TOOL)
    agent: tuple[Origin, ...] = (Origin.AI,)
    system: tuple[Origin, ...] = tuple(Origin)

    def __post_init__(self) -> None:
        conform(self)
        for name in ("user", "agent"):
            if Origin.SYSTEM in getattr(self, name):
                raise InvalidInput(name, "only the system actor speaks as `system`", "use user, ai or tool")

    def allows(self, kind: ActorKind, origin: Origin) -> bool:
        """Whether an actor of this kind may say that its words are of this origin. To call them a guess is free."""
        allowed: tuple[Origin, ...] = getattr(self, kind)
        return origin is Origin.AI or origin in allowed


@dataclass(frozen=True, slots=True)
class Phases:
    """How a space's history is divided."""

    enabled: bool = True
    mode: PhaseMode = PhaseMode.CURRENT_ONLY
    allow_cross_phase_recall: bool = False
    max_phases: int | None = None
    diff_enabled: bool = True
    keep_profile: bool = True  # profile facts stay in sight when a new phase begins

    def __post_init__(self) -> None:
        conform(self)
        if self.max_phases is not None and self.max_phases < 1:
            raise InvalidInput("max_phases", "it is not above zero", "give at least 1, or leave it out")

    @property
    def shows_history(self) -> bool:
        return self.allow_cross_phase_recall or self.mode is PhaseMode.CURRENT_PLUS_HISTORY


@dataclass(frozen=True, slots=True)
class Privacy:
    """What may not be kept. Credentials are never stored, whatever is said here."""

    deny_patterns: Mapping[str, str] = field(default_factory=dict)  # more to refuse: a name and an RE2 pattern each
    sensitive_words: tuple[str, ...] = ()  # a statement with one of these words is refused
    sensitive_match: SensitiveMatch = SensitiveMatch.WORD
    profile_keys: tuple[str, ...] | None = None  # the only keys a profile fact may have; `None`: any
    personal_private: PersonalAction = PersonalAction.REVIEW
    personal_shared: PersonalAction = PersonalAction.DENY

    def __post_init__(self) -> None:
        conform(self)
        for name, pattern in self.deny_patterns.items():
            _check_pattern(name, pattern)
        for place, word in enumerate(self.sensitive_words):
            if not word.strip():  # inside other words it would be in every statement
                raise InvalidInput(f"sensitive_words[{place}]", "it is empty", "give a word, or leave it out")


@dataclass(frozen=True, slots=True)
class Conflict:
    """How disagreeing memories are settled."""

    own_corrections_stand: bool = False  # an author's correction also stands against that author's later statements
    evolve: bool = True  # a new value for what somebody has one of, and a new wording, take the place of the old
    similarity: float = 0.9  # how alike two statements have to be for the one to be a new wording of the other

    def __post_init__(self) -> None:
        conform(self)
        if not is_finite(self.similarity) or not 0 < self.similarity <= 1:
            raise InvalidInput("similarity", "it is not above 0 and at most 1", "give a number such as 0.9")


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Who may hear of people, and what becomes of memories without provenance."""

    rule: DisclosureRule = DisclosureRule.STRICT
    missing_provenance: Provenance = Provenance.CLOSED
    classify: bool = True  # words about health, money and the like make a statement more private than it was said to be

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class Budget:
    """How much an author may keep. One author's memories never make room for another's."""

    short_term: int | None = 12  # messages in the window of a conversation
    semantic: int | None = None  # memories of the kind, of one author in one space
    profile: int | None = None
    space: int | None = None  # of all kinds, of one author in one space
    owner: int | None = None  # of one author everywhere
    when_full: WhenFull = WhenFull.EVICT
    evict_first: EvictFirst = EvictFirst.LEAST_IMPORTANT
    grace_seconds: float | None = None  # what is younger makes no room

    def __post_init__(self) -> None:
        conform(self)
        _check_lifetime(self.grace_seconds, "grace_seconds")
        for name in ("short_term", "semantic", "profile", "space", "owner"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInput(name, "it is not above zero", "give at least 1, or leave it out")

    @property
    def is_limited(self) -> bool:
        return (self.semantic, self.profile, self.space, self.owner) != (None, None, None, None)


# Fitted on conversations of several sets at once, each tried on those it was not fitted on: benchmarks/quality.
WEIGHTS: Mapping[Feature, float] = {
    Feature.WORDS: 1.1,
    Feature.AROUND: 0.79,
    Feature.MEANING: 0.55,
    Feature.MEANING_AROUND: 0.33,
    Feature.WHO: 0.2,
    Feature.ABOUT: 0.3,  # not fitted: the sets have no people who are known by name
    Feature.DATE: 0.65,
    Feature.ANSWERS: 0.39,
    Feature.KIND: 0.26,
    Feature.STANDING: 0.39,
    Feature.IMPORTANCE: 0.02,
    Feature.USE: 0.1,  # not fitted: no set of conversations says what was of use
    Feature.TYPE: 0.1,
    Feature.BARE_QUESTION: -0.76,
    Feature.HOP: 2.0,
    Feature.REPEATS: -0.3,
    Feature.CURRENT: 0.5,
}


@dataclass(frozen=True, slots=True)
class Recalling:
    """How a recall weighs what speaks for a memory, and how much has to."""

    weights: Mapping[Feature, float] = field(default_factory=dict)  # those that are not given are as above
    least_words: float = 0.0  # of the query's words, by weight: a memory has more than that, or
    least_meaning: float = 0.2  # a meaning that is as near as that
    least_evidence: float = 0.06  # of what words and meaning can give at most: what a memory has of it at least
    least_best: float = 0.12  # and what the best of all has of it: below that, nothing here answers the query

    def __post_init__(self) -> None:
        conform(self)
        for name, weight in self.weights.items():
            _check_finite(weight, f"weights.{name}")
        for least in ("least_words", "least_meaning", "least_evidence", "least_best"):
            if not is_finite(value := getattr(self, least)) or not 0 <= value <= 1:
                raise InvalidInput(least, f"`{value}` is not a share", "give a number from 0 to 1")
        object.__setattr__(self, "weights", MappingProxyType({**WEIGHTS, **self.weights}))


@dataclass(frozen=True, slots=True)
class Audit:
    reads: AuditReads = AuditReads.BATCHED

    def __post_init__(self) -> None:
        conform(self)


def _check_finite(value: object, key: str) -> None:
    if not is_finite(value):
        raise InvalidInput(key, f"`{value}` is not a number", "give a finite number")


def _check_lifetime(value: float | None, key: str) -> None:
    if value is None:
        return
    _check_finite(value, key)
    if value <= 0:
        raise InvalidInput(key, "it is not above zero", "give more, or leave it out")


def _check_pattern(name: str, pattern: str) -> None:
    try:
        compile_pattern(name, pattern)
    except ValueError as error:
        raise InvalidInput(f"deny_patterns.{name}", str(error), "use the RE2 syntax") from error


_FOR_GOOD = Keep()
