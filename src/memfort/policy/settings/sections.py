"""The sections of a policy: frozen structs whose types validate the settings. The gates that read them define their
meaning.

A limit is in the type of a field (`Annotated[..., Meta(...)]`); constraints between two settings are checked in
`__post_init__`. A section made in Python passes the same checks as one that is read from a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import force_setattr, replace

from memfort.errors import InvalidInput, did_you_mean
from memfort.language.language import shared
from memfort.model.item import MAX_IMPORTANCE, Authority, EventType, Kind, Origin, Sensitivity
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.directory import Trust
from memfort.model.results import Feature
from memfort.model.serialize.decoding import check_fields
from memfort.model.space import Level, Space, Visibility
from memfort.model.value import Value
from memfort.policy.secrets import RULES, compile_pattern, find_secrets

Fraction = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(gt=0)]
Count = Annotated[int, Meta(ge=1)]


class Section(Value, frozen=True, forbid_unknown_fields=True):
    """A part of the policy: every field is checked by its type, wherever the value came from."""

    def __post_init__(self) -> None:
        check_fields(self)
        _check_no_secret(self)


class Effect(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


class WritePolicy(StrEnum):
    """How much is kept."""

    NONE = "none"  # nothing but recent turns
    MINIMAL = "minimal"  # facts, preferences, decisions and corrections
    NORMAL = "normal"  # everything except small talk
    AGGRESSIVE = "aggressive"  # everything


class PersonalAction(StrEnum):
    """What happens to a statement with personal data in it."""

    ALLOW = "allow"
    REVIEW = "review"
    REDACT = "redact"
    DENY = "deny"


class AuditReads(StrEnum):
    """How reads are recorded in the trail."""

    OFF = "off"
    BATCHED = "batched"
    DURABLE = "durable"


class KeepMode(StrEnum):
    NEVER = "never"  # never expires
    TTL = "ttl"  # expires at its age
    DECAY = "decay"  # expires past its age: one tick later


class ForgetPolicy(StrEnum):
    """How statements end for which `retention.semantic` says nothing."""

    NEVER = "never"  # they do not
    TTL = "ttl"  # at an age of 25 ticks
    DECAY = "decay"  # past an age of 12 to 60 ticks, by event type


class GuessedLifetime(StrEnum):
    """What the lifetime of a type does to a memory whose type was inferred from its words."""

    FADE = "fade"  # it ranks lower with age, and then leaves automatic context
    END = "end"  # it expires


class PhaseMode(StrEnum):
    CURRENT_ONLY = "current_only"
    CURRENT_PLUS_HISTORY = "current_plus_history"


class SensitiveMatch(StrEnum):
    """Where a sensitive word matches."""

    WORD = "word"  # as a whole word
    SUBSTRING = "substring"  # inside other words too


class WhenFull(StrEnum):
    EVICT = "evict"  # one of the author's own memories is evicted; if none may be, the write is refused
    EXCEED = "exceed"  # the same, but if none may be evicted, the new memory is kept anyway
    REFUSE = "refuse"


class EvictFirst(StrEnum):
    """Which of an author's memories is evicted first."""

    LEAST_IMPORTANT = "least_important"  # and the oldest of equals
    OLDEST = "oldest"


class DisclosureRule(StrEnum):
    """Which memories that are not public may be said in a group."""

    STRICT = "strict"  # personal ones, if the asker is the only person they are about
    PARTICIPANTS = "participants"  # all whose subjects take part


class AboutPeople(StrEnum):
    """Which memories about a person are disclosed from other users' and other chats' spaces, by where they were
    learned."""

    GROUPS = "groups"  # in a group; of a person who is only named, in a group that the asker was in
    ANYWHERE = "anywhere"  # in any group, and outside any chat


class WithoutEncoder(StrEnum):
    """Which statements are unknown for good, where no encoder will judge what their words do not settle."""

    ALL = "all"
    NONE = "none"  # all are public


class SensitivityThresholds(StrEnum):
    STRICT = "strict"  # withholds more that is harmless
    RELAXED = "relaxed"  # misses more that is private


