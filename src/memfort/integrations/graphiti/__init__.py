"""Graphiti behind Memfort: the memories of agents, mirrored as edges of a knowledge graph.

    graph = KuzuGraph("graph.kuzu")  # or ServerGraph(Neo4jDriver(…))
    mirror = await GraphitiMirror.open(memory, graph, "graph.outbox")
    await mirror.sync()
    await mirror.recall(memory.as_agent("assistant"), "Which tea?")

Memfort decides: what the graph returns is looked up and disclosed by it, and the graph follows every change.
"""

from memfort.integrations.graphiti.graph import KuzuGraph, ServerGraph
from memfort.integrations.graphiti.group_ids import group_id_of, is_mirrored
from memfort.integrations.graphiti.mirror import GraphitiMirror, GraphReceipt, Synced

__all__ = ["GraphReceipt", "GraphitiMirror", "KuzuGraph", "ServerGraph", "Synced", "group_id_of", "is_mirrored"]
