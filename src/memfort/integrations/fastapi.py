"""For host programs on FastAPI or Starlette: answers to the errors of Memfort, and to outcomes. They are those of
`memfort serve`: problem documents (RFC 9457) with a stable code, the same for what is absent and what is not yours."""

from __future__ import annotations

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from memfort.errors import MemfortError
from memfort.model.decision import Outcome, OutcomeState, Verdict
from memfort.surfaces.http.problems import problem_response, refused_statement, response_of


def add_error_handlers(app: Starlette) -> None:
    """Answer every error of Memfort with its status and a problem: an empty text is 422 and names the field, what is
    not there for the caller is 404, a busy store is 503. A `FastAPI` app is a `Starlette` app."""
    app.add_exception_handler(MemfortError, _answer_error)


def answer(outcome: Outcome, status: int = 200) -> Response:
    """An outcome as an answer: 202 if it waits for review, 422 if a gate refused it, 403 where the caller may not
    write, otherwise `status`."""
    if outcome.decision.verdict is Verdict.DENIED:
        return problem_response(refused_statement(outcome))
    waits = outcome.state is OutcomeState.PENDING
    return Response(msgspec.json.encode(outcome.to_dict()), 202 if waits else status, media_type="application/json")


async def _answer_error(_: Request, error: Exception) -> Response:
    return response_of(error)
