"""Whose memory a request of a mem0 client is about, and which labels it names.

`user_id` is the holder of the key, or a user whom the key may act for. `agent_id`, `run_id` and `app_id` are labels
there: they narrow what is that user's own, and open nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from memfort.client import BoundMemory
from memfort.errors import Denied, InvalidInput
from memfort.model.people.access_key import KeyScope
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal
from memfort.model.reason import Reason, explanation
from memfort.model.space import check_id
from memfort.operations.table import Http, Operation
from memfort.surfaces.http.entry import Asked
from memfort.surfaces.http.identity import check_scope, stand
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.server import Server

LABELS = ("agent_id", "run_id", "app_id")
_NAMES = ("user_id", *LABELS)
_SURFACE = "mem0"


class AskedFor(Struct, frozen=True):
    """The entities that a request names."""

    user: str | None = None
    labels: tuple[str, ...] = ()  # as tags

    @property
    def is_empty(self) -> bool:
        return self.user is None and not self.labels


def asked_for(fields: Mapping[str, Any]) -> AskedFor:
    """The entities of a request: beside its fields, or in `filters`, alone or joined by `AND`."""
    named: dict[str, str] = {}
    for name, value in _conditions(fields):
        if value is None:
            continue
        id = check_id(value, name)
        if named.setdefault(name, id) != id:
            raise InvalidInput(name, "two are named", "name one")
    return AskedFor(named.pop("user_id", None), tuple(label(name, id) for name, id in named.items()))


def label(name: str, id: str) -> str:
    return f"{name}={id}"


def _conditions(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((name, fields[name]) for name in _NAMES if name in fields)
    filters = fields.get("filters")
    if filters is None:
        return
    if not isinstance(filters, Mapping):
        raise InvalidInput("filters", "it is not an object", 'write it like {"user_id": "alice"}')
    joined = filters.get("AND", [filters])
    if not isinstance(joined, list) or not all(isinstance(one, Mapping) for one in joined):
        raise InvalidInput("filters.AND", "it is not a list of objects", 'write it like [{"user_id": "alice"}]')
    for one in joined:
        for name, value in one.items():
            if name not in _NAMES:
                remedy = f"use {', '.join(_NAMES)} with one value each, alone or in `AND`"
                raise InvalidInput("filters", f"`{name}` is not possible here", remedy)
            yield name, value


def bind(server: Server, asked: Asked, row: Operation, user: str | None) -> BoundMemory:
    """Memory as the holder of the key has it, or as the user has it whom the key may act for."""
    caller = asked.caller
    check_scope(caller, row.key_scope)
    assert isinstance(row.http, Http)
    if caller.within and not row.http.within_sight:
        raise HttpProblem(403, "scope_missing", "a key that is bound to a space cannot do that")
    bound = stand(server.memory, caller, _requester(asked, user), {}, _SURFACE)
    if bound.actor.user is None and bound.actor.acting_for is None and bound.actor.kind is not ActorKind.USER:
        raise HttpProblem(403, "denied", "the key is no user's", remedy="make one with `memfort keys create --user`")
    return bound


def _requester(asked: Asked, user: str | None) -> Principal | None:
    caller = asked.caller
    if user is None or (caller.holder is not None and caller.holder == Principal(ActorKind.USER, user)):
        return None
    if KeyScope.ACT_FOR not in caller.scopes:
        raise Denied(Reason.NOT_YOUR_IDENTITY, explanation(Reason.NOT_YOUR_IDENTITY))
    return Principal(ActorKind.USER, user)
