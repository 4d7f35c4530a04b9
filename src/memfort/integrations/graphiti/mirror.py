"""The mirror: follows the trail of a store, keeps the graph as Memfort says, and asks it with the group ids of a sight.

Memfort stays the authority. The graph finds ids; each is looked up with the rights of who asks, so that an edge which
the graph has too long shows nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from msgspec import Struct

from memfort.client.async_memory import AsyncBoundMemory
from memfort.client.bound import BoundMemory
from memfort.client.memory import Memory
from memfort.embed.choice import as_embedder
from memfort.embed.port import Embedder
from memfort.errors import InvalidInput, NotFound
from memfort.integrations.graphiti.graph import Graph, KuzuGraph, embedded, owner_id
from memfort.integrations.graphiti.group_ids import group_id_of, is_mirrored
from memfort.integrations.graphiti.outbox import Mirrored, Outbox
from memfort.model.item import Item
from memfort.model.results import Receipt
from memfort.model.space import Level, Space
from memfort.trail.event import ChainId

_AT_ONCE = 100  # memories between two notes of how far it is
_SURFACE = "graphiti"  # the trail's word for how the mirror asks
_NOT_SEARCHED = "its words are not kept, so that they could not be searched for"


class Synced(Struct, frozen=True):
    """What a call of `sync` changed in the graph."""

    saved: int
    deleted: int
    waiting_for_erasure: int  # memories whose words may still be in the graph's file


class GraphReceipt(Struct, frozen=True, kw_only=True):
    """Proof of an erasure in Memfort and in the graph."""

    receipt: Receipt | None  # of Memfort; `None` for what was erased there before
    counts: Mapping[str, int]  # in the graph, by place
    pending: str | None = None  # why it is not finished
    notes: tuple[str, ...] = ()  # what the graph cannot promise

    @property
    def state(self) -> str:
        if self.pending is not None or (self.receipt is not None and self.receipt.state == "pending"):
            return "pending"
        return "complete" if self.receipt is None else self.receipt.state


class GraphitiMirror:
    """A store and the graph that follows it. One mirror at a time writes a graph; recalls may go on meanwhile."""

    def __init__(self, memory: Memory, graph: Graph, outbox: Outbox, embedder: Embedder) -> None:
        self._memory, self.graph, self._outbox, self._embedder = memory, graph, outbox, embedder
        self._lock = asyncio.Lock()

    @classmethod
    async def open(
        cls, memory: Memory, graph: Graph, outbox: Path | str, *, embedder: Embedder | str | None = None
    ) -> Self:
        """`outbox` is a file that says what the graph still has to follow: keep it with the graph. `embedder` gives the
        vectors of edges and queries; the one that ships with Memfort needs no network."""
        found = as_embedder(embedder)
        if found is None:
            raise InvalidInput("embedder", "edges need vectors", "leave it out, or name one that gives vectors")
        await graph.prepare()
        kept = Outbox(outbox)
        if graph.is_new:
            kept.begin_anew()
        return cls(memory, graph, kept, found)

    async def close(self) -> None:
        async with self._lock:
            await self.graph.close()
            self._outbox.close()

    # -- follow --------------------------------------------------------------------------------------------------------

    async def sync(self) -> Synced:
        """Bring into the graph what has changed in the store since it was last called, whatever happened between."""
        async with self._lock:
            return await self._sync()

    async def _sync(self) -> Synced:
        await asyncio.to_thread(self._read_trail)
        saved = deleted = 0
        while waiting := dict(list(self._outbox.waiting.items())[:_AT_ONCE]):
            found = await asyncio.to_thread(self._look_up, waiting)
            self._outbox.about_to_write(id for id, item in found.items() if item is not None)
            before = {id: one for id in found if (one := self._outbox.mirrored.get(id)) is not None}
            done: dict[str, Mirrored | None] = {}
            for id, item in found.items():
                if item is None:
                    deleted += await self._delete(id, waiting[id], before.get(id))
                    done[id] = None
                else:
                    saved += 1
                    done[id] = await self._save(item, before.get(id))
            await self._delete_unused_nodes(before.values(), done)
            self._outbox.finish(done)
        return Synced(saved, deleted, len(self._outbox.erased))

    def _read_trail(self) -> None:
        """Note in the outbox which memories of agents changed. A chain belongs to one space; those of others are passed
        over."""
        store, cursors = self._memory.store_in_use, {}
        waiting: dict[str, dict[str, str]] = {}
        erased: list[str] = []
        for chain, length, _ in list(store.chains()):
            name = _name_of(chain)
            if chain.kind != "space" or length <= self._outbox.cursors.get(name, 0):
                continue
            for event in self._events(chain, self._outbox.cursors.get(name, 0)):
                if event["item"] and event["space"] and is_mirrored(Space.of(event["space"])):
                    waiting[event["item"]] = event["space"]
                    if event["action"] == "erase":
                        erased.append(event["item"])
            cursors[name] = length
        if cursors:
            self._outbox.take(cursors, waiting, erased)

    def _events(self, chain: ChainId, after: int) -> list[dict[str, Any]]:
        links = self._memory.store_in_use.links(chain, after)
        return [json.loads(link.body) for link in links if link.body]

    def _look_up(self, waiting: Mapping[str, dict[str, str]]) -> dict[str, Item | None]:
        return {id: self._reader(Space.of(space)).get(id) for id, space in waiting.items()}

    def _reader(self, space: Space) -> BoundMemory:
        """Who may read a mirrored space: the agent itself, or the user whose agents share it."""
        places: Any = {one.level.value: one.id for one in space.coordinates if one.level is not Level.VISIBILITY}
        agent = places.pop("agent", None)
        if agent is None:
            return self._memory.as_user(places.pop("user"), **places).through(None, surface=_SURFACE)
        user = places.pop("user", None)
        return self._memory.as_agent(agent, acting_for=user, **places).through(None, surface=_SURFACE)

    async def _save(self, item: Item, had: Mirrored | None) -> Mirrored:
        group = group_id_of(item.space)
        if had is not None and had.group != group:
            await self.graph.delete(item.id, had.group)
        return await self.graph.save(item, group, self._embedder)

    async def _delete(self, id: str, space: Mapping[str, str], had: Mirrored | None) -> int:
        groups = {group_id_of(Space.of(space))} | ({had.group} if had else set())
        return sum([await self.graph.delete(id, group) for group in groups])

    async def _delete_unused_nodes(self, before: Iterable[Mirrored], done: Mapping[str, Mirrored | None]) -> None:
        """Delete the nodes that no edge of ours joins any more: their names are words too."""
        after = {**self._outbox.mirrored, **done}
        stay = [one for one in after.values() if one is not None]
        nodes, groups = {one.node for one in stay}, {one.group for one in stay}
        for one in before:
            if one.node not in nodes:
                await self.graph.delete_node(one.node)
            if one.group not in groups:
                await self.graph.delete_node(owner_id(one.group))

    # -- ask -----------------------------------------------------------------------------------------------------------

    async def recall(self, memory: BoundMemory | AsyncBoundMemory, query: str, *, limit: int = 10) -> list[Item]:
        """What the graph finds for a query among what `memory` may see, as Memfort discloses it. A standpoint that sees
        no agent's space gets nothing, and the graph is not asked."""
        bound = memory.sync if isinstance(memory, AsyncBoundMemory) else memory
        groups = await asyncio.to_thread(self._groups_of, bound)
        if not groups or not query.strip():
            return []
        (vector,) = await embedded(self._embedder, [query])
        async with self._lock:
            ids = await self.graph.ids(query, vector, groups)
        return await asyncio.to_thread(_disclosed, bound, ids, limit)

    def _groups_of(self, bound: BoundMemory) -> list[str]:
        spaces = [Space.of(one) for one in bound.spaces()]
        return [group_id_of(space) for space in spaces if is_mirrored(space)]

    # -- erase ---------------------------------------------------------------------------------------------------------

    async def erase(self, memory: BoundMemory | AsyncBoundMemory, *ids: str, **selector: Any) -> GraphReceipt:
        """Erase in Memfort, as `memory.erase(…)` does, and in the graph: edges, nodes, episodes and summaries, and the
        file where it keeps deleted words. Until all that is done and searched, the receipt says `pending`."""
        bound = memory.sync if isinstance(memory, AsyncBoundMemory) else memory
        if selector.pop("dry_run", False):
            return GraphReceipt(receipt=bound.erase(*ids, **selector, dry_run=True), counts={})
        preview = await asyncio.to_thread(lambda: bound.erase(*ids, **selector, dry_run=True))
        gone = [(id, space) for space, id in preview.items if is_mirrored(space)]
        texts = await asyncio.to_thread(_texts_of, bound, [id for id, _ in gone])
        receipt = await asyncio.to_thread(lambda: bound.erase(*ids, **selector))
        groups = list(dict.fromkeys(group_id_of(space) for _, space in gone))
        async with self._lock:
            try:
                return await self._erase(receipt, texts, groups)
            except Exception as error:  # noqa: BLE001  # Memfort's part is done: the receipt says what is not
                return GraphReceipt(receipt=receipt, counts={}, pending=f"the graph failed: {type(error).__name__}")

    async def finish_erasures(self) -> GraphReceipt:
        """Finish in the graph what was erased in Memfort, by whatever program, since the mirror last looked. It has no
        words to search for: they are gone."""
        async with self._lock:
            return await self._erase(None, [], [])

    async def _erase(self, receipt: Receipt | None, texts: list[str], groups: list[str]) -> GraphReceipt:
        synced = await self._sync()
        counts = {"edges": synced.deleted, **await self.graph.delete_words(texts, groups)}
        is_owed = bool(self._outbox.erased)
        if is_owed and isinstance(self.graph, KuzuGraph):
            await self._rebuild(self.graph)
            counts["files"] = 1
        elif is_owed:
            self._outbox.made_anew(self._outbox.mirrored)
        left = await self.graph.residue(texts, groups)
        if isinstance(self.graph, KuzuGraph):
            left += await asyncio.to_thread(self.graph.residue_in_files, await self._said_nowhere_else(texts))
        notes = [f"not searched: {place}" for place in self.graph.cannot_see]
        notes += [] if texts or not is_owed else [_NOT_SEARCHED]
        pending = f"the words are still in {', '.join(left)}" if left else None
        return GraphReceipt(receipt=receipt, counts=counts, pending=pending, notes=tuple(notes))

    async def _rebuild(self, graph: KuzuGraph) -> None:
        kept = self._outbox.mirrored.items()
        items = [(item, one.group) for id, one in kept if (item := await self._item(id, one)) is not None]
        self._outbox.made_anew(await graph.rebuilt(items, self._embedder))

    async def _item(self, id: str, mirrored: Mirrored) -> Item | None:
        return await asyncio.to_thread(lambda: self._reader(Space.of(mirrored.space)).get(id))

    async def _said_nowhere_else(self, texts: Iterable[str]) -> list[str]:
        """The texts that no memory which stays says too: those may be in the file."""
        kept = [item.text for id, one in self._outbox.mirrored.items() if (item := await self._item(id, one))]
        return [text for text in texts if not any(text in other for other in kept)]


def _disclosed(bound: BoundMemory, ids: Iterable[str], limit: int) -> list[Item]:
    found: list[Item] = []
    for id in ids:
        if len(found) >= limit:
            break
        if (item := bound.get(id)) is not None:
            found.append(item)
    return found


def _texts_of(bound: BoundMemory, ids: Iterable[str]) -> list[str]:
    """All that these memories say, in every version."""
    found: list[str] = []
    for id in ids:
        try:
            found += [item.text for item in bound.history(id)]
        except NotFound:
            continue
    return list(dict.fromkeys(found))


def _name_of(chain: ChainId) -> str:
    return f"{chain.kind}:{chain.key.hex()}"
