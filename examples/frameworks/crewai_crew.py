"""CrewAI: a crew with the tools, and memories in its task. The model follows a script."""

from __future__ import annotations

import json
from typing import Any

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM

from memfort import Memory
from memfort.integrations.bound import AgentMemory
from memfort.integrations.crewai import memory_tools


class Script(BaseLLM):
    """Keeps a statement that it is told, and says "Noted."."""

    def supports_function_calling(self) -> bool:
        return False

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        said = "\n".join(str(one["content"]) for one in messages)
        task = said.partition("Current Task: ")[2].partition("\n\n")[0]
        _, answered, observed = said.rpartition("Observation: ")
        if "Action: remember\n" in said and answered:
            print("remember:", observed.partition("\n")[0])
        elif task.startswith("Keep: "):
            action = json.dumps({"text": task.removeprefix("Keep: "), "origin": "user"})
            return f"Thought: I keep it.\nAction: remember\nAction Input: {action}\n"
        else:
            print("reads:", task)
        return "Thought: I now know the final answer\nFinal Answer: Noted."


def work(memory: AgentMemory, description: str, **inputs: str) -> None:
    agent = Agent(
        role="assistant", goal="help", backstory="You help.", llm=Script(model="script"), tools=memory_tools(memory)
    )
    task = Task(description=description, expected_output="A sentence.", agent=agent)
    Crew(agents=[agent], tasks=[task], verbose=False).kickoff(inputs=inputs)


def main() -> None:
    question = "Which tea is the favourite?"
    with Memory.open(":memory:") as memory:
        alice, bob = (AgentMemory(memory.as_user(user)) for user in ("alice", "bob"))
        print("alice:")
        work(alice, "Keep: {said}", said="My favourite tea is Darjeeling")
        work(alice, "{question}\n{memories}", question=question, memories=alice.context(question))
        work(alice, "Keep: {said}", said="my password is hunter2-Xk9Q")
        print("counts:", alice.counts)
        print("bob:")
        work(bob, "{question}\n{memories}", question=question, memories=bob.context(question))


if __name__ == "__main__":
    main()
