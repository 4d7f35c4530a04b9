"""Strands: an agent with the memory manager. The model follows a script."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

from strands import Agent
from strands.models import Model

from memfort import Memory
from memfort.integrations.bound import AgentMemory
from memfort.integrations.strands import memory_manager


class Script(Model):
    """Tries to keep a password, shows what it reads, and says "Noted."."""

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        blocks = messages[-1]["content"]
        texts = [block["text"] for block in blocks if "text" in block]
        call = None
        if "toolResult" in blocks[0]:
            print("refused:", blocks[0]["toolResult"]["content"][0]["text"])
        elif "password" in texts[-1]:
            call = json.dumps({"text": "my password is hunter2-Xk9Q"})
        else:
            print("reads:", *(one for one in texts if "<memory>" in one))
        start = {"toolUse": {"toolUseId": "call_1", "name": "remember"}} if call else {}
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": start}}
        yield {"contentBlockDelta": {"delta": {"toolUse": {"input": call}} if call else {"text": "Noted."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if call else "end_turn"}}


def talk(memory: AgentMemory, *said: str) -> None:
    for text in said:
        Agent(model=Script(), memory_manager=memory_manager(memory), callback_handler=None)(text)
    print("counts:", memory.counts)


def main() -> None:
    question, password = "Which tea is the favourite?", "my password is hunter2-Xk9Q"
    with Memory.open(":memory:") as memory:
        print("alice:")
        talk(AgentMemory(memory.as_user("alice")), "My favourite tea is Darjeeling", question, password)
        print("bob:")
        talk(AgentMemory(memory.as_user("bob")), question)


if __name__ == "__main__":
    main()