class DefaultPlace(StrEnum):
    """The space of a write that names none."""

    OWN = "own"  # the user of the call; an agent's private space if it acts for no user
    HERE = "here"  # where the caller stands, at the levels that accept writes; never wider than the caller
    AGENT = "agent"  # the agent's own space: private where the statement is its owner's or short-lived, else public


class Provenance(StrEnum):
    CLOSED = "closed"
    OPEN = "open"


class Rule(Section, frozen=True):
    """One governance rule. Fields that are given must all match; a rule with none matches everything."""

    effect: Effect
    name: str = ""
    user: str | None = None
    agent: str | None = None
    source: str | None = None
    type: str | None = None
    tag: str | None = None
    level: Level | None = None  # of the space written to


class TypeRule(Section, frozen=True):
    """The properties of a type of memory."""

    lifetime_seconds: Seconds | None = None  # `None`: it does not expire
    importance: Annotated[float, Meta(ge=0, le=MAX_IMPORTANCE)] = 1.0
    event_type: EventType = EventType.FACT
    domain: str = ""  # the policy owner's own word for its subject
    aliases: tuple[str, ...] = ()  # other words for the same type


class Keep(Section, frozen=True):
    """How long: in ticks (memories that come into force beside it), in seconds, or both; the first limit ends it."""

    mode: KeepMode = KeepMode.NEVER
    ticks: Count | None = None
    seconds: Seconds | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        limited = self.ticks is not None or self.seconds is not None
        if limited and self.mode is KeepMode.NEVER:
            raise InvalidInput("mode", "`never` has no limit", "use ttl or decay, or leave the limit out")
        if not limited and self.mode is not KeepMode.NEVER:
            raise InvalidInput("mode", f"`{self.mode}` needs a limit", "give `ticks` or `seconds`")


class Retention(Section, frozen=True):
    """How long memories are kept, by kind and event type. Others are kept as `context` is, else for good."""

    default_seconds: Seconds | None = None  # for memories without another limit
    short_term: Mapping[EventType, Keep] = {}
    semantic: Mapping[EventType, Keep] = {}
    profile: Mapping[EventType, Keep] = {}
    guessed: GuessedLifetime = GuessedLifetime.FADE  # what the lifetime of a type does that was only inferred
    forget_policy: ForgetPolicy = ForgetPolicy.NEVER  # of statements for which `semantic` says nothing

    def rule(self, kind: Kind, event_type: EventType) -> Keep:
        return self.find_rule(kind, event_type) or _FOR_GOOD

    def find_rule(self, kind: Kind, event_type: EventType) -> Keep | None:
        """The rule for this kind and event type, if the policy has one. An explicit `never` is a rule."""
        rules: Mapping[EventType, Keep] = getattr(self, kind)
        if (own := rules.get(event_type)) is not None:
            return own
        if kind is Kind.SEMANTIC and self.forget_policy is not ForgetPolicy.NEVER:
            return _FORGETTING[self.forget_policy][event_type]
        return rules.get(EventType.CONTEXT)


class KindPromotion(Section, frozen=True):
    """Which event types may become memories of a kind. `None`: all of them."""

    short_term: tuple[EventType, ...] | None = None
    semantic: tuple[EventType, ...] | None = None
    profile: tuple[EventType, ...] | None = None

    def allows(self, kind: Kind, event_type: EventType) -> bool:
        allowed: tuple[EventType, ...] | None = getattr(self, kind)
        return allowed is None or event_type in allowed


class Promotion(Section, frozen=True):
    """An allowed promotion from one space to another. A level stands for any space whose narrowest level it is."""

    from_level: Level
    to_level: Level
    authority: Authority = Authority.USER_ASSERTED  # at least
    override: Mapping[EventType, Authority] = {}  # for these event types, this much instead
    event_types: tuple[EventType, ...] | None = None  # `None`: all of them
    approvals: Annotated[int, Meta(ge=0)] = 0  # how many distinct members of the target have to approve
    trust: Trust = Trust.APPROVER  # the minimum trust of each of them


