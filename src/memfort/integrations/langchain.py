"""LangChain agents: `create_agent(model, middleware=[MemfortMiddleware(memory.as_user("alice"))])`.

The middleware adds the memories that answer the user's last message to the system message of each call of the model,
gives the model four tools, and captures the turn when the agent has ended.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.config import get_config

from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory


class MemfortMiddleware(AgentMiddleware[Any, Any, Any]):
    """Memory for an agent, sync and async. The messages of the agent stay as they are: what was recalled is in no
    checkpoint, and so never captured."""

    def __init__(
        self, memory: AnyMemory | AgentMemory, *, offer_tools: bool = True, inject: bool = True, capture: bool = True
    ) -> None:
        super().__init__()
        self._memory = agent_memory(memory)
        self._inject, self._capture = inject, capture
        self.tools = memory_tools(self._memory) if offer_tools else []

    @property
    def counts(self) -> Any:
        """What was injected, captured, kept and refused."""
        return self._memory.counts

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        block = self._memory.context(_last_said(request.messages)) if self._inject else ""
        return handler(_with_block(request, block))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        block = await self._memory.acontext(_last_said(request.messages)) if self._inject else ""
        return await handler(_with_block(request, block))

    def after_agent(self, state: Any, runtime: Any) -> None:  # noqa: ARG002  # as the framework calls it
        if self._capture:
            self._memory.capture(_turn(state["messages"]), _thread())

    async def aafter_agent(self, state: Any, runtime: Any) -> None:  # noqa: ARG002  # as the framework calls it
        if self._capture:
            await self._memory.acapture(_turn(state["messages"]), _thread())


def memory_tools(memory: AnyMemory | AgentMemory) -> list[BaseTool]:
    """`recall`, `remember`, `correct` and `forget`. A refusal is an answer that the model reads."""
    bound = agent_memory(memory)
    make = partial(StructuredTool.from_function, parse_docstring=True)
    return [make(one, coroutine=bound.asynchronous(one), name=one.__name__) for one in bound.tools()]


def _with_block(request: ModelRequest[Any], block: str) -> ModelRequest[Any]:
    if not block:
        return request
    text = "\n\n".join(part for part in (request.system_prompt, block) if part)
    return request.override(system_message=SystemMessage(text))


def _last_said(messages: Sequence[AnyMessage]) -> str:
    return next((one.text for one in reversed(messages) if isinstance(one, HumanMessage)), "")


def _turn(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """What was said since the user spoke last, that message included."""
    starts = [place for place, one in enumerate(messages) if isinstance(one, HumanMessage)]
    roles = {HumanMessage: "user", AIMessage: "assistant"}
    return [
        {"role": roles[type(one)], "content": one.text, "id": one.id}
        for one in messages[starts[-1] if starts else len(messages) :]
        if type(one) in roles
    ]


def _thread() -> str | None:
    """The id of the thread, where the agent has one."""
    thread = get_config().get("configurable", {}).get("thread_id")
    return None if thread is None else str(thread)
