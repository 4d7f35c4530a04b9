"""Google ADK: a runner with the memory service. The model follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai import types

from memfort import Memory
from memfort.integrations.bound import AgentMemory
from memfort.integrations.google_adk import MemfortMemoryService, capture_session, memory_tools


class Script(BaseLlm):
    """Tries to keep a password, shows what it reads, and says "Noted."."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part for content in llm_request.contents for part in content.parts or []]
        answer = types.Part(text="Noted.")
        if parts[-1].function_response:
            print("refused:", parts[-1].function_response.response["result"])
        elif "password" in (parts[-1].text or ""):
            call = types.FunctionCall(id="call_1", name="remember", args={"text": parts[-1].text})
            answer = types.Part(function_call=call)
        else:
            print("reads:", *(part.text for part in parts if "PAST_CONVERSATIONS" in (part.text or "")))
        yield LlmResponse(content=types.Content(role="model", parts=[answer]))


async def talk(memory: AgentMemory, user: str, *said: str) -> None:
    tools: list[Any] = [*memory_tools(memory), preload_memory]
    agent = LlmAgent(name="assistant", model=Script(model="script"), tools=tools, after_agent_callback=capture_session)
    sessions, service = InMemorySessionService(), MemfortMemoryService(memory)
    runner = Runner(app_name="app", agent=agent, session_service=sessions, memory_service=service)
    for text in said:
        session = await sessions.create_session(app_name="app", user_id=user)
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id=user, session_id=session.id, new_message=message):
            pass
    print("counts:", service.counts)


def main() -> None:
    question, password = "Which tea is the favourite?", "my password is hunter2-Xk9Q"
    with Memory.open(":memory:") as memory:
        print("alice:")
        alice = AgentMemory(memory.as_user("alice"))
        asyncio.run(talk(alice, "alice", "My favourite tea is Darjeeling", question, password))
        print("bob:")
        asyncio.run(talk(AgentMemory(memory.as_user("bob")), "bob", question))


if __name__ == "__main__":
    main()
