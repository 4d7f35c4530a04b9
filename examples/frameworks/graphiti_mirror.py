"""Graphiti: a knowledge graph in a file follows the memories of two agents. No model is asked."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from memfort import BoundMemory, Memory
from memfort.integrations.graphiti import GraphitiMirror, KuzuGraph


async def show(name: str, mirror: GraphitiMirror, agent: BoundMemory) -> None:
    found = await mirror.recall(agent, "Which tea is the favourite?")
    print(f"{name}:", *(item.text for item in found))


async def play(memory: Memory, folder: Path) -> None:
    mirror = await GraphitiMirror.open(memory, KuzuGraph(folder / "graph.kuzu"), folder / "graph.outbox")
    alices, bobs = memory.as_agent("helper", owner="alice"), memory.as_agent("clerk", owner="bob")
    tea = alices.remember("The favourite tea is Darjeeling", space={"agent": "helper", "visibility": "private"})
    bobs.remember("The favourite pastry is baklava", space={"agent": "clerk", "visibility": "private"})
    print("counts:", await mirror.sync())
    await show("alice", mirror, alices)
    await show("bob", mirror, bobs)
    refused = alices.remember("my password is hunter2-Xk9Q", space={"agent": "helper", "visibility": "private"})
    print("refused:", refused.decision.explanation)
    receipt = await mirror.erase(alices, tea.id)
    print("erased:", receipt.state, dict(receipt.counts))
    await mirror.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        asyncio.run(play(memory, Path(folder)))


if __name__ == "__main__":
    main()
