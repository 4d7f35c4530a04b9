"""Show the progress of judging sensitivity in the background."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.engine.view import View
from memfort.model.results import SensitivityProgress
from memfort.operations.requests import Request
from memfort.operations.upkeep.judge import count_waiting


class JudgeStatusRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: JudgeStatusRequest) -> SensitivityProgress:  # noqa: ARG001  # handlers have one signature
    """The progress of this process's background thread, and how many memories of the whole store still wait."""
    return replace(view.engine.classifier.background, left=count_waiting(view.engine))
