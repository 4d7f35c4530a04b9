"""LangChain agents with the middleware: the story, awaited and not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from tests.integrations.story import People, ToolAgent, call_id, patient, play, replies_in_time

from memfort import Memory
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.langchain import MemfortMiddleware


class Scripted(BaseChatModel):
    """Calls the tools that it is told to, then says "Noted."."""

    to_call: list[Any]
    prompts: list[str]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        self.prompts.append("\n".join(one.text for one in messages if isinstance(one, SystemMessage)))
        answer = AIMessage("Noted.")
        if self.to_call:
            name, arguments = self.to_call.pop()
            answer = AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": call_id()}])
        return ChatResult(generations=[ChatGeneration(message=answer)])


class LangChainAgent(ToolAgent):
    awaited = True

    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.model = Scripted(to_call=[], prompts=[])
        self.middleware = MemfortMiddleware(memory)
        self.agent = create_agent(self.model, middleware=[self.middleware], checkpointer=InMemorySaver())

    @property
    def counts(self) -> Counts:
        return self.middleware.counts

    async def _run(self, text: str) -> list[Any]:
        self.model.prompts.clear()
        given: Any = {"messages": [HumanMessage(text)]}
        config: Any = {"configurable": {"thread_id": "thread-1"}}
        if self.awaited:
            return (await self.agent.ainvoke(given, config))["messages"]
        return (await asyncio.to_thread(self.agent.invoke, given, config))["messages"]

    async def say(self, text: str) -> str:
        messages = await self._run(text)
        assert messages[-1].text == "Noted."
        assert not any("<memories>" in one.text for one in messages if not isinstance(one, ToolMessage))
        return self.model.prompts[0]

    async def call(self, tool: str, **arguments: Any) -> str:
        self.model.to_call.append((tool, arguments))
        messages = await self._run("Go on.")
        return next(one.text for one in reversed(messages) if isinstance(one, ToolMessage))


class SyncLangChainAgent(LangChainAgent):
    awaited = False


@pytest.mark.parametrize("kind", [LangChainAgent, SyncLangChainAgent])
def test_the_story(kind: type[LangChainAgent], people: People, run: Any, caplog: Any) -> None:
    run(play(kind, people, caplog))


@pytest.mark.parametrize("kind", [LangChainAgent, SyncLangChainAgent])
def test_a_memory_that_does_not_answer_costs_no_reply(kind: type[LangChainAgent], run: Any) -> None:
    run(replies_in_time(kind))


def test_each_message_of_a_thread_is_captured_once() -> None:
    with Memory.open(":memory:") as memory:
        agent = LangChainAgent(patient(memory.as_user("alice")))
        asyncio.run(agent.say("I live in Porto"))
        asyncio.run(agent.say("I have a red bicycle"))
        window = memory.as_user("alice").window(conversation="thread-1")
        assert [one.text for one in window] == ["I live in Porto", "Noted.", "I have a red bicycle", "Noted."]
