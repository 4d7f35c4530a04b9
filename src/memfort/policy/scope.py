"""Deletion by scope: which spaces a scope selects. The most specific level is the target, every other level constrains
it, and with cascade all narrower spaces inside are selected too.
"""

from __future__ import annotations

from memfort.errors import InvalidInput
from memfort.model.space import Coordinate, Level, Space, check_id, level_of

# The order of levels for deletion, narrowest first.
_LADDER = tuple(level for level in Level if level is not Level.VISIBILITY)


def scope_of(coordinates: dict[str, str]) -> tuple[Coordinate, ...]:
    """The coordinates of a scope, narrowest first. An empty scope deletes nothing."""
    made = []
    for name, id in coordinates.items():
        level = level_of(name)
        if level is Level.SYSTEM:
            raise InvalidInput("scope.system", "the system space is not deleted by scope", "erase its memories by id")
        made.append(Coordinate(level, check_id(id, f"scope.{level}")))
    return tuple(sorted(made, key=lambda coordinate: list(Level).index(coordinate.level)))


def in_scope(space: Space, scope: tuple[Coordinate, ...], *, cascade: bool) -> bool:
    """Whether deleting `scope` includes `space`: it has every coordinate of the scope, and without `cascade` it is not
    narrower than the target."""
    if not scope or not set(scope) <= set(space.coordinates):
        return False
    return cascade or _target(space.coordinates) is _target(scope)


def _target(coordinates: tuple[Coordinate, ...]) -> Level:
    levels = {coordinate.level for coordinate in coordinates}
    return next((level for level in _LADDER if level in levels), Level.VISIBILITY)
