"""LangChain: an agent with the middleware. The model follows a script."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from memfort import Memory
from memfort.integrations.langchain import MemfortMiddleware


class Script(BaseChatModel):
    """Tries to keep a password, shows what it reads, and says "Noted."."""

    _llm_type = "script"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        answer = AIMessage("Noted.")
        if isinstance(messages[-1], ToolMessage):
            print("refused:", messages[-1].text)
        elif "password" in messages[-1].text:
            call = {"name": "remember", "args": {"text": messages[-1].text}, "id": "call_1"}
            answer = AIMessage("", tool_calls=[call])
        else:
            print("reads:", *(one.text for one in messages if isinstance(one, SystemMessage)))
        return ChatResult(generations=[ChatGeneration(message=answer)])


def main() -> None:
    with Memory.open(":memory:") as memory:
        for user in ("alice", "bob"):
            middleware = MemfortMiddleware(memory.as_user(user))
            agent = create_agent(Script(), middleware=[middleware])
            print(f"{user}:")
            if user == "alice":
                agent.invoke({"messages": [("user", "My favourite tea is Darjeeling")]})
            agent.invoke({"messages": [("user", "Which tea is the favourite?")]})
            agent.invoke({"messages": [("user", "my password is hunter2-Xk9Q")]})
            print("counts:", middleware.counts)


if __name__ == "__main__":
    main()
