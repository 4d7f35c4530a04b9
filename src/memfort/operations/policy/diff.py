"""Compare two policies."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.value import Value
from memfort.operations.policy.policy_argument import PolicyGiven, PolicyName, name_of
from memfort.operations.requests import Request
from memfort.policy.settings.render import PolicyChange, difference


class PolicyDiffRequest(Request, frozen=True):
    """Which two policies to compare."""

    before: Annotated[PolicyGiven, Meta(description="The one policy.")]
    after: Annotated[PolicyGiven, Meta(description="The other policy.")]


class PolicyDiff(Value, frozen=True):
    """What two policies say differently."""

    before: PolicyName
    after: PolicyName
    changes: tuple[PolicyChange, ...]  # in the order of the sections


def handle(view: View, request: PolicyDiffRequest) -> PolicyDiff:  # noqa: ARG001  # no store is asked
    """Every key that differs, with both values."""
    before, after = request.before.policy, request.after.policy
    return PolicyDiff(name_of(before), name_of(after), tuple(difference(before, after)))
