"""Report damaged memories to actors who may know of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfort.model.sight import Sight
from memfort.policy.sight import own_spaces_sight

if TYPE_CHECKING:
    from memfort.engine.engine import Engine


def damaged_ids(engine: Engine, sight: Sight) -> list[str]:
    """Ids of the memories in sight whose stored bytes are damaged, in any state. Damage can separate a memory from
    its reader list, and then it is named only to the user whose own space it lives in."""
    spaces = [seen.space for seen in sight.spaces]
    own = own_spaces_sight(sight.actor, spaces, whole=True)
    others = sight.narrowed([space for space in spaces if space.id not in own.by_id])
    return sorted({*engine.store.damaged(own), *engine.store.damaged(others)})
