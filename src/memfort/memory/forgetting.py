"""Forgetting: out of every read at once, with what was made from it. A tombstone stays; the words may come again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memfort.memory.engine import Engine
from memfort.memory.lifetimes import lapsed, retire
from memfort.memory.writing import changeable
from memfort.model.actor import SYSTEM, Standpoint
from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.policy.sight import maintenance_sight


def forget(engine: Engine, standpoint: Standpoint, ids: Sequence[str], *, dry_run: bool = False) -> list[Item]:
    """Take memories out of every read at once, and what was made from them: a summary would tell what it was made of.
    A tombstone stays, and the words may be learned again. The asked-for ones come first in the answer. A rehearsal
    answers with the memories as they are, and changes nothing."""
    with engine.store.reading() if dry_run else engine.writing():
        held, now = engine.sight(standpoint), engine.clock.now()
        chosen = {item.id: item for item in [changeable(engine, held, held.writable, id) for id in ids]}
        seen = [*chosen.values(), *made_from(engine, chosen.values(), held.writable.admits)]
        doomed = still_there(seen, now)
        if dry_run:
            return doomed
        # What the actor can see goes only by what the actor can see, or it would tell of what lies between.
        unseen = made_from(engine, seen, lambda item: not held.writable.admits(item))
        for item in still_there(unseen, now):
            retire(engine, SYSTEM, item, "forget", Reason.FORGOTTEN, now, told=False)
        return [retire(engine, standpoint.actor, item, "forget", Reason.FORGOTTEN, now) for item in doomed]


def made_from(engine: Engine, chosen: Iterable[Item], goes: Callable[[Item], bool]) -> list[Item]:
    """Everything made from the chosen ones, however indirectly, that goes with them: in whatever state, for whatever
    readers, and promoted into whatever space."""
    queue = list(chosen)
    known, found = {(item.space.id, item.id) for item in queue}, []
    while queue:
        item = queue.pop()
        for one in engine.store.derived(maintenance_sight([item.space]), [item.id]):
            if (one.space.id, one.id) not in known and goes(one):
                known.add((one.space.id, one.id))
                queue.append(one)
                found.append(one)
    return found


def still_there(items: Iterable[Item], now: Moment) -> list[Item]:
    return [item for item in items if lapsed(item, now).deleted_at is None]
