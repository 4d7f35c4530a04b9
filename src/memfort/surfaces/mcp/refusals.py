"""Refusals and failures as a model reads them: a stable code, what is wrong, and what to do."""

from __future__ import annotations

from memfort.errors import Changed, Denied, InvalidInput, MemfortError, NotFound, Overloaded, StoreFull, StoreReadOnly
from memfort.surfaces.mcp.wording import ADVICE, OTHER_ADVICE


def refusal_of(error: Exception) -> str:
    """One line. An error that is not ours says nothing of itself: its message may quote contents."""
    match error:
        case InvalidInput():
            return f"invalid_input: {error.field}: {error.problem}. To fix it: {error.remedy}."
        case Denied():
            return f"denied ({error.reason}): {error.explanation}. {ADVICE.get(error.reason, OTHER_ADVICE)}"
        case NotFound():
            return f"not_found: {error.problem}. Find the right id with `recall`."
        case Changed():
            return "changed: the memory was changed meanwhile. Recall it again, and decide anew."
        case StoreReadOnly():
            return "read_only: nothing can be written here. Tell the user."
        case StoreFull():
            return "store_full: the disk is full; nothing was written. Tell the user."
        case Overloaded():
            return "overloaded: too many calls wait. Try again in a moment."
        case MemfortError():
            return "unavailable: the memory cannot answer just now. Go on without it, and try again later."
        case _:
            return "failed: the memory failed. Go on without it."
