"""Pydantic AI: `Agent(model, capabilities=[MemfortCapability(memory.as_user("alice"))])`.

The capability puts the memories that answer the user's prompt into each request, gives the model four tools, and
captures the turn after the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic_ai import AgentRunResult, FunctionToolset, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext

from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory


class MemfortCapability(AbstractCapability[Any]):
    """Memory for an agent. What was recalled is in the request alone: neither in the history of messages nor captured.
    An argument that a tool does not have, such as `user_id`, is refused by the framework."""

    def __init__(
        self, memory: AnyMemory | AgentMemory, *, offer_tools: bool = True, inject: bool = True, capture: bool = True
    ) -> None:
        self._memory = agent_memory(memory)
        self._offer_tools, self._inject, self._capture = offer_tools, inject, capture

    @property
    def counts(self) -> Any:
        """What was injected, captured, kept and refused."""
        return self._memory.counts

    def get_toolset(self) -> FunctionToolset[Any] | None:
        return FunctionToolset(self._memory.async_tools()) if self._offer_tools else None

    def get_instructions(self) -> str | None:
        return self._memory.instructions if self._offer_tools else None

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        block = await self._memory.acontext(_text(ctx.prompt)) if self._inject else ""
        messages = request_context.messages
        if block and messages and isinstance(messages[-1], ModelRequest):
            parts = [UserPromptPart(block), *messages[-1].parts]  # a new list: the history keeps the old one
            return replace(request_context, messages=[*messages[:-1], replace(messages[-1], parts=parts)])
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        if self._capture:
            await self._memory.acapture(_said(result.new_messages()), ctx.conversation_id)
        return result


def _said(messages: Iterable[ModelMessage]) -> list[dict[str, Any]]:
    said = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                said.append({"role": "user", "content": _text(part.content)})
            elif isinstance(part, TextPart):
                said.append({"role": "assistant", "content": part.content})
    return said


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(one for one in content or () if isinstance(one, str))
