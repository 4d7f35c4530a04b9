"""A2A at `/a2a`: the credential of each request says who asks, the address says which agent is asked."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
from a2a.auth.user import User
from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.server.routes import ServerCallContextBuilder, create_jsonrpc_routes, create_rest_routes
from a2a.types import Message, SendMessageRequest, Task
from a2a.utils.errors import PushNotificationNotSupportedError
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memfort.client import BoundMemory
from memfort.model.people.access_key import KeyScope
from memfort.model.space import check_id
from memfort.surfaces.a2a.cards import CardSigner, make_card
from memfort.surfaces.a2a.executor import ASKING, SURFACE, Asking, PublicMemory
from memfort.surfaces.a2a.tasks import RecentTasks, check_status
from memfort.surfaces.http.entry import Asked
from memfort.surfaces.http.identity import (
    Caller,
    agent_spaces,
    check_scope,
    places_of,
    requester_of,
    stand,
)
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.repeated_names import check_unread
from memfort.surfaces.http.server import Server

_WAITS_SECONDS = 600.0  # how long a task may wait for input
_OWNER, _ASKING, _STATUS = "memfort_owner", "memfort_asking", "memfort_status"


class A2a:
    """Cards, and the two bindings of the protocol, for the server and for each agent."""

    def __init__(self, server: Server) -> None:
        logging.getLogger("a2a").setLevel(logging.CRITICAL)  # its messages quote what was asked
        self._server = server
        self._signer = CardSigner(server.memory.store_in_use.keys)
        handler = _WithoutPush(
            PublicMemory(),
            RecentTasks(),
            make_card("http://127.0.0.1", None),
            interrupted_task_timeout=_WAITS_SECONDS,
        )
        contexts = _Contexts()
        rpc, *_ = create_jsonrpc_routes(handler, "/rpc", contexts, enable_v0_3_compat=True)
        rest = [one for one in create_rest_routes(handler, contexts) if isinstance(one, Route)]
        self._routes = [rpc, *(one for one in rest if _is_offered(one))]

    async def card(self, request: Request) -> Response:
        base_url = base_url_of(self._server, request)
        card = make_card(base_url, agent_of(request))
        return JSONResponse(agent_card_to_dict(self._signer.sign(card, base_url)))

    async def keys(self, _: Request) -> Response:
        return JSONResponse(self._signer.key_set())

    async def answer(self, request: Request, asked: Asked) -> Response:
        """Answer a request whose body is read already."""
        caller = _check(asked.caller)
        await self._server.threads.run(lambda: check_unread(asked.body))
        agent = agent_of(request)
        asking = Asking(
            lambda named: public_memory(self._server, asked, caller, named), agent, self._server.threads.run
        )
        setattr(request.state, _ASKING, asking)
        setattr(request.state, _OWNER, f"{caller.name} {agent or ''}")
        path = f"/{request.path_params.get('rest', 'rpc')}"
        setattr(request.state, _STATUS, _status_asked_for(path, request, asked.body))
        scope = {**request.scope, "path": path, "root_path": "", "raw_path": path.encode(), "path_params": {}}
        is_right_path = False
        for route in self._routes:
            match, more = route.matches(scope)
            if match.name == "FULL":
                response: Response = await route.endpoint(_with_body({**scope, **more}, asked.body))
                return response
            is_right_path |= match.name == "PARTIAL"
        if is_right_path:
            raise HttpProblem(405, "method_not_allowed", "that method is not possible here")
        raise HttpProblem(404, "no_such_route", "there is no such route", remedy="see the agent card")


def _check(caller: Caller) -> Caller:
    check_scope(caller, KeyScope.READ)
    if caller.holder is None:
        raise HttpProblem(
            403, "denied", "the token of this run is nobody's", remedy="make a key with `memfort keys create`"
        )
    return caller


def public_memory(server: Server, asked: Asked, caller: Caller, agent: str) -> BoundMemory:
    """The public memory of an agent as another has it, also if the caller is its owner. The trail has the caller's name
    and the agent's."""
    requester = requester_of(asked.request, caller)
    places = {**places_of(asked.request), "agent": check_id(agent, "agent")}
    bound = stand(server.memory, caller, requester, places)
    public = agent_spaces(agent, ())[1]
    reached = [public] if not caller.within or public in caller.within else []
    through = f"agent:{agent}" if requester is None else f"agent:{agent} {caller.name}"
    return bound.through(through, reached, surface=SURFACE)


def agent_of(request: Request) -> str | None:
    agent = request.path_params.get("agent")
    return None if agent is None else check_id(agent, "agent")


def base_url_of(server: Server, request: Request) -> str:
    return server.settings.public_url or str(request.base_url)


def _is_offered(route: Route) -> bool:
    return "pushNotification" not in route.path and "extendedAgentCard" not in route.path


def _with_body(scope: dict[str, Any], body: bytes) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(scope, receive)


class _Caller(User):
    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def is_authenticated(self) -> bool:
        return True

    @property
    def user_name(self) -> str:
        return self._name


class _WithoutPush(DefaultRequestHandler):
    """The handler of the SDK, which ignores an address to push to where it offers none: it is refused."""

    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Message | Task:
        _refuse_push(params)
        answer: Message | Task = await super().on_message_send(params, context)
        return answer

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        _refuse_push(params)
        async for event in super().on_message_send_stream(params, context):
            yield event


def _refuse_push(params: SendMessageRequest) -> None:
    if params.configuration.HasField("task_push_notification_config"):
        raise PushNotificationNotSupportedError("no address is called; ask for the task, or read its stream")


def _status_asked_for(path: str, request: Request, body: bytes) -> object:
    """The state that a listing of tasks is to show, as it is written: the SDK reads any other word as none."""
    if path == "/tasks":
        return request.query_params.get("status")
    try:
        asked = msgspec.json.decode(body, type=_Listing) if path == "/rpc" else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None  # the SDK says what is wrong
    return asked.params.get("status") if asked is not None and asked.method == "ListTasks" else None


class _Listing(Struct):
    """What is looked at of a request before the SDK reads it."""

    method: str = ""
    params: dict[str, Any] = {}


class _Contexts(ServerCallContextBuilder):
    """The context of a call: who asks is known already, and nothing of the request's headers says it again."""

    def build(self, request: Request) -> ServerCallContext:
        check_status(getattr(request.state, _STATUS))
        headers = {"a2a-version": request.headers.get("a2a-version", "")}
        state = {ASKING: getattr(request.state, _ASKING), "headers": headers}
        return ServerCallContext(user=_Caller(getattr(request.state, _OWNER)), state=state)
