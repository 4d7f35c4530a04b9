"""Strands: `Agent(memory_manager=memory_manager(memory.as_user("alice")))`.

The manager of Strands puts what is found for the user's message into each call of the model, escaped and outside the
history. The store gives the model four tools, and captures each turn in the background.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from uuid import uuid4

from strands import tool
from strands.memory import MemoryManager
from strands.memory.extraction.triggers import InvocationTrigger
from strands.memory.extraction.types import ExtractionConfig
from strands.memory.types import AddMessagesContext, MemoryEntry, SearchOptions
from strands.types.content import Message
from strands.types.tools import AgentTool

from memfort.errors import Denied
from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory
from memfort.model.results import Hit

_LIMIT = 10


class MemfortStore:
    """The memories of one user, as a store of Strands. `add` raises for a statement that is refused, and adds an equal
    one once, so that it can be called again."""

    def __init__(self, memory: AnyMemory | AgentMemory, *, name: str = "memfort", capture: bool = True) -> None:
        self.name = name
        self.description = "What is remembered about the user, their people and their projects."
        self.max_search_results = _LIMIT
        self.writable = True
        self.extraction: ExtractionConfig | bool = ExtractionConfig(trigger=InvocationTrigger()) if capture else False
        self._memory = agent_memory(memory)
        self._run = uuid4().hex  # sequence numbers begin again with each agent

    @property
    def counts(self) -> Any:
        """What was injected, captured, kept and refused."""
        return self._memory.counts

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        limit = (options or {}).get("max_search_results") or _LIMIT
        nothing: list[Hit] = []
        hits = await self._memory.awaited_in_time(lambda: self._search(query, limit), nothing)
        self._memory.counts.add(injected=1 if hits else 0)
        return [MemoryEntry(content=hit.text, metadata={"id": hit.id, "score": hit.score}) for hit in hits]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> str | None:  # noqa: ARG002
        outcome = await self._memory.run(lambda: self._memory.verbs.remember(content, origin="ai"))
        if not outcome.stored:
            error = Denied(outcome.reason, outcome.decision.explanation)
            raise ValueError(self._memory.refused("add", error)) from error
        self._memory.counts.add(remembered=1 if outcome.kept else 0)
        return outcome.id

    async def add_messages(self, messages: Sequence[Message], context: AddMessagesContext | None = None) -> None:
        """Capture what was said. A batch that is given again is captured once."""
        numbers: Sequence[int | None] = (context and context.sequence_numbers) or [None] * len(messages)
        said = [
            {"role": one["role"], "content": (text := _text(one)), "id": self._id(number, text)}
            for one, number in zip(messages, numbers, strict=True)
        ]
        await self._memory.acapture(said)

    def get_tools(self) -> list[AgentTool]:
        return [tool(one) for one in self._memory.async_tools()]

    def _search(self, query: str, limit: int) -> list[Hit]:
        return list(self._memory.verbs.recall(query, limit=limit).hits)

    def _id(self, number: int | None, text: str) -> str:
        if number is None:
            return uuid4().hex
        return sha256(f"{self._run} {number} {text}".encode()).hexdigest()


def memory_manager(memory: AnyMemory | AgentMemory, *, capture: bool = True) -> MemoryManager:
    """A manager with this memory alone, and its tools in place of those of the manager."""
    store: Any = MemfortStore(memory, capture=capture)
    return MemoryManager(stores=[store], search_tool_config=False)


def _text(message: Message) -> str:
    return "\n".join(block["text"] for block in message["content"] if "text" in block)
