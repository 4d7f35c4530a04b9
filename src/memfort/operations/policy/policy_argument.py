"""Policies in requests: Python gives a `Policy`; the command line gives a name or a path and reads it first."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.model.value import Value
from memfort.policy.settings.policy import Policy

PolicyGiven = Annotated[
    Policy,
    Meta(
        extra={
            "reads": "policy",
            "metavar": "POLICY",
            "remedy": "give a `Policy`; one in a file is read by `Policy.from_toml(path)`",
        }
    ),
]


class PolicyName(Value, frozen=True):
    """Which policy it is."""

    name: str
    digest: str


def name_of(policy: Policy) -> PolicyName:
    return PolicyName(policy.name, policy.digest)
