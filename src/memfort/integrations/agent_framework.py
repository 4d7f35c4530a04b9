"""Microsoft Agent Framework: `Agent(client, context_providers=[MemfortProvider(memory.as_user("alice"))])`.

The provider adds the memories that answer the user's message and four tools to each run, and captures the run when it
has ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agent_framework import AgentSession, ContextProvider, Message, SessionContext

from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory

_ROLES = ("user", "assistant")


class MemfortProvider(ContextProvider):
    """Memory for an agent. What was recalled is an instruction of one run: neither in the session nor captured."""

    after_run_once_per_turn = True

    def __init__(
        self,
        memory: AnyMemory | AgentMemory,
        source_id: str = "memfort",
        *,
        offer_tools: bool = True,
        inject: bool = True,
        capture: bool = True,
    ) -> None:
        super().__init__(source_id)
        self._memory = agent_memory(memory)
        self._offer_tools, self._inject, self._capture = offer_tools, inject, capture

    @property
    def counts(self) -> Any:
        """What was injected, captured, kept and refused."""
        return self._memory.counts

    async def before_run(
        self,
        *,
        agent: Any,  # noqa: ARG002
        session: AgentSession,  # noqa: ARG002
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002  # nothing is kept there
    ) -> None:
        if self._offer_tools:
            context.extend_instructions(self.source_id, self._memory.instructions)
            context.extend_tools(self.source_id, self._memory.async_tools())
        said = [one.text for one in context.input_messages if one.role == "user"]
        block = await self._memory.acontext("\n".join(said)) if self._inject and said else ""
        if block:
            context.extend_instructions(self.source_id, block)

    async def after_run(
        self,
        *,
        agent: Any,  # noqa: ARG002
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002
    ) -> None:
        if self._capture:
            answered = [] if context.response is None else context.response.messages
            await self._memory.acapture(_said([*context.input_messages, *answered]), session.session_id)


def _said(messages: Iterable[Message]) -> list[dict[str, Any]]:
    return [{"role": one.role, "content": one.text} for one in messages if one.role in _ROLES]
