"""Pydantic AI: an agent with the capability. The model is a function."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from memfort import Memory
from memfort.integrations.pydantic_ai import MemfortCapability


def script(messages: list[ModelMessage], _: Any) -> ModelResponse:
    """Tries to keep a password, shows what it reads, and says "Noted."."""
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        print("refused:", last.content)
    elif "password" in str(last.content):
        return ModelResponse([ToolCallPart("remember", {"text": last.content})])
    else:
        print("reads:", *(part.content for part in messages[-1].parts[:-1]))
    return ModelResponse([TextPart("Noted.")])


def main() -> None:
    with Memory.open(":memory:") as memory:
        for user in ("alice", "bob"):
            capability = MemfortCapability(memory.as_user(user))
            agent = Agent(FunctionModel(script), capabilities=[capability])
            print(f"{user}:")
            if user == "alice":
                agent.run_sync("My favourite tea is Darjeeling")
            agent.run_sync("Which tea is the favourite?")
            agent.run_sync("my password is hunter2-Xk9Q")
            print("counts:", capability.counts)


if __name__ == "__main__":
    main()
