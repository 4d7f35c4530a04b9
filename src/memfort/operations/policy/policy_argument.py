"""Policies in requests: Python gives a `Policy`, or what one is made of; the command line reads a name or path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta

from memfort.errors import InvalidInput
from memfort.model.value import Value
from memfort.operations.requests import Custom
from memfort.policy.settings.policy import Policy


class PolicyArgument(Custom):
    """A policy, given in any of the ways that `Policy.of` reads."""

    __slots__ = ("policy",)
    annotation = "Policy | Path | str | Mapping[str, Any]"
    imports: ClassVar[Mapping[str, str]] = {"Policy": "memfort.policy.settings.policy", "Path": "pathlib"}

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def __repr__(self) -> str:
        return f"PolicyArgument({self.policy!r})"

    @classmethod
    def from_given(cls, given: Any) -> Self:
        try:
            return cls(Policy.of(given))
        except InvalidInput as error:
            place = "" if error.field == "policy" else f"{error.field}: "  # a line of a file, or a setting
            raise InvalidInput("policy", f"{place}{error.problem}", error.remedy) from None


PolicyGiven = Annotated[PolicyArgument, Meta(extra={"reads": "policy", "metavar": "POLICY", "longest": 262_144})]


class PolicyName(Value, frozen=True):
    """Which policy it is."""

    name: str
    digest: str


def name_of(policy: Policy) -> PolicyName:
    return PolicyName(policy.name, policy.digest)
