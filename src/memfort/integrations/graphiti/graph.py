"""The graph: edges and nodes of Graphiti on one of its drivers, saved and deleted by us. No model is asked.

A memory is one edge from the node of its space to the node of what it is about. Ids follow from the group and the id of
the memory, so that saving again changes nothing.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import os
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID, uuid5

from graphiti_core.driver.driver import GraphDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.errors import EdgeNotFoundError, GroupsEdgesNotFoundError, NodeNotFoundError
from graphiti_core.graph_queries import get_fulltext_indices
from graphiti_core.nodes import EntityNode, EpisodicNode
from graphiti_core.search.search_filters import SearchFilters
from graphiti_core.search.search_utils import edge_fulltext_search, edge_similarity_search

from memfort.embed.port import Embedder
from memfort.errors import InvalidInput
from memfort.integrations.graphiti.outbox import Mirrored
from memfort.model.item import Item
from memfort.model.moment import to_datetime

_OURS = UUID("6d656d66-6f72-4d67-8261-706869746921")
_MEMORY = "memory"  # the attribute of an edge that names its memory
_MOST_WORDS = 100  # of a full-text query; Graphiti drops a longer one
_MOST_BY_WORDS = 10_000
_BY_MEANING = 200  # candidates by meaning, of which the first that may be read are taken


class Graph:
    """What the mirror does with a graph, whatever runs it."""

    is_new = False  # whether it has nothing yet, so that everything has to be brought again
    cannot_see: tuple[str, ...] = ()  # where words may be that a search of the graph does not reach

    def __init__(self, driver: GraphDriver) -> None:
        self._driver = driver

    @property
    def driver(self) -> GraphDriver:
        """For a `Graphiti(graph_driver=…)` of your own. Give its searches the group ids that a reader may see."""
        return self._driver

    async def prepare(self) -> None:
        """Make the indices that are missing."""
        await self._driver.build_indices_and_constraints()

    async def save(self, item: Item, group: str, embedder: Embedder) -> Mirrored:
        """Save a memory as an edge, with the nodes that it joins."""
        about = item.subjects[0] if item.subjects else item.type
        owner, topic = owner_id(group), _node_id(group, about)
        vectors = await embedded(embedder, [item.text, group, about])
        now = to_datetime(item.created_at_us)
        for id, name, vector in ((owner, group, vectors[1]), (topic, about, vectors[2])):
            node = EntityNode(uuid=id, name=name, group_id=group, created_at=now, summary="", name_embedding=vector)
            await node.save(self._driver)
        edge = EntityEdge(
            uuid=edge_id(group, item.id),
            source_node_uuid=owner,
            target_node_uuid=topic,
            group_id=group,
            name=item.type.upper(),
            fact=item.text,
            created_at=now,
            valid_at=to_datetime(item.observed_at_us or item.created_at_us),
            fact_embedding=vectors[0],
            episodes=[],
            attributes={_MEMORY: item.id},
        )
        await edge.save(self._driver)
        return Mirrored(group, item.space.to_dict(), topic)

    async def delete(self, id: str, group: str) -> int:
        """Delete the edge of a memory, and say whether there was one."""
        try:
            edge = await EntityEdge.get_by_uuid(self._driver, edge_id(group, id))
        except EdgeNotFoundError:
            return 0
        await edge.delete(self._driver)
        return 1

    async def delete_node(self, id: str) -> int:
        try:
            node = await EntityNode.get_by_uuid(self._driver, id)
        except NodeNotFoundError:
            return 0
        await node.delete(self._driver)
        return 1

    async def ids(self, query: str, vector: Sequence[float], groups: Sequence[str]) -> list[str]:
        """The memories of these groups that may answer a query, by meaning and by words. What orders them is the
        query and they themselves: the graph's word index weighs words by how rare they are in all groups."""
        if not groups or not all(groups):
            raise InvalidInput("groups", "there is none, which Graphiti takes for all", "name the groups of a sight")
        named, filters = list(groups), SearchFilters()
        by_meaning = await edge_similarity_search(
            self._driver, list(vector), None, None, filters, named, _BY_MEANING, min_score=0.0
        )
        words = " ".join(query.split()[:_MOST_WORDS])
        by_words = (
            await edge_fulltext_search(self._driver, words, filters, named, await self._most_by_words())
            if words
            else []
        )
        spelled = {word.casefold() for word in query.split()}
        by_words.sort(key=lambda edge: (-_shared(edge.fact, spelled), edge.uuid))
        return _merged([_memories(by_meaning, groups), _memories(by_words, groups)])

    async def _most_by_words(self) -> int:
        return _MOST_BY_WORDS

    async def delete_words(self, texts: Iterable[str], groups: Iterable[str]) -> dict[str, int]:
        """Delete episodes, and clear summaries, of these groups that say one of the texts. We write neither; another
        program that uses the graph may."""
        said, counts = [text for text in texts if text], {"episodes": 0, "summaries": 0}
        for group in groups if said else ():
            for episode in await _all(EpisodicNode, self._driver, group):
                if any(text in episode.content for text in said):
                    await episode.delete(self._driver)
                    counts["episodes"] += 1
            for node in await _all(EntityNode, self._driver, group):
                if any(text in node.summary for text in said):
                    node.summary = ""
                    await node.load_name_embedding(self._driver)
                    await node.save(self._driver)
                    counts["summaries"] += 1
        return counts

    async def residue(self, texts: Iterable[str], groups: Iterable[str]) -> list[str]:
        """The places in the graph that still say one of the texts."""
        said, found = [text for text in texts if text], []
        for group in groups if said else ():
            edges = await _all(EntityEdge, self._driver, group)
            nodes = await _all(EntityNode, self._driver, group)
            episodes = await _all(EpisodicNode, self._driver, group)
            places = [
                *((f"edge {one.uuid}", one.fact) for one in edges),
                *((f"node {one.uuid}", f"{one.name}\n{one.summary}") for one in nodes),
                *((f"episode {one.uuid}", one.content) for one in episodes),
            ]
            found += [place for place, text in places if any(one in text for one in said)]
        return found

    async def close(self) -> None:
        await self._driver.close()  # type: ignore[no-untyped-call]