class VisibilityRule(Section, frozen=True):
    """The visibility of statements whose text fits a pattern, in an agent's own space."""

    pattern: str  # RE2, anywhere in the text
    visibility: Visibility

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_pattern("pattern", self.visibility, self.pattern)


class Spaces(Section, frozen=True):
    """The order in which spaces are read, which are writable, and the promotions between them."""

    read_order: tuple[Level, ...] = tuple(Level)
    write: tuple[Level, ...] | None = None  # the narrowest levels that accept direct writes; `None`: all
    promotions: tuple[Promotion, ...] = ()
    default_place: DefaultPlace = DefaultPlace.OWN  # of a write that names no space
    visibility: tuple[VisibilityRule, ...] = ()  # of what an agent keeps in its own space; the first match wins
    group_facts: bool = True  # "our standup is at 9", said in a group chat, is kept for the chat
    read_back: bool = True  # refuse a statement whose reader list leaves out its writer

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.read_order)) < len(self.read_order):
            raise InvalidInput("read_order", "a level is named twice", "name each once")
        if self.default_place is DefaultPlace.AGENT and Level.AGENT not in self.written:
            problem = "`agent` is a space of the level `agent`, where nothing is written"
            raise InvalidInput("default_place", problem, "name that level, or use `own` or `here`")
        for number, rule in enumerate(self.visibility):
            level = Level.USER if rule.visibility is Visibility.SHARED else Level.AGENT
            if level not in self.written:
                problem = f"`{rule.visibility}` is a space of the level `{level}`, where nothing is written"
                raise InvalidInput(f"visibility[{number}]", problem, "name that level, or leave the rule out")
        ways = [(one.from_level, one.to_level) for one in self.promotions]
        for number, way in enumerate(ways):
            if way in ways[:number]:
                raise InvalidInput(f"promotions[{number}]", "that promotion is named twice", "keep one of the two")

    @property
    def written(self) -> tuple[Level, ...]:
        """The levels that accept direct writes."""
        return self.read_order if self.write is None else self.write

    def way(self, from_level: Level, to_level: Level) -> Promotion | None:
        return next((one for one in self.promotions if (one.from_level, one.to_level) == (from_level, to_level)), None)


class Origins(Section, frozen=True):
    """Which origins each kind of actor may claim. Any other claim counts as `ai`, unless the user's message or the tool
    run is on record."""

    user: tuple[Origin, ...] = (Origin.USER, Origin.AI, Origin.TOOL)
    agent: tuple[Origin, ...] = (Origin.AI,)
    system: tuple[Origin, ...] = tuple(Origin)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("user", "agent"):
            if Origin.SYSTEM in getattr(self, name):
                raise InvalidInput(name, "only the system actor speaks as `system`", "use user, ai or tool")

    def allows(self, kind: ActorKind, origin: Origin) -> bool:
        """Whether an actor of this kind may claim this origin. Every actor may claim a guess."""
        allowed: tuple[Origin, ...] = getattr(self, kind)
        return origin is Origin.AI or origin in allowed


class Phases(Section, frozen=True):
    """How a space's history is divided."""

    enabled: bool = True
    mode: PhaseMode = PhaseMode.CURRENT_ONLY
    allow_cross_phase_recall: bool = False
    max_phases: Count | None = None
    diff_enabled: bool = True
    keep_profile: bool = True  # profile facts stay visible when a new phase begins

    @property
    def shows_history(self) -> bool:
        return self.allow_cross_phase_recall or self.mode is PhaseMode.CURRENT_PLUS_HISTORY


