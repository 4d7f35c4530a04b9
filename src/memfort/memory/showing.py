"""A memory as it is shown: to a room only with links to what the room may hear, and out of somebody else's space only
as the statement that it is."""

from __future__ import annotations

from memfort.memory.engine import Engine
from memfort.model.actor import Standpoint
from memfort.model.decision import Outcome
from memfort.model.hearing import RoomKind
from memfort.model.item import Item
from memfort.model.sight import Sight
from memfort.policy.disclosure import as_told


def shown_to(engine: Engine, sight: Sight, item: Item) -> Item:
    if sight.seen(item.space) is None:
        return as_told(item)
    if sight.hearing is None or sight.hearing.room.kind is RoomKind.ALONE:
        return item
    links = _links(item)
    if not links:
        return item
    heard = {one.id for one in engine.store.items(sight.narrowed([item.space]), sorted(links))}
    return item.but(
        replaces=tuple(id for id in item.replaces if id in heard),
        derived_from=tuple(id for id in item.derived_from if id in heard),
        supersedes=item.supersedes if item.supersedes in heard else None,
        superseded_by=item.superseded_by if item.superseded_by in heard else None,
    )


def shown_outcome(engine: Engine, standpoint: Standpoint, outcome: Outcome) -> Outcome:
    """What came of a write. It is the writer's own, also where the writer does not stand now."""
    if outcome.item is None or not _links(outcome.item):
        return outcome
    sight = engine.sight(standpoint)
    if sight.seen(outcome.item.space) is None:
        return outcome
    return outcome.but(item=shown_to(engine, sight, outcome.item))


def _links(item: Item) -> set[str]:
    return {one for one in (*item.replaces, *item.derived_from, item.supersedes, item.superseded_by) if one is not None}
