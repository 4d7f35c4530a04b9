"""Answer a question for all about somebody as `about` does: their own word first, then what others say of them."""

from __future__ import annotations

from collections.abc import Sequence

from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.model.item import Item, turn_of
from memfort.model.reason import Reason
from memfort.model.results import Hit
from memfort.operations.people.resolve.names import ids_of
from memfort.operations.read.about import AboutRequest, find_about
from memfort.operations.recall.search import ABOUT_ME
from memfort.recall.overview import find_person_asked_about


def with_all_about(view: View, query: str, hits: Sequence[Hit], limit: int) -> list[Hit]:
    """The hits of a search, behind what `about` lists, if the query asks for somebody and for nothing in particular."""
    name = find_person_asked_about(query)
    ids = [] if name is None else ids_of(view, name)
    if name is None or not ids:
        return list(hits)
    listed, there = find_about(view, AboutRequest((name,), limit))
    found = {hit.id: hit for hit in hits}
    own = [item for item in listed if item.stated_by in ids]
    others = [item for item in listed if item.stated_by not in ids]
    first = [found.get(item.id) or _hit(there, item) for item in (*own, *others)]
    known = {hit.id for hit in first} | {turn_of(item) for item in listed}  # a turn and its statement are one thing
    return [*first, *(hit for hit in hits if hit.id not in known)][:limit]


def _hit(view: View, item: Item) -> Hit:
    level = ABOUT_ME if view.sight.seen(item.space) is None else str(item.space.primary)
    return Hit(redact_for(view.engine, view.sight, item), 0.0, level, Reason.ABOUT_PERSON)