class ServerGraph(Graph):
    """A graph on a server: Neo4j or FalkorDB, by Graphiti's own driver."""

    cannot_see = (
        "the server's transaction log and backups",
        "pages of its files that it has not written over yet",
        "what other programs copied out of the graph",
    )


class KuzuGraph(Graph):
    """A graph in a file, with Kuzu in this process; one process at a time opens it.

    Kuzu keeps deleted words in its file, so that an erasure makes the file anew from what is left. It also crashes when
    it replays the log of a process that was killed, so that such a file is made anew too: Memfort has everything.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = _locked(_beside(self.path, "lock"))
        logs = [_beside(self.path, name) for name in ("wal", "shadow")]
        if any(log.exists() for log in logs):
            _overwrite(self.path, *logs)
        _overwrite(*(_beside(self.path, name) for name in ("old", "part", "part.wal", "part.shadow")))
        self.is_new = not self.path.exists()
        super().__init__(_kuzu_driver(self.path))

    async def prepare(self) -> None:
        """Make Kuzu's word indices once for a file: Graphiti's own call makes none there, and then no search works."""
        found, _, _ = await self._driver.execute_query("CALL SHOW_INDEXES() RETURN *")
        if not found:
            for statement in get_fulltext_indices(self._driver.provider):
                await self._driver.execute_query(statement)

    async def _most_by_words(self) -> int:
        """All edges there are: Kuzu cuts before it looks at the group, so that a cut answer would depend on what other
        groups hold."""
        [row], _, _ = await self._driver.execute_query("MATCH (e:RelatesToNode_) RETURN count(*) AS edges")
        return max(1, int(row["edges"]))

    async def rebuilt(self, items: Iterable[tuple[Item, str]], embedder: Embedder) -> dict[str, Mirrored]:
        """Make the file anew with these memories alone, and put it in place of the old one, whose bytes are
        overwritten."""
        part = KuzuGraph(_beside(self.path, "part"))
        try:
            await part.prepare()
            mirrored = {item.id: await part.save(item, group, embedder) for item, group in items}
        finally:
            await part.close()
            _beside(part.path, "lock").unlink()
        await self._let_go()
        old = _beside(self.path, "old")
        os.link(self.path, old)
        part.path.replace(self.path)
        _overwrite(old)
        self._driver = _kuzu_driver(self.path)
        return mirrored

    def residue_in_files(self, texts: Iterable[str]) -> list[str]:
        """The files of the graph that still hold one of the texts."""
        said = [text.encode() for text in texts if text]
        paths = [self.path, *(_beside(self.path, name) for name in ("wal", "shadow", "old", "part"))]
        return [path.name for path in paths if path.exists() and _holds(path, said)]

    async def close(self) -> None:
        await self._let_go()
        self._lock.close()

    async def _let_go(self) -> None:
        """Write everything into the file and close it. Kuzu's own `close` ends the process after awaited use."""
        await self._driver.execute_query("CHECKPOINT")
        self._driver.client.close()  # type: ignore[attr-defined]
        del self._driver
        gc.collect()


