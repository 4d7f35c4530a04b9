"""The OpenAPI 3.1 document, from the table of operations: what the routes take and give, and every problem."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, get_args, get_origin

import msgspec

from memfort import __version__
from memfort.engine.view import View
from memfort.model.decision import Outcome
from memfort.model.item import MAX_READERS, Item, Readers
from memfort.model.results import Recall, Receipt
from memfort.model.schema import schema_of
from memfort.operations.limits import LONGEST_TEXT, with_limits
from memfort.operations.requests import AsOf, Time, Viewer, fields_of, state_limits
from memfort.operations.table import TABLE, Effect, Http, Operation
from memfort.surfaces.http.memories import CreateMemoryRequest, SearchMemoryRequest
from memfort.surfaces.http.problems import MEDIA_TYPE, Problem

_JSON = "application/json"
_REFERENCE = "#/components/schemas/{name}"
_COMMON = (400, 401, 403, 404, 408, 413, 415, 421, 422, 429, 503, 507)
_MEANINGS = {
    400: "The body or a header cannot be read.",
    401: "The credential is missing or not valid.",
    403: "The caller may not do that; or the credential lacks the scope.",
    404: "Absent, or not visible to the caller: the same answer.",
    408: "The body did not arrive in time.",
    409: "The idempotency key was used for another request, or for one that is not finished.",
    412: "The memory has another version than `If-Match` names.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    421: "The server does not answer for that host.",
    422: "A field cannot be used, or a gate refused the statement.",
    429: "The caller asks too often; `Retry-After` says how long to wait.",
    503: "Too many requests wait, or the store cannot answer just now.",
    507: "The disk is full.",
}
_PLACES = {
    "name": "Memfort-At",
    "in": "header",
    "description": "Where the caller stands: `project=apollo, chat=c1`.",
    "schema": {"type": "string"},
}
_REQUESTER = {
    "name": "X-Requester-Id",
    "in": "header",
    "description": "A user whom the caller acts for; honoured only with the scope `act_for`.",
    "schema": {"type": "string"},
}
_ONCE = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "One effect, however often the request is sent with this key.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "description": 'The version that the one memory of the request has to have, as its `ETag` says: `"3"`.',
    "schema": {"type": "string"},
}
_NAME = {"type": "string", "maxLength": LONGEST_TEXT}
_ID = {"name": "id", "in": "path", "required": True, "schema": _NAME, "description": "The memory's id."}
_AGENT = {
    "name": "agent_id",
    "in": "query",
    "schema": {**_NAME, "minLength": 1},
    "description": "The agent whose memory it is, if it is an agent's.",
}


# Where an answer has the id that other verbs take: the verb, the place of the id in its answer, and who takes it.
_GIVES_IDS = {
    "remember": ("/item/id", ("get", "history", "explain", "related", "edges", "correct", "restore", "promote")),
    "people.add": ("/id", ("people.get", "people.relations", "people.update", "people.alias", "people.drop")),
    "share": ("/id", ("revoke",)),
    "keys.create": ("/key/id", ("keys.rotate", "keys.revoke")),
    "agent.register": ("/id", ("agent.get",)),
    "chat.register": ("/id", ("chat.get",)),
}


_WAITS = "It is stored and waits for review: nobody recalls it before."


@cache
def openapi_document() -> bytes:
    rows = [row for row in TABLE.values() if isinstance(row.http, Http)]
    kinds = [*(row.request for row in rows), CreateMemoryRequest, SearchMemoryRequest, Problem]
    _, components = msgspec.json.schema_components(kinds, schema_hook=_schema_of_custom, ref_template=_REFERENCE)
    for row in rows:
        _leave_out(row, components)
        assert isinstance(row.http, Http)
        state_limits(row.request, components[row.request.__name__], row.http.most)
    _limit_readers(components["Readers"])
    for kind in (CreateMemoryRequest, SearchMemoryRequest):
        state_limits(kind, components[kind.__name__], {})
    paths: dict[str, Any] = {row.path: {"post": _verb(row)} for row in rows}
    everything = _hoist(_memories() | paths | _others(), components)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Memfort",
            "version": __version__,
            "description": "Governed memory for AI agents. Identity comes from the credential alone.",
        },
        "security": [{"bearer": []}],
        "paths": everything,
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": "An API key or a JWT."}},
        },
    }
    return msgspec.json.encode(document)


def _hoist(part: Any, components: dict[str, Any]) -> Any:
    """The document with each named type in one place, and references to it."""
    if isinstance(part, list):
        return [_hoist(one, components) for one in part]
    if not isinstance(part, dict):
        return part
    if isinstance(name := part.get("title"), str) and part.get("type") == "object":
        if name not in components:
            components[name] = {}  # a type may contain itself
            components[name] = {key: _hoist(one, components) for key, one in part.items()}
        return _ref(name)
    return {key: _hoist(one, components) for key, one in part.items()}


def _schema_of_custom(kind: type) -> dict[str, Any]:
    if kind is Time:
        return {
            "anyOf": [{"type": "string", "format": "date-time"}, {"type": "integer"}],
            "description": "A time in ISO 8601 with a zone, or microseconds since 1970.",
        }
    if kind is AsOf:
        return {
            "type": ["string", "integer"],
            "description": "A time in ISO 8601 with a zone, microseconds since 1970, or a phase such as `phase-1`.",
        }
    if kind is Readers:
        names = {"type": "array", "items": {"type": "string"}}
        return {"type": "object", "properties": {"users": names, "agents": names}, "additionalProperties": False}
    if kind is Viewer:
        return {"type": "null"}
    return {"description": (kind.__doc__ or "").strip().partition("\n")[0]}


def _leave_out(row: Operation, components: dict[str, Any]) -> None:
    assert isinstance(row.http, Http)
    for name in row.http.leaves_out:
        components[row.request.__name__]["properties"].pop(name, None)


def _limit_readers(schema: dict[str, Any]) -> None:
    schema["properties"] = {
        name: with_limits(one, MAX_READERS, LONGEST_TEXT) for name, one in schema["properties"].items()
    }


def _verb(row: Operation) -> dict[str, Any]:
    assert isinstance(row.http, Http)
    writes = row.effect is not Effect.READ and row.scope is not View
    headers = [
        _PLACES,
        _REQUESTER,
        *([_ONCE] if writes and row.http.is_kept else []),
        *([_IF_MATCH] if row.http.edits else []),
    ]
    needs_body = any(field.required for field in fields_of(row.request))
    more = ([409] if writes else []) + ([412] if row.http.edits else [])
    return {
        "operationId": row.name,
        "summary": row.summary,
        "tags": [row.group or row.module.partition(".")[0]],
        "x-scope": row.key_scope.value,
        "parameters": headers,
        "requestBody": {"required": needs_body, "content": {_JSON: {"schema": _ref(row.request.__name__)}}},
        "responses": _answers(row) | _problems(*more),
    }


def _answers(row: Operation) -> dict[str, Any]:
    assert isinstance(row.http, Http)
    if _is_stream(row.result):
        line = {"application/x-ndjson": {"schema": {"type": "string"}}}
        return {"200": {"description": f"{row.summary} One JSON document per line.", "content": line}}
    content: dict[str, Any] = {_JSON: {"schema": _result(row.result)}}
    if row.reports_progress:
        events = "Events `progress`, then `result` or `problem`."
        content["text/event-stream"] = {"schema": {"type": "string", "description": events}}
    answers = {str(row.http.status): {"description": row.summary, "content": content, **_links(row.name)}}
    if row.reports_progress and row.http.status != 200:
        answers["200"] = {"description": "Events.", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    if row.result is Outcome:
        answers["202"] = {"description": _WAITS, "content": content, **_links(row.name)}
    if row.result is Receipt:
        answers["202"] = {"description": "It is out of every read; its bytes have to wait.", "content": content}
    return answers


def _links(name: str) -> dict[str, Any]:
    """What can be asked for next, with the id in the answer."""
    place, takers = _GIVES_IDS.get(name, ("", ()))
    id = f"$response.body#{place}"
    return {"links": {taker: {"operationId": taker, "requestBody": {"id": id}} for taker in takers}} if takers else {}


def _is_stream(kind: Any) -> bool:
    origin = get_origin(kind)
    return origin is not None and getattr(origin, "__name__", "") == "Iterator"


def _result(kind: Any) -> dict[str, Any]:
    """The schema of an answer. An absent one is a 404, so `None` is no answer."""
    parts = [one for one in get_args(kind) if one is not type(None)]
    return schema_of(parts[0] if get_origin(kind) is not list and type(None) in get_args(kind) else kind)


def _problems(*more: int) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": _ref("Problem")}}
    return {str(status): {"description": _MEANINGS[status], "content": content} for status in sorted({*_COMMON, *more})}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(name=re.sub(r"[^\w.-]", "_", name))}


def _memories() -> dict[str, Any]:
    """The routes of memories as resources."""
    said = TABLE["observe"].result
    kept = {"anyOf": [schema_of(Outcome), schema_of(said)]}
    body = {"required": True, "content": {_JSON: {"schema": _ref(CreateMemoryRequest.__name__)}}}
    looked_for = {"required": True, "content": {_JSON: {"schema": _ref(SearchMemoryRequest.__name__)}}}
    return {
        "/v1/memories": {
            "post": {
                "operationId": "memories.create",
                "summary": "Keep a statement, or observe messages.",
                "tags": ["memories"],
                "x-scope": "write",
                "parameters": [_PLACES, _REQUESTER, _ONCE],
                "requestBody": body,
                "responses": {
                    "201": {"description": "What became of it.", "content": {_JSON: {"schema": kept}}, **_of_created()},
                    "202": {"description": _WAITS, "content": {_JSON: {"schema": schema_of(Outcome)}}, **_of_created()},
                }
                | _problems(409),
            }
        },
        "/v1/memories/search": {
            "post": {
                "operationId": "memories.search",
                "summary": "Recall from the memory of an agent, or from your own.",
                "tags": ["memories"],
                "x-scope": "read",
                "parameters": [_PLACES, _REQUESTER],
                "requestBody": looked_for,
                "responses": {
                    "200": {"description": "What was found.", "content": {_JSON: {"schema": schema_of(Recall)}}}
                }
                | _problems(),
            }
        },
        "/v1/memories/{id}": {
            "get": {
                "operationId": "memories.get",
                "summary": "Show one memory.",
                "tags": ["memories"],
                "x-scope": "read",
                "parameters": [_ID, _AGENT, _PLACES, _REQUESTER],
                "responses": {"200": {"description": "The memory.", "content": {_JSON: {"schema": schema_of(Item)}}}}
                | _problems(),
            },
            "delete": {
                "operationId": "memories.delete",
                "summary": "Take one memory out of every read; a tombstone stays.",
                "tags": ["memories"],
                "x-scope": "write",
                "parameters": [_ID, _AGENT, _PLACES, _REQUESTER, _ONCE, _IF_MATCH],
                "responses": {"204": {"description": "It is forgotten."}} | _problems(409, 412),
            },
        },
    }


def _of_created() -> dict[str, Any]:
    parameters = {"path.id": "$response.body#/item/id"}
    return {
        "links": {name: {"operationId": name, "parameters": parameters} for name in ("memories.get", "memories.delete")}
    }


def _others() -> dict[str, Any]:
    """What a deployment asks for."""

    def answers(summary: str, media_type: str, statuses: tuple[int, ...]) -> dict[str, Any]:
        problems = {status: one for status, one in _problems().items() if int(status) in statuses}
        return {
            "summary": summary,
            "tags": ["server"],
            "responses": {"200": {"description": summary, "content": {media_type: {"schema": {}}}}} | problems,
        }

    open_to_all: dict[str, Any] = {"security": []}
    return {
        "/livez": {"get": answers("The process is alive.", _JSON, (421, 403)) | open_to_all},
        "/readyz": {"get": answers("The store answers.", _JSON, (421, 403, 503)) | open_to_all},
        "/metrics": {
            "get": answers(
                "Numbers for Prometheus; needs `admin`.", "text/plain", (400, 401, 403, 408, 413, 421, 429, 503)
            )
        },
    }
