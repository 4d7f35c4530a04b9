"""Pydantic AI with the capability: the story with a function as the model."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from tests.integrations.story import People, ToolAgent, patient, play, replies_in_time

from memfort import Memory
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.pydantic_ai import MemfortCapability


class CapableAgent(ToolAgent):
    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.capability = MemfortCapability(memory)
        self.agent = PydanticAgent(FunctionModel(self._answer), capabilities=[self.capability])
        self.history: list[Any] = []
        self.to_call: list[tuple[str, dict[str, Any]]] = []
        self.read: list[list[Any]] = []

    @property
    def counts(self) -> Counts:
        return self.capability.counts

    def _answer(self, messages: list[Any], info: Any) -> ModelResponse:
        self.read.append(list(messages))
        if self.to_call:
            name, arguments = self.to_call.pop()
            return ModelResponse([ToolCallPart(name, arguments)])
        return ModelResponse([TextPart("Noted.")])

    async def _run(self, text: str) -> Any:
        self.read.clear()
        result = await self.agent.run(text, message_history=self.history)
        self.history = result.all_messages()
        assert "What follows was remembered" not in str(
            [one for one in result.new_messages() if not _is_tool_return(one)]
        )
        return result

    async def say(self, text: str) -> str:
        assert (await self._run(text)).output == "Noted."
        parts = self.read[0][-1].parts  # of the request that was made; the history has what tools gave back before
        return "\n".join(str(one.content) for one in parts if isinstance(one, UserPromptPart) and one.content != text)

    async def call(self, tool: str, **arguments: Any) -> str:
        self.to_call.append((tool, arguments))
        result = await self._run("Go on.")
        parts = [part for message in result.new_messages() for part in message.parts]
        given_back = next(part for part in parts if isinstance(part, ToolReturnPart | RetryPromptPart))
        return str(given_back.content)


def _is_tool_return(message: Any) -> bool:
    return any(isinstance(part, ToolReturnPart) for part in message.parts)


def test_the_story(people: People, run: Any, caplog: Any) -> None:
    run(play(CapableAgent, people, caplog))


def test_a_memory_that_does_not_answer_costs_no_reply(run: Any) -> None:
    run(replies_in_time(CapableAgent))


def test_an_argument_that_a_tool_does_not_have_is_refused_in_words(run: Any) -> None:
    with Memory.open(":memory:") as memory:
        agent = CapableAgent(patient(memory.as_user("alice")))
        assert "extra_forbidden" in run(agent.remember("I like tea", user_id="bob"))


@pytest.mark.parametrize("off", ["inject", "capture", "offer_tools"])
def test_each_half_can_be_switched_off(off: str, run: Any) -> None:
    with Memory.open(":memory:") as memory:
        alice = memory.as_user("alice")
        alice.remember("My favourite tea is Darjeeling")
        capability = MemfortCapability(patient(alice), **{off: False})
        seen: list[Any] = []

        def answer(messages: list[Any], info: Any) -> ModelResponse:
            seen.append((str(messages), [one.name for one in info.function_tools]))
            return ModelResponse([TextPart("Noted.")])

        run(PydanticAgent(FunctionModel(answer), capabilities=[capability]).run("I live in Porto. Which tea?"))
        read, tools = seen[0]
        assert ("Darjeeling" in read) == (off != "inject")
        assert bool(tools) == (off != "offer_tools")
        assert bool(alice.recall("Porto")) == (off != "capture")
