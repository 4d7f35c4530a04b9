"""Ordered allow and deny rules: the first that matches wins, and the policy's default decides the rest."""

from __future__ import annotations

from collections.abc import Sequence

from memfort.model.actor import Actor
from memfort.model.item import Candidate
from memfort.model.space import Space
from memfort.policy.settings import Rule


def deciding_rule(
    rules: Sequence[Rule], actor: Actor, candidate: Candidate, type: str, space: Space
) -> tuple[int, Rule] | None:
    """The first rule that matches, with its place in the list."""
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
        and _fits(rule.source, [candidate.origin.value, candidate.source, candidate.provenance.get("source")])
        and _fits(rule.type, [type, candidate.type])
        and _fits(rule.tag, candidate.tags)
        and _fits(rule.level, [level.value for level in space.levels])
    )


def _fits(wanted: str | None, given: Sequence[object]) -> bool:
    return wanted is None or wanted in given
