"""The routes. Errors are `{"detail": …}`, which the clients hand to their caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memfort.errors import MemfortError
from memfort.surfaces.http.entry import Asked, let_in
from memfort.surfaces.http.problems import HttpProblem, problem_of
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.verbs import JSON
from memfort.surfaces.mem0 import work

_SCHEME = "token"  # of the header `Authorization`
Work = Callable[[Server, Asked], Response]


def mem0_routes(server: Server) -> list[Route]:
    rows: list[tuple[str, Work, list[str]]] = [
        ("/v1/ping/", work.ping, ["GET"]),
        ("/v3/memories/add/", work.add, ["POST"]),
        ("/v3/memories/search/", work.search, ["POST"]),
        ("/v3/memories/", work.get_all, ["POST"]),
        ("/v1/memories/", work.delete_all, ["DELETE"]),
        ("/v1/memories/{id}/", work.one, ["GET", "PUT", "DELETE"]),
        ("/v1/memories/{id}/history/", work.history, ["GET"]),
        ("/v1/entities/", work.entities, ["GET"]),
        ("/v2/entities/{type}/{name}/", work.delete_entity, ["DELETE"]),
        ("/v1/batch/", work.batch, ["PUT", "DELETE"]),
    ]
    return [Route(path, _endpoint(server, one), methods=methods) for path, one, methods in rows]


def _endpoint(server: Server, work: Work) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            async with let_in(server, request, scheme=_SCHEME) as asked:
                return await server.threads.run(lambda: work(server, asked), asked.give_up)
        except (HttpProblem, MemfortError) as error:
            return _detail(error)

    return endpoint


def _detail(error: HttpProblem | MemfortError) -> Response:
    made = error.problem if isinstance(error, HttpProblem) else problem_of(error)
    parts = [
        f"{made.field}: " if made.field else "",
        made.detail or made.title,
        f"; {made.remedy}" if made.remedy else "",
    ]
    if made.status == 401:
        parts = ["the key is not valid; `memfort keys create --user NAME` makes one"]
    headers = error.headers if isinstance(error, HttpProblem) else None
    return Response(msgspec.json.encode({"detail": "".join(parts)}), made.status, headers, media_type=JSON)