class Privacy(Section, frozen=True):
    """What must not be kept. Credentials are never stored, whatever these settings say; `SecretRules` is for what only
    looks like one."""

    deny_patterns: Mapping[str, str] = {}  # more to refuse: a name and an RE2 pattern each
    sensitive_words: tuple[str, ...] = ()  # a statement with one of these words is refused
    sensitive_match: SensitiveMatch = SensitiveMatch.WORD
    profile_keys: tuple[str, ...] | None = None  # the only keys a profile fact may have; `None`: any
    personal_private: PersonalAction = PersonalAction.REVIEW
    personal_shared: PersonalAction = PersonalAction.DENY
    private_in_public: bool = True  # whether a public space takes what is judged to be personal or sensitive
    identity_data: bool = True  # whether numbers, addresses and dates that identify a person are kept
    review_instructions: bool = True  # words of tools, models and files that read like instructions wait for review

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, pattern in self.deny_patterns.items():
            _check_pattern(f"deny_patterns.{name}", name, pattern)
        for place, word in enumerate(self.sensitive_words):
            if not word.strip():  # as a part of words it would match every statement
                raise InvalidInput(f"sensitive_words[{place}]", "it is empty", "give a word, or leave it out")


class ApartBy(StrEnum):
    """What keeps two statements with the same words apart, besides space, readers and kind."""

    NOTHING = "nothing"
    TYPE = "type"
    EVENT_TYPE = "event_type"


class Conflict(Section, frozen=True):
    """How contradictions between memories are resolved."""

    own_corrections_stand: bool = False  # an author's correction also wins against that author's later statements
    evolve: bool = True  # a new value of a single-valued attribute, or a new wording, replaces the old one
    # How similar two statements must be for one to count as a new wording of the other.
    similarity: Annotated[float, Meta(gt=0, le=1)] = 0.9
    apart_by: ApartBy = ApartBy.NOTHING  # the same words are two memories if they differ in this


class Disclosure(Section, frozen=True):
    """Who may see memories about people, and how memories without provenance are treated."""

    rule: DisclosureRule = DisclosureRule.STRICT
    missing_provenance: Provenance = Provenance.CLOSED
    about_people: AboutPeople = AboutPeople.GROUPS
    own_public_everywhere: bool = False  # a user's own public memories are shown to them in every chat
    classify: bool = True  # words about health, money and the like raise the sensitivity of a statement


class SpaceSensitivity(Section, frozen=True):
    """Other rules of sensitivity for the spaces of a level, or for one of them. What is left out stays as it is
    elsewhere."""

    level: Level  # stands for any space whose narrowest level it is
    id: str | None = None  # `None`: all of them
    unknown: Sensitivity | None = None
    unknown_language: Sensitivity | None = None
    without_encoder: WithoutEncoder | None = None
    thresholds: SensitivityThresholds | None = None
    personal_at: Fraction | None = None
    sensitive_at: Fraction | None = None
    categories: Mapping[str, Sensitivity] = {}  # beside those of the policy, in place of the same ones

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_categories(self.categories)
        force_setattr(self, "categories", MappingProxyType(dict(self.categories)))

    def applies_to(self, space: Space) -> bool:
        return space.primary is self.level and self.id in {None, space.get(self.level)}

    @property
    def changes(self) -> dict[str, Any]:
        names = ("unknown", "unknown_language", "without_encoder", "thresholds", "personal_at", "sensitive_at")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class SensitivityRules(Section, frozen=True):
    """What a statement counts as that nobody labelled, where the policy classifies at all."""

    unknown: Sensitivity = Sensitivity.PERSONAL  # while nothing has judged it
    unknown_language: Sensitivity = Sensitivity.PERSONAL
    without_encoder: WithoutEncoder = WithoutEncoder.ALL
    thresholds: SensitivityThresholds = SensitivityThresholds.STRICT
    personal_at: Fraction | None = None  # in place of the threshold's own: the encoder's probability of not public
    sensitive_at: Fraction | None = None  # and of sensitive
    categories: Mapping[str, Sensitivity] = {}  # in place of the level that a category has
    spaces: tuple[SpaceSensitivity, ...] = ()  # other rules for some spaces: the first that applies counts

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_categories(self.categories)
        force_setattr(self, "categories", MappingProxyType(dict(self.categories)))

    def in_space(self, space: Space) -> SensitivityRules:
        """The rules that hold in a space."""
        own = next((one for one in self.spaces if one.applies_to(space)), None)
        return self if own is None else replace(self, **own.changes, categories={**self.categories, **own.categories})


