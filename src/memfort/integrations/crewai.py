"""CrewAI: `Agent(…, tools=memory_tools(memory.as_user("alice")))`.

For memories in the prompt of a task, name a place in its description and fill it when the crew begins:
`crew.kickoff(inputs={"memories": AgentMemory(memory).context("favourite tea")})`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from crewai.tools import BaseTool
from crewai.tools.base_tool import Tool
from pydantic import BaseModel, ConfigDict, create_model

from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory


def memory_tools(memory: AnyMemory | AgentMemory) -> list[BaseTool]:
    """`recall`, `remember`, `correct` and `forget`. A refusal is an answer that the model reads; so is an argument that
    a tool does not have, such as a user."""
    bound = agent_memory(memory)
    return [
        Tool(
            name=one.__name__,
            description=one.__doc__ or "",
            func=one,
            args_schema=_schema(one),
            cache_function=_never_cached,
        )
        for one in bound.tools()
    ]


def _schema(work: Callable[..., str]) -> type[BaseModel]:
    hints = get_type_hints(work)
    hints.pop("return")
    defaults: dict[str, Any] = {"origin": "ai"}
    fields: dict[str, Any] = {name: (kind, defaults.get(name, ...)) for name, kind in hints.items()}
    return create_model(work.__name__.title(), __config__=ConfigDict(extra="forbid"), **fields)


def _never_cached(*_: Any) -> bool:
    """What a memory answers may be another thing a moment later, and for another user."""
    return False
