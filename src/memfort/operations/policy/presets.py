"""List the policies that come with Memfort."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.model.value import Value
from memfort.operations.requests import Request
from memfort.policy.settings.document import preset, preset_names, preset_summary


class PolicyPresetsRequest(Request, frozen=True):
    """No fields."""


class Preset(Value, frozen=True):
    """A policy that comes with Memfort."""

    name: str
    digest: str
    summary: str


def handle(view: View, request: PolicyPresetsRequest) -> list[Preset]:  # noqa: ARG001  # no store is asked
    """The presets by name, each with its purpose."""
    return [Preset(name, preset(name).digest, preset_summary(name)) for name in preset_names()]
