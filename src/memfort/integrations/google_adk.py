"""Google ADK: `Runner(…, memory_service=MemfortMemoryService(memory.as_user("alice")))`.

    agent = LlmAgent(…, tools=[*memory_tools(memory), preload_memory], after_agent_callback=capture_session)

The service belongs to one user. A runner that asks it for another gets an error. Nothing in ADK adds a session to the
memory by itself: `capture_session` does, after each turn.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from memfort.errors import Denied
from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory, own_space
from memfort.model.item import Item, Origin
from memfort.model.moment import to_text
from memfort.model.reason import Reason, explanation
from memfort.recall.fence import quote_line

_LIMIT = 10


class MemfortMemoryService(BaseMemoryService):
    """The memory of one user. Words of memories are quoted, so that none closes the block that ADK puts them into."""

    def __init__(self, memory: AnyMemory | AgentMemory, *, user_id: str | None = None, limit: int = _LIMIT) -> None:
        """`user_id` is what the runner calls this user, if that is not their name in Memfort."""
        self._memory = agent_memory(memory)
        self._user_id = user_id or own_space(self._memory.verbs).get("user")
        self._limit = limit

    @property
    def counts(self) -> Any:
        """What was captured, kept and refused."""
        return self._memory.counts

    async def add_session_to_memory(self, session: Session) -> None:
        """Capture what is new in a session. ADK gives the whole session each time; each event is captured once."""
        self._check(session.user_id)
        await self._capture(session.events, session.id)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,  # noqa: ARG002  # one user's memory serves all their apps
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002
    ) -> None:
        self._check(user_id)
        await self._capture(events, session_id)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:  # noqa: ARG002
        self._check(user_id)
        nothing: list[Item] = []
        found = await self._memory.awaited_in_time(lambda: self._search(query), nothing)
        self._memory.counts.add(injected=1 if found else 0)
        return SearchMemoryResponse(memories=[_entry(item) for item in found])

    async def add_memory(
        self,
        *,
        app_name: str,  # noqa: ARG002
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002
    ) -> None:
        """Keep statements. The first that is refused raises `Denied`, when all were tried."""
        self._check(user_id)
        refused: list[Denied] = []
        for one in memories:
            outcome = await self._memory.run(lambda entry=one: self._remember(entry))  # type: ignore[misc]
            self._memory.counts.add(remembered=1 if outcome.kept else 0)
            if not outcome.stored:
                refused.append(Denied(outcome.reason, outcome.decision.explanation))
                self._memory.refused("add_memory", refused[-1])
        if refused:
            raise refused[0]

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:  # noqa: ARG002
        """Forget one memory. What was forgotten does not come back when its session is added again."""
        self._check(user_id)
        if memory_id:
            await self._memory.run(lambda: self._memory.verbs.forget(memory_id))

    def _check(self, user_id: str) -> None:
        if user_id != self._user_id:
            raise Denied(Reason.NOT_YOUR_IDENTITY, explanation(Reason.NOT_YOUR_IDENTITY))

    def _search(self, query: str) -> list[Item]:
        return [hit.item for hit in self._memory.verbs.recall(query, limit=self._limit).hits]

    def _remember(self, entry: MemoryEntry) -> Any:
        origin = Origin.USER if entry.author == "user" else Origin.AI
        return self._memory.verbs.remember(_text(entry.content), origin=origin)

    async def _capture(self, events: Iterable[Event], conversation: str | None) -> None:
        said = [
            {"role": "user" if one.author == "user" else "assistant", "content": _text(one.content), "id": one.id}
            for one in events
            if one.content is not None and not one.partial
        ]
        await self._memory.acapture(said, conversation)


async def capture_session(callback_context: CallbackContext) -> None:
    """For `LlmAgent(after_agent_callback=capture_session)`: adds the session to the memory after each turn."""
    await callback_context.add_session_to_memory()


def memory_tools(memory: AnyMemory | AgentMemory) -> list[Callable[..., Awaitable[str]]]:
    """`recall`, `remember`, `correct` and `forget`. A refusal is an answer that the model reads."""
    return agent_memory(memory).async_tools()


def _entry(item: Item) -> MemoryEntry:
    said = types.Content(role="user", parts=[types.Part(text=quote_line(item.text))])
    author = quote_line(item.stated_by or str(item.author))[1:-1]
    when = to_text(item.observed_at_us or item.created_at_us)
    return MemoryEntry(id=item.id, content=said, author=author, timestamp=when)


def _text(content: types.Content | None) -> str:
    """What was said, without calls of tools and what they gave back."""
    parts = [] if content is None else content.parts or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)
