"""Memories as resources: the three routes that agents' platforms know (`POST /memories`, `POST /memories/search`,
`DELETE /memories/{id}`), and `GET`; under `/v1` too. Each is a verb of the table. A request says whose memory it is
about, never who asks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta
from starlette.responses import Response

from memfort.client import BoundMemory
from memfort.errors import InvalidInput, NotFound
from memfort.model.item import MAX_TEXT_BYTES
from memfort.model.people.actor import ActorKind
from memfort.model.space import Visibility, check_id
from memfort.operations.requests import Facts, Text, request_of
from memfort.operations.requests import Request as VerbRequest
from memfort.operations.table import TABLE, Http, Operation
from memfort.surfaces.http.entry import Asked
from memfort.surfaces.http.identity import agent_spaces, check_scope
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.verbs import bind, check_row_sizes, perform, prepare_bound, read_object

AGENTS_LOOKED_AT = 64  # of a caller, for a memory whose agent the request does not name


class AgentVisibility(StrEnum):
    """Which of an agent's two spaces is meant."""

    PRIVATE = "private"  # for its owner
    PUBLIC = "public"  # for anyone to read


_OBSERVE = TABLE["observe"].http
assert isinstance(_OBSERVE, Http)
_MESSAGES = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {
            "type": "array",
            "minItems": 1,
            "items": {"anyOf": [{"type": "object"}, {"type": "string"}]},
        },
    ]
}


class CreateMemoryRequest(VerbRequest, frozen=True):
    """Something to keep: a text is kept as one statement, a list of messages is observed."""

    read_one_by_one = frozenset({"messages"})
    messages: Annotated[
        Any,
        Meta(
            description="A statement, or messages with `role` and `content`.",
            extra_json_schema=_MESSAGES,
            extra={"most": _OBSERVE.most["messages"], "longest": MAX_TEXT_BYTES},
        ),
    ]
    agent_id: Annotated[
        str | None, Meta(description="The agent in whose memory it is kept; your own if not given.")
    ] = None
    visibility: Annotated[
        AgentVisibility | None,
        Meta(description="The agent's private or public space; the policy decides if not given."),
    ] = None
    metadata: Annotated[Facts | None, Meta(description="Facts to keep with the statement.")] = None


class SearchMemoryRequest(VerbRequest, frozen=True):
    """What to look for."""

    query: Annotated[Text, Meta(description="What to look for, in words.")]
    agent_id: Annotated[str | None, Meta(description="The agent whose memory is searched; your own if not given.")] = (
        None
    )
    limit: Annotated[int, Meta(description="How many at most.", ge=1, le=100)] = 10


Work = Callable[[Server, Asked], Response]


def create(server: Server, asked: Asked) -> Response:
    """Keep a statement, or observe messages. In the memory of an agent whose owner the caller is not, it is refused as
    for an agent that does not exist."""
    caller = asked.caller
    request: CreateMemoryRequest = request_of(CreateMemoryRequest, read_object(server, asked))
    is_statement = isinstance(request.messages, str)
    row = TABLE["remember" if is_statement else "observe"]
    check_scope(caller, row.key_scope)
    bound = bind(server, row, asked.request, caller, **_at(request.agent_id))
    if request.agent_id is not None and not _may_write(bound, request.agent_id):
        raise _not_yours()
    fields = _statement(bound, request) if is_statement else _conversation(request)
    return _run(server, asked, row, bound, fields)


def search(server: Server, asked: Asked) -> Response:
    """Recall from the memory of an agent: its owner from all of it, others from what is public. Of an agent that does
    not exist, nothing is public."""
    caller, row = asked.caller, TABLE["recall"]
    check_scope(caller, row.key_scope)
    request: SearchMemoryRequest = request_of(SearchMemoryRequest, read_object(server, asked))
    bound = bind(server, row, asked.request, caller, **_at(request.agent_id))
    if request.agent_id is not None:
        bound = _only(bound, request.agent_id)
    return _run(server, asked, row, bound, {"query": request.query, "limit": request.limit})


def one(server: Server, asked: Asked) -> Response:
    """Show one memory, or forget it. `agent_id` says in whose memory it is, if it is an agent's."""
    if asked.request.method == "DELETE":
        return _delete(server, asked)
    return _of_one(server, asked, TABLE["get"], lambda memory: {"id": memory})


def _delete(server: Server, asked: Asked) -> Response:
    response = _of_one(server, asked, TABLE["forget"], lambda memory: {"ids": [memory]})
    if response.status_code != 200:
        return response
    kept = ("memfort-trace", "idempotency-replayed")
    return Response(
        status_code=204, headers={name: response.headers[name] for name in kept if name in response.headers}
    )


def _of_one(server: Server, asked: Asked, row: Operation, fields: Callable[[str], dict[str, Any]]) -> Response:
    """Run a verb on one memory: where the request says, else in the caller's own memory, else in that of their agents.
    It is in one of these at most."""
    check_scope(asked.caller, row.key_scope)
    agent = asked.request.query_params.get("agent_id")
    bound = bind(server, row, asked.request, asked.caller, **_at(agent))
    given = asked.request.path_params["id"]
    owner = bound.actor.id if agent is None and bound.actor.kind is ActorKind.USER else None
    try:
        return _run(server, asked, row, bound, fields(given))
    except NotFound as error:
        missing = error
    for own in [] if owner is None else server.memory.store_in_use.agents_of(owner, AGENTS_LOOKED_AT):
        with suppress(NotFound):
            return _run(server, asked, row, bind(server, row, asked.request, asked.caller, **_at(own)), fields(given))
    raise missing


def _run(server: Server, asked: Asked, row: Operation, bound: BoundMemory, fields: dict[str, Any]) -> Response:
    check_row_sizes(row, fields)
    return perform(server, prepare_bound(server, row, asked, bound, fields), waiter=asked.waiter)


def _at(agent: str | None) -> dict[str, str]:
    return {} if agent is None else {"agent": check_id(agent, "agent_id")}


def _only(bound: BoundMemory, agent: str) -> BoundMemory:
    """The memory with the agent's spaces alone, as far as the credential reaches them."""
    spaces = agent_spaces(agent, bound.standpoint.coordinates)
    held = bound.standpoint.within
    return bound.within(spaces if held is None else [one for one in spaces if one in held])


def _may_write(bound: BoundMemory, agent: str) -> bool:
    """Whether the caller has a space of its own in the memory of this agent. The border gate decides again."""
    private = agent_spaces(agent, ())[0]
    return private.to_dict() in bound.spaces()


def _not_yours() -> HttpProblem:
    return HttpProblem(403, "denied", "only its owner writes to the memory of an agent", field="agent_id")


def _statement(bound: BoundMemory, request: CreateMemoryRequest) -> dict[str, Any]:
    text, visibility = request.messages, request.visibility
    chosen = None if visibility is None else Visibility(visibility.value)
    if chosen is None and request.agent_id is not None:
        chosen = bound.default_visibility(text)
    return {"text": text, "visibility": chosen, "meta": request.metadata}


def _conversation(request: CreateMemoryRequest) -> dict[str, Any]:
    if request.metadata is not None:
        raise InvalidInput("metadata", "messages are given", "give it with a statement alone")
    if not isinstance(request.messages, list):
        remedy = "give a text, or a list of messages with `role` and `content`"
        raise InvalidInput("messages", "it is neither a text nor a list of messages", remedy)
    visibility = request.visibility or (None if request.agent_id is None else AgentVisibility.PRIVATE)
    return {"messages": request.messages, "visibility": None if visibility is None else visibility.value}
