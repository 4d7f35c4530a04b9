"""The policy: every configurable rule, as one frozen value.

It can be written in Python or in TOML (`memfort.policy.settings.document`); both pass the same checks. Every policy
has a digest, and every decision carries the digest of the policy it was made under.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import field
from msgspec.structs import force_setattr, replace

from memfort.errors import InvalidInput, a, did_you_mean
from memfort.model.item import Authority, EventType
from memfort.model.serialize.encoding import canonical_json
from memfort.model.space import Level
from memfort.policy.settings.sections import (
    Audit,
    Budget,
    Conflict,
    Conversation,
    Disclosure,
    Effect,
    Extraction,
    Fraction,
    KindPromotion,
    Origins,
    Phases,
    Privacy,
    Promotion,
    Recalling,
    Retention,
    Rule,
    SecretRules,
    Section,
    SensitivityRules,
    Spaces,
    TypeRule,
    WritePolicy,
)

DAY_SECONDS = 86_400


def default_types() -> dict[str, TypeRule]:
    """The default types with their lifetimes and aliases."""
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
    """The default promotions between spaces. Nothing is promoted to the system space."""
    ways = [
        Promotion(Level.SESSION, Level.USER, event_types=_LASTING),
        Promotion(
            Level.SESSION,
            Level.PROJECT,
            Authority.TOOL_VERIFIED,
            {EventType.DECISION: Authority.USER_ASSERTED},
            _LASTING,
        ),
        Promotion(Level.USER, Level.PROJECT, event_types=_LASTING),
        Promotion(Level.USER, Level.WORKSPACE, event_types=_LASTING),
        Promotion(Level.USER, Level.CHAT, event_types=_LASTING),
        Promotion(Level.USER, Level.TEAM, event_types=_LASTING),
        Promotion(Level.CHAT, Level.USER, event_types=_LASTING),
        Promotion(Level.AGENT, Level.AGENT, event_types=_LASTING),
    ]
    return Spaces(promotions=tuple(ways))


class Policy(Section, frozen=True, dict=True, kw_only=True):
    """What is kept, for how long, and who decides. The defaults are the strictest of all presets."""

    name: str = "default"
    write_policy: WritePolicy = WritePolicy.NORMAL
    allow_event_types: tuple[EventType, ...] = ()  # empty: all
    deny_event_types: tuple[EventType, ...] = ()
    low_signal: tuple[str, ...] = ("ok", "okay", "thanks", "thank you", "hello", "hi", "hey", "cool", "great")
    governance_default: Effect = Effect.ALLOW
    governance: tuple[Rule, ...] = ()
    approve_confidence: Fraction = 0.60
    discard_confidence: Fraction = 0.0  # of extracted statements: below it, they are not even kept for review
    default_type: str = "knowledge"
    infer_types: bool = True  # from the text, if a statement names no type
    types: Mapping[str, TypeRule] = field(default_factory=default_types)
    retention: Retention = Retention()
    promotion: KindPromotion = KindPromotion()
    spaces: Spaces = field(default_factory=default_spaces)
    phase: Phases = Phases()
    privacy: Privacy = Privacy()
    secrets: SecretRules = SecretRules()
    origins: Origins = Origins()
    authority_order: tuple[Authority, ...] = tuple(Authority)
    conflict: Conflict = Conflict()
    disclosure: Disclosure = Disclosure()
    sensitivity: SensitivityRules = SensitivityRules()
    budget: Budget = Budget()
    conversation: Conversation = Conversation()
    extraction: Extraction = Extraction()
    recall: Recalling = Recalling()
    audit: Audit = Audit()

    def __post_init__(self) -> None:
        super().__post_init__()
        if sorted(self.authority_order) != sorted(Authority):
            raise InvalidInput(
                "authority_order", "it does not name each authority once", f"put these in order: {', '.join(Authority)}"
            )
        self._check_types()
        # A rule for an alias applies to its type: both are stored alike, so an alias cannot bypass a rule.
        rules = [
            rule if rule.type is None else self._resolved(number, rule) for number, rule in enumerate(self.governance)
        ]
        force_setattr(self, "governance", tuple(rules))

    def __repr__(self) -> str:
        return f"<Policy {self.name!r} {self.digest}>"

    @classmethod
    def from_toml(cls, given: Path | str) -> Policy:
        """Read a policy from a file or from TOML text: a `str` that sets a key or has more than one line is a text.
        Nothing is guessed: what cannot be understood is refused by line and name."""
        from memfort.policy.settings.document import load_policy, read_policy

        if isinstance(given, str) and _is_toml(given):
            return read_policy(given, "the policy")
        if not isinstance(given, str | Path):
            raise InvalidInput("policy", f"{a(type(given).__name__)} is no TOML", "give a path, or the text itself")
        return load_policy(Path(given))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Policy:
        """The same from plain data, as parsed from TOML."""
        from memfort.policy.settings.document import policy_of

        return policy_of(data)

    @classmethod
    def of(cls, given: Policy | Path | str | Mapping[str, Any]) -> Policy:
        """The policy that is given in any of these ways. A `str` is a preset's name, a path, or TOML text."""
        from memfort.policy.settings.document import preset, preset_names

        remedy = "give a `Policy`, a preset's name, a path or the text of a TOML file, or a dict"
        if isinstance(given, Policy):
            return given
        if isinstance(given, Mapping):
            return cls.from_dict(given)
        if isinstance(given, Path):
            return cls.from_toml(given)
        if not isinstance(given, str):
            raise InvalidInput("policy", f"{a(type(given).__name__)} is no policy", remedy)
        if not given.strip():
            raise InvalidInput("policy", "it is empty", remedy)
        if given in preset_names():
            return preset(given)
        if given.isidentifier() and not Path(given).exists():
            raise InvalidInput(
                "policy", f"`{given}` is neither a file nor a preset", did_you_mean(given, preset_names())
            )
        return cls.from_toml(given)

    @cached_property
    def digest(self) -> str:
        """A short name for exactly this policy."""
        return hashlib.sha256(canonical_json(self.to_dict())).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """The whole policy as plain data, every default spelled out."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self, enc_hook=dict))
        return plain

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        return {alias: name for name, rule in self.types.items() for alias in rule.aliases}

    def resolve_type(self, name: str | None) -> str:
        """The type that `name` means, through the aliases; the error for an unknown name lists the known ones."""
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
        """The type for a captured event type: the one of that name, or the first that belongs to it."""
        named = self.types.get(event_type.value)
        if named is not None and named.event_type is event_type:
            return event_type.value
        return next((name for name, rule in self.types.items() if rule.event_type is event_type), self.default_type)

    def _check_types(self) -> None:
        seen: set[str] = set()
        for name, rule in self.types.items():
            for alias in rule.aliases:
                if alias in self.types or alias in seen:
                    raise InvalidInput(f"types.{name}.aliases", f"`{alias}` is already in use", "leave it out")
                seen.add(alias)
        if self.default_type not in self.types:
            raise InvalidInput("default_type", f"`{self.default_type}` is not a type", "name a type in `types`")

    def _resolved(self, number: int, rule: Rule) -> Rule:
        try:
            return replace(rule, type=self.resolve_type(rule.type))
        except InvalidInput as error:
            raise InvalidInput(f"governance[{number}].type", error.problem, error.remedy) from None


def _is_toml(text: str) -> bool:
    return "\n" in text or ("=" in text and not text.endswith(".toml"))
