"""The application: routes that are a view of the table of operations, behind checks that hold for all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import get_origin
from urllib.parse import urlsplit
from uuid import uuid4

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from memfort.errors import MemfortError
from memfort.model.people.access_key import KeyScope
from memfort.operations.table import TABLE, Http, Operation
from memfort.policy.secrets import find_secrets
from memfort.surfaces.http import memories, metrics
from memfort.surfaces.http.connections import CONNECTION, Connection
from memfort.surfaces.http.docs_page import docs_page
from memfort.surfaces.http.entry import Asked, let_in
from memfort.surfaces.http.identity import check_scope
from memfort.surfaces.http.logs import log_failure, log_request
from memfort.surfaces.http.mounts import mounted_routes
from memfort.surfaces.http.openapi import openapi_document
from memfort.surfaces.http.problems import HttpProblem, problem, problem_response, response_of
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.settings import ServerSettings
from memfort.surfaces.http.streams import EVENTS, events_response, lines_response
from memfort.surfaces.http.verbs import JSON, perform, prepare

_GONE = 499  # in logs and numbers: the client did not wait for the answer
Endpoint = Callable[[Request], Awaitable[Response]]
_SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
}


def make_app(server: Server) -> Outermost:
    """The ASGI application of a server. Stopping it finishes what is under way and closes the store."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        server.allotment.start()
        yield
        await server.close()

    routes = [*_memory_routes(server), *_verb_routes(server), *_other_routes(server), *mounted_routes(server)]
    handlers = {HTTPException: _http_error, HttpProblem: _error, MemfortError: _error, Exception: _error}
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)  # type: ignore[arg-type]
    app.router.redirect_slashes = False
    return Outermost(app, server)


# -- routes -----------------------------------------------------------------------------------------------------------


def _verb_routes(server: Server) -> list[Route]:
    rows = [row for row in TABLE.values() if isinstance(row.http, Http)]
    return [Route(row.path, _verb(server, row), methods=["POST"], name=row.name) for row in rows]


def _memory_routes(server: Server) -> list[Route]:
    return [
        Route(f"{prefix}{path}", _work(server, work), methods=methods)
        for prefix in ("/v1", "")
        for path, work, methods in (
            ("/memories", memories.create, ["POST"]),
            ("/memories/search", memories.search, ["POST"]),
            ("/memories/{id}", memories.one, ["GET", "DELETE"]),
        )
    ]


def _other_routes(server: Server) -> list[Route]:
    document = openapi_document()
    page = docs_page(document)

    async def openapi(_: Request) -> Response:
        return Response(document, media_type=JSON)

    async def docs(_: Request) -> Response:
        return Response(page, media_type="text/html; charset=utf-8")

    async def livez(_: Request) -> Response:
        return Response(b'{"status":"alive"}', media_type=JSON)

    async def readyz(_: Request) -> Response:
        """Whether it answers: the store can be read, and it is not being stopped."""
        if server.is_stopping:
            return problem_response(problem(503, "stopping", "the server is being stopped"))
        await server.threads.run(lambda: server.memory.store_in_use.agent("memfort"))
        return Response(b'{"status":"ready"}', media_type=JSON)

    return [
        Route("/openapi.json", openapi),
        Route("/docs", docs),
        Route("/livez", livez),
        Route("/readyz", readyz),
        Route("/metrics", _work(server, _metrics)),
    ]


def _metrics(server: Server, asked: Asked) -> Response:
    check_scope(asked.caller, KeyScope.ADMIN)
    return Response(server.metrics.exposition(), media_type=metrics.MEDIA_TYPE)


def _verb(server: Server, row: Operation) -> Endpoint:
    """A verb. Checking, running and answering are one hop to a thread; a long answer has more."""
    is_stream = get_origin(row.result) is not None and get_origin(row.result).__name__ == "Iterator"

    async def endpoint(request: Request) -> Response:
        async with let_in(server, request) as asked:
            return await _answer(server, row, asked, is_stream=is_stream)

    return endpoint


async def _answer(server: Server, row: Operation, asked: Asked, *, is_stream: bool) -> Response:
    run = server.threads.run
    if is_stream:
        return lines_response(server, await run(lambda: prepare(server, row, asked).run(None, None, None)))
    if row.reports_progress and EVENTS in asked.request.headers.get("accept", ""):
        prepared = await run(lambda: prepare(server, row, asked))
        return events_response(server, prepared, asked.request.state.request_id)
    return await run(lambda: perform(server, prepare(server, row, asked), waiter=asked.waiter), asked.give_up)


def _work(server: Server, work: memories.Work) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        async with let_in(server, request) as asked:
            return await server.threads.run(lambda: work(server, asked), asked.give_up)

    return endpoint


# -- errors -----------------------------------------------------------------------------------------------------------


async def _error(_: Request, error: Exception) -> Response:
    return response_of(error)


async def _http_error(_: Request, error: HTTPException) -> Response:
    if error.status_code == 405:
        made = problem(405, "method_not_allowed", "that method is not possible here")
    else:
        made = problem(404, "no_such_route", "there is no such route", remedy="see /docs")
    return problem_response(made, error.headers)


