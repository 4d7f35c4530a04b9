"""What a policy admits: the write policy, event types, kinds and words; then ordered allow and deny rules, of which the
first match wins; the policy's default decides the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memfort.language.normal_form import normal_text
from memfort.model.item import Candidate, EventType, Kind, Origin
from memfort.model.people.actor import Actor
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import Effect, Privacy, Rule, SensitiveMatch, WritePolicy

Refusal = tuple[Reason, dict[str, Any]]

_MINIMAL = {EventType.FACT, EventType.PREFERENCE, EventType.DECISION, EventType.CORRECTION}


def refusal(
    actor: Actor, candidate: Candidate, type: str, event_type: EventType, space: Space, policy: Policy
) -> Refusal | None:
    """Why the policy does not admit a statement, or nothing."""
    reason = _private(candidate, policy) or _general_refusal(candidate, event_type, policy)
    if reason is not None:
        return reason, {}
    return _rule_refusal(actor, candidate, type, space, policy)


def tags(candidate: Candidate, policy: Policy) -> tuple[str, ...]:
    """The names of the rules that admit a statement."""
    written = () if candidate.kind is Kind.SHORT_TERM else (f"allowed_by:write_policy:{policy.write_policy}",)
    listed = ("allowed_by:policy_event_types",) if policy.allow_event_types or policy.deny_event_types else ()
    by_kind = getattr(policy.promotion, candidate.kind) is not None
    return ("allowed_by:privacy", *written, *listed, *(("allowed_by:promotion_rule",) if by_kind else ()))


def _private(candidate: Candidate, policy: Policy) -> Reason | None:
    if policy.privacy.sensitive_words and _is_sensitive(candidate, policy.privacy):
        return Reason.PRIVACY_DENY_SENSITIVE
    keys = policy.privacy.profile_keys
    if candidate.kind is Kind.PROFILE and keys is not None and candidate.key not in keys:
        return Reason.PRIVACY_DENY_PROFILE_KEY
    return None


def _is_sensitive(candidate: Candidate, privacy: Privacy) -> bool:
    said = normal_text(" ".join((candidate.key or "", candidate.text)))
    words = map(normal_text, privacy.sensitive_words)
    if privacy.sensitive_match is SensitiveMatch.SUBSTRING:
        return any(word in said for word in words)
    return any(f" {word} " in f" {said} " for word in words)


def _general_refusal(candidate: Candidate, event_type: EventType, policy: Policy) -> Reason | None:
    """The first general rule of the policy that forbids the statement. Recent turns are not lasting memories, so the
    write policy does not apply to them."""
    lasting = candidate.kind is not Kind.SHORT_TERM
    if lasting and (reason := _too_little(event_type, policy.write_policy)) is not None:
        return reason
    listed = not policy.allow_event_types or event_type in policy.allow_event_types
    if not listed or event_type in policy.deny_event_types:
        return Reason.POLICY_DENY_EVENT_TYPE
    if not policy.promotion.allows(candidate.kind, event_type):
        return Reason.POLICY_DENY_PROMOTION
    return Reason.POLICY_LOW_SIGNAL if lasting and candidate.captured and _says_little(candidate, policy) else None


def _says_little(candidate: Candidate, policy: Policy) -> bool:
    """Whether it is only a greeting or an acknowledgement, ignoring punctuation, or has no word at all."""
    said = normal_text(candidate.text)
    words = "".join(character if character.isalnum() else " " for character in said).split()
    return bool(policy.low_signal) and (not words or " ".join(words) in policy.low_signal)


def _too_little(event_type: EventType, write_policy: WritePolicy) -> Reason | None:
    if write_policy is WritePolicy.NONE:
        return Reason.WRITE_POLICY_NONE
    if write_policy is WritePolicy.MINIMAL and event_type not in _MINIMAL:
        return Reason.WRITE_POLICY_MINIMAL
    if write_policy is WritePolicy.NORMAL and event_type is EventType.CONTEXT:
        return Reason.WRITE_POLICY_CONTEXT
    return None


def _rule_refusal(actor: Actor, candidate: Candidate, type: str, space: Space, policy: Policy) -> Refusal | None:
    match = deciding_rule(policy.governance, actor, candidate, type, space) if policy.governance else None
    if match is None:
        return None if policy.governance_default is Effect.ALLOW else (Reason.GOVERNANCE_DEFAULT, {})
    number, rule = match
    return None if rule.effect is Effect.ALLOW else (Reason.GOVERNANCE_RULE, {"rule": rule_name(number, rule)})


def deciding_rule(
    rules: Sequence[Rule], actor: Actor, candidate: Candidate, type: str, space: Space
) -> tuple[int, Rule] | None:
    """The first matching rule, with its position in the list."""
    for number, rule in enumerate(rules):
        if _matches(rule, actor, candidate, type, space):
            return number, rule
    return None


def rule_name(number: int, rule: Rule) -> str:
    return rule.name or f"governance[{number}]"


def _matches(rule: Rule, actor: Actor, candidate: Candidate, type: str, space: Space) -> bool:
    return (
        _fits(rule.user, [actor.user])
        and _fits(rule.agent, [actor.agent])
        and _fits(rule.source, _sources(candidate))
        and _fits(rule.type, [type, candidate.type])
        and _fits(rule.tag, candidate.tags)
        and _fits(rule.level, [level.value for level in space.levels])
    )


def _sources(candidate: Candidate) -> list[object]:
    """The source names of a statement. An origin's name matches only the origin itself: any caller can write `user`
    into a provenance."""
    named = (candidate.source, candidate.provenance.get("source"))
    return [candidate.origin.value, *(name for name in named if name not in _ORIGINS)]


_ORIGINS = frozenset(origin.value for origin in Origin)


def _fits(wanted: str | None, given: Sequence[object]) -> bool:
    return wanted is None or wanted in given
