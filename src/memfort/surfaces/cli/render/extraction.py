"""The queue of the extractor."""

from __future__ import annotations

from memfort.model.results import QueuedMessage
from memfort.operations.table import Effect, Operation
from memfort.surfaces.cli.render.rendered import Rendered, Renderers


def _queued(operation: Operation, queued: list[QueuedMessage]) -> Rendered:
    done = "dropped" if operation.name == "extraction.drop" else "waits again:"
    lines = [_line(one) if operation.effect is Effect.READ else f"{done} {one.id} in {one.space}" for one in queued]
    notes = () if queued else ("no turn waits for the extractor",)
    return Rendered(lines, notes, count=len(queued))


def _line(one: QueuedMessage) -> str:
    state = "given up" if one.due_at is None else f"next at {one.due_at.isoformat(timespec='seconds')}"
    tried = f"tried {one.attempts} times, {state}" if one.attempts != 1 else f"tried once, {state}"
    return f"{one.id} in {one.space}: {tried}" + (f"; {one.problem}" if one.problem else "")


RENDERERS: Renderers = {("list", QueuedMessage): _queued}
