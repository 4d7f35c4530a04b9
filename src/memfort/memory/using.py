"""Use: an agent says which memories were of use, and they come a little sooner from then on.

It is said and never guessed: a recall that changed the next one would not give the same answer twice, and would tell
one reader of a memory how often others look.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfort.errors import NotFound
from memfort.memory.engine import Engine
from memfort.memory.lifetimes import changed
from memfort.memory.writing import changeable, is_shown
from memfort.model.actor import Standpoint
from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight


def used(engine: Engine, standpoint: Standpoint, ids: Sequence[str]) -> list[Item]:
    """Count one more use of each, where the standpoint may write: all of them or none."""
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        found = [usable(engine, sight, id, now) for id in dict.fromkeys(ids)]
        after = [changed(item, now, uses=item.uses + 1) for item in found]
        events = [engine.changed("use", standpoint.actor, item, Reason.USED, now) for item in after]
        engine.apply([engine.update(item) for item in after], events)
        return after


def usable(engine: Engine, sight: Sight, id: str, now: Moment) -> Item:
    """A memory that can be of use: one that can be recalled, where the asker may write."""
    item = changeable(engine, sight, sight.writable, id)
    if not is_shown(engine, sight, item, now):
        raise NotFound("memory", id)
    return item
