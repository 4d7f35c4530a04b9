"""Haystack: an agent with the hooks and the tools. The generator follows a script."""

from __future__ import annotations

from typing import Any

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall

from memfort import Memory
from memfort.integrations.bound import AgentMemory
from memfort.integrations.haystack import memory_hooks, memory_tools


@component
class Script:
    """Tries to keep a password, shows what it reads, and says "Noted."."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
        answer = ChatMessage.from_assistant("Noted.")
        if messages[-1].tool_call_result:
            print("refused:", messages[-1].tool_call_result.result)
        elif "password" in (messages[-1].text or ""):
            call = ToolCall(id="call_1", tool_name="remember", arguments={"text": messages[-1].text})
            answer = ChatMessage.from_assistant(tool_calls=[call])
        else:
            print("reads:", *(one.text for one in messages if one.is_from("system")))
        return {"replies": [answer]}


def talk(memory: AgentMemory, *said: str) -> None:
    agent = Agent(chat_generator=Script(), tools=memory_tools(memory), hooks=memory_hooks(memory))
    for text in said:
        agent.run(messages=[ChatMessage.from_user(text)])
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
