"""The trail, for those who check it: verify, sign, export, replay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memfort.errors import StoreError
from memfort.memory.engine import Engine
from memfort.memory.people.directory import person_digest
from memfort.model.actor import SYSTEM, ActorKind, Standpoint
from memfort.model.directory import DirectoryState, Entry
from memfort.model.item import Readers
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.record import actor_from_dict
from memfort.model.space import Space
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Sign
from memfort.trace.checkpoint import Checkpoint
from memfort.trace.event import DIRECTORY_CHAIN, ChainId, Event, Link, chain_of_actor, chain_of_space
from memfort.trace.verify import NOT_OURS, POLICY_IN_USE, Break, Told, Verification, replay, verify_chain

_ANYWHERE = Space.of({"system": ""})  # whoever sees anything sees who is listed
_PEOPLE_AT_ONCE = 1000


def verify(engine: Engine, anchors: Iterable[Checkpoint] = ()) -> Verification:
    """Recompute every chain and every signature; name the first break of each chain that has one.

    Anchors are checkpoints that were kept outside the store. What they cover cannot be rewritten or cut off unnoticed,
    not even by somebody who has the database and an old copy of it.
    """
    engine.flush()
    store = engine.store
    outside = list(anchors)
    events, unanchored, broken, told, differing = 0, 0, [], Told(), []
    with store.reading():
        chains, spaces = store.chains(), {chain_of_space(space): space for space in store.spaces()}
        known = {chain for chain, _, _ in chains}
        broken += [Break(str(one.chain), 1, "the whole chain is gone") for one in outside if one.chain not in known]
        for chain, number, head in chains:
            signed = [*store.checkpoints(chain), *(one for one in outside if one.chain == chain)]
            count, loose, problem = verify_chain(chain, store.links(chain), signed, store.keys.public, (number, head))
            events, unanchored = events + count, unanchored + loose
            if problem is not None:
                broken.append(problem)
            elif not broken:
                replay(store.links(chain), told)
                differing += _other_memories(engine, spaces.get(chain), told)
                told.memories.clear()  # of one chain at a time: a store may have more than fit into memory
        if not broken:
            differing += [one for chain, space in spaces.items() if chain not in known
                          for one in _other_memories(engine, space, told)]  # fmt: skip
            broken = _differences(engine, told, sorted(differing))
    return Verification(len(chains), events, unanchored, tuple(broken))


def checkpoint(engine: Engine) -> list[Checkpoint]:
    """Sign every chain that has grown, and give the last checkpoint of each: what to keep elsewhere as an anchor.
    The event that tells of it is covered too, so that a second call finds nothing to sign."""
    store = engine.store
    with engine.writing():
        if grown := _grown(engine):
            event = upkeep(engine, "checkpoint", Reason.SIGNED, chains=len(grown))
            store.apply([Sign(event.at)], [event])
        last = [store.checkpoints(chain)[-1:] for chain, _, _ in store.chains()]
    return [one for signed in last for one in signed]


def upkeep(engine: Engine, action: str, reason: Reason, **detail: Any) -> Event:
    """An event about the store as a whole, for the chain of the directory."""
    return Event(
        chain=DIRECTORY_CHAIN, at=engine.clock.now(), action=action, actor=SYSTEM, surface=engine.surface,
        decision="allowed", reason=reason, policy=engine.policy.digest, detail=detail,
    )  # fmt: skip


def export(engine: Engine, standpoint: Standpoint) -> Iterator[dict[str, Any]]:
    """The trail as plain data: all of it for the system actor, and for anybody else what they did themselves."""
    engine.flush()
    if not engine.takes_part(standpoint):
        return
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


def _other_memories(engine: Engine, space: Space | None, told: Told) -> list[tuple[str, str]]:
    """The memories of a space that are not as the trail says: changed without an event, or told of without a change."""
    keys, expected, found = engine.store.keys, dict(told.memories), []
    if space is not None:
        place = _place(space)
        for id, record in engine.store.records(maintenance_sight([space])):
            if expected.pop((place, id), None) != keys.digest(record.decode()):
                found.append((place, id))
    return [*found, *expected]


def _differences(engine: Engine, told: Told, memories: Sequence[tuple[str, str]]) -> list[Break]:
    """What is not as the trail says, and the memories that are not."""
    ours = [(f"space:{place}", f"memory `{id}`") for place, id in memories]
    phases = [(f"space:{place}", f"phase `phase-{index}`") for place, index in _other_phases(engine, told)]
    bars = [(f"space:{place}", "a rejected value") for place in _other_bars(engine, told)]
    lines = [(str(DIRECTORY_CHAIN), _named(entry)) for entry in _unlike(_directory(engine), told.directory)]
    erasures = [("erasures", f"erasure `{id}`") for id in _other_erasures(engine, told)]
    batches = [(f"space:{place}", f"import batch `{id}`") for place, id in _other_batches(engine, told)]
    people = [(_chain_at(place), what) for place, what in _other_people(engine, told)]
    found = (*ours, *phases, *bars, *batches, *people, *lines, *erasures)
    return [Break(chain, 0, f"{what} is not as the trail says") for chain, what in found]


def _other_phases(engine: Engine, told: Told) -> list[tuple[str, int]]:
    kept: dict[tuple[str, int], Phase] = {}
    for space in engine.store.spaces():
        place = _place(space)
        for phases in engine.store.phases(maintenance_sight([space])).values():
            kept |= {(place, phase.index): phase for phase in phases}
    return _unlike(kept, told.phases)


def _other_bars(engine: Engine, told: Told) -> list[str]:
    """The spaces of rejected values that are not as told. The trail names a value by its digest, which after a new key
    nothing can be compared with."""
    store, found = engine.store, []
    for (place, readers, value), bar in told.bars.items():
        space, listed = Space.of(json.loads(place)), json.loads(readers)
        if bar["key"] == store.keys.fingerprint:
            kept = store.bar(maintenance_sight([space]), space, Readers.of(**listed), bytes.fromhex(value))
            found += [place] if (kept and kept.authority) != bar["authority"] else []
    return found


def _other_batches(engine: Engine, told: Told) -> list[tuple[str, str]]:
    """Import batches that are not as told; after a new key, only those that are gone or came from nowhere."""
    keys, kept = engine.store.keys, {}
    for space in engine.store.spaces():
        place = _place(space)
        for source in engine.store.sources(maintenance_sight([space])):
            kept[place, source.id] = engine.batch_digest(source)
    same_key = {name: batch["key"] == keys.fingerprint for name, batch in told.batches.items()}
    expected = {name: batch["digest"] if same_key[name] else kept.get(name) for name, batch in told.batches.items()}
    return _unlike(kept, expected)


def _other_people(engine: Engine, told: Told) -> list[tuple[str, str]]:
    """People and relations that are not as told; after a new key, only those that are gone or came from nowhere."""
    store = engine.store
    kept: dict[tuple[str, str], str] = {}
    everywhere = maintenance_sight([_ANYWHERE, *store.spaces()])
    after: str | None = None
    while page := store.all_people(everywhere, after, _PEOPLE_AT_ONCE):
        kept |= {("" if one.home is None else _place(one.home), one.id): person_digest(store.keys, one) for one in page}
        after = page[-1].id
    for one in store.all_relations(everywhere):
        kept["" if one.home is None else _place(one.home), one.id] = person_digest(store.keys, one)
    same_key = {name: made["key"] == store.keys.fingerprint for name, made in told.people.items()}
    expected = {name: made["digest"] if same_key[name] else kept.get(name) for name, made in told.people.items()}
    return [(place, f"{'relation' if id.startswith('rel_') else 'person'} `{id}`")
            for place, id in _unlike(kept, expected)]  # fmt: skip


def _chain_at(place: str) -> str:
    return f"space:{place}" if place else str(DIRECTORY_CHAIN)


def _other_erasures(engine: Engine, told: Told) -> list[str]:
    """Erasures that are gone, or were complete and wait again."""
    kept = {erasure.id: erasure.pending is None for erasure in engine.store.erasures()}
    return [id for id, complete in sorted(told.erasures.items()) if id not in kept or complete > kept[id]]


def _directory(engine: Engine) -> DirectoryState:
    """The directory, with a digest of the policy in use. One that cannot be believed contradicts itself."""
    lines = dict(engine.store.directory())
    try:
        document = engine.store.policy()
    except StoreError:
        return lines | {POLICY_IN_USE: None}
    return lines if document is None else lines | {POLICY_IN_USE: engine.store.keys.digest(document)}


def _place(space: Space) -> str:
    """A space as the replay names it."""
    return json.dumps(space.as_dict(), sort_keys=True, ensure_ascii=False)


def _unlike(stored: Mapping[Any, Any], told: Mapping[Any, Any]) -> list[Any]:
    names = sorted(stored.keys() | told.keys())
    return [name for name in names if (name in stored, stored.get(name)) != (name in told, told.get(name))]


def _named(entry: Entry) -> str:
    match entry:
        case ("member", level, id, kind, name):
            return f"member `{kind}:{name}` of {level} `{id}`"
        case ("group", level, id):
            return f"{level} `{id}`"
        case ("policy", _):
            return "the policy in use"
        case _:
            return f"{entry[0]} `{entry[1]}`"


def _grown(engine: Engine) -> list[ChainId]:
    """The chains that have grown since they were last signed. What is not the store's own it does not sign."""
    return [
        chain
        for chain, length, head in engine.store.chains()
        if head != NOT_OURS and length not in {one.number for one in engine.store.checkpoints(chain)[-1:]}
    ]


def _line(link: Link, event: dict[str, Any], *, placed: bool) -> dict[str, Any]:
    """An event as plain data. Its place in a space's chain is for the system actor alone: the number and the hash
    would tell how much others did there, whether or not one may see it."""
    chain = {"kind": link.chain.kind, "key": link.chain.key.hex()}
    place = {"number": link.number, "hash": link.hash.hex()} if placed else {}
    return {"chain": chain, **place, "event": event}
