"""Infer a statement's type from its text, if the caller names none."""

from __future__ import annotations

from memfort.language.types import infer_type
from memfort.policy.settings.policy import Policy


def type_from_text(policy: Policy, text: str) -> str | None:
    """The type that the text indicates, if the policy has it."""
    return type_in_policy(policy, infer_type(text))


def type_in_policy(policy: Policy, found: str | None) -> str | None:
    return found if found in policy.types else None
