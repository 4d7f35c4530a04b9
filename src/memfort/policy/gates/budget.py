"""How much an author may keep: whether one more memory fits, and if not, which limit it exceeds."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from memfort.model.item import Kind
from memfort.policy.settings.sections import Budget

LASTING = (Kind.SEMANTIC, Kind.PROFILE)  # turns have a window of their own


class ExceededLimit(Struct, frozen=True):
    """A limit that one more memory would exceed."""

    limit: str  # the budget's name for it
    kinds: tuple[Kind, ...]  # the kinds of the author's memories that may be evicted
    count: int  # how many

    @property
    def is_everywhere(self) -> bool:
        """Whether the author's memories in any space may be evicted."""
        return self.limit == "owner"


def exceeded_limit(budget: Budget, kind: Kind, here: Mapping[Kind, int], everywhere: int) -> ExceededLimit | None:
    """The limit that one more memory of the kind would exceed: `here` counts the author's memories in this space, by
    kind."""
    if kind not in LASTING:
        return None
    of_kind = budget.semantic if kind is Kind.SEMANTIC else budget.profile
    for limit, name, kinds, count in (
        (of_kind, kind.value, (kind,), here.get(kind, 0)),
        (budget.space, "space", LASTING, sum(here.get(one, 0) for one in LASTING)),
        (budget.owner, "owner", LASTING, everywhere),
    ):
        if limit is not None and count >= limit:
            return ExceededLimit(name, kinds, count + 1 - limit)
    return None
