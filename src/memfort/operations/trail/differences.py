"""Compare the store with the trail: memories, phases, rejected values, batches, people, the directory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memfort.engine.engine import Engine
from memfort.engine.recorder import batch_digest
from memfort.errors import StoreError
from memfort.model.item import Readers
from memfort.model.people.directory import DirectoryState, Entry
from memfort.model.phase import Phase
from memfort.model.space import Space
from memfort.operations.people.edits import person_digest
from memfort.policy.sight import maintenance_sight
from memfort.trail.event import DIRECTORY_CHAIN
from memfort.trail.verify import POLICY_IN_USE, Break, ReplayedState

_ANYWHERE = Space.of({"system": ""})  # every sight includes the people in the directory
_PEOPLE_AT_ONCE = 1000


def differing_memories(engine: Engine, space: Space | None, recorded: ReplayedState) -> list[tuple[str, str]]:
    """The memories of a space that differ from the trail: changed without an event, or with an event but no change."""
    keys, expected, found = engine.store.keys, dict(recorded.memories), []
    if space is not None:
        place = _place(space)
        for id, record in engine.store.records(maintenance_sight([space])):
            if expected.pop((place, id), None) != keys.digest(record.decode()):
                found.append((place, id))
    return [*found, *expected]


def differences(engine: Engine, recorded: ReplayedState, memories: Sequence[tuple[str, str]]) -> list[Break]:
    """Everything that differs from the trail, and the memories that do."""
    ours = [(f"space:{place}", f"memory `{id}`") for place, id in memories]
    phases = [(f"space:{place}", f"phase `phase-{index}`") for place, index in _differing_phases(engine, recorded)]
    rejected_values = [(f"space:{place}", "a rejected value") for place in _differing_rejected_values(engine, recorded)]
    lines = [
        (str(DIRECTORY_CHAIN), _describe(entry)) for entry in _differing_keys(_directory(engine), recorded.directory)
    ]
    erasures = [("erasures", f"erasure `{id}`") for id in _differing_erasures(engine, recorded)]
    batches = [(f"space:{place}", f"import batch `{id}`") for place, id in _differing_batches(engine, recorded)]
    people = [(_chain_at(place), what) for place, what in _differing_people(engine, recorded)]
    found = (*ours, *phases, *rejected_values, *batches, *people, *lines, *erasures)
    return [Break(chain, 0, f"{what} differs from the trail") for chain, what in found]


def _differing_phases(engine: Engine, recorded: ReplayedState) -> list[tuple[str, int]]:
    kept: dict[tuple[str, int], Phase] = {}
    for space in engine.store.spaces():
        place = _place(space)
        for phases in engine.store.phases(maintenance_sight([space])).values():
            kept |= {(place, phase.index): phase for phase in phases}
    return _differing_keys(kept, recorded.phases)


def _differing_rejected_values(engine: Engine, recorded: ReplayedState) -> list[str]:
    """The spaces whose rejected values differ. The trail names a value by its digest, which cannot be compared after a
    new key."""
    store, found = engine.store, []
    for (place, readers, value, audience), rejected_value in recorded.rejected_values.items():
        space, listed = Space.of(json.loads(place)), Readers.of(**json.loads(readers))
        if rejected_value["key"] == store.keys.fingerprint:
            here = store.rejected_values(maintenance_sight([space]), space, listed, [bytes.fromhex(value)])
            kept = next((one for one in here if (one.readers, one.audience.text) == (listed, audience)), None)
            found += [place] if (kept and kept.authority) != rejected_value["authority"] else []
    return found


def _differing_batches(engine: Engine, recorded: ReplayedState) -> list[tuple[str, str]]:
    """Import batches that differ; after a new key, only those that are missing or have no event."""
    keys, kept = engine.store.keys, {}
    for space in engine.store.spaces():
        place = _place(space)
        for source in engine.store.sources(maintenance_sight([space])):
            kept[place, source.id] = batch_digest(engine.store.keys, source)
    same_key = {name: batch["key"] == keys.fingerprint for name, batch in recorded.batches.items()}
    expected = {name: batch["digest"] if same_key[name] else kept.get(name) for name, batch in recorded.batches.items()}
    return _differing_keys(kept, expected)


def _differing_people(engine: Engine, recorded: ReplayedState) -> list[tuple[str, str]]:
    """People and relations that differ; after a new key, only those that are missing or have no event."""
    store = engine.store
    kept: dict[tuple[str, str], str] = {}
    everywhere = maintenance_sight([_ANYWHERE, *store.spaces()])
    after: str | None = None
    while page := store.all_people(everywhere, after, _PEOPLE_AT_ONCE):
        kept |= {("" if one.home is None else _place(one.home), one.id): person_digest(store.keys, one) for one in page}
        after = page[-1].id
    for one in store.all_relations(everywhere):
        kept["" if one.home is None else _place(one.home), one.id] = person_digest(store.keys, one)
    same_key = {name: made["key"] == store.keys.fingerprint for name, made in recorded.people.items()}
    expected = {name: made["digest"] if same_key[name] else kept.get(name) for name, made in recorded.people.items()}
    return [
        (place, f"{'relation' if id.startswith('rel_') else 'person'} `{id}`")
        for place, id in _differing_keys(kept, expected)
    ]


def _chain_at(place: str) -> str:
    return f"space:{place}" if place else str(DIRECTORY_CHAIN)


def _differing_erasures(engine: Engine, recorded: ReplayedState) -> list[str]:
    """Erasures that are missing, or that were complete and are pending again."""
    kept = {erasure.id: erasure.pending is None for erasure in engine.store.erasures()}
    return [id for id, complete in sorted(recorded.erasures.items()) if id not in kept or complete > kept[id]]


def _directory(engine: Engine) -> DirectoryState:
    """The directory, with a digest of the policy in use. A policy that fails its check counts as different."""
    lines = dict(engine.store.directory())
    try:
        document = engine.store.policy()
    except StoreError:
        return lines | {POLICY_IN_USE: None}
    return lines if document is None else lines | {POLICY_IN_USE: engine.store.keys.digest(document)}


def _place(space: Space) -> str:
    """A space as the replay names it."""
    return json.dumps(space.to_dict(), sort_keys=True, ensure_ascii=False)


def _differing_keys(stored: Mapping[Any, Any], recorded: Mapping[Any, Any]) -> list[Any]:
    names = sorted(stored.keys() | recorded.keys())
    return [name for name in names if (name in stored, stored.get(name)) != (name in recorded, recorded.get(name))]


def _describe(entry: Entry) -> str:
    match entry:
        case ("member", level, id, kind, name):
            return f"member `{kind}:{name}` of {level} `{id}`"
        case ("group", level, id):
            return f"{level} `{id}`"
        case ("key", id):
            return f"API key `{id}`"
        case ("policy", _):
            return "the policy in use"
        case _:
            return f"{entry[0]} `{entry[1]}`"
