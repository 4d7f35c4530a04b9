"""The tasks that callers may ask about again: a bounded number, for a while, and without contents once they are over.
A memory that is forgotten or erased must not live on in a task."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from a2a.server.context import ServerCallContext
from a2a.server.tasks import TaskStore
from a2a.types import ListTasksRequest, ListTasksResponse, Task, TaskState

_OVER = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
    }
)


class RecentTasks(TaskStore):
    """Each caller sees their own tasks. Those of others do not exist."""

    def __init__(self, most: int = 1000, seconds: float = 600.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._tasks: OrderedDict[tuple[str, str], tuple[float, Task]] = OrderedDict()
        self._lock = Lock()

    async def save(self, task: Task, context: ServerCallContext) -> None:
        kept = Task()
        kept.CopyFrom(task)
        if kept.status.state in _OVER:
            del kept.artifacts[:]
            del kept.history[:]
        with self._lock:
            self._tasks.pop((context.user.user_name, task.id), None)
            self._tasks[context.user.user_name, task.id] = self._clock(), kept
            self._drop_old()

    async def get(self, task_id: str, context: ServerCallContext) -> Task | None:
        with self._lock:
            self._drop_old()
            _, kept = self._tasks.get((context.user.user_name, task_id), (0.0, None))
        if kept is None:
            return None
        found = Task()
        found.CopyFrom(kept)
        return found

    async def list(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        """The caller's tasks, the latest first, as one page."""
        with self._lock:
            self._drop_old()
            own = [task for (owner, _), (_, task) in self._tasks.items() if owner == context.user.user_name]
        wanted = [
            task
            for task in reversed(own)
            if (not params.context_id or task.context_id == params.context_id)
            and (not params.status or task.status.state == params.status)
        ]
        return ListTasksResponse(tasks=wanted, total_size=len(wanted), page_size=len(wanted))

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        with self._lock:
            self._tasks.pop((context.user.user_name, task_id), None)

    def _drop_old(self) -> None:
        """The oldest are first."""
        while self._tasks:
            at, _ = next(iter(self._tasks.values()))
            if len(self._tasks) <= self._most and self._clock() - at < self._seconds:
                return
            self._tasks.popitem(last=False)
