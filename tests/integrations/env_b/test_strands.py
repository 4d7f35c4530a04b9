"""Strands with its memory manager: the story with a scripted model."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from strands import Agent as StrandsAgent
from strands.memory import MemoryManager
from strands.memory.types import AddMessagesContext
from strands.models import Model
from tests.integrations.story import People, ToolAgent, call_id, patient, play, replies_in_time

from memfort import Memory
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.strands import MemfortStore


class Scripted(Model):
    """Calls the tools that it is told to, then says "Noted."."""

    def __init__(self) -> None:
        self.to_call: list[tuple[str, dict[str, Any]]] = []
        self.prompts: list[str] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        texts = [block["text"] for block in messages[-1]["content"] if "text" in block]
        self.prompts.append("\n".join(one for one in texts if "<memory>" in one))
        yield {"messageStart": {"role": "assistant"}}
        if self.to_call:
            name, arguments = self.to_call.pop()
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": call_id(), "name": name}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "tool_use"}}
        else:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "Noted."}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}


class ManagedAgent(ToolAgent):
    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.model = Scripted()
        self.store = MemfortStore(memory)
        self.manager = MemoryManager(stores=[self.store], search_tool_config=False)  # type: ignore[list-item]
        self.agent = StrandsAgent(model=self.model, memory_manager=self.manager, callback_handler=None)

    @property
    def counts(self) -> Counts:
        return self.store.counts

    async def _run(self, text: str) -> Any:
        self.model.prompts.clear()
        result = await self.agent.invoke_async(text)
        await self.manager.flush()
        assert "<memory>" not in str(self.agent.messages)
        return result

    async def say(self, text: str) -> str:
        assert str(await self._run(text)).strip() == "Noted."
        prompt = self.model.prompts[0]
        assert prompt.count("</memory>") <= 1  # its own
        return prompt

    async def call(self, tool: str, **arguments: Any) -> str:
        self.model.to_call.append((tool, arguments))
        await self._run("Go on.")
        results = [
            block["toolResult"] for one in self.agent.messages for block in one["content"] if "toolResult" in block
        ]
        return "\n".join(one["text"] for one in results[-1]["content"])


def test_the_story(people: People, run: Any, caplog: Any) -> None:
    run(play(ManagedAgent, people, caplog))


def test_a_memory_that_does_not_answer_costs_no_reply(run: Any) -> None:
    run(replies_in_time(ManagedAgent))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:") as opened:
        yield opened


def test_a_batch_that_is_given_again_is_captured_once(memory: Memory, run: Any) -> None:
    store = MemfortStore(patient(memory.as_user("alice")))
    messages: Any = [{"role": "user", "content": [{"text": "ok"}]}, {"role": "user", "content": [{"text": "ok"}]}]
    for _ in range(3):
        run(store.add_messages(messages, AddMessagesContext(sequence_numbers=[0, 1])))
    assert [one.text for one in memory.as_user("alice").window()] == ["ok", "ok"]


def test_of_two_statements_the_refused_one_is_told_and_the_other_kept_once(memory: Memory, run: Any) -> None:
    alice = memory.as_user("alice")
    model = Scripted()
    manager = MemoryManager(stores=[MemfortStore(patient(alice))], add_tool_config=True)  # type: ignore[list-item]
    agent = StrandsAgent(model=model, memory_manager=manager, callback_handler=None)
    for _ in range(2):
        model.to_call.append(("add_memory", {"entries": ["I like green tea", "my password is hunter2-Xk9Q"]}))
        run(agent.invoke_async("Go on."))
    assert "never stored" in str(agent.messages)
    kept = [one.text for one in alice.list(tags=()).items]
    assert kept.count("I like green tea") == 1
    assert not any("hunter2" in one for one in kept)
