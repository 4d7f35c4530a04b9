"""The policy: everything that may be decided differently from one place to another, as one frozen value.

It can be written in Python or in TOML (`memfort.policy.document`); both pass the same checks. Every policy has a
digest, and every decision carries the digest of the policy it was made under.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from memfort.errors import InvalidInput, a, did_you_mean
from memfort.model.canonical import canonical_json
from memfort.model.event_type import EventType
from memfort.model.item import Authority, is_finite
from memfort.model.space import Level
from memfort.policy.fitting import conform
from memfort.policy.sections import (
    Audit,
    Budget,
    Conflict,
    Disclosure,
    Effect,
    KindPromotion,
    Origins,
    Phases,
    Privacy,
    Promotion,
    Recalling,
    Retention,
    Rule,
    Spaces,
    TypeRule,
    WritePolicy,
)

DAY_SECONDS = 86_400


def default_types() -> dict[str, TypeRule]:
    """The eight types of seed 002 with their lifetimes, those of seed 004, and mere talk. Aliases are the kinds of seed
    000 and the domains of seed 001."""
    return {
        "preference": TypeRule(None, 3, EventType.PREFERENCE, aliases=("goal", "constraint", "user_pref")),
        "identity": TypeRule(importance=4, aliases=("profile",)),
        "relationship": TypeRule(importance=3),
        "knowledge": TypeRule(importance=2, aliases=("project", "keyword_set", "note", "code_context")),
        "context": TypeRule(7 * DAY_SECONDS, 1, aliases=("session_summary",)),
        "event": TypeRule(30 * DAY_SECONDS, 2),
        "task": TypeRule(14 * DAY_SECONDS, 2, EventType.DECISION, aliases=("todo",)),
        "observation": TypeRule(3 * DAY_SECONDS, 1, aliases=("hypothesis", "agent_eval")),
        "decision": TypeRule(None, 3, EventType.DECISION),
        "correction": TypeRule(None, 4, EventType.CORRECTION),
        "fact": TypeRule(importance=4, aliases=("system_fact",)),
        "execution": TypeRule(None, 2, EventType.EXECUTION),
        "talk": TypeRule(7 * DAY_SECONDS, 1, EventType.CONTEXT),
    }


_LASTING = (EventType.PREFERENCE, EventType.DECISION, EventType.FACT, EventType.CORRECTION)


def default_spaces() -> Spaces:
    """The ways of seed 004, and those that chats and agents need. Nothing is promoted to the system space."""
    ways = [
        Promotion(Level.SESSION, Level.USER, event_types=_LASTING),
        Promotion(Level.SESSION, Level.PROJECT, Authority.TOOL_VERIFIED,
                  {EventType.DECISION: Authority.USER_ASSERTED}, _LASTING),
        Promotion(Level.USER, Level.PROJECT, event_types=_LASTING),
        Promotion(Level.USER, Level.WORKSPACE, event_types=_LASTING),
        Promotion(Level.CHAT, Level.USER, event_types=_LASTING),
        Promotion(Level.AGENT, Level.AGENT, event_types=_LASTING),
    ]  # fmt: skip
    return Spaces(promotions=tuple(ways))


@dataclass(frozen=True)
class Policy:
    """What is kept, for how long, and who decides. The defaults are the strict reading of all five seeds."""

    name: str = "default"
    write_policy: WritePolicy = WritePolicy.NORMAL
    allow_event_types: tuple[EventType, ...] = ()  # empty: all
    deny_event_types: tuple[EventType, ...] = ()
    low_signal: tuple[str, ...] = ("ok", "okay", "thanks", "thank you", "hello", "hi", "hey", "cool", "great")
    governance_default: Effect = Effect.ALLOW
    governance: tuple[Rule, ...] = ()
    approve_confidence: float = 0.60
    discard_confidence: float = 0.0  # of what nobody asked to be kept: below, it does not even wait for review
    default_type: str = "knowledge"
    infer_types: bool = True  # from the words, where a statement names no type
    types: Mapping[str, TypeRule] = field(default_factory=default_types)
    retention: Retention = field(default_factory=Retention)
    promotion: KindPromotion = field(default_factory=KindPromotion)
    spaces: Spaces = field(default_factory=default_spaces)
    phase: Phases = field(default_factory=Phases)
    privacy: Privacy = field(default_factory=Privacy)
    origins: Origins = field(default_factory=Origins)
    authority_order: tuple[Authority, ...] = tuple(Authority)
    conflict: Conflict = field(default_factory=Conflict)
    disclosure: Disclosure = field(default_factory=Disclosure)
    budget: Budget = field(default_factory=Budget)
    recall: Recalling = field(default_factory=Recalling)
    audit: Audit = field(default_factory=Audit)

    def __post_init__(self) -> None:
        conform(self)
        for name in ("approve_confidence", "discard_confidence"):
            if not is_finite(value := getattr(self, name)) or not 0 <= value <= 1:
                raise InvalidInput(name, "it is not between 0 and 1", "give a number from 0 to 1")
        if sorted(self.authority_order) != sorted(Authority):
            raise InvalidInput("authority_order", "it does not name each authority once",
                               f"put these in order: {', '.join(Authority)}")  # fmt: skip
        self._check_types()
        # A rule about an alias is about its type: what is stored is the same, and nobody gets round it by another word.
        rules = [rule if rule.type is None else self._resolved(number, rule)
                 for number, rule in enumerate(self.governance)]  # fmt: skip
        object.__setattr__(self, "governance", tuple(rules))

    @classmethod
    def from_toml(cls, path: Path | str) -> Policy:
        """Read a policy file. Nothing is guessed: what cannot be understood is refused by line and name."""
        from memfort.policy.document import load_policy

        return load_policy(Path(path))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Policy:
        """The same from plain data, as a TOML file would hold it."""
        from memfort.policy.document import policy_of

        return policy_of(data)

    @cached_property
    def digest(self) -> str:
        """A short name for exactly this policy."""
        return hashlib.sha256(canonical_json(self.as_dict())).hexdigest()[:16]

    def as_dict(self) -> dict[str, Any]:
        """The whole policy as plain data, every default spelled out."""
        plain = _plain(self)
        assert isinstance(plain, dict)
        return plain

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        return {alias: name for name, rule in self.types.items() for alias in rule.aliases}

    def resolve_type(self, name: str | None) -> str:
        """The type that `name` means, through the aliases; unknown names are refused with the known ones listed."""
        if name is None:
            return self.default_type
        if not isinstance(name, str):
            raise InvalidInput("type", f"{a(type(name).__name__)} is not a type", "give its name as text")
        found = self.aliases.get(name, name)
        if found not in self.types:
            known = sorted({*self.types, *self.aliases})
            hint, listed = did_you_mean(name, known), ", ".join(known)
            raise InvalidInput("type", f"`{name}` is not a type", hint if listed in hint else f"{hint} ({listed})")
        return found

    def type_for(self, event_type: EventType) -> str:
        """The type of what was captured as an event type: the one of that name, or the first that belongs to it."""
        named = self.types.get(event_type.value)
        if named is not None and named.event_type is event_type:
            return event_type.value
        return next((name for name, rule in self.types.items() if rule.event_type is event_type), self.default_type)

    def _check_types(self) -> None:
        seen: set[str] = set()
        for name, rule in self.types.items():
            for alias in rule.aliases:
                if alias in self.types or alias in seen:
                    raise InvalidInput(f"types.{name}.aliases", f"`{alias}` means something already", "leave it out")
                seen.add(alias)
        if self.default_type not in self.types:
            raise InvalidInput("default_type", f"`{self.default_type}` is not a type", "name a type in `types`")

    def _resolved(self, number: int, rule: Rule) -> Rule:
        try:
            return replace(rule, type=self.resolve_type(rule.type))
        except InvalidInput as error:
            raise InvalidInput(f"governance[{number}].type", error.problem, error.remedy) from None


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.value if isinstance(value, StrEnum) else value
