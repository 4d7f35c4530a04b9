"""The trail, for those who check it: verify, export, replay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from memfort.memory.engine import ALL_STATES, Engine, labels
from memfort.model.actor import ActorKind, Standpoint
from memfort.model.record import actor_from_dict
from memfort.policy.sight import maintenance_sight
from memfort.trace.checkpoint import Checkpoint
from memfort.trace.event import Link, chain_of_actor
from memfort.trace.verify import Break, Verification, replay, verify_chain


def verify(engine: Engine, anchors: Iterable[Checkpoint] = ()) -> Verification:
    """Recompute every chain and every signature; name the first break of each chain that has one.

    Anchors are checkpoints that were kept outside the store. What they cover cannot be rewritten or cut off unnoticed,
    not even by somebody who has the database and an old copy of it.
    """
    engine.flush()
    store = engine.store
    outside = list(anchors)
    events, unanchored, broken = 0, 0, []
    with store.reading():
        chains = store.chains()
        known = {chain for chain, _, _ in chains}
        broken += [Break(str(one.chain), 1, "the whole chain is gone") for one in outside if one.chain not in known]
        for chain, number, head in chains:
            signed = [*store.checkpoints(chain), *(one for one in outside if one.chain == chain)]
            count, loose, problem = verify_chain(chain, store.links(chain), signed, store.keys.public, (number, head))
            events, unanchored = events + count, unanchored + loose
            if problem is not None:
                broken.append(problem)
        if not broken:
            broken = _differences(engine)
    return Verification(len(chains), events, unanchored, tuple(broken))


def checkpoint(engine: Engine) -> list[Checkpoint]:
    """Sign every chain that has grown, and give the last checkpoint of each: what to keep elsewhere as an anchor."""
    engine.flush()
    engine.store.checkpoint(engine.clock.now())
    with engine.store.reading():
        last = [engine.store.checkpoints(chain)[-1:] for chain, _, _ in engine.store.chains()]
    return [one for signed in last for one in signed]


def export(engine: Engine, standpoint: Standpoint) -> Iterator[dict[str, Any]]:
    """The trail as plain data: all of it for the system actor, and for anybody else what they did themselves."""
    engine.flush()
    is_system = standpoint.actor.kind is ActorKind.SYSTEM
    own = chain_of_actor(standpoint.actor)
    lines = []
    with engine.store.reading():
        for chain in sorted((chain for chain, _, _ in engine.store.chains()), key=lambda one: (one.kind, one.key)):
            for link in engine.store.links(chain):
                event = json.loads(link.body)
                if is_system or actor_from_dict(event["actor"]).key == standpoint.actor.key:
                    lines.append(_line(link, event, placed=is_system or chain == own))
    # Outside the snapshot: a caller may take the lines when it likes, and must not hold an old view of the store by it.
    yield from lines


def state(engine: Engine) -> dict[tuple[str, str], Any]:
    """The labels of every stored memory: what replaying the trail must give again."""
    found: dict[tuple[str, str], Any] = {}
    for space in engine.store.spaces():
        place = json.dumps(space.as_dict(), sort_keys=True, ensure_ascii=False)
        for item in engine.everything(maintenance_sight([space]), ALL_STATES):
            found[place, item.id] = labels(item, engine.store.keys)
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


def _line(link: Link, event: dict[str, Any], *, placed: bool) -> dict[str, Any]:
    """An event as plain data. Its place in a space's chain is for the system actor alone: the number and the hash
    would tell how much others did there, whether or not one may see it."""
    chain = {"kind": link.chain.kind, "key": link.chain.key.hex()}
    place = {"number": link.number, "hash": link.hash.hex()} if placed else {}
    return {"chain": chain, **place, "event": event}
