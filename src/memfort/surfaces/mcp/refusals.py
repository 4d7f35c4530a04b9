"""Refusals and failures as a model reads them: a stable code, what is wrong, and what to do."""

from __future__ import annotations

from memfort.errors import Changed, Denied, InvalidInput, MemfortError, NotFound, Overloaded, StoreFull, StoreReadOnly
from memfort.surfaces.mcp.wording import ADVICE, OTHER_ADVICE

# The first kind that fits. An error that is not ours says nothing of itself: its message may quote contents.
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (Changed, "changed: the memory was changed meanwhile. Recall it again, and decide anew."),
    (StoreReadOnly, "read_only: nothing can be written here. Tell the user."),
    (StoreFull, "store_full: the disk is full; nothing was written. Tell the user."),
    (Overloaded, "overloaded: too many calls wait. Try again in a moment."),
    (MemfortError, "unavailable: the memory cannot answer just now. Go on without it, and try again later."),
    (Exception, "failed: the memory failed. Go on without it."),
)


def refusal_of(error: Exception) -> str:
    """One line for a model."""
    if isinstance(error, InvalidInput):
        end = "" if error.remedy.endswith("?") else "."
        return f"invalid_input: {error.field}: {error.problem}. To fix it: {error.remedy}{end}"
    if isinstance(error, Denied):
        return f"denied ({error.reason}): {error.explanation}. {ADVICE.get(error.reason, OTHER_ADVICE)}"
    if isinstance(error, NotFound):
        return f"not_found: {error.problem}. Find the right id with `recall`."
    return next(text for kind, text in _FAILURES if isinstance(error, kind))
