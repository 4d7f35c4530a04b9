"""The scope of a write: the spaces that it may change. A store may lock those alone, so nothing reaches further."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memfort.model.space import Space
from memfort.store.port.values.changes import (
    Change,
    DropPhases,
    DropQueuedTurn,
    DropRejectedValue,
    DropSource,
    Erase,
    Insert,
    PutPhase,
    PutQueuedTurn,
    PutRejectedValue,
    PutSource,
    Quarantine,
    Reindex,
    Sign,
    Update,
)
from memfort.trail.event import Event

Scope = frozenset[bytes] | None  # ids of spaces; `None`: the whole store
Spaces = Sequence[Space] | None  # what a write names
WHOLE_STORE = None  # what upkeep names that may change any space


class OutsideScope(Exception):
    """A write reached further than it said. Nothing of it is kept; it can be done again with `spaces` named too."""

    def __init__(self, what: str, spaces: Iterable[Space] = ()) -> None:
        self.spaces = tuple(dict.fromkeys(spaces))  # none: no space that could be named is enough
        super().__init__(f"{what}, which this write does not name")


def scope_of(spaces: Iterable[Space] | None, outer: Scope = None) -> Scope:
    """The scope of a write of these spaces, inside another write if there is an `outer` scope."""
    if spaces is None:
        return outer
    named = {space.id: space for space in spaces}
    if outer is not None and (outside := named.keys() - outer):
        raise OutsideScope("a part of a write names more spaces than the whole", [named[id] for id in outside])
    return frozenset(named)


def check_scope(scope: Scope, changes: Sequence[Change], events: Sequence[Event]) -> None:
    """Refuse changes and events that reach out of a scope. The directory, people, erasures and the chains of actors
    belong to no space, and every write may change them."""
    if scope is None:
        return
    outside: list[Space] = []
    for change in changes:
        if isinstance(change, Reindex | Quarantine | Sign):
            raise OutsideScope(f"`{type(change).__name__}` changes the whole store")
        outside += [space for space in _spaces_of(change) if space.id not in scope]
    for event in events:
        if event.chain.kind == "space" and event.chain.key not in scope:
            assert event.space is not None  # it is in the chain of its space
            outside.append(event.space)
    if outside:
        raise OutsideScope(f"it changes {outside[0]}", outside)


def spaces_changed(changes: Sequence[Change], events: Sequence[Event]) -> Spaces:
    """The spaces that changes and events reach, or `WHOLE_STORE` if they are about all of it."""
    if any(isinstance(change, Reindex | Quarantine | Sign) for change in changes):
        return WHOLE_STORE
    named = [space for change in changes for space in _spaces_of(change)]
    named += [event.space for event in events if event.chain.kind == "space" and event.space is not None]
    return list(dict.fromkeys(named))


def _spaces_of(change: Change) -> tuple[Space, ...]:
    """The spaces whose memories or records a change touches."""
    match change:
        case Insert(item, origin=(origin, _)):
            return item.space, origin  # whose lineage gets a line
        case Insert(item) | Update(item):
            return (item.space,)
        case Erase(space) | PutPhase(space) | DropPhases(space) | DropQueuedTurn(space):
            return (space,)
        case PutSource(of) | DropSource(of):
            return (of.space,)
        case PutRejectedValue(of) | DropRejectedValue(of) | PutQueuedTurn(of):
            return (of.space,)
        case _:
            return ()