def _check_categories(named: Mapping[str, Sensitivity]) -> None:
    known = [name for names in shared().sensitivity.levels.values() for name in names] if named else []
    for name in named:
        if name not in known:
            raise InvalidInput(f"categories.{name}", "there is no such category", did_you_mean(name, known))


class Budget(Section, frozen=True):
    """How much an author may keep. An author's memories are never evicted for another's."""

    short_term: Count | None = 12  # messages in the window of a conversation
    semantic: Count | None = None  # memories of the kind, of one author in one space
    profile: Count | None = None
    space: Count | None = None  # of all kinds, of one author in one space
    owner: Count | None = None  # of one author in all spaces
    when_full: WhenFull = WhenFull.EVICT
    evict_first: EvictFirst = EvictFirst.LEAST_IMPORTANT
    grace_seconds: Seconds | None = None  # younger memories are not evicted

    @property
    def is_limited(self) -> bool:
        return (self.semantic, self.profile, self.space, self.owner) != (None, None, None, None)


# Fitted by cross-validation over several sets of conversations: benchmarks/quality.
WEIGHTS: Mapping[Feature, float] = {
    Feature.WORDS: 1.1,
    Feature.NEARBY_WORDS: 0.79,
    Feature.MEANING: 0.55,
    Feature.NEARBY_MEANING: 0.33,
    Feature.SPEAKER: 0.2,
    Feature.ABOUT: 0.1,  # of turns and their statements ranked as one: more costs R@10
    Feature.DATE: 0.65,
    Feature.FOLLOWS_QUESTION: 0.39,
    Feature.ANSWER_KIND: 0.26,
    Feature.INSTRUCTION: 0.39,
    Feature.IMPORTANCE: 0.02,
    Feature.USE: 0.1,  # not fitted: no set records which memories were useful
    Feature.SHORT_QUESTION: -0.76,
    Feature.FADE: -0.06,  # not fitted: so small that the sets lose nothing by their age
    Feature.NEWER_VALUE: 0.5,
}


class Recalling(Section, frozen=True):
    """The feature weights of a recall, and its relevance thresholds."""

    weights: Mapping[Feature, float] = {}  # missing ones have the defaults above
    least_words: Fraction = 0.0  # of the query's words, by weight: a memory has more than that, or
    least_meaning: Fraction = 0.2  # a meaning that is as near as that
    least_evidence: Fraction = 0.06  # of what words and meaning can give at most: what a memory has of it at least
    least_best: Fraction = 0.12  # and what the best of all has of it: below that, nothing here answers the query
    step: Fraction = 0.0  # scores of one step of this size are equal, and the newer comes first; 0: as they are
    weak: Annotated[int, Meta(ge=0, le=10)] = 3  # fewer hits than these are filled up with what has half of all that

    def __post_init__(self) -> None:
        super().__post_init__()
        force_setattr(self, "weights", MappingProxyType({**WEIGHTS, **self.weights}))


class KeptTurns(StrEnum):
    """Which turns of a conversation are kept."""

    ALL = "all"  # they stay findable after they have left the window
    WINDOW = "window"  # only those in the window; the others go on in a short summary


class StatementsFrom(StrEnum):
    """What becomes a statement of its own."""

    SENTENCES = "sentences"  # each sentence that states something worth keeping
    MESSAGES = "messages"  # each message of the user as a whole, and each tool result
    NOTHING = "nothing"  # the rules keep turns and requests to forget only; an extractor may make statements of them


class ForgetRequests(StrEnum):
    """What happens when somebody asks in a conversation to forget something."""

    ASK = "ask"  # the matching memories are named, and nothing ends before `forget` is called
    ACT = "act"  # the speaker's own matching memories are forgotten at once
    IGNORE = "ignore"


class Conversation(Section, frozen=True):
    """What `observe` keeps of a conversation."""

    turns: KeptTurns = KeptTurns.ALL
    statements: StatementsFrom = StatementsFrom.SENTENCES
    forget_requests: ForgetRequests = ForgetRequests.ASK


