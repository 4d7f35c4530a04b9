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
from a2a.utils.constants import DEFAULT_LIST_TASKS_PAGE_SIZE
from a2a.utils.errors import InvalidParamsError
from a2a.utils.task import ListTasksCursor, decode_list_tasks_cursor, encode_list_tasks_cursor

_OVER = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
    }
)


_Place = tuple[bool, int, str]  # in a listing: whether it has a time, the time, the id


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
        """A page of the caller's tasks, the latest first."""
        with self._lock:
            self._drop_old()
            own = [task for (owner, _), (_, task) in self._tasks.items() if owner == context.user.user_name]
        wanted = sorted((task for task in own if _is_wanted(task, params)), key=_place, reverse=True)
        after = _place_of_token(params.page_token) if params.page_token else None
        rest = [task for task in wanted if after is None or _place(task) < after]
        size = params.page_size or DEFAULT_LIST_TASKS_PAGE_SIZE
        page = rest[:size]
        found = ListTasksResponse(tasks=page, total_size=len(wanted), page_size=size)
        if len(rest) > size:
            _, at, id = _place(page[-1])
            found.next_page_token = encode_list_tasks_cursor(ListTasksCursor(at if _has_time(page[-1]) else None, id))
        return found

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


def _is_wanted(task: Task, params: ListTasksRequest) -> bool:
    if params.context_id and task.context_id != params.context_id:
        return False
    if params.status and task.status.state != params.status:
        return False
    if not params.HasField("status_timestamp_after"):
        return True
    return _has_time(task) and task.status.timestamp.ToNanoseconds() >= params.status_timestamp_after.ToNanoseconds()


def _has_time(task: Task) -> bool:
    return bool(task.status.HasField("timestamp"))


def _place(task: Task) -> _Place:
    has_time = _has_time(task)
    return has_time, task.status.timestamp.ToNanoseconds() if has_time else 0, task.id


def _place_of_token(token: str) -> _Place:
    cursor = decode_list_tasks_cursor(token)
    if cursor is None:
        raise InvalidParamsError("it is not a page token of a listing")
    return cursor.sort_key()


def check_status(status: object) -> None:
    """Refuse a state that there is not, which the SDK takes for none."""
    known = [*TaskState.items()]
    if status is not None and all(status not in one for one in known):
        names = ", ".join(name for name, _ in known)
        raise InvalidParamsError(f"`status` is not the state of a task; use one of {names}")
