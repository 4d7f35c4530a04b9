"""Haystack: `Agent(chat_generator=…, tools=memory_tools(memory), hooks=memory_hooks(memory))`.

Before a run the hooks put the memories that answer the user's message in front of the messages; after it they take them
out again, and capture what was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from haystack.components.agents.state.state import State
from haystack.dataclasses import ChatMessage, ChatRole
from haystack.tools.from_function import create_tool_from_function
from haystack.tools.tool import Tool

from memfort.errors import InvalidInput
from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory

_MARK = "memfort"  # in the meta of the message with memories


class _Hook:
    """A hook that is bound to an identity, which no file of a pipeline may name."""

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    def to_dict(self) -> dict[str, Any]:
        return {"type": f"{type(self).__module__}.{type(self).__name__}", "init_parameters": {}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NoReturn:  # noqa: ARG003
        raise InvalidInput("hooks", "a file names nobody", "make the hooks with `memory_hooks(memory)`")


class RecallHook(_Hook):
    """Puts memories in front of the messages of a run."""

    def run(self, state: State) -> None:
        _put_first(state, self._memory.context(_last_said(state.data["messages"])))

    async def run_async(self, state: State) -> None:
        _put_first(state, await self._memory.acontext(_last_said(state.data["messages"])))


class CaptureHook(_Hook):
    """Takes the memories out of the messages again, and captures what was said since the user spoke last."""

    def run(self, state: State) -> None:
        self._memory.capture(_turn(state))

    async def run_async(self, state: State) -> None:
        await self._memory.acapture(_turn(state))


def memory_hooks(memory: AnyMemory | AgentMemory) -> dict[str, list[Any]]:
    """The hooks of an agent. Give an `AgentMemory` to read its `counts`."""
    bound = agent_memory(memory)
    return {"before_run": [RecallHook(bound)], "after_run": [CaptureHook(bound)]}


def memory_tools(memory: AnyMemory | AgentMemory) -> list[Tool]:
    """`recall`, `remember`, `correct` and `forget`. A refusal is an answer that the model reads."""
    return [create_tool_from_function(one) for one in agent_memory(memory).tools()]


def _put_first(state: State, block: str) -> None:
    if block:
        recalled = ChatMessage.from_system(block, meta={_MARK: True})
        _replace_messages(state, [recalled, *_without_recalled(state.data["messages"])])


def _turn(state: State) -> list[dict[str, Any]]:
    messages = _without_recalled(state.data["messages"])
    _replace_messages(state, messages)
    starts = [place for place, one in enumerate(messages) if one.is_from(ChatRole.USER)]
    said = messages[starts[-1] :] if starts else []
    return [{"role": one.role.value, "content": one.text} for one in said]


def _without_recalled(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    return [one for one in messages if not one.meta.get(_MARK)]


def _replace_messages(state: State, messages: list[ChatMessage]) -> None:
    """The default handler would append them."""
    state.set("messages", messages, handler_override=_second)


def _second(_: Any, new: Any) -> Any:
    return new


def _last_said(messages: Sequence[ChatMessage]) -> str:
    said = (one.text for one in reversed(messages) if one.is_from(ChatRole.USER))
    return next(said, None) or ""
