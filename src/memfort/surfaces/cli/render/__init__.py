"""Render answers by their type: one JSON document, the same as in Python and over HTTP, and lines and tables for
people. Knowledge of single verbs never comes in.

A type without an entry is shown as plain `key: value` lines, so a new verb works before it has a renderer.
"""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any, get_args, get_origin

from msgspec.structs import replace

from memfort.model.decision import Outcome, Verdict
from memfort.model.item import Item
from memfort.model.reason import Reason
from memfort.model.results import ReviewEntry, TakenOut
from memfort.model.value import count_noun, plain
from memfort.operations.table import Cli, Effect, Operation
from memfort.surfaces.cli.failure import Exit, error_document
from memfort.surfaces.cli.output.lines import outcome_line
from memfort.surfaces.cli.render.rendered import Rendered, Renderers


def render(operation: Operation, result: Any) -> Rendered:
    """Render the answer of a verb. The handler's return annotation selects the renderer."""
    return replace(_render(operation, result), document=plain(result))


def _render(operation: Operation, result: Any) -> Rendered:
    shown_as = operation.cli.shown_as if isinstance(operation.cli, Cli) else ""
    key = shown_as or _key(operation.result)
    name = getattr(key[1] if isinstance(key, tuple) else key, "__name__", "")
    if key not in _RENDERERS and name in _MODULES:
        more: Renderers = import_module(f"{__name__}.{_MODULES[name]}").RENDERERS
        return more.get(key, _fields)(operation, result)
    return _RENDERERS.get(key, _fields)(operation, result)


def _key(kind: Any) -> Any:
    """The key of a renderer: `list[Item]` and `Item` differ; of a union the first part that is not `None` counts."""
    if get_origin(kind) is list:
        return ("list", get_args(kind)[0])
    if parts := [one for one in get_args(kind) if one is not type(None)]:
        return parts[0]
    return kind


def _fields(_: Operation, result: Any) -> Rendered:
    from memfort.trail.public import plain as plain_view

    return Rendered(plain_view.plain(plain(result)).splitlines() if result is not None else ())


def _outcome(_: Operation, outcome: Outcome) -> Rendered:
    line = outcome_line(outcome)
    if outcome.decision.verdict is not Verdict.DENIED:
        return Rendered((line,))
    error = {**error_document("denied", outcome.decision.explanation), "reason": outcome.reason.value}
    return Rendered(notes=(f"memfort: {line}",), exit=Exit.DENIED, error=error)


def _items(operation: Operation, items: list[Item]) -> Rendered:
    """Memories that were read or changed."""
    assert isinstance(operation.cli, Cli)
    if operation.effect is Effect.READ:
        reads = import_module(f"{__name__}.reads")
        return reads.render_listed(items)  # type: ignore[no-any-return]
    return Rendered([f"{operation.cli.says} {item.id} in {item.space}" for item in items], count=len(items))


def _taken_out(operation: Operation, gone: TakenOut) -> Rendered:
    assert isinstance(operation.cli, Cli)
    return Rendered([f"{operation.cli.says} {gone.id}"])


def _uses(_: Operation, items: list[Item]) -> Rendered:
    lines = [f"{item.id} was of use {count_noun(item.uses, 'time')}" for item in items]
    return Rendered(lines, count=len(items))


def _turns(_: Operation, turns: list[Item]) -> Rendered:
    lines = [f"{'summary' if 'summary' in turn.tags else turn.origin}: {turn.text}" for turn in turns]
    notes = () if turns else ("no turns here",)
    return Rendered(lines, notes, count=len(turns))


def _review_entries(_: Operation, entries: list[ReviewEntry]) -> Rendered:
    lines: list[str] = []
    for entry in entries:
        place = entry.item.space if entry.to is None else f"{entry.item.space}, to go to {entry.to}"
        lines += [f"{entry.item.id} in {place}: {entry.explanation} ({entry.reason})"]
        shown = entry.diff.splitlines() if entry.replaces is not None else entry.item.text.splitlines()
        lines += [f"  {line}" for line in shown]
    notes = () if entries else ("nothing waits for review",)
    return Rendered(lines, notes)


def _outcomes(_: Operation, outcomes: list[Outcome]) -> Rendered:
    """The outcomes of many writes, each in a line, and the count of each."""
    counts = Counter(outcome.state.value for outcome in outcomes)
    lines = [f"{number}: {outcome_line(outcome)}" for number, outcome in enumerate(outcomes, start=1)]
    lines.append(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items())))
    return Rendered(lines, exit=_exit_of(outcomes))


def _exit_of(outcomes: list[Outcome]) -> Exit:
    """Policy's refusals count more than fields that cannot be used. What waits for review is no failure."""
    refused = {outcome.reason for outcome in outcomes if outcome.decision.verdict is Verdict.DENIED}
    return Exit.DENIED if refused - {Reason.INVALID} else Exit.USAGE if refused else Exit.OK


_RENDERERS: Renderers = {
    Outcome: _outcome,
    ("list", Outcome): _outcomes,
    "uses": _uses,
    "turns": _turns,
    ("list", Item): _items,
    TakenOut: _taken_out,
    ("list", ReviewEntry): _review_entries,
}
# Types whose renderers are in another module of this package, which is loaded when such an answer is shown.
_MODULES = {
    "Forgotten": "ending",
    "Receipt": "ending",
    "Undone": "ending",
    "Erasure": "ending",
    "FinishedErasures": "ending",
    "ErasureCheck": "ending",
    "Share": "directory",
    "Agent": "directory",
    "Chat": "directory",
    "Members": "directory",
    "AccessKey": "keys",
    "NewKey": "keys",
    "Person": "people",
    "Relation": "people",
    "PersonForgotten": "people",
    "ImportReport": "transfer",
    "Source": "transfer",
    "Phase": "phases",
    "PhaseDiff": "phases",
    "StoreInfo": "upkeep",
    "BackupReport": "upkeep",
    "Reindexed": "upkeep",
    "Reembedding": "upkeep",
    "SensitivityProgress": "upkeep",
    "Relearned": "upkeep",
    "QueuedMessage": "extraction",
    "PolicyShown": "policy",
    "PolicyChecked": "policy",
    "PolicyDiff": "policy",
    "Preset": "policy",
    "Simulation": "policy",
    "Item": "reads",
    "Recall": "reads",
    "Context": "reads",
    "Page": "reads",
    "Explanation": "reads",
    "Comparison": "reads",
    "Edge": "reads",
    "TracedCall": "trail",
    "Verification": "trail",
    "Anchors": "trail",
}
