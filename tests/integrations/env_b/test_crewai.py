"""CrewAI with the tools: the story with a crew of one and a scripted model."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crewai import Agent as CrewAgent
from crewai import Crew, Task
from crewai.llms.base_llm import BaseLLM
from pydantic import PrivateAttr
from tests.integrations.story import People, ToolAgent, patient, play, replies_in_time

from memfort import Memory
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.crewai import memory_tools


class Scripted(BaseLLM):
    """Calls the tools that it is told to, then says "Noted."."""

    _to_call: list[tuple[str, dict[str, Any]]] = PrivateAttr(default_factory=list)
    _prompts: list[str] = PrivateAttr(default_factory=list)

    def __init__(self) -> None:
        super().__init__(model="scripted")

    def supports_function_calling(self) -> bool:
        return False

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        self._prompts.append("\n".join(str(one["content"]) for one in messages))
        if self._to_call:
            name, arguments = self._to_call.pop()
            return f"Thought: I use the memory.\nAction: {name}\nAction Input: {json.dumps(arguments)}\n"
        return "Thought: I now know the final answer\nFinal Answer: Noted."


class CrewOfOne(ToolAgent):
    captures = False  # a crew works on tasks; what its user says reaches it through the host program

    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.model = Scripted()
        self.tools = memory_tools(memory)

    def _crew(self) -> Crew:
        """A new one for each turn, as a request makes one."""
        agent = CrewAgent(role="assistant", goal="help", backstory="You help.", llm=self.model, tools=self.tools)
        task = Task(description="Answer: {said}\n{memories}", expected_output="A sentence.", agent=agent)
        return Crew(agents=[agent], tasks=[task], verbose=False)

    @property
    def counts(self) -> Counts:
        return self.memory.counts

    async def say(self, text: str) -> str:
        self.model._prompts.clear()
        inputs = {"said": text, "memories": await self.memory.acontext(text)}
        assert (await self._crew().kickoff_async(inputs=inputs)).raw == "Noted."
        return inputs["memories"] if inputs["memories"] in self.model._prompts[0] else ""

    async def call(self, tool: str, **arguments: Any) -> str:
        self.model._prompts.clear()
        self.model._to_call.append((tool, arguments))
        await self._crew().kickoff_async(inputs={"said": "Go on.", "memories": ""})
        return self.model._prompts[-1].rpartition("Observation:")[2]


def test_the_story(people: People, run: Any, caplog: Any) -> None:
    run(play(CrewOfOne, people, caplog))


def test_a_memory_that_does_not_answer_costs_no_reply(run: Any) -> None:
    run(replies_in_time(CrewOfOne))


def test_a_tool_takes_what_it_names_and_nothing_else() -> None:
    with Memory.open(":memory:") as memory:
        tools = {one.name: one for one in memory_tools(patient(memory.as_user("alice")))}
        assert "Kept" in tools["remember"].run(text="I like green tea", origin="user")
        assert "green tea" in tools["recall"].run(query="tea")
        with pytest.raises(ValueError, match="user_id"):
            tools["recall"].run(query="tea", user_id="bob")
