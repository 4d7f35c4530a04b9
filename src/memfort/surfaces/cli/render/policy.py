"""Answers about policies."""

from __future__ import annotations

import json
from typing import Any

from memfort.model.value import count_noun
from memfort.operations.policy.check import PolicyChecked
from memfort.operations.policy.diff import PolicyDiff
from memfort.operations.policy.presets import Preset
from memfort.operations.policy.show import PolicyShown
from memfort.operations.policy.simulate import UNDECIDED, Simulation
from memfort.operations.policy.simulation.writes import Ruling
from memfort.operations.table import Operation
from memfort.policy.settings.render import as_toml
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.lines import format_moment
from memfort.surfaces.cli.render.rendered import Rendered, Renderers


def _policy_shown(_: Operation, shown: PolicyShown) -> Rendered:
    return Rendered(as_toml(shown.policy).splitlines())


def _policy_checked(_: Operation, found: PolicyChecked) -> Rendered:
    return Rendered([f"{found.file} is the policy `{found.name}`, digest {found.digest}"])


def _policy_diff(_: Operation, found: PolicyDiff) -> Rendered:
    rows = [(change.key, _text(change.before), _text(change.after)) for change in found.changes]
    return Rendered([Table(("key", "before", "after"), rows) if rows else "the policies are equal"])


def _text(value: Any) -> str:
    if value is None:
        return "(none)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _presets(_: Operation, presets: list[Preset]) -> Rendered:
    rows = [(one.name, one.digest, one.summary) for one in presets]
    return Rendered([Table(("name", "digest", "what it is"), rows)])


def _simulation(_: Operation, found: Simulation) -> Rendered:
    rows = [(one.id, "+".join(one.levels), _ruling(one.was), _ruling(one.would)) for one in found.changes]
    table = [Table(("id", "levels", "was", "would be"), rows)] if rows else []
    kinds = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    summary = f"{count_noun(found.decisions, 'decision')}, {len(found.changes)} would change"
    undecided = [f"not decided again: {count} {UNDECIDED[name]}" for name, count in found.undecided.items() if count]
    lines: list[str | Table] = [*table, summary + (f": {kinds}" if kinds else ""), *undecided]
    notes = ["`policy use` decides what is written from then on and leaves these; `--apply` changes their lifetimes"]
    return Rendered(lines, notes if rows else [])


def _ruling(ruling: Ruling) -> str:
    """A ruling in a few words: pending (low_confidence), then approved, until 2026-01-08."""
    verdict, status = ruling.verdict.value, ruling.status
    if verdict == "pending" != status:  # it was reviewed
        words = f"pending ({ruling.reason}), then {status}"
    else:
        words = f"{status or ('denied' if verdict == 'denied' else 'not kept')} ({ruling.reason})"
    ends = "" if ruling.expires_at_us is None else f", until {format_moment(ruling.expires_at_us)}"
    return words + ends + ("" if ruling.ticks is None else f", for {count_noun(ruling.ticks, 'tick')}")


RENDERERS: Renderers = {
    PolicyShown: _policy_shown,
    PolicyChecked: _policy_checked,
    PolicyDiff: _policy_diff,
    ("list", Preset): _presets,
    Simulation: _simulation,
}
