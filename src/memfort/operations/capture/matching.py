"""Find the memories that words mean: for a correction, a retraction or a request to forget."""

from __future__ import annotations

from collections.abc import Iterable

from memfort.engine.view import View
from memfort.model.item import Item, Kind
from memfort.model.space import Space
from memfort.operations.recall.search import read_index, score_columns, select
from memfort.store.port import Filter

_LOOKED_AT = 12
_LASTING = frozenset({Kind.SEMANTIC, Kind.PROFILE})


def find_matching(view: View, query: str, spaces: Iterable[Space], limit: int = _LOOKED_AT) -> list[Item]:
    """Statements in these spaces that the actor may see and end and that a recall finds for the query, the best
    first."""
    here = view.with_sight(view.sight.narrowed(list(spaces)))
    columns, bound = read_index(here, query)
    totals = score_columns(here, columns, bound)
    found = select(here, totals, limit, Filter(kinds=_LASTING))
    items = [found.items[one.handle] for one in found.chosen]
    return [item for item in items if here.sight.admits(item) and here.may_end(item)]
