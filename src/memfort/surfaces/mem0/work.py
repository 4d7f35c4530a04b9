"""What each route does, in terms of the verbs. Everything here runs in a thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec
from starlette.responses import Response

from memfort.client import BoundMemory
from memfort.errors import InvalidInput, NotFound
from memfort.model.decision import Outcome, OutcomeState
from memfort.model.item import Item, Kind
from memfort.model.people.access_key import KeyScope
from memfort.operations.table import TABLE
from memfort.surfaces.http.entry import Asked
from memfort.surfaces.http.identity import check_scope
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.verbs import JSON, check_row_sizes, read_object
from memfort.surfaces.mem0 import render
from memfort.surfaces.mem0.asked_for import AskedFor, asked_for, bind, label

_PAGE, _MOST_PAGE_SIZE, _MOST_TOP_K, _MOST_BATCH, _MOST_UPDATES = 500, 100, 100, 1000, 1000
_STATEMENTS = (Kind.SEMANTIC, Kind.PROFILE)  # what the clients list and find; turns of conversations are none
_ENTITY_TYPES = {"user": "user_id", "agent": "agent_id", "app": "app_id", "run": "run_id"}


def ping(_: Server, asked: Asked) -> Response:
    """Say that the key is valid, with the names that the clients insist on."""
    check_scope(asked.caller, KeyScope.READ)
    return _json({"status": "ok", "org_id": "memfort", "project_id": "memfort", "user_email": None})


def add(server: Server, asked: Asked) -> Response:
    """Observe messages. With `infer: false`, a label or metadata each is kept as it is: what is taken from a
    conversation carries neither."""
    fields = read_object(server, asked)
    named, messages = asked_for(fields), fields.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, Mapping) for one in messages):
        raise InvalidInput("messages", "it is not a list of messages", "give objects with `role` and `content`")
    check_row_sizes(TABLE["observe"], {"messages": messages})
    if fields.get("infer") is False or named.labels or fields.get("metadata"):
        return _json({"results": _kept_as_they_are(server, asked, named, fields, messages)})
    return _json({"results": _observed(server, asked, named, messages)})


def _observed(server: Server, asked: Asked, named: AskedFor, messages: list[Any]) -> list[dict[str, Any]]:
    row = TABLE["observe"]
    given = {"messages": [{"role": one.get("role"), "content": one.get("content")} for one in messages]}
    seen = bind(server, asked, row, named.user).run(row, given)
    outcomes = [one for said in seen.messages for one in (said.turn, *said.statements) if one is not None]
    _raise_if_all_refused(outcomes)
    return [render.added(item) for item in seen.kept if item.kind in _STATEMENTS]


def _kept_as_they_are(
    server: Server, asked: Asked, named: AskedFor, fields: Mapping[str, Any], messages: list[Any]
) -> list[dict[str, Any]]:
    row = TABLE["remember"]
    bound = bind(server, asked, row, named.user)
    outcomes: list[Outcome] = []
    for one in messages:
        origin = "user" if one.get("role") == "user" else "ai"
        given = {
            "text": one.get("content"),
            "tags": list(named.labels),
            "meta": fields.get("metadata"),
            "origin": origin,
        }
        check_row_sizes(row, given)
        outcomes.append(bound.run(row, given))
    _raise_if_all_refused(outcomes)
    return [render.added(one.item) for one in outcomes if one.item is not None and one.kept]


def _raise_if_all_refused(outcomes: list[Outcome]) -> None:
    """Say why nothing was kept: an empty list would look like a text without facts."""
    if outcomes and all(one.state is OutcomeState.REFUSED for one in outcomes):
        first = outcomes[0]
        raise HttpProblem(422, "refused", f"{first.decision.explanation} ({first.reason})")


def search(server: Server, asked: Asked) -> Response:
    fields = read_object(server, asked)
    named, row = asked_for(fields), TABLE["recall"]
    limit = _number(fields, ("top_k", "limit"), 10, _MOST_TOP_K)
    given = {"query": fields.get("query"), "limit": limit, "tags": list(named.labels), "kinds": _STATEMENTS}
    check_row_sizes(row, given)
    found = bind(server, asked, row, named.user).run(row, given)
    return _json({"results": [render.memory(hit.item, score=hit.score) for hit in found.hits]})


def get_all(server: Server, asked: Asked) -> Response:
    fields = read_object(server, asked)
    named, query = asked_for(fields), asked.request.query_params
    page = _number({**fields, **query}, ("page",), 1, 10_000)
    size = _number({**fields, **query}, ("page_size",), 50, _MOST_PAGE_SIZE)
    bound = bind(server, asked, TABLE["list"], named.user)
    found = list(islice(_all_of(bound, named), (page - 1) * size, page * size + 1))
    shown = [render.memory(item) for item in found[:size]]
    more = f"/v3/memories/?page={page + 1}&page_size={size}" if len(found) > size else None
    before = f"/v3/memories/?page={page - 1}&page_size={size}" if page > 1 else None
    return _json({"count": (page - 1) * size + len(found), "next": more, "previous": before, "results": shown})


def one(server: Server, asked: Asked) -> Response:
    """Show, change or delete one memory."""
    id = str(asked.request.path_params["id"])
    if asked.request.method == "GET":
        item = _current(bind(server, asked, TABLE["get"], None), id)
        return _json(render.memory(item, id=id))
    if asked.request.method == "PUT":
        return _json(_updated(server, asked, id, read_object(server, asked)))
    _delete(bind(server, asked, TABLE["forget"], None), id)
    return _json({"message": "Memory deleted successfully!"})


def history(server: Server, asked: Asked) -> Response:
    id, bound = str(asked.request.path_params["id"]), bind(server, asked, TABLE["history"], None)
    return _json(render.past(id, bound.history(id)))


def delete_all(server: Server, asked: Asked) -> Response:
    named = asked_for(asked.request.query_params)
    if named.is_empty:
        raise InvalidInput("user_id", "nothing is named", "name whose memories are to be deleted")
    bound = bind(server, asked, TABLE["forget"], named.user)
    count = _forget_all(bound, named)
    return _json({"message": f"{count} memories deleted successfully!"})


def entities(server: Server, asked: Asked) -> Response:
    """The holder of the key alone: who else there is, is nobody's business."""
    bound = bind(server, asked, TABLE["spaces"], None)
    user = bound.actor.acting_for or bound.actor.id
    return _json({"count": 1, "results": [{"id": user, "name": user, "type": "user"}]})


