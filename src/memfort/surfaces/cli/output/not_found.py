"""Why a memory is not shown, for actors who may know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfort.errors import NotFound
from memfort.model.reason import Reason, explanation

if TYPE_CHECKING:
    from memfort.client import BoundMemory, Memory


def add_reason(memory: BoundMemory | Memory, error: NotFound) -> NotFound:
    """The error for a memory that is not shown. An actor who could change it gets the reason; for any other actor the
    error is the same as for a memory that never existed, as in `explain`."""
    explain = getattr(memory, "explain", None)  # only a bound memory has it
    if error.what != "memory" or explain is None:
        return error
    id = error.name
    found = explain(id)
    if id.startswith("trc_") and found.shown:
        return NotFound("memory", id, f"it is the trace of a recall: see `memfort explain {id}`")
    if found.shown or found.reason is Reason.NOT_FOUND:
        return NotFound("memory", id)
    return NotFound("memory", id, f"{explanation(found.reason)}: see `memfort explain {id}`")
