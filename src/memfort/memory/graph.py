"""The graph of memories and people, as far as the asker may see it: every hop goes through the same sight and the same
disclosure as any other read, so that nothing is found along the way that could not be found straight."""

from __future__ import annotations

from collections.abc import Iterable

from memfort.errors import InvalidInput, NotFound
from memfort.memory.engine import Engine
from memfort.memory.input import id_of, limit_of
from memfort.memory.people.directory import look_up
from memfort.memory.reading import note_shown
from memfort.memory.showing import shown_to
from memfort.memory.writing import is_shown
from memfort.model.actor import Standpoint
from memfort.model.edge import Edge, EdgeKind, edges_of
from memfort.model.item import Item
from memfort.model.person import user_of_person
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.policy.people import is_shown as may_be_known
from memfort.policy.sight import asking_about
from memfort.store.port import Filter

MAX_HOPS = 2
_PEOPLE_PER_HOP = 32


def edges(engine: Engine, standpoint: Standpoint, id: str) -> list[Edge]:
    """The edges at a memory or a person, as far as both ends may be known to the asker."""
    with engine.store.reading():
        sight, now = engine.sight(standpoint), engine.clock.now()
        found = [item for item in engine.store.items(sight, [id_of(id)]) if is_shown(engine, sight, item, now)]
        if found:
            known = _seen_ids(engine, sight, (edge.target for edge in edges_of(shown_to(engine, sight, found[0]))))
            told = [one for one in edges_of(shown_to(engine, sight, found[0])) if _may_follow(one, known)]
        else:
            told = _at_person(engine, sight, id)
    engine.note_read(engine.asked("edges", standpoint.actor, "allowed", Reason.VISIBLE, now, {"ids": [id]}))
    return sorted(told)


def related(engine: Engine, standpoint: Standpoint, id: str, hops: int, limit: int) -> list[Item]:
    """The memories that hang together with one, over the people they are about, the nearest and newest first."""
    limit, hops = limit_of(limit), _hops(hops)
    with engine.store.reading():
        sight, now = engine.sight(standpoint), engine.clock.now()
        start = [item for item in engine.store.items(sight, [id_of(id)]) if is_shown(engine, sight, item, now)]
        if not start:
            raise NotFound("memory", id)
        found: dict[str, Item] = {}
        edge, met = list(start[:1]), set[str]()
        for _ in range(hops):
            people = sorted({person for item in edge for person in item.subjects} - met)[:_PEOPLE_PER_HOP]
            met.update(people)
            wide = asking_about(sight, people)
            near = engine.store.about(wide, people, Filter(), limit + 1, now) if people else []
            edge = [item for item in near if item.id not in {id, *found} and is_shown(engine, wide, item, now)]
            found |= {item.id: item for item in edge}
        items = list(found.values())[:limit]
    note_shown(engine, standpoint, sight, "related", items, now)
    return [shown_to(engine, sight, item) for item in items]


def _hops(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_HOPS:
        raise InvalidInput("hops", f"`{value}` is not possible", f"give a whole number from 1 to {MAX_HOPS}")
    return value


def _seen_ids(engine: Engine, sight: Sight, ids: Iterable[str]) -> set[str]:
    """Of the memories named here, those that the sight admits."""
    wanted = [id for id in ids if id.startswith("mem_")]
    return {item.id for item in engine.store.items(sight, wanted)} if wanted else set()


def _may_follow(edge: Edge, known: set[str]) -> bool:
    return edge.kind is not EdgeKind.SUPERSEDES or edge.target in known


def _at_person(engine: Engine, sight: Sight, id: str) -> list[Edge]:
    person = look_up(engine, sight, id)
    if person is None:
        raise NotFound("memory or person", id)
    found = [Edge(EdgeKind.MERGED_INTO, id, person.id)] if person.id != id else []
    if (user := user_of_person(person.id)) is not None:
        found.append(Edge(EdgeKind.IS_PERSON, user, person.id))
    room = None if sight.hearing is None else sight.hearing.room
    if room is not None and room.chat is not None and person.id in room.present:
        found.append(Edge(EdgeKind.TAKES_PART_IN, person.id, room.chat))
    relations = [one for one in engine.store.relations(sight, [person.id]) if may_be_known(sight, one)]
    return [*found, *(Edge(EdgeKind.RELATES_TO, one.from_person, one.to_person, one.term) for one in relations)]
