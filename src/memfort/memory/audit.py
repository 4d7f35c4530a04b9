"""The trail, for those who check it: verify, export, replay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from memfort.memory.engine import Engine, labels
from memfort.model.actor import ActorKind, Standpoint
from memfort.model.item import Status
from memfort.model.record import actor_from_dict
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Filter, position_of
from memfort.trace.event import Link
from memfort.trace.verify import Break, Verification, replay, verify_chain

_ALL = Filter(statuses=frozenset(Status), deleted=True, expired=True)


def verify(engine: Engine) -> Verification:
    """Recompute every chain and every signature; name the first break of each chain that has one."""
    engine.flush()
    store = engine.store
    events, unanchored, broken = 0, 0, []
    with store.reading():
        chains = store.chains()
        for chain, number, head in chains:
            count, loose, problem = verify_chain(
                chain, store.links(chain), store.checkpoints(chain), store.keys.public, (number, head)
            )
            events, unanchored = events + count, unanchored + loose
            if problem is not None:
                broken.append(problem)
        if not broken:
            broken = _differences(engine)
    return Verification(len(chains), events, unanchored, tuple(broken))


def export(engine: Engine, standpoint: Standpoint) -> Iterator[dict[str, Any]]:
    """The trail as plain data: all of it for the system actor, and for anybody else what they did themselves."""
    engine.flush()
    is_system = standpoint.actor.kind is ActorKind.SYSTEM
    with engine.store.reading():
        for chain, _, _ in engine.store.chains():
            for link in engine.store.links(chain):
                event = json.loads(link.body)
                if is_system or actor_from_dict(event["actor"]).key == standpoint.actor.key:
                    yield _line(link, event)


def state(engine: Engine) -> dict[tuple[str, str], Any]:
    """The labels of every stored memory: what replaying the trail must give again."""
    found: dict[tuple[str, str], Any] = {}
    for space in engine.store.spaces():
        after, now, sight = None, engine.clock.now(), maintenance_sight([space])
        while page := engine.store.page(sight, _ALL, after, 1000, now):
            for item in page:
                place = json.dumps(space.as_dict(), sort_keys=True, ensure_ascii=False)
                found[place, item.id] = labels(item, engine.store.keys.digest(item.text))
            after = position_of(page[-1])
    return found


def replayed(engine: Engine) -> dict[tuple[str, str], Any]:
    """The labels of every memory as the trail alone tells them."""
    store = engine.store
    links = (link for chain, _, _ in store.chains() if chain.kind == "space" for link in store.links(chain))
    return dict(replay(links))


def _differences(engine: Engine) -> list[Break]:
    """Memories that are not as the trail says: changed without an event, or told of without a change."""
    stored, told = state(engine), replayed(engine)
    return [
        Break(f"space:{place}", 0, f"memory `{id}` is not as the trail says")
        for place, id in sorted(stored.keys() | told.keys())
        if stored.get((place, id)) != told.get((place, id))
    ]


def _line(link: Link, event: dict[str, Any]) -> dict[str, Any]:
    place = {"kind": link.chain.kind, "key": link.chain.key.hex()}
    return {"chain": place, "number": link.number, "hash": link.hash.hex(), "event": event}
