"""LlamaIndex: an agent with the memory block and the tools. The model follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory as ChatMemory

from memfort import Memory
from memfort.integrations.bound import AgentMemory
from memfort.integrations.llama_index import MemfortBlock, memory_tools


def script(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """Tries to keep a password, shows what it reads, and says "Noted."."""
    last = messages[-1]
    if last.role is MessageRole.TOOL:
        print("refused:", last.content)
    elif "password" in (last.content or ""):
        call = ToolCallBlock(tool_call_id="call_1", tool_name="remember", tool_kwargs={"text": last.content})
        return ChatMessage(role="assistant", blocks=[call])
    else:
        print("reads:", *(one.content for one in messages if one.role is MessageRole.SYSTEM))
    return ChatMessage(role="assistant", content="Noted.")


async def talk(memory: AgentMemory, *said: str) -> None:
    agent = FunctionAgent(
        tools=memory_tools(memory), llm=MockFunctionCallingLLM(response_generator=script), streaming=False
    )
    block = MemfortBlock(memory)
    for number, text in enumerate(said):
        chat = ChatMemory.from_defaults(f"thread-{number}", memory_blocks=[block], tokenizer_fn=str.split)
        await agent.run(text, memory=chat)
        await block.capture(await chat.aget_all(), f"thread-{number}")
    print("counts:", block.counts)


def main() -> None:
    question, password = "Which tea is the favourite?", "my password is hunter2-Xk9Q"
    with Memory.open(":memory:") as memory:
        print("alice:")
        alice = AgentMemory(memory.as_user("alice"))
        asyncio.run(talk(alice, "My favourite tea is Darjeeling", question, password))
        print("bob:")
        asyncio.run(talk(AgentMemory(memory.as_user("bob")), question))


if __name__ == "__main__":
    main()
