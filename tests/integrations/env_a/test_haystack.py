"""Haystack agents with the hooks and the tools: the story, awaited and not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from haystack import component
from haystack.components.agents import Agent as HaystackAgent
from haystack.dataclasses import ChatMessage, ToolCall
from tests.integrations.story import People, ToolAgent, call_id, play, replies_in_time

from memfort import InvalidInput, Memory
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.haystack import CaptureHook, RecallHook, memory_hooks, memory_tools


@component
class Scripted:
    """Calls the tools that it is told to, then says "Noted."."""

    def __init__(self) -> None:
        self.to_call: list[tuple[str, dict[str, Any]]] = []
        self.prompts: list[str] = []

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None, **_: Any) -> dict[str, Any]:
        self.prompts.append("\n".join(one.text or "" for one in messages if one.is_from("system")))
        if self.to_call:
            name, arguments = self.to_call.pop()
            call = ToolCall(tool_name=name, arguments=arguments, id=call_id())
            return {"replies": [ChatMessage.from_assistant(tool_calls=[call])]}
        return {"replies": [ChatMessage.from_assistant("Noted.")]}


class HookedAgent(ToolAgent):
    awaited = True

    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.model = Scripted()
        self.agent = HaystackAgent(
            chat_generator=self.model,
            tools=memory_tools(memory),
            hooks=memory_hooks(memory),  # type: ignore[arg-type]
        )
        self.history: list[ChatMessage] = []

    @property
    def counts(self) -> Counts:
        return self.memory.counts

    async def _run(self, text: str) -> list[ChatMessage]:
        self.model.prompts.clear()
        messages = [*self.history, ChatMessage.from_user(text)]
        if self.awaited:
            result = await self.agent.run_async(messages=messages)
        else:
            result = await asyncio.to_thread(self.agent.run, messages=messages)
        self.history = result["messages"]
        assert not any("What follows was remembered" in (one.text or "") for one in self.history)
        return self.history

    async def say(self, text: str) -> str:
        assert (await self._run(text))[-1].text == "Noted."
        return self.model.prompts[0]

    async def call(self, tool: str, **arguments: Any) -> str:
        self.model.to_call.append((tool, arguments))
        results = [one.tool_call_result for one in await self._run("Go on.") if one.tool_call_result]
        return str(results[-1].result)


class SyncHookedAgent(HookedAgent):
    awaited = False


@pytest.mark.parametrize("kind", [HookedAgent, SyncHookedAgent])
def test_the_story(kind: type[HookedAgent], people: People, run: Any, caplog: Any) -> None:
    run(play(kind, people, caplog))


@pytest.mark.parametrize("kind", [HookedAgent, SyncHookedAgent])
def test_a_memory_that_does_not_answer_costs_no_reply(kind: type[HookedAgent], run: Any) -> None:
    run(replies_in_time(kind))


def test_no_file_of_a_pipeline_brings_an_identity() -> None:
    with Memory.open(":memory:") as memory:
        hooks = memory_hooks(memory.as_user("alice"))
        for hook, kind in ((hooks["before_run"][0], RecallHook), (hooks["after_run"][0], CaptureHook)):
            written = hook.to_dict()
            assert "alice" not in str(written)
            with pytest.raises(InvalidInput, match="memory_hooks"):
                kind.from_dict(written)
