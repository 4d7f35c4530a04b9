"""Google ADK: the story with its runner, the memory service and the tools, and what a service refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools import load_memory, preload_memory
from google.genai import types
from tests.integrations.story import People, ToolAgent, call_id, patient, play, replies_in_time

from memfort import Denied, Memory
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.google_adk import MemfortMemoryService, capture_session, memory_tools

APP = "app"


class Scripted(BaseLlm):
    """Calls the tools that it is told to, then says "Noted."."""

    model: str = "scripted"
    to_call: list[Any] = []  # noqa: RUF012  # pydantic copies it for each model
    prompts: list[str] = []  # noqa: RUF012

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part.text or "" for one in llm_request.contents for part in one.parts or []]
        self.prompts.append("\n".join(part for part in parts if "PAST_CONVERSATIONS" in part))
        part = types.Part(text="Noted.")
        if self.to_call:
            name, arguments = self.to_call.pop()
            part = types.Part(function_call=types.FunctionCall(id=call_id(), name=name, args=arguments))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


class AdkAgent(ToolAgent):
    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.model = Scripted(to_call=[], prompts=[])
        agent = LlmAgent(
            name="assistant",
            model=self.model,
            instruction=memory.instructions,
            tools=[*memory_tools(memory), load_memory, preload_memory],
            after_agent_callback=capture_session,
        )
        self.service = MemfortMemoryService(memory, user_id="the-user")
        self.sessions = InMemorySessionService()
        self.runner = Runner(app_name=APP, agent=agent, session_service=self.sessions, memory_service=self.service)
        self.session: Session | None = None

    @property
    def counts(self) -> Counts:
        return self.service.counts

    async def _run(self, text: str) -> list[Event]:
        self.model.prompts.clear()
        self.session = self.session or await self.sessions.create_session(app_name=APP, user_id="the-user")
        message = types.Content(role="user", parts=[types.Part(text=text)])
        running = self.runner.run_async(user_id="the-user", session_id=self.session.id, new_message=message)
        return [one async for one in running]

    async def say(self, text: str) -> str:
        events = await self._run(text)
        assert events[-1].content is not None
        assert events[-1].content.parts[0].text == "Noted."
        prompt = self.model.prompts[0]
        assert prompt.count("</PAST_CONVERSATIONS>") <= 1  # its own
        return prompt

    async def call(self, tool: str, **arguments: Any) -> str:
        self.model.to_call.append((tool, arguments))
        responses = [one for event in await self._run("Go on.") for one in event.get_function_responses()]
        return str(responses[0].response["result"])


def test_the_story(people: People, run: Any, caplog: Any) -> None:
    run(play(AdkAgent, people, caplog))


def test_a_memory_that_does_not_answer_costs_no_reply(run: Any) -> None:
    run(replies_in_time(AdkAgent))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:") as opened:
        yield opened


def test_the_tool_of_adk_gives_ones_own_memories_whomever_the_model_names(memory: Memory, run: Any) -> None:
    memory.as_user("alice").remember("My favourite tea is Sencha")
    memory.as_user("bob").remember("My favourite tea is Assam")
    agent = AdkAgent(patient(memory.as_user("alice")))
    agent.model.to_call.append(("load_memory", {"query": "favourite tea", "user_id": "bob"}))
    responses = [one for event in run(agent._run("Go on.")) for one in event.get_function_responses()]
    assert "Sencha" in str(responses[0].response)
    assert "Assam" not in str(responses[0].response)


def test_a_runner_that_asks_for_another_user_gets_an_error(memory: Memory, run: Any) -> None:
    service = MemfortMemoryService(patient(memory.as_user("alice")))
    memory.as_user("alice").remember("My favourite tea is Sencha")
    found = run(service.search_memory(app_name=APP, user_id="alice", query="tea"))
    assert [one.content.parts[0].text for one in found.memories] == ['"My favourite tea is Sencha"']
    entry = MemoryEntry(content=types.Content(parts=[types.Part(text="x")]))
    session = Session(id="s", app_name=APP, user_id="bob", events=[event("e1", "I live in Porto")])
    for refused in (
        service.search_memory(app_name=APP, user_id="bob", query="tea"),
        service.add_memory(app_name=APP, user_id="bob", memories=[entry]),
        service.delete_memory(app_name=APP, user_id="bob", memory_id=found.memories[0].id),
        service.add_session_to_memory(session),
        service.add_events_to_memory(app_name=APP, user_id="bob", events=session.events),
    ):
        with pytest.raises(Denied) as error:
            run(refused)
        assert error.value.reason == "not_your_identity"
    assert len(memory.as_user("alice").list().items) == 1


def test_a_session_that_is_added_again_is_captured_once(memory: Memory, run: Any) -> None:
    service = MemfortMemoryService(patient(memory.as_user("alice")))
    events = [event("e1", "I live in Porto"), event("e2", "How nice!", author="assistant")]
    for number in range(1, 4):
        events.append(event(f"more{number}", f"I own {number} bicycles"))
        run(service.add_session_to_memory(Session(id="s", app_name=APP, user_id="alice", events=list(events))))
    window = memory.as_user("alice").window(conversation="s")
    assert [one.text for one in window] == [
        "I live in Porto",
        "How nice!",
        "I own 1 bicycles",
        "I own 2 bicycles",
        "I own 3 bicycles",
    ]


def test_a_deleted_memory_does_not_come_back_with_its_session(memory: Memory) -> None:
    async def story() -> None:
        service = MemfortMemoryService(patient(memory.as_user("alice")))
        session = Session(id="s", app_name=APP, user_id="alice", events=[event("e1", "I live in Porto")])
        await service.add_session_to_memory(session)
        found = await service.search_memory(app_name=APP, user_id="alice", query="Porto")
        assert found.memories
        for one in found.memories:
            await service.delete_memory(app_name=APP, user_id="alice", memory_id=one.id)
        await service.delete_memory(app_name=APP, user_id="alice")
        await service.add_session_to_memory(session)
        assert not (await service.search_memory(app_name=APP, user_id="alice", query="Porto")).memories

    asyncio.run(story())


def test_statements_that_are_added_pass_the_gates(memory: Memory, run: Any) -> None:
    service = MemfortMemoryService(patient(memory.as_user("alice")))
    said = ["my password is hunter2-Xk9Q", "I like green tea"]
    entries = [MemoryEntry(author="user", content=types.Content(parts=[types.Part(text=one)])) for one in said]
    with pytest.raises(Denied, match="never stored"):
        run(service.add_memory(app_name=APP, user_id="alice", memories=entries))
    assert [one.text for one in memory.as_user("alice").list().items] == ["I like green tea"]


def event(id: str, text: str, author: str = "user") -> Event:
    return Event(id=id, author=author, content=types.Content(role=author, parts=[types.Part(text=text)]))
