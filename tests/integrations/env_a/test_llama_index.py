"""LlamaIndex with the block and the tools: the story with an agent and a scripted model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory as LlamaMemory
from tests.integrations.story import People, ToolAgent, call_id, patient, play, replies_in_time

from memfort import Memory
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.llama_index import MemfortBlock, memory_tools


class BlockAgent(ToolAgent):
    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.block = MemfortBlock(memory)
        self.chat = chat_with(self.block)
        self.to_call: list[tuple[str, dict[str, Any]]] = []
        self.prompts: list[str] = []
        self.agent = FunctionAgent(
            tools=memory_tools(memory),  # type: ignore[arg-type]
            llm=MockFunctionCallingLLM(response_generator=self._answer),
            streaming=False,
        )

    @property
    def counts(self) -> Counts:
        return self.block.counts

    def _answer(self, messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
        self.prompts.append("\n".join(one.content or "" for one in messages if one.role is MessageRole.SYSTEM))
        if self.to_call:
            name, arguments = self.to_call.pop()
            call = ToolCallBlock(tool_call_id=call_id(), tool_name=name, tool_kwargs=arguments)
            return ChatMessage(role="assistant", blocks=[call])
        return ChatMessage(role="assistant", content="Noted.")

    async def _run(self, text: str) -> Any:
        self.prompts.clear()
        result = await self.agent.run(text, memory=self.chat)
        await self.block.capture(await self.chat.aget_all(), "thread-1")
        return result

    async def say(self, text: str) -> str:
        assert (await self._run(text)).response.content == "Noted."
        assert self.prompts[0].count("</memory>") <= 1  # its own
        return self.prompts[0]

    async def call(self, tool: str, **arguments: Any) -> str:
        self.to_call.append((tool, arguments))
        return str((await self._run("Go on.")).tool_calls[0].tool_output.content)


def chat_with(block: MemfortBlock, **limits: Any) -> LlamaMemory:
    return LlamaMemory.from_defaults(session_id="thread-1", memory_blocks=[block], tokenizer_fn=str.split, **limits)


def test_the_story(people: People, run: Any, caplog: Any) -> None:
    run(play(BlockAgent, people, caplog))


def test_a_memory_that_does_not_answer_costs_no_reply(run: Any) -> None:
    run(replies_in_time(BlockAgent))


def test_what_leaves_the_short_term_memory_is_captured_once(run: Any) -> None:
    async def story(block: MemfortBlock) -> None:
        chat = chat_with(block, token_limit=20, chat_history_token_ratio=0.5, token_flush_size=5)
        for number in range(6):
            message = ChatMessage(role="user", content=f"I own bicycle number {number} and it is red")
            await block.capture([message], "thread-1")
            await chat.aput(message)

    with Memory.open(":memory:") as memory:
        block = MemfortBlock(patient(memory.as_user("alice")))
        run(story(block))
        window = memory.as_user("alice").window(conversation="thread-1")
        assert len(window) == 6
        assert block.counts.captured == 6  # although LlamaIndex handed some of them over once more


def test_a_session_id_in_a_message_names_nobody(run: Any) -> None:
    with Memory.open(":memory:") as memory:
        block = MemfortBlock(patient(memory.as_user("alice")))
        said = ChatMessage(role="user", content="I live in Porto", additional_kwargs={"session_id": "bob"})
        run(block.aput([said], session_id="bob"))
        assert memory.as_user("alice").recall("Porto")
        assert not memory.as_user("bob").recall("Porto")
