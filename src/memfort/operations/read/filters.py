"""Filters of reads: space, types, tags and kinds. Shared by the verbs of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.inputs import id_of
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.model.item import Item, Kind
from memfort.model.people.actor import Actor, ActorKind
from memfort.operations.requests import Coordinates, Request, Tags, TypeName
from memfort.store.port import LIVE, Filter


class FilteredRequest(Request, frozen=True, kw_only=True):
    """A read with filters."""

    space: Annotated[Coordinates | None, Meta(description="Only this space; one coordinate each.")] = None
    types: Annotated[tuple[TypeName, ...] | None, Meta(description="Only of these types.")] = None
    tags: Annotated[Tags, Meta(description="Only with all of these tags.")] = ()
    kinds: Annotated[
        tuple[Kind, ...] | None, Meta(description="Only of these kinds: short_term, semantic or profile.")
    ] = None


def filter_of(view: View, request: FilteredRequest, **more: Any) -> Filter:
    """The filter that a request asks for. `more` are fields of `Filter` that not every read has."""
    if request.types is request.kinds is None and request.tags == () and not more:
        return LIVE
    return Filter(
        kinds=None if request.kinds is None else frozenset(request.kinds),
        types=types_of(view, request.types),
        tags=frozenset(id_of(tag, "tags") for tag in request.tags),
        **more,
    )


def types_of(view: View, names: tuple[str, ...] | None) -> frozenset[str] | None:
    """Types by the policy's names; an unknown type is an error."""
    return None if names is None else frozenset(map(view.policy.resolve_type, names))


def only_current(view: View, filter: Filter) -> Filter:
    """The filter with only those memories that belong to the phase their space is in."""
    if not view.sight.phases and not view.sight.about:
        return filter
    return replace(filter, and_only=view.is_current)


def by_author(actor: Actor, given: str) -> Callable[[Item], bool]:
    """Whether a memory is of one writer."""
    if given == "me":
        return lambda item: item.author.key == actor.key
    kind, _, id = given.partition(":")
    if kind not in {ActorKind.USER, ActorKind.AGENT} or not id:
        raise InvalidInput("author", f"`{given}` names no writer", "give `me`, `user:ID` or `agent:ID`")
    return lambda item: (item.author.kind, item.author.id) == (kind, id)
