"""How a message of another agent is answered: a task that is submitted, works, gives one artifact and is completed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from a2a.helpers.proto_helpers import get_data_parts, get_text_parts, new_data_part, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, Role, Task, TaskState, TaskStatus
from msgspec import Struct

from memfort.client import BoundMemory
from memfort.errors import Denied, InvalidInput, MemfortError, NotFound
from memfort.model.moment import to_text
from memfort.model.results import Recall
from memfort.recall.render import render_with_ids

ASKING = "memfort_asking"  # in the state of a call
SURFACE = "a2a"  # in the trail
ARTIFACT = "public memories"
_LIMIT = 10
_NO_QUERY = "Say what to look for, in words."
_NO_AGENT = 'Name the agent whose public memory is searched, in a data part: {"agent": "helper", "query": "…"}.'


class Asking(Struct, frozen=True):
    """Who asks which agent."""

    memory_of: Callable[[str], BoundMemory]  # the public memory of an agent, as the caller has it
    agent: str | None  # `None`: the message names it
    run_in_thread: Callable[[Callable[[], Any]], Awaitable[Any]]


class PublicMemory(AgentExecutor):
    """Searches public memory. It has no state: everything comes with the call."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message = context.message
        assert message is not None
        task = context.current_task or Task(
            id=context.task_id, context_id=context.context_id, status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
        )
        if context.current_task is None:
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        asking: Asking = context.call_context.state[ASKING]
        agent, query = _read(message, asking.agent)
        if agent is None or not query.strip():
            await updater.requires_input(_reply(_NO_AGENT if agent is None else _NO_QUERY, task))
            return
        await updater.start_work()
        try:
            found = await asking.run_in_thread(lambda: asking.memory_of(agent).recall(query, limit=_LIMIT))
        except (Denied, InvalidInput, NotFound) as error:
            await updater.reject(_reply(_refusal(error), task))
        except MemfortError:
            await updater.failed(_reply("The memory cannot answer just now; try again later.", task))
        else:
            await updater.add_artifact(_parts(found), name=ARTIFACT)
            await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Nothing runs for long; what waits for input can be given up."""
        task = context.current_task
        assert task is not None
        await TaskUpdater(event_queue, task.id, task.context_id).cancel()


def _read(message: Message, agent: str | None) -> tuple[str | None, str]:
    """The agent and the query that a message names. In the address of one agent, a message cannot name another."""
    words = list(get_text_parts(message.parts))
    for part in get_data_parts(message.parts):
        if isinstance(part, dict):
            words += [part["query"]] if isinstance(part.get("query"), str) else []
            named = part.get("agent")
            agent = named if agent is None and isinstance(named, str) and named.strip() else agent
    return agent, "\n".join(words)


def _parts(found: Recall) -> list[Any]:
    """The memories as data, and their ids and times beside them."""
    items = [hit.item for hit in found.hits]
    listed = [{"id": item.id, "written_at": to_text(item.created_at_us)} for item in items]
    text = render_with_ids(items) or "Nothing public answers this."
    return [new_text_part(text), new_data_part({"found": len(items), "items": listed, "trace": found.trace})]


def _refusal(error: Denied | InvalidInput | NotFound) -> str:
    if isinstance(error, Denied):
        return f"denied ({error.reason}): {error.explanation}"
    return f"{'invalid_input' if isinstance(error, InvalidInput) else 'not_found'}: {error}"


def _reply(text: str, task: Task) -> Message:
    return new_text_message(text, context_id=task.context_id, task_id=task.id, role=Role.ROLE_AGENT)
