"""The policy: everything that may be decided differently from one place to another, as one frozen value.

It can be written in Python or in TOML; both pass the same checks, and an unknown key is an error that suggests
the right one. Every policy has a digest, and every decision carries the digest of the policy it was made under.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from memfort.errors import InvalidInput, did_you_mean
from memfort.model.canonical import canonical_json
from memfort.model.item import is_finite
from memfort.model.space import Level, level_of
from memfort.policy.secrets import compile_pattern

DAY_SECONDS = 86_400


class Effect(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


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
    level: str | None = None  # of the space written to

    def __post_init__(self) -> None:
        object.__setattr__(self, "effect", _one_of(Effect, self.effect, "governance.effect"))
        for name in ("name", "user", "agent", "source", "type", "tag", "level"):
            _check_text(getattr(self, name), f"governance.{name}")
        if self.level is not None:
            level_of(self.level)


@dataclass(frozen=True, slots=True)
class TypeRule:
    """What a type of memory brings with it."""

    lifetime_seconds: float | None = None  # `None`: it does not end by itself
    importance: float = 1.0

    def __post_init__(self) -> None:
        _check_lifetime(self.lifetime_seconds, "types.lifetime_seconds")
        if not is_finite(self.importance):
            raise InvalidInput("types.importance", f"`{self.importance}` is not a number", "give a finite number")


def _default_types() -> dict[str, TypeRule]:
    return {
        "preference": TypeRule(importance=3),
        "identity": TypeRule(importance=4),
        "relationship": TypeRule(importance=3),
        "knowledge": TypeRule(importance=2),
        "context": TypeRule(7 * DAY_SECONDS, importance=1),
        "event": TypeRule(30 * DAY_SECONDS, importance=2),
        "task": TypeRule(14 * DAY_SECONDS, importance=2),
        "observation": TypeRule(3 * DAY_SECONDS, importance=1),
        "decision": TypeRule(importance=3),
        "correction": TypeRule(importance=4),
        "fact": TypeRule(importance=4),
        "execution": TypeRule(importance=2),
    }


def _default_aliases() -> dict[str, str]:
    """Other systems' words for the same things: the kinds of seed 000, then the domains of seed 001."""
    return {
        "profile": "identity",
        "goal": "preference",
        "constraint": "preference",
        "project": "knowledge",
        "hypothesis": "observation",
        "todo": "task",
        "keyword_set": "knowledge",
        "note": "knowledge",
        "user_pref": "preference",
        "system_fact": "fact",
        "session_summary": "context",
        "agent_eval": "observation",
        "code_context": "knowledge",
    }


