"""Problems of a server as the exceptions that the verbs raise, and answers as their results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

from memfort.client.remote.decode import reader_of
from memfort.client.remote.transport import Answer
from memfort.engine.call import Progress
from memfort.errors import (
    Cancelled,
    Changed,
    Denied,
    InvalidInput,
    MemfortError,
    NotFound,
    Overloaded,
    ServerFailed,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from memfort.model.decision import Outcome
from memfort.operations.table import Operation

_FAILURES: dict[str, type[MemfortError]] = {
    "changed": Changed,
    "overloaded": Overloaded,
    "stopping": Overloaded,
    "too_many_requests": Overloaded,
    "cancelled": Cancelled,
    "store_full": StoreFull,
    "store_busy": StoreBusy,
    "store_failed": StoreError,
}
_OF_THE_REQUEST_KEY = frozenset({"in_progress", "not_repeated"})  # which the client made, and not its caller
_REFUSALS = frozenset({"denied", "unauthenticated", "scope_missing", "wrong_host", "wrong_origin"})


def result_of(row: Operation, answer: Answer) -> Any:
    """The result of a verb, or the exception that it raises."""
    try:
        document = json.loads(answer.body)
    except ValueError:
        raise ServerFailed(f"the server answered with {answer.status} and no JSON; is it a Memfort server?") from None
    if answer.status < 400:
        return reader_of(row.result)(document)
    return result_of_problem(row, document)


def result_of_problem(row: Operation, problem: dict[str, Any]) -> Any:
    """A problem that is a result: a statement that a gate refused, and what is not there."""
    if problem.get("outcome") is not None and row.result is Outcome:
        return reader_of(Outcome)(problem["outcome"])
    if problem.get("code") == "not_found" and type(None) in get_args(row.result):
        return None
    raise error_of(problem)


def error_of(problem: dict[str, Any]) -> MemfortError:
    """The exception that a verb raises where a server answers with this problem."""
    code, detail = str(problem.get("code")), str(problem.get("detail") or problem.get("title") or "it failed")
    if code == "not_found":
        return NotFound(str(problem.get("what")), str(problem.get("name")), problem.get("remedy"))
    if code in _REFUSALS:
        return Denied(str(problem.get("reason") or code), detail)
    if code == "store_read_only":
        return StoreReadOnly()
    if code in _FAILURES:
        return _FAILURES[code](detail)
    if int(problem.get("status", 500)) < 500 and code not in _OF_THE_REQUEST_KEY:
        return InvalidInput(str(problem.get("field") or code), detail, str(problem.get("remedy") or "see the docs"))
    return ServerFailed(f"{detail} ({code})")


def result_of_events(row: Operation, lines: Iterator[bytes], progress: Progress) -> Any:
    """The result at the end of a stream of events; progress is reported as it comes."""
    name = ""
    for line in lines:
        kind, _, rest = line.decode().rstrip("\n").partition(": ")
        if kind == "event":
            name = rest
        elif kind == "data":
            document = json.loads(rest)
            if name == "progress":
                progress(document["done"], document["total"])
            else:
                return reader_of(row.result)(document) if name == "result" else result_of_problem(row, document)
    raise ServerFailed("the server ended the answer early; look at what is there before trying again")