# -- what holds for every request -------------------------------------------------------------------------------------


class Outermost:
    """Host and origin, request ids, logs and numbers: for every request, also one that no route answers."""

    def __init__(self, app: Starlette, server: Server) -> None:
        self._app, self._server = app, server

    @property
    def routes(self) -> list[Route]:
        return [route for route in self._app.routes if isinstance(route, Route)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await (self._app(scope, receive, send) if scope["type"] == "lifespan" else _refuse_socket(send))
            return
        started, request, body = time.perf_counter(), Request(scope), _Body(receive)
        request.state.request_id = request_id = _request_id(request)
        connection: Connection | None = getattr(request.state, CONNECTION, None)
        if connection is not None and (task := asyncio.current_task()) is not None:
            connection.on_gone = task.cancel
        status: int | None = None

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                known = {name for name, _ in message["headers"]}
                more = {"x-request-id": request_id, **_SAFE_HEADERS, **self._cors(request)}
                if not body.is_read and _has_body(request):
                    more["connection"] = "close"  # else all of it would have to be read, to find the next request
                message["headers"] += [
                    (name.encode(), value.encode()) for name, value in more.items() if name.encode() not in known
                ]
            await send(message)

        self._server.metrics.under_way.inc()
        try:
            await self._respond(scope, body.receive, send_noted, request)
        except asyncio.CancelledError:
            if connection is None or not connection.is_gone:
                raise
            status = status or _GONE
        except Exception as error:  # noqa: BLE001  # the outermost place: every error is answered and logged here
            log_failure(error, request_id)
            if status is None:
                await response_of(error)(scope, receive, send_noted)
        finally:
            self._server.metrics.under_way.dec()
            self._note(request, status or 500, time.perf_counter() - started)

    async def _respond(self, scope: Scope, receive: Receive, send: Send, request: Request) -> None:
        refusal = self._refusal(request)
        if refusal is not None:
            await response_of(refusal)(scope, receive, send)
        elif request.method == "OPTIONS" and "origin" in request.headers:
            await Response(status_code=204)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, request: Request) -> HttpProblem | None:
        """Refuse another host's name (a web page can make a name point here) and pages of other origins."""
        settings = self._server.settings
        if "content-length" in request.headers and "transfer-encoding" in request.headers:
            detail = "it is given with `Transfer-Encoding`"
            return HttpProblem(400, "invalid_header", detail, field="Content-Length", remedy="give one of them")
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or _host_name(hosts[0]) not in settings.hosts:
            return HttpProblem(421, "wrong_host", "this server does not answer for that host", field="Host")
        origin = request.headers.get("origin")
        if origin not in {None, *settings.allowed_origins} and not _is_own(str(origin), hosts[0], settings):
            return HttpProblem(403, "wrong_origin", "pages of that origin may not ask", field="Origin")
        return None

    def _cors(self, request: Request) -> dict[str, str]:
        origin = request.headers.get("origin")
        if origin is None or origin not in self._server.settings.allowed_origins:
            return {}
        return {
            "access-control-allow-origin": origin,
            "vary": "origin",
            "access-control-allow-methods": "GET, POST, DELETE",
            "access-control-allow-headers": "authorization, content-type, memfort-at, idempotency-key, if-match",
        }

    def _note(self, request: Request, status: int, seconds: float) -> None:
        route = getattr(request.scope.get("route"), "path", "none")
        self._server.metrics.requests.labels(route, str(status)).inc()
        self._server.metrics.seconds.labels(route).observe(seconds)
        log_request(
            request_id=request.state.request_id,
            method=request.method,
            route=route,
            status=status,
            milliseconds=round(seconds * 1000, 2),
            caller=getattr(request.state, "caller", None),
        )


class _Body:
    """Whether a request's body was read to its end."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.is_read = False

    async def receive(self) -> Message:
        message = await self._receive()
        self.is_read = self.is_read or not message.get("more_body", False)
        return message


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _request_id(request: Request) -> str:
    """The caller's own id of the request, if it is a plain one and does not look like a secret: it goes into answers
    and logs. Otherwise a new one."""
    given = request.headers.get("x-request-id", "")
    is_plain = 0 < len(given) <= 64 and given.isascii() and given.replace("-", "").replace("_", "").isalnum()
    return given if is_plain and not find_secrets(given) else uuid4().hex


def _is_own(origin: str, host: str, settings: ServerSettings) -> bool:
    """Whether an origin is this server: one of its names, at the port that was asked. Some programs send it."""
    try:
        asked, given = urlsplit(f"//{host.strip().lower()}"), urlsplit(origin)
        is_here = given.hostname in settings.hosts and given.port == asked.port
    except ValueError:
        return False
    return is_here and given.scheme in {"http", "https"} and origin == f"{given.scheme}://{given.netloc}"


def _host_name(host: str) -> str:
    """The name in a `Host` header, without its port."""
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.rpartition(":")[0] if ":" in name else name


async def _refuse_socket(send: Send) -> None:
    await send({"type": "websocket.close", "code": 1008})
