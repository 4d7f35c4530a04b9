"""What a write touches, named before its transaction begins: a store may lock that alone.

A verb that works in a `Transaction` has `touches(session, request)` in its module, which gives spaces, or a `Scope`
where it changes more. It names, and never refuses: what is wrong with a request is for the handler to say. A name too
few costs a second attempt (`Engine.commit`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from memfort.engine.default_place import default_places, space_with
from memfort.engine.inputs import space_of
from memfort.engine.lifecycle.copies import source_of
from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session
from memfort.errors import InvalidInput, MemfortError
from memfort.model.space import Space, Visibility
from memfort.operations.requests import Request
from memfort.store.port import WHOLE_STORE, Scope


def whole_store(session: Session, request: Request) -> Scope:  # noqa: ARG001  # what a module has as `touches`
    """For upkeep that goes through every space in one commit."""
    return WHOLE_STORE


def in_directory(session: Session, request: Request) -> Scope:  # noqa: ARG001  # what a module has as `touches`
    """For what belongs to no space: the directory and its chain."""
    return Scope(directory=True)


def place_named(space: Any, visibility: Any) -> Any:
    """What a statement says about where it is for: a space, else a visibility, else nothing."""
    if space is not None or not isinstance(visibility, str) or visibility not in _VISIBILITIES:
        return space
    return Visibility(visibility)


_VISIBILITIES = frozenset(Visibility)


def places_of(session: Session, given: Iterable[Mapping[str, str] | Space | Visibility | None]) -> list[Space]:
    """The spaces that statements are for, by the coordinates or the visibility they name; `None` is the default place.
    And those in which a memory may have to make room for them."""
    found: dict[Space, None] = {}
    is_default_named = False
    for one in given:
        if one is None:
            is_default_named = True
            continue
        with suppress(InvalidInput):
            found[_space_named(session, one)] = None
    default = default_places(session.standpoint, session.policy) if is_default_named else ()
    return [*found, *default, *_where_room_is_made(session)]


def _space_named(session: Session, named: Mapping[str, str] | Space | Visibility) -> Space:
    if isinstance(named, Visibility):
        return space_with(session.standpoint, named, session.policy)
    return space_of(session.standpoint, named)


def _where_room_is_made(session: Session) -> list[Space]:
    """Under a budget for an owner a memory of the same owner makes room, in whatever space it is."""
    return [] if session.policy.budget.owner is None else session.store.author_spaces(session.actor)


def spaces_of(session: Session, ids: Iterable[Any], *, in_review: bool = False) -> list[Space]:
    """The spaces of memories that the actor can change, or review; and of what copies among them were made from."""
    with session.view() as view:
        reach = view.reviewable if in_review else view.writable
        found: dict[Space, None] = {}
        with suppress(MemfortError):  # the handler meets it again
            for item in reach.items(resolve_ids(view, ids, reach)):
                source = source_of(view.engine, item) if in_review and item.promoted_from is not None else None
                found |= dict.fromkeys([item.space] if source is None else [item.space, source.space])
    return list(found)
