"""The OpenAI Agents SDK: the story with its runner and a scripted model, and what a session keeps."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from agents import Agent as SdkAgent
from agents import Model, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from agents.memory import Session
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from tests.integrations.story import People, ToolAgent, call_id, patient, play, replies_in_time

from memfort import Memory
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.openai_agents import MemfortSession, inject_memories, memory_tools

set_tracing_disabled(True)


class Scripted(Model):
    """Calls the tools that it is told to, then says "Noted."."""

    def __init__(self) -> None:
        self.to_call: list[tuple[str, dict[str, Any]]] = []
        self.prompts: list[str] = []

    async def get_response(self, system_instructions: str | None, input: Any, *args: Any, **kwargs: Any) -> Any:
        said = [one for one in input if not (isinstance(one, dict) and one.get("role") == "user")]
        self.prompts.append(f"{system_instructions}\n{json.dumps(said)}")
        if self.to_call:
            name, arguments = self.to_call.pop()
            call = ResponseFunctionToolCall(
                type="function_call", call_id=call_id(), name=name, arguments=json.dumps(arguments)
            )
            return ModelResponse([call], Usage(), None)
        text = ResponseOutputText(type="output_text", text="Noted.", annotations=[])
        message = ResponseOutputMessage(
            id="__fake_id__", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse([message], Usage(), None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


class RunnerAgent(ToolAgent):
    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.model = Scripted()
        self.agent = SdkAgent(
            name="assistant", instructions=memory.instructions, model=self.model, tools=memory_tools(memory)
        )
        self.session = MemfortSession(memory, "thread-1")
        self.config = RunConfig(call_model_input_filter=inject_memories(memory))

    @property
    def counts(self) -> Counts:
        return self.session.counts

    async def _run(self, text: str) -> Any:
        self.model.prompts.clear()
        return await Runner.run(self.agent, text, session=self.session, run_config=self.config)

    async def say(self, text: str) -> str:
        assert (await self._run(text)).final_output == "Noted."
        return self.model.prompts[0]

    async def call(self, tool: str, **arguments: Any) -> str:
        self.model.to_call.append((tool, arguments))
        result = await self._run("Go on.")
        return next(one.output for one in result.new_items if one.type == "tool_call_output_item")


def test_the_story(people: People, run: Any, caplog: Any) -> None:
    run(play(RunnerAgent, people, caplog))


def test_a_memory_that_does_not_answer_costs_no_reply(run: Any) -> None:
    run(replies_in_time(RunnerAgent))


@pytest.fixture
def memory() -> Any:
    with Memory.open(":memory:") as opened:
        yield opened


def test_it_is_a_session(memory: Memory) -> None:
    assert isinstance(MemfortSession(patient(memory.as_user("alice")), "s"), Session)


def test_a_session_gives_back_the_conversation_of_its_user_alone(memory: Memory) -> None:
    async def story() -> None:
        alices, bobs = (MemfortSession(patient(memory.as_user(user)), "thread-1") for user in ("alice", "bob"))
        await alices.add_items([{"role": "user", "content": "I moved to Porto"}])
        await alices.add_items([{"role": "assistant", "content": [{"type": "output_text", "text": "How nice!"}]}])
        assert await alices.get_items() == [
            {"role": "user", "content": "I moved to Porto"},
            {"role": "assistant", "content": "How nice!"},
        ]
        assert await alices.get_items(1) == [{"role": "assistant", "content": "How nice!"}]
        assert await bobs.get_items() == []
        other = MemfortSession(patient(memory.as_user("alice")), "thread-2")
        assert await other.get_items() == []

    asyncio.run(story())


def test_equal_messages_are_kept_each_time(memory: Memory) -> None:
    async def story() -> None:
        session = MemfortSession(patient(memory.as_user("alice")), "s")
        for _ in range(3):
            await session.add_items([{"role": "user", "content": "yes"}])
        assert len(await session.get_items()) == 3

    asyncio.run(story())


def test_what_a_tool_gave_back_is_not_kept(memory: Memory) -> None:
    async def story() -> None:
        session = MemfortSession(patient(memory.as_user("alice")), "s")
        await session.add_items(
            [
                {"type": "function_call", "call_id": "c1", "name": "recall", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": "the red bicycle"},
                {"role": "user", "content": "thanks"},
            ]
        )
        assert [one["content"] for one in await session.get_items()] == ["thanks"]
        assert "bicycle" not in str(memory.as_user("alice").list().items)

    asyncio.run(story())


def test_pop_takes_the_last_message_back(memory: Memory) -> None:
    async def story() -> None:
        session = MemfortSession(patient(memory.as_user("alice")), "s")
        await session.add_items([{"role": "user", "content": "I live in Porto"}])
        await session.add_items([{"role": "assistant", "content": "Noted."}])
        assert await session.pop_item() == {"role": "assistant", "content": "Noted."}
        assert await session.pop_item() == {"role": "user", "content": "I live in Porto"}
        assert await session.pop_item() is None
        assert not memory.as_user("alice").recall("Porto")
        await session.add_items([{"role": "user", "content": "I live in Porto"}])
        assert len(await session.get_items()) == 1

    asyncio.run(story())


def test_clearing_forgets_that_session_and_no_other(memory: Memory) -> None:
    async def story() -> None:
        alice = memory.as_user("alice")
        one, two = MemfortSession(patient(alice), "s1"), MemfortSession(patient(alice), "s2")
        await one.add_items([{"role": "user", "content": "I live in Porto"}])
        await two.add_items([{"role": "user", "content": "I have a red bicycle"}])
        await one.clear_session()
        assert await one.get_items() == []
        assert len(await two.get_items()) == 1
        assert not alice.recall("Porto")
        assert alice.recall("bicycle")

    asyncio.run(story())
