"""Microsoft Agent Framework with the provider: the story with a scripted client."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from typing import Any

from agent_framework import Agent as FrameworkAgent
from agent_framework import BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message
from tests.integrations.story import People, ToolAgent, call_id, patient, play, replies_in_time

from memfort import Memory
from memfort.integrations.agent_framework import MemfortProvider
from memfort.integrations.bound import AgentMemory, Counts


class Scripted(FunctionInvocationLayer, BaseChatClient):  # type: ignore[type-arg,misc]
    """Calls the tools that it is told to, then says "Noted."."""

    def __init__(self) -> None:
        super().__init__()
        self.to_call: list[tuple[str, dict[str, Any]]] = []
        self.prompts: list[str] = []

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Awaitable[ChatResponse]:
        self.prompts.append(str(options.get("instructions")))

        async def answer() -> ChatResponse:
            if self.to_call:
                name, arguments = self.to_call.pop()
                content = Content.from_function_call(call_id(), name, arguments=json.dumps(arguments))
                return ChatResponse(messages=[Message("assistant", [content])])
            return ChatResponse(messages=[Message("assistant", [Content.from_text("Noted.")])])

        return answer()


class ProvidedAgent(ToolAgent):
    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.client = Scripted()
        self.provider = MemfortProvider(memory)
        self.agent = FrameworkAgent(self.client, name="assistant", context_providers=[self.provider])
        self.session = self.agent.create_session()

    @property
    def counts(self) -> Counts:
        return self.provider.counts

    async def _run(self, text: str) -> Any:
        self.client.prompts.clear()
        response = await self.agent.run(text, session=self.session)
        assert "What follows was remembered" not in str(self.session.to_dict().get("state", {}).get("memfort"))
        return response

    async def say(self, text: str) -> str:
        assert (await self._run(text)).text == "Noted."
        return self.client.prompts[0]

    async def call(self, tool: str, **arguments: Any) -> str:
        self.client.to_call.append((tool, arguments))
        response = await self._run("Go on.")
        results = [one for message in response.messages for one in message.contents if one.type == "function_result"]
        return str(results[0].result)


def test_the_story(people: People, run: Any, caplog: Any) -> None:
    run(play(ProvidedAgent, people, caplog))


def test_a_memory_that_does_not_answer_costs_no_reply(run: Any) -> None:
    run(replies_in_time(ProvidedAgent))


def test_each_turn_is_captured_once_in_its_session(run: Any) -> None:
    with Memory.open(":memory:") as memory:
        agent = ProvidedAgent(patient(memory.as_user("alice")))
        run(agent.say("I live in Porto"))
        run(agent.say("I have a red bicycle"))
        window = memory.as_user("alice").window(conversation=agent.session.session_id)
        assert [one.text for one in window] == ["I live in Porto", "Noted.", "I have a red bicycle", "Noted."]
