"""Export: what a standpoint owns, and the people in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memfort.capture.formats import EXPORT_VERSION
from memfort.memory.engine import Engine
from memfort.memory.placing import home_of
from memfort.memory.reading import damaged_in
from memfort.memory.transfer.people_out import is_about_others, people_in
from memfort.memory.transfer.proofs import REVIEWED, STATED, is_anothers, proof_of, was_reviewed
from memfort.model.actor import Standpoint
from memfort.model.item import Item, Status
from memfort.model.person import person_to_dict, relation_to_dict
from memfort.model.record import item_to_dict
from memfort.model.source import source_to_dict
from memfort.policy.sight import own_spaces_sight
from memfort.store.port import Filter

_OWNED = Filter(statuses=frozenset(Status))


def export(engine: Engine, standpoint: Standpoint) -> Iterator[dict[str, Any]]:
    """A header, then the import batches and every memory that the standpoint owns, oldest first: all of its private
    spaces, and elsewhere what it wrote itself; and the people in them, as far as it may know them. The header names
    what is damaged and therefore missing, and proves which personal data a person approved here and what somebody else
    said."""
    now = engine.clock.now()
    with engine.store.reading():
        items, damaged = _owned(engine, standpoint)
        home = engine.sight(standpoint).narrowed([home_of(standpoint, engine.policy)])
        sources = [source for source in engine.store.sources(home) if source.items is None]  # not what only came back
        people, relations = people_in(engine, standpoint, items)
    # Outside the snapshot: a caller may take the lines when it likes, and must not hold an old view of the store by it.
    engine.note_sight_of("export", standpoint.actor, [item.id for item in items], now)
    told: dict[str, Any] = {
        "damaged": damaged,
        REVIEWED: {item.id: proof_of(engine, item, REVIEWED) for item in items if was_reviewed(item)},
        STATED: {item.id: proof_of(engine, item, STATED) for item in items if is_anothers(item, standpoint.actor)},
        "people": len(people),
        "relations": len(relations),
        "store": engine.store.keys.fingerprint if is_about_others(items, people) else None,
    }
    header = {"memfort_export": EXPORT_VERSION, "actor": str(standpoint.actor)}
    header |= {"memories": len(items), "sources": len(sources)}
    yield {**header, **{name: value for name, value in told.items() if value}}
    for source in sources:
        yield {"source": source_to_dict(source)}
    for item in sorted(items, key=lambda item: (item.created_at, item.number, item.id)):
        yield {"memory": item_to_dict(item)}
    for person in people:
        yield {"person": person_to_dict(person)}
    for relation in relations:
        yield {"relation": relation_to_dict(relation)}


def _owned(engine: Engine, standpoint: Standpoint) -> tuple[list[Item], list[str]]:
    """What a standpoint owns, and the names of what is damaged there: whose it was cannot be told any more."""
    actor = standpoint.actor
    held = engine.sight(standpoint).writable
    own = own_spaces_sight(actor, engine.own_spaces(held), hearing=held.hearing)
    rest = held.narrowed([seen.space for seen in held.spaces if seen.space.id not in own.by_id])
    mine = [item for item in engine.everything(rest, _OWNED) if item.space.is_private or item.author.key == actor.key]
    return [*engine.everything(own, _OWNED), *mine], sorted({*damaged_in(engine, own), *damaged_in(engine, rest)})
