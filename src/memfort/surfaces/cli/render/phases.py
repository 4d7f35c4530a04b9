"""Phases of a space, and what changed between two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memfort.model.phase import Phase
from memfort.operations.phase.diff import PhaseDiff
from memfort.operations.table import Operation
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.lines import format_moment
from memfort.surfaces.cli.render.rendered import Rendered


def _phase(_: Operation, phase: Phase) -> Rendered:
    return Rendered((f"{phase.id} has begun",))


def _phases(_: Operation, phases: list[Phase]) -> Rendered:
    rows = [
        (one.id, one.name or "", one.reason, format_moment(one.started_at_us) or "with the first memory")
        for one in phases
    ]
    table = Table(("id", "name", "reason", "began"), rows)
    return Rendered((table,))


def _phase_diff(_: Operation, diff: PhaseDiff) -> Rendered:
    lines = []
    for change in diff.changes:
        lines.append(f"{change.kind} {change.item.id}: {change.item.text}")
        lines += [] if change.replaces is None else [f"  before, {change.replaces.id}: {change.replaces.text}"]
    return Rendered((*lines, *diff.summary_lines))


RENDERERS: dict[Any, Callable[[Operation, Any], Rendered]] = {
    Phase: _phase,
    ("list", Phase): _phases,
    PhaseDiff: _phase_diff,
}