def delete_entity(server: Server, asked: Asked) -> Response:
    kind, name = asked.request.path_params["type"], asked.request.path_params["name"]
    if kind not in _ENTITY_TYPES:
        raise NotFound("entity", str(name))
    named = AskedFor(name) if kind == "user" else AskedFor(None, (label(_ENTITY_TYPES[kind], name),))
    _forget_all(bind(server, asked, TABLE["forget"], named.user), named)
    return _json({"message": "Entity deleted successfully!"})


def batch(server: Server, asked: Asked) -> Response:
    """Change or delete several, each for itself."""
    given = read_object(server, asked).get("memories")
    if not isinstance(given, list) or not 0 < len(given) <= _MOST_BATCH:
        raise InvalidInput("memories", "it is not a list of memories", f"give 1 to {_MOST_BATCH}")
    ids = [str(one.get("memory_id")) if isinstance(one, Mapping) else str(one) for one in given]
    if asked.request.method == "PUT":
        for id, one in zip(ids, given, strict=True):
            _updated(server, asked, id, one if isinstance(one, Mapping) else {})
        return _json({"message": f"Successfully updated {len(ids)} memories"})
    bound = bind(server, asked, TABLE["forget"], None)
    for id in ids:
        _delete(bound, id)
    return _json({"message": f"Successfully deleted {len(ids)} memories"})


def _updated(server: Server, asked: Asked, id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Replace what a memory says. It gets an id of its own in Memfort; the old one still leads to it."""
    row, text = TABLE["correct"], fields.get("text")
    for name in fields:
        if name not in {"text", "metadata", "memory_id"}:
            raise InvalidInput(name, "it cannot be changed here", "give `text`, `metadata` or both")
    bound = bind(server, asked, row, None)
    item = _current(bound, id)
    given = {"id": item.id, "text": item.text if text is None else text, "tags": list(item.tags)}
    if fields.get("metadata") is not None:
        given["meta"] = fields["metadata"]
    check_row_sizes(row, given)
    outcome: Outcome = bound.run(row, given)
    _raise_if_all_refused([outcome])
    return render.memory(outcome.item or item, id=id)


def _delete(bound: BoundMemory, id: str) -> None:
    bound.forget(_current(bound, id).id)


def _current(bound: BoundMemory, id: str) -> Item:
    """The memory, or the one that replaced it. One that may not be seen is answered like one that does not exist."""
    current = id
    for _ in range(_MOST_UPDATES):
        if (found := bound.get(current)) is not None:
            return found
        after = {item.superseded_by for item in bound.history(current)} - {None, current}
        if len(after) != 1:
            break
        current = str(after.pop())
    raise NotFound("memory", id)


def _forget_all(bound: BoundMemory, named: AskedFor) -> int:
    """What has these labels; without one all that the user has here, conversations included."""
    ids = [item.id for item in _all_of(bound, named, _STATEMENTS if named.labels else tuple(Kind))]
    for start in range(0, len(ids), _PAGE):
        bound.forget(*ids[start : start + _PAGE])
    return len(ids)


def _all_of(bound: BoundMemory, named: AskedFor, kinds: Iterable[Kind] = _STATEMENTS) -> Iterator[Item]:
    """What is in the user's own space with these labels."""
    space = {"user": bound.actor.acting_for or bound.actor.id}
    cursor: str | None = None
    while True:
        page = bound.list(space=space, tags=list(named.labels), kinds=kinds, limit=_PAGE, cursor=cursor)
        yield from page.items
        if (cursor := page.cursor) is None:
            return


def _number(fields: Mapping[str, Any], names: Iterable[str], otherwise: int, most: int) -> int:
    given = next((fields[name] for name in names if fields.get(name) is not None), otherwise)
    try:
        number = int(given)
    except (TypeError, ValueError):
        raise InvalidInput(next(iter(names)), "it is not a number", f"give 1 to {most}") from None
    if number < 1:
        raise InvalidInput(next(iter(names)), "it is less than 1", f"give 1 to {most}")
    return min(number, most)


def _json(document: Any) -> Response:
    return Response(msgspec.json.encode(document), media_type=JSON)
