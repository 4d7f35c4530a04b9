"""The OpenAI Agents SDK: a session, tools and memories in the prompt. The model follows a script."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from memfort import Memory
from memfort.integrations.bound import AgentMemory
from memfort.integrations.openai_agents import MemfortSession, inject_memories, memory_tools


class Script(Model):
    """Tries to keep a password, shows what it reads, and says "Noted."."""

    async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> ModelResponse:
        last = input[-1]
        if last.get("type") == "function_call_output":
            print("refused:", last["output"])
        elif "password" in last["content"]:
            arguments = json.dumps({"text": last["content"]})
            call = {"type": "function_call", "call_id": "call_1", "name": "remember", "arguments": arguments}
            return ModelResponse([ResponseFunctionToolCall(**call)], Usage(), None)
        else:
            print("reads:", system_instructions)
        text = ResponseOutputText(type="output_text", text="Noted.", annotations=[])
        said = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse([said], Usage(), None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def talk(memory: AgentMemory, *said: str) -> None:
    agent = Agent(name="assistant", model=Script(), tools=memory_tools(memory))
    config = RunConfig(call_model_input_filter=inject_memories(memory))
    for number, text in enumerate(said):
        session = MemfortSession(memory, f"thread-{number}")  # another conversation each time
        await Runner.run(agent, text, session=session, run_config=config)
    print("counts:", memory.counts)


def main() -> None:
    set_tracing_disabled(True)
    question, password = "Which tea is the favourite?", "my password is hunter2-Xk9Q"
    with Memory.open(":memory:") as memory:
        print("alice:")
        asyncio.run(talk(AgentMemory(memory.as_user("alice")), "My favourite tea is Darjeeling", question, password))
        print("bob:")
        asyncio.run(talk(AgentMemory(memory.as_user("bob")), question))


if __name__ == "__main__":
    main()