class Extraction(Section, frozen=True):
    """How turns are read by the extractor, if one is set. Nothing leaves the store unless `send` names its level."""

    send: tuple[Sensitivity, ...] = ()  # the levels of turns and memories that may be sent; never `sensitive`
    debounce_seconds: Annotated[float, Meta(ge=0)] = 30.0  # after the last message of a conversation
    batch_messages: Annotated[int, Meta(ge=1, le=50)] = 8  # in one request
    context_turns: Annotated[int, Meta(ge=0, le=10)] = 10  # that are sent as context
    memories: Annotated[int, Meta(ge=0, le=20)] = 15  # that are sent, to be updated or retracted
    timeout_seconds: Seconds = 60.0
    attempts: Count = 5  # then a turn is given up
    backoff_seconds: Seconds = 30.0  # after the first failure; twice as long after each other
    longest_backoff_seconds: Seconds = 3600.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if Sensitivity.SENSITIVE in self.send:
            raise InvalidInput("send", "sensitive memories are never sent", "name public, personal or both")


class Audit(Section, frozen=True):
    reads: AuditReads = AuditReads.BATCHED


class SecretAllowance(Section, frozen=True):
    """What a detector of secrets finds is allowed, where all fields that are given match."""

    detector: str  # the name in the refusal: `key_nearby`
    user: str | None = None
    agent: str | None = None
    type: str | None = None
    space: Mapping[Level, str] = {}  # places that the space written to has

    def __post_init__(self) -> None:
        super().__post_init__()
        known = [rule.id for rule in RULES]
        if self.detector not in known:
            raise InvalidInput("detector", "there is no such detector of secrets", did_you_mean(self.detector, known))

    def fits(self, detector: str, actor: Actor, type: str | None, space: Space | None) -> bool:
        return (
            self.detector == detector
            and self.user in (None, actor.user)
            and self.agent in (None, actor.agent)
            and self.type in (None, type)
            and all(space is not None and space.get(level) == id for level, id in self.space.items())
        )


class SecretRules(Section, frozen=True):
    """What looks like a secret and is none."""

    allow: tuple[SecretAllowance, ...] = ()

    def allows(self, detector: str, actor: Actor, type: str | None = None, space: Space | None = None) -> bool:
        return any(one.fits(detector, actor, type, space) for one in self.allow)


def _check_no_secret(section: Section) -> None:
    """A policy is stored, so no name and no text in it may be a credential. It speaks about credentials, so only those
    with a form of their own count."""
    for name in section.__struct_fields__:
        for text in _texts_in(getattr(section, name)):
            if any(finding.rule in _FORMAT_NAMES for finding in find_secrets(text)):
                raise InvalidInput(name, "it looks like a secret, and a policy is stored", "leave it out")


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        if not isinstance(value, StrEnum):
            yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_texts_in(key), *_texts_in(inner))
    elif isinstance(value, tuple):
        for inner in value:
            yield from _texts_in(inner)


_FORMAT_NAMES = frozenset(rule.id for rule in RULES if not rule.in_prose)


def _check_pattern(field: str, name: str, pattern: str) -> None:
    try:
        compile_pattern(name, pattern)
    except ValueError as error:
        raise InvalidInput(field, str(error), "use the RE2 syntax") from error


_FOR_GOOD = Keep()
_FORGETTING: Mapping[ForgetPolicy, Mapping[EventType, Keep]] = {
    ForgetPolicy.TTL: dict.fromkeys(EventType, Keep(KeepMode.TTL, 25)),
    ForgetPolicy.DECAY: {
        EventType.CONTEXT: Keep(KeepMode.DECAY, 12),
        EventType.EXECUTION: Keep(KeepMode.DECAY, 18),
        EventType.DECISION: Keep(KeepMode.DECAY, 40),
        EventType.PREFERENCE: Keep(KeepMode.DECAY, 40),
        EventType.FACT: Keep(KeepMode.DECAY, 60),
        EventType.CORRECTION: Keep(KeepMode.DECAY, 45),
    },
}
