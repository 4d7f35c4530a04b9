"""Microsoft Agent Framework: an agent with the context provider. The client follows a script."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message

from memfort import Memory
from memfort.integrations.agent_framework import MemfortProvider


class Script(FunctionInvocationLayer, BaseChatClient):
    """Tries to keep a password, shows what it reads, and says "Noted."."""

    def _inner_get_response(self, *, messages: Any, options: Any, **_: Any) -> Awaitable[ChatResponse]:
        async def answer() -> ChatResponse:
            last = messages[-1].contents[-1]
            content = Content.from_text("Noted.")
            if last.type == "function_result":
                print("refused:", last.result)
            elif "password" in last.text:
                content = Content.from_function_call("call_1", "remember", arguments=json.dumps({"text": last.text}))
            else:
                print("reads:", options["instructions"].partition("\n<memories>")[2])
            return ChatResponse(messages=[Message("assistant", [content])])

        return answer()


async def talk(provider: MemfortProvider, *said: str) -> None:
    agent = Agent(Script(), name="assistant", context_providers=[provider])
    for text in said:
        await agent.run(text, session=agent.create_session())
    print("counts:", provider.counts)


def main() -> None:
    question, password = "Which tea is the favourite?", "my password is hunter2-Xk9Q"
    with Memory.open(":memory:") as memory:
        print("alice:")
        alice = MemfortProvider(memory.as_user("alice"))
        asyncio.run(talk(alice, "My favourite tea is Darjeeling", question, password))
        print("bob:")
        asyncio.run(talk(MemfortProvider(memory.as_user("bob")), question))


if __name__ == "__main__":
    main()
