"""A graph of entities, observations and relations as profile facts of one identity.

Each is a memory with a key that spells its whole name, so that equal observations of two entities are two. The text of
an observation is the observation itself: recall finds it, and the gates have read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from msgspec import Struct, field

from memfort.client import BoundMemory
from memfort.errors import Denied
from memfort.model.item import Item

_ROOT = "graph"
_ENTITY, _OBSERVATION, _RELATION = "entity", "observation", "relation"
_PAGE = 500
_NAMED: Mapping[str, set[str]] = {  # what each says beside its text; a memory that does not is none of the graph
    f"{_ROOT}:{_ENTITY}": {"entity", "entity_type"},
    f"{_ROOT}:{_OBSERVATION}": {"entity"},
    f"{_ROOT}:{_RELATION}": {"from", "to", "relation_type"},
}
_LONGEST_PART = 120  # of a key; a mark that no plain part begins with stands before a digest


class Entity(Struct, frozen=True, rename="camel"):
    """Something that is known about, with what is known."""

    name: str
    entity_type: str
    observations: list[str] = field(default_factory=list)


class Relation(Struct, frozen=True, rename={"from_": "from", "relation_type": "relationType"}):
    """How one entity relates to another. Neither has to exist."""

    from_: str
    to: str
    relation_type: str

    @property
    def names(self) -> tuple[str, str, str]:
        return (self.from_, self.relation_type, self.to)


class Graph(Struct, frozen=True):
    """Entities and relations."""

    entities: list[Entity]
    relations: list[Relation]


class KnowledgeGraph:
    """The graph of one identity. A statement that a gate refuses raises `Denied`, with what came before it kept."""

    def __init__(self, memory: BoundMemory) -> None:
        self._memory = memory

    def read(self) -> Graph:
        items = self._items()
        observations: dict[str, list[str]] = {}
        for item in reversed(items[_OBSERVATION]):  # listed newest first
            observations.setdefault(str(item.meta["entity"]), []).append(item.text)
        entities = [
            Entity(str(item.meta["entity"]), str(item.meta["entity_type"]), observations.get(item.meta["entity"], []))
            for item in reversed(items[_ENTITY])
        ]
        return Graph(entities, [Relation(*_relation_of(item)) for item in reversed(items[_RELATION])])

    def create_entities(self, entities: Iterable[Entity]) -> list[Entity]:
        """Those that are new. One whose name exists stays as it is."""
        known, made = {one.name for one in self.read().entities}, []
        for one in entities:
            if one.name in known:
                continue
            known.add(one.name)
            meta = {"entity": one.name, "entity_type": one.entity_type}
            self._keep(f"{one.name} ({one.entity_type})", (_ENTITY, one.name), meta)
            self._observe(one.name, one.observations)
            made.append(one)
        return made

    def create_relations(self, relations: Iterable[Relation]) -> list[Relation]:
        known, made = set(self.read().relations), []
        for one in relations:
            if one not in known:
                known.add(one)
                meta = {"from": one.from_, "to": one.to, "relation_type": one.relation_type}
                self._keep(" ".join(one.names), (_RELATION, *one.names), meta)
                made.append(one)
        return made

    def add_observations(self, entity: str, contents: Iterable[str]) -> list[str] | None:
        """Those that are new; `None` if there is no such entity."""
        found = next((one for one in self.read().entities if one.name == entity), None)
        if found is None:
            return None
        new = [text for text in dict.fromkeys(contents) if text not in found.observations]
        self._observe(entity, new)
        return new

    def delete_entities(self, names: Iterable[str]) -> None:
        """With their observations, and every relation that names one."""
        gone, items = set(names), self._items()
        named = [item for kind in (_ENTITY, _OBSERVATION) for item in items[kind] if item.meta["entity"] in gone]
        related = [item for item in items[_RELATION] if gone & {item.meta["from"], item.meta["to"]}]
        self._forget([*named, *related])

    def delete_observations(self, entity: str, texts: Iterable[str]) -> None:
        gone = set(texts)
        items = self._items()[_OBSERVATION]
        self._forget([item for item in items if item.meta["entity"] == entity and item.text in gone])

    def delete_relations(self, relations: Iterable[Relation]) -> None:
        gone = set(relations)
        self._forget([item for item in self._items()[_RELATION] if Relation(*_relation_of(item)) in gone])

    def search(self, query: str) -> Graph:
        """Entities that say the query, whatever the case, and the relations that touch one."""
        words, graph = query.casefold(), self.read()
        return _around(
            graph,
            [
                one
                for one in graph.entities
                if any(words in text.casefold() for text in (one.name, one.entity_type, *one.observations))
            ],
        )

    def open(self, names: Iterable[str]) -> Graph:
        wanted, graph = set(names), self.read()
        return _around(graph, [one for one in graph.entities if one.name in wanted])

    # -- memories ------------------------------------------------------------------------------------------------------

    def _observe(self, entity: str, texts: Iterable[str]) -> None:
        for text in texts:
            self._keep(text, (_OBSERVATION, entity, text), {"entity": entity})

    def _keep(self, text: str, name: tuple[str, ...], meta: Mapping[str, str]) -> None:
        tags = [f"{_ROOT}:{name[0]}"]
        outcome = self._memory.remember(text, kind="profile", key=_key(name), tags=tags, meta=meta, origin="ai")
        if not outcome.stored:
            raise Denied(outcome.reason, outcome.decision.explanation)

    def _forget(self, items: Iterable[Item]) -> None:
        ids = [item.id for item in items]
        for start in range(0, len(ids), _PAGE):
            self._memory.forget(*ids[start : start + _PAGE])

    def _items(self) -> dict[str, list[Item]]:
        return {kind: self._tagged(f"{_ROOT}:{kind}") for kind in (_ENTITY, _OBSERVATION, _RELATION)}

    def _tagged(self, tag: str) -> list[Item]:
        found: list[Item] = []
        cursor: str | None = None
        while True:
            page = self._memory.list(kinds=["profile"], tags=[tag], limit=_PAGE, cursor=cursor)
            found += [
                item for item in page.items if (item.key or "").startswith(f"{tag}/") and _NAMED[tag] <= set(item.meta)
            ]
            if (cursor := page.cursor) is None:
                return found


def _around(graph: Graph, entities: list[Entity]) -> Graph:
    names = {one.name for one in entities}
    return Graph(entities, [one for one in graph.relations if names & {one.from_, one.to}])


def _relation_of(item: Item) -> tuple[str, str, str]:
    return str(item.meta["from"]), str(item.meta["to"]), str(item.meta["relation_type"])


def _key(name: tuple[str, ...]) -> str:
    """A key that no other name has. A long part is told by its digest."""
    kind, *parts = name
    return f"{_ROOT}:{kind}/" + "/".join(map(_spelled, parts))


def _spelled(part: str) -> str:
    plain = part.replace("%", "%25").replace("/", "%2F")
    return plain if len(plain) <= _LONGEST_PART else f"%23{sha256(part.encode()).hexdigest()}"
