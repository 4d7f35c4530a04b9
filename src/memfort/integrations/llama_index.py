"""LlamaIndex: `Memory.from_defaults(memory_blocks=[MemfortBlock(memory.as_user("alice"))])`.

The block gives the memories that answer the last message of the user. LlamaIndex hands it only messages that leave the
short-term memory, which a short chat never does: call `await block.capture(messages)` after a turn as well. A message
is captured once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.tools import FunctionTool
from pydantic import PrivateAttr

from memfort.integrations.bound import AgentMemory, AnyMemory, Counts, agent_memory

_ROLES = {MessageRole.USER: "user", MessageRole.ASSISTANT: "assistant"}


class MemfortBlock(BaseMemoryBlock[str]):
    """A block with the memories of one user. Words of memories are quoted, so that none closes the block."""

    name: str = "memfort"

    _memory: AgentMemory = PrivateAttr()

    def __init__(self, memory: AnyMemory | AgentMemory, **fields: Any) -> None:
        super().__init__(**fields)
        self._memory = agent_memory(memory)

    @property
    def counts(self) -> Counts:
        """What was injected, captured, kept and refused."""
        return self._memory.counts

    async def capture(self, messages: Iterable[ChatMessage], conversation: str | None = None) -> None:
        """Capture what the user and the assistant said, each message once in its conversation."""
        by_conversation: dict[str | None, list[dict[str, Any]]] = {}
        for one in messages:
            if one.role in _ROLES:
                id = one.additional_kwargs.setdefault("memfort_id", uuid4().hex)
                session = conversation or one.additional_kwargs.get("session_id")
                said = {"role": _ROLES[one.role], "content": one.content, "id": id}
                by_conversation.setdefault(session, []).append(said)
        for session, said_there in by_conversation.items():
            await self._memory.acapture(said_there, session)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        return await self._memory.acontext(_last_said(messages or []))

    async def _aput(self, messages: list[ChatMessage]) -> None:
        await self.capture(messages)


def memory_tools(memory: AnyMemory | AgentMemory) -> list[FunctionTool]:
    """`recall`, `remember`, `correct` and `forget`. A refusal is an answer that the model reads."""
    bound = agent_memory(memory)
    return [FunctionTool.from_defaults(one, async_fn=bound.asynchronous(one)) for one in bound.tools()]


def _last_said(messages: Iterable[ChatMessage]) -> str:
    said = [one.content for one in messages if one.role is MessageRole.USER]
    return said[-1] or "" if said else ""