async def embedded(embedder: Embedder, texts: list[str]) -> list[list[float]]:
    """The vectors of texts, made in a thread: an embedder may ask a server."""
    found = await asyncio.to_thread(embedder.embed, texts)
    return [list(map(float, vector)) for vector in found]


def edge_id(group: str, memory: str) -> str:
    return str(uuid5(_OURS, f"edge\n{group}\n{memory}"))


def owner_id(group: str) -> str:
    """The node that stands for the space of a group."""
    return _node_id(group, "")


def _node_id(group: str, about: str) -> str:
    return str(uuid5(_OURS, f"node\n{group}\n{about}"))


def _kuzu_driver(path: Path) -> GraphDriver:
    from graphiti_core.driver.kuzu_driver import KuzuDriver

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return KuzuDriver(str(path))


async def _all(kind: Any, driver: GraphDriver, group: str) -> list[Any]:
    with suppress(GroupsEdgesNotFoundError):
        return list(await kind.get_by_group_ids(driver, [group]))
    return []


def _memories(edges: Iterable[EntityEdge], groups: Sequence[str]) -> list[str]:
    """The memories that edges of these groups stand for; edges of other programs stand for none."""
    found = [str(edge.attributes.get(_MEMORY) or "") for edge in edges if edge.group_id in groups]
    return [id for id in found if id]


def _shared(text: str, words: set[str]) -> int:
    return len(words & set(text.casefold().split()))


def _merged(lists: Iterable[Sequence[str]]) -> list[str]:
    """What several lists rank high comes first; of equals, the smaller id."""
    scores: dict[str, float] = {}
    for ranked in lists:
        for place, id in enumerate(ranked):
            scores[id] = scores.get(id, 0.0) + 1 / (60 + place)
    return sorted(scores, key=lambda found: (-scores[found], found))


def _beside(path: Path, name: str) -> Path:
    return path.with_name(f"{path.name}.{name}")


def _locked(path: Path) -> BinaryIO:
    """A file that this process alone has, until it is closed or the process ends."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise InvalidInput("path", "another process has this graph open", "let one mirror follow a store") from None
    return file


def _overwrite(*paths: Path) -> None:
    """Fill files with zeros, through to the disk, and remove them."""
    for path in paths:
        if not path.exists():
            continue
        with path.open("r+b") as file:
            left = path.stat().st_size
            while left > 0:
                left -= file.write(bytes(min(left, 1 << 20)))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


def _holds(path: Path, said: Sequence[bytes]) -> bool:
    held = path.read_bytes()
    return any(one in held for one in said)
