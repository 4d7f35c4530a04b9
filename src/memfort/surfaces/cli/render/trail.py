"""The answers of verbs about the trail."""

from __future__ import annotations

from memfort.model.results import TracedCall
from memfort.model.value import count_noun
from memfort.operations.table import Operation
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.lines import format_moment
from memfort.surfaces.cli.render.rendered import Rendered, Renderers
from memfort.trail.checkpoint import Anchors
from memfort.trail.verify import Verification


def render_verification(_: Operation, found: Verification) -> Rendered:
    verdict = "the trail is broken" if found.broken else "the trail holds"
    counts = f"{count_noun(found.events, 'event')} in {count_noun(found.chains, 'chain')}"
    lines = [f"{verdict}: {counts}, {found.unanchored} not signed yet"]
    lines += [f"{one.chain} link {one.number}: {one.problem}" for one in found.broken]
    lines += [] if found.unchecked is None else [f"the anchors were not checked: {found.unchecked}"]
    return Rendered(lines, exit=Exit.OK if found.ok else Exit.FAILURE)


def render_anchors(_: Operation, anchors: Anchors) -> Rendered:
    lines = [f"{one.chain} is signed up to link {one.number}" for one in anchors.checkpoints]
    return Rendered(lines)


def render_calls(_: Operation, calls: list[TracedCall]) -> Rendered:
    rows = [(one.trace, format_moment(one.at_us), ", ".join(one.actions)) for one in calls]
    return Rendered([Table(("trace", "at", "verbs"), rows)], () if calls else ("no calls on record",))


RENDERERS: Renderers = {
    ("list", TracedCall): render_calls,
    Verification: render_verification,
    Anchors: render_anchors,
}
