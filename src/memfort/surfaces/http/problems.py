"""Problems as RFC 9457 has them: every refusal and failure is one JSON document with a stable code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct
from starlette.responses import Response

from memfort.errors import (
    Cancelled,
    Changed,
    Denied,
    InvalidInput,
    MemfortError,
    ModelFailed,
    NotFound,
    Overloaded,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from memfort.model.decision import Outcome
from memfort.model.value import plain

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = "1"


# Every code, with its status and its meaning.
CODES: Mapping[str, tuple[int, str]] = {
    "invalid_json": (400, "The body is not a JSON object."),
    "invalid_body": (400, "The body ended early."),
    "invalid_header": (400, "A header cannot be read; `field` names it."),
    "invalid_cursor": (400, "The cursor is not one of the caller's, or was made up."),
    "too_deep": (400, "The body is nested too deep."),
    "unauthenticated": (401, "The credential is missing, wrong, expired or revoked."),
    "scope_missing": (403, "The credential may not be used for that."),
    "denied": (403, "Policy says no; `reason` is its code."),
    "wrong_origin": (403, "Web pages of that origin may not ask."),
    "not_found": (404, "Absent, or not visible to the caller: the same answer."),
    "no_such_route": (404, "There is no such route."),
    "method_not_allowed": (405, "The route has other methods."),
    "too_slow": (408, "The body did not arrive in time."),
    "key_reused": (409, "The idempotency key was used for another request."),
    "in_progress": (409, "The request was sent before and is still being carried out; `Retry-After` says when to ask."),
    "not_repeated": (409, "The request was begun before, and its answer is not kept."),
    "changed": (412, "The memory has another version than `If-Match` names."),
    "too_large": (413, "The body is too large, or has too many parts."),
    "not_json": (415, "The body is not `application/json`."),
    "wrong_host": (421, "The server does not answer for that host."),
    "invalid_input": (422, "A field cannot be used; `field` names it, `remedy` says what to do."),
    "refused": (422, "A gate refused the statement; `reason` is its code, `outcome` the decision."),
    "too_many_requests": (429, "The caller asks too often; `Retry-After` says how long to wait."),
    "internal": (500, "The server failed. The log has more under the request's id."),
    "overloaded": (503, "Too many requests wait already; this one was not begun."),
    "provider_away": (503, "The keys of the identity provider cannot be had, so its tokens cannot be checked."),
    "stopping": (503, "The server is being stopped."),
    "store_busy": (503, "Another process writes to the store for too long."),
    "store_read_only": (503, "The store is open to be read alone."),
    "store_failed": (503, "The store could not do its work; nothing was half written."),
    "model_failed": (503, "A model gave no usable answer."),
    "cancelled": (503, "The call was given up before its commit."),
    "store_full": (507, "The disk is full; reads and erasing still work."),
}


class Problem(Struct, frozen=True, omit_defaults=True):
    """Why a request was not answered as it was meant."""

    type: str  # a name for this kind of problem
    title: str
    status: int
    code: str  # stable: programs may rely on it
    detail: str | None = None
    field: str | None = None  # the part of the request
    remedy: str | None = None  # what to do instead
    reason: str | None = None  # of a refusal: the policy's reason code
    what: str | None = None  # of what is not found: the kind of thing
    name: str | None = None  # and its name
    outcome: dict[str, Any] | None = None  # of a statement that a gate refused: the whole decision


class HttpProblem(Exception):
    """A problem of HTTP itself: the credential, the media type, the size, a header."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        field: str | None = None,
        remedy: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.problem = problem(status, code, detail, field=field, remedy=remedy)
        self.headers = dict(headers or {})


_TITLES = {
    400: "The request cannot be read",
    401: "A credential is needed",
    403: "That is not allowed",
    404: "There is no such thing that you can see",
    405: "That method is not possible here",
    408: "The request took too long",
    409: "The request contradicts an earlier one",
    412: "The memory was changed meanwhile",
    413: "The request is too large",
    415: "The body has to be JSON",
    421: "This server does not answer for that host",
    422: "The request cannot be used",
    429: "Too many requests",
    500: "The server failed",
    503: "The server cannot answer just now",
    507: "The disk is full",
}


def problem(status: int, code: str, detail: str | None, **more: Any) -> Problem:
    assert CODES[code][0] == status, code
    return Problem(f"urn:memfort:problem:{code}", _TITLES[status], status, code, detail, **more)


def problem_response(made: Problem, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(made), made.status, headers, MEDIA_TYPE)


def response_of(error: Exception) -> Response:
    """The answer to an error. An error that is not ours says nothing of itself: its message may quote contents."""
    if isinstance(error, HttpProblem):
        return problem_response(error.problem, error.headers)
    made = problem_of(error)
    retry = {"retry-after": RETRY_SECONDS} if made.status == 503 else None
    return problem_response(made, retry)


def problem_of(error: Exception) -> Problem:
    match error:
        case InvalidInput():
            return problem(422, "invalid_input", error.problem, field=error.field, remedy=error.remedy)
        case Denied():
            return problem(403, "denied", error.explanation, reason=error.reason)
        case NotFound():
            return problem(404, "not_found", error.problem, remedy=error.remedy, what=error.what, name=error.name)
        case Changed():
            return problem(412, "changed", str(error), remedy="read it again, and decide anew")
        case StoreFull():
            return problem(507, "store_full", str(error), remedy="free space; reads and erasing still work")
        case _:
            return _problem_of_failure(error)


def _problem_of_failure(error: Exception) -> Problem:
    codes: dict[type[MemfortError], str] = {
        Overloaded: "overloaded",
        StoreBusy: "store_busy",
        StoreReadOnly: "store_read_only",
        StoreError: "store_failed",
        ModelFailed: "model_failed",
        Cancelled: "cancelled",
    }
    for kind, code in codes.items():
        if isinstance(error, kind):
            return problem(503, code, str(error), remedy="try again later")
    return problem(500, "internal", None)


def refused_statement(outcome: Outcome) -> Problem:
    """The problem of a statement that a gate refused. Where the caller may not write, that is what it says."""
    decision = outcome.decision
    status, code = (403, "denied") if decision.gate == "border" else (422, "refused")
    return problem(status, code, decision.explanation, reason=decision.reason.value, outcome=plain(outcome))
