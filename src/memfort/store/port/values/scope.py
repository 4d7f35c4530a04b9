"""The scope of a write: the spaces that it may change. A store may lock those alone, so nothing reaches further."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memfort.model.space import Space
from memfort.store.port.values.changes import (
    Change,
    DropPhases,
    DropRejectedValue,
    DropSource,
    Erase,
    Insert,
    PutPhase,
    PutRejectedValue,
    PutSource,
    Quarantine,
    Reindex,
    Sign,
    Update,
)
from memfort.trail.event import Event

Scope = frozenset[bytes] | None  # ids of spaces; `None`: the whole store


def scope_of(spaces: Iterable[Space] | None, outer: Scope = None) -> Scope:
    """The scope of a write of these spaces, inside another write if there is an `outer` scope."""
    if spaces is None:
        return outer
    scope = frozenset(space.id for space in spaces)
    assert outer is None or scope <= outer, "a part of a write may not change more spaces than the whole of it"
    return scope


def check_scope(scope: Scope, changes: Sequence[Change], events: Sequence[Event]) -> None:
    """Assert that changes and events stay inside a scope. The directory, people, erasures and the chains of actors
    belong to no space, and every write may change them."""
    if scope is None:
        return
    for change in changes:
        assert not isinstance(change, Reindex | Quarantine | Sign), f"{type(change).__name__} is for the whole store"
        outside = [space for space in _spaces_of(change) if space.id not in scope]
        assert not outside, f"{type(change).__name__} reaches {outside[0].to_dict()}, which this write does not name"
    for event in events:
        is_inside = event.chain.kind != "space" or event.chain.key in scope
        assert is_inside, f"the event `{event.action}` belongs to the chain of a space that this write does not name"


def _spaces_of(change: Change) -> tuple[Space, ...]:
    """The spaces whose memories or records a change touches."""
    match change:
        case Insert(item, origin=(origin, _)):
            return item.space, origin  # whose lineage gets a line
        case Insert(item) | Update(item):
            return (item.space,)
        case Erase(space) | PutPhase(space) | DropPhases(space):
            return (space,)
        case PutSource(source) | DropSource(source):
            return (source.space,)
        case PutRejectedValue(rejected_value) | DropRejectedValue(rejected_value):
            return (rejected_value.space,)
        case _:
            return ()