@dataclass(frozen=True)
class Policy:
    """What is kept, for how long, and who decides. The defaults are the strict reading of all five seeds."""

    name: str = "default"
    governance_default: Effect = Effect.ALLOW
    governance: tuple[Rule, ...] = ()
    personal_private: PersonalAction = PersonalAction.REVIEW
    personal_shared: PersonalAction = PersonalAction.DENY
    approve_confidence: float = 0.60
    default_type: str = "knowledge"
    default_lifetime_seconds: float | None = None
    types: Mapping[str, TypeRule] = field(default_factory=_default_types)
    aliases: Mapping[str, str] = field(default_factory=_default_aliases)
    read_order: tuple[Level, ...] = tuple(Level)
    secret_patterns: tuple[tuple[str, str], ...] = ()  # more to refuse: (name, RE2 pattern)
    audit_reads: AuditReads = AuditReads.BATCHED

    def __post_init__(self) -> None:
        # A plain text is not a member of its enum, and `is` would quietly take it for another choice.
        for name, enum in _CHOICES.items():
            object.__setattr__(self, name, _one_of(enum, getattr(self, name), name))
        object.__setattr__(self, "read_order", tuple(level_of(level) for level in self.read_order))
        if not is_finite(self.approve_confidence) or not 0 <= self.approve_confidence <= 1:
            raise InvalidInput("approve_confidence", "it is not between 0 and 1", "give a number from 0 to 1")
        _check_lifetime(self.default_lifetime_seconds, "default_lifetime_seconds")
        if len(set(self.read_order)) < len(self.read_order):
            raise InvalidInput("read_order", "a level is named twice", "name each once")
        for alias, target in self.aliases.items():
            if not isinstance(target, str) or target not in self.types:
                raise InvalidInput(f"aliases.{alias}", f"`{target}` is not a type", "name a type in `types`")
        if self.default_type not in self.types:
            raise InvalidInput("default_type", f"`{self.default_type}` is not a type", "name a type in `types`")
        for name, pattern in self.secret_patterns:
            _check_pattern(name, pattern)
        # A rule about an alias is about its type: what is stored is the same, and nobody gets round it by another word.
        rules = (
            rule if rule.type is None else replace(rule, type=self.resolve_type(rule.type)) for rule in self.governance
        )
        object.__setattr__(self, "governance", tuple(rules))

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        """Read a policy file. Nothing is guessed: what cannot be understood is refused by name."""
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InvalidInput(str(path), "the policy file cannot be read", "check that it is there") from error
        except UnicodeDecodeError as error:
            raise InvalidInput(str(path), f"byte {error.start} is not UTF-8", "save it as UTF-8") from error
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(str(path), f"it is not valid TOML: {error}", "mend the line it names") from error
        return cls.from_dict(data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        known = {field.name for field in fields(cls)}
        for key in data:
            if key not in known:
                raise InvalidInput(key, "the policy has no such setting", did_you_mean(key, known))
        return cls(**{key: _READERS.get(key, _as_given)(key, value) for key, value in data.items()})

    @cached_property
    def digest(self) -> str:
        """A short name for exactly this policy."""
        plain = asdict(self)
        return hashlib.sha256(canonical_json(plain)).hexdigest()[:16]

    def resolve_type(self, name: str | None) -> str:
        """The type that `name` means, through the aliases; unknown names are refused with the known ones listed."""
        if name is None:
            return self.default_type
        if not isinstance(name, str):
            raise InvalidInput("type", f"a {type(name).__name__} is not a type", "give its name as text")
        found = self.aliases.get(name, name)
        if found not in self.types:
            known = sorted({*self.types, *self.aliases})
            hint, listed = did_you_mean(name, known), ", ".join(known)
            raise InvalidInput("type", f"`{name}` is not a type", hint if listed in hint else f"{hint} ({listed})")
        return found


_CHOICES: dict[str, type[StrEnum]] = {
    "governance_default": Effect,
    "personal_private": PersonalAction,
    "personal_shared": PersonalAction,
    "audit_reads": AuditReads,
}


def _one_of(enum: type[StrEnum], value: Any, key: str) -> Any:
    try:
        return enum(value)
    except ValueError:
        known = ", ".join(member.value for member in enum)
        raise InvalidInput(key, f"`{value}` is not possible here", f"use one of {known}") from None


def _check_text(value: object, key: str) -> None:
    if value is not None and not isinstance(value, str):
        raise InvalidInput(key, f"a {type(value).__name__} does not fit", "give a text")


def _check_lifetime(value: object, key: str) -> None:
    if value is None:
        return
    if not is_finite(value):
        raise InvalidInput(key, f"`{value}` is not a number of seconds", "give a finite number, or leave it out")
    if value <= 0:  # type: ignore[operator]  # finite means a number
        raise InvalidInput(key, "it is not above zero", "give more, or leave it out")


def _check_pattern(name: str, pattern: str) -> None:
    _check_text(pattern, f"secret_patterns.{name}")
    try:
        compile_pattern(name, pattern)
    except ValueError as error:
        raise InvalidInput(f"secret_patterns.{name}", str(error), "use the RE2 syntax") from error


def _as_given(key: str, value: Any) -> Any:
    wanted = {"name": str, "default_type": str}.get(key, (int, float))
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise InvalidInput(key, f"a {type(value).__name__} does not fit", "see docs/policy.md for its type")
    return value


def _read_rules(key: str, value: Any) -> tuple[Rule, ...]:
    return tuple(_read_table(Rule, f"{key}[{number}]", table) for number, table in enumerate(_list(key, value)))


def _read_types(key: str, value: Any) -> dict[str, TypeRule]:
    return _default_types() | {name: _read_table(TypeRule, f"{key}.{name}", table) for name, table in _map(key, value)}


def _read_table(made: Any, key: str, table: Any) -> Any:
    known = {field.name for field in fields(made)}
    given = dict(_map(key, table))
    for name in given:
        if name not in known:
            raise InvalidInput(f"{key}.{name}", "there is no such setting", did_you_mean(name, known))
    try:
        return made(**given)
    except TypeError as error:
        raise InvalidInput(key, "a setting is missing or of the wrong type", "see docs/policy.md") from error


def _list(key: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInput(key, "it is not a list", "write it as a list")
    return value


def _map(key: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise InvalidInput(key, "it is not a table", "write it as a table of names and values")
    return list(value.items())


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "governance_default": lambda key, value: _one_of(Effect, value, key),
    "governance": _read_rules,
    "personal_private": lambda key, value: _one_of(PersonalAction, value, key),
    "personal_shared": lambda key, value: _one_of(PersonalAction, value, key),
    "types": _read_types,
    "aliases": lambda key, value: _default_aliases() | dict(_map(key, value)),
    "read_order": lambda key, value: tuple(level_of(level) for level in _list(key, value)),
    "secret_patterns": lambda key, value: tuple(_map(key, value)),
    "audit_reads": lambda key, value: _one_of(AuditReads, value, key),
}
