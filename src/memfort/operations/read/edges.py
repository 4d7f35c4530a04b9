"""Show how a memory or a person is linked with people, chats and other memories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

from memfort.engine.redact import redact_for
from memfort.engine.resolve_id import resolve_id
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.model.item import Item
from memfort.model.people.person import user_of_person
from memfort.model.reason import Reason
from memfort.model.results import Edge, EdgeKind, edges_of
from memfort.operations.people.resolve.look_up import look_up
from memfort.operations.requests import Request
from memfort.policy.people import is_shown as may_be_known


class EdgesRequest(Request, frozen=True):
    """The memory or person whose edges to show."""

    id: Annotated[str, Meta(description="A memory or a person.")]


def handle(view: View, request: EdgesRequest) -> list[Edge]:
    """The edges at a memory or a person, as far as the actor may know of both ends."""
    id = resolve_id(view, request.id)
    found = [item for item in view.items([id]) if view.is_shown(item)]
    edges = _edges_of_memory(view, found[0]) if found else _edges_of_person(view, id)
    view.note_read("edges", Reason.VISIBLE, {"ids": [id]})
    return sorted(edges)


def _edges_of_memory(view: View, item: Item) -> list[Edge]:
    edges = edges_of(redact_for(view.engine, view.sight, item))
    known = _seen_ids(view, (edge.target for edge in edges))
    return [edge for edge in edges if edge.kind is not EdgeKind.SUPERSEDES or edge.target in known]


def _seen_ids(view: View, ids: Iterable[str]) -> set[str]:
    """Of the memories named here, those that the sight admits."""
    wanted = [id for id in ids if id.startswith("mem_")]
    return {item.id for item in view.items(wanted)} if wanted else set()


def _edges_of_person(view: View, id: str) -> list[Edge]:
    person = look_up(view.store, view.sight, id)
    if person is None:
        raise NotFound("memory or person", id)
    found = [Edge(EdgeKind.MERGED_INTO, id, person.id)] if person.id != id else []
    if (user := user_of_person(person.id)) is not None:
        found.append(Edge(EdgeKind.IS_PERSON, user, person.id))
    listeners = None if view.sight.disclosure is None else view.sight.disclosure.listeners
    if listeners is not None and listeners.chat is not None and person.id in listeners.present:
        found.append(Edge(EdgeKind.TAKES_PART_IN, person.id, listeners.chat))
    relations = [one for one in view.store.relations(view.sight, [person.id]) if may_be_known(view.sight, one)]
    return [*found, *(Edge(EdgeKind.RELATES_TO, one.from_person, one.to_person, one.term) for one in relations)]
