"""Check a policy file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.value import Value
from memfort.operations.requests import FilePath, Request
from memfort.policy.settings.document import load_policy


class PolicyCheckRequest(Request, frozen=True):
    """The file to check."""

    file: Annotated[FilePath, Meta(description="The path of a policy file.", extra={"completes": "files"})]


class PolicyChecked(Value, frozen=True):
    """A policy file that can be read."""

    file: str
    name: str
    digest: str


def handle(view: View, request: PolicyCheckRequest) -> PolicyChecked:  # noqa: ARG001  # no store is asked
    """Check a policy file. An error names the line, the key and a remedy."""
    policy = load_policy(Path(request.file))
    return PolicyChecked(request.file, policy.name, policy.digest)
