"""OpenAI Agents SDK: tools, memories for the prompt, and a session that keeps the conversation under the policy.

agent = Agent(name="Assistant", instructions=memory.instructions, tools=memory_tools(memory))
config = RunConfig(call_model_input_filter=inject_memories(memory))
await Runner.run(agent, "Which tea do I like?", session=MemfortSession(memory, "thread-1"), run_config=config)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from agents import function_tool
from agents.run_config import CallModelData, ModelInputData

from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory
from memfort.model.item import Item, Kind, Origin

if TYPE_CHECKING:
    from agents import Tool, TResponseInputItem
    from agents.memory import SessionSettings
    from openai.types.responses import EasyInputMessageParam

_ROLES: Mapping[Origin, Literal["user", "assistant"]] = {Origin.USER: "user", Origin.AI: "assistant"}
_PARTS = {"input_text", "output_text", "text"}


class MemfortSession:
    """A session of the SDK whose history is the conversation as Memfort keeps it: what the user and the assistant said.

    A message that the policy refuses is in no later prompt; the log and `counts` say so. Calls of tools and what they
    gave back are not kept, and so recalled memories are never captured. To clear the session forgets what was said in
    it, and what was learned from it.
    """

    def __init__(self, memory: AnyMemory | AgentMemory, session_id: str) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = None
        self._memory = agent_memory(memory)

    @property
    def counts(self) -> Any:
        """What was captured, kept and refused."""
        return self._memory.counts

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        nothing: list[Item] = []
        turns = await self._memory.awaited_in_time(self._window, nothing)
        return [_message(one) for one in (turns if limit is None else turns[len(turns) - min(limit, len(turns)) :])]

    async def add_items(self, items: Sequence[TResponseInputItem]) -> None:
        await self._memory.acapture([_spoken(one) for one in items if isinstance(one, Mapping)], self.session_id)

    async def pop_item(self) -> TResponseInputItem | None:
        return await self._memory.run(self._pop)

    async def clear_session(self) -> None:
        await self._memory.run(self._clear)

    def _window(self) -> list[Item]:
        turns = self._memory.verbs.window(conversation=self.session_id)
        return [one for one in turns if one.origin in _ROLES]

    def _pop(self) -> TResponseInputItem | None:
        turns = self._window()
        if not turns:
            return None
        self._memory.verbs.forget(turns[-1].id)
        return _message(turns[-1])

    def _clear(self) -> None:
        """Also the turns that have left the window."""
        cursor: str | None = None
        said: list[str] = []
        while True:
            page = self._memory.verbs.list(kinds=[Kind.SHORT_TERM], limit=1000, cursor=cursor)
            said += [one.id for one in page.items if one.conversation == self.session_id]
            cursor = page.cursor
            if cursor is None:
                break
        if said:
            self._memory.verbs.forget(*said)


def memory_tools(memory: AnyMemory | AgentMemory) -> list[Tool]:
    """`recall`, `remember`, `correct` and `forget`. A refusal is an answer that the model reads."""
    return [function_tool(one) for one in agent_memory(memory).async_tools()]


def inject_memories(memory: AnyMemory | AgentMemory) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """For `RunConfig(call_model_input_filter=…)`: adds the memories that answer the user's last message to the
    instructions of each call of the model. They are no part of the session."""
    bound = agent_memory(memory)

    async def inject(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        block = await bound.acontext(_last_said(given.input))
        instructions = "\n\n".join(text for text in (given.instructions, block) if text)
        return ModelInputData(input=given.input, instructions=instructions or None)

    return inject


def _message(turn: Item) -> EasyInputMessageParam:
    return {"role": _ROLES[turn.origin], "content": turn.text}


def _spoken(item: Mapping[str, Any]) -> dict[str, Any]:
    """The words of an item without its id: items of many models share one."""
    return {"role": item.get("role"), "content": _text(item.get("content"))}


def _last_said(items: Sequence[Any]) -> str:
    said = (one for one in reversed(items) if isinstance(one, Mapping) and one.get("role") == "user")
    return _text(next(said, {}).get("content"))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [one for one in content or () if isinstance(one, Mapping) and one.get("type") in _PARTS]
    return "\n".join(str(one.get("text") or "") for one in parts)
