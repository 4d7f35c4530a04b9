"""Promoted copies and their sources. Not every reader may know the space of the source, so the store keeps the link and
the copy does not."""

from __future__ import annotations

from memfort.engine.engine import Engine
from memfort.engine.lifecycle.proposals import is_proposal
from memfort.errors import CorruptMemory
from memfort.model.item import Item
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.policy.sight import maintenance_sight


def source_of(engine: Engine, copy: Item) -> Item | None:
    """The memory that a copy was promoted from, if it still exists."""
    origins = engine.store.origins(maintenance_sight([copy.space]), copy)
    found = (_find_intact(engine, space, id) for space, id in origins)
    return next((source for source in found if source is not None), None)


def is_void(engine: Engine, item: Item) -> bool:
    """Whether a pending copy is obsolete: its source was forgotten or corrected. A source that expired or lost a
    conflict does not count: the copy would reveal other writes in the source's space."""
    source = None if item.promoted_from is None else source_of(engine, item)
    ended = {Reason.FORGOTTEN, Reason.PROMOTED} if is_proposal(item) else {Reason.FORGOTTEN}
    return source is not None and (source.deleted_reason in ended or _is_reworded(engine, source))


def _is_reworded(engine: Engine, source: Item) -> bool:
    """Whether a memory was superseded by a new wording of itself, and not by another memory."""
    seen, id = set[str](), source.superseded_by
    while id is not None and id not in seen:
        seen.add(id)
        newer = _find_intact(engine, source.space, id)
        id = None if newer is None else newer.supersedes
        if id == source.id:
            return True
    return False


def _find_intact(engine: Engine, space: Space, id: str) -> Item | None:
    """A memory by id, in any space. Reviewers of a copy do not learn that its source is damaged."""
    here = maintenance_sight([space])
    try:
        return next(iter(engine.store.items(here, [id])), None)
    except CorruptMemory:
        if id in engine.store.damaged(here):
            return None
        raise
