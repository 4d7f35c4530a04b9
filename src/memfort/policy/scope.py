"""Deleting by scope: which spaces a scope means. The most specific level is the target, every other level given
constrains, and with cascade everything narrower that lies inside comes along.
"""

from __future__ import annotations

from memfort.errors import InvalidInput
from memfort.model.space import Coordinate, Level, Space, check_id, level_of

# What seed 001 calls its ladder, with the levels of the other seeds in their places.
_LADDER = tuple(level for level in Level if level is not Level.VISIBILITY)


def scope_of(coordinates: dict[str, str]) -> tuple[Coordinate, ...]:
    """The coordinates of a scope, narrowest first. No coordinates is no scope: it deletes nothing."""
    made = []
    for name, id in coordinates.items():
        level = level_of(name)
        if level is Level.SYSTEM:
            raise InvalidInput("scope.system", "the system space is not deleted by scope", "erase its memories by id")
        made.append(Coordinate(level, check_id(id, f"scope.{level}")))
    return tuple(sorted(made, key=lambda coordinate: list(Level).index(coordinate.level)))


def in_scope(space: Space, scope: tuple[Coordinate, ...], *, cascade: bool) -> bool:
    """Whether deleting `scope` takes `space`: it has every coordinate of the scope, and with `cascade` off it is not
    narrower than the scope's target."""
    if not scope or not set(scope) <= set(space.coordinates):
        return False
    return cascade or _target(space.coordinates) is _target(scope)


def _target(coordinates: tuple[Coordinate, ...]) -> Level:
    levels = {coordinate.level for coordinate in coordinates}
    return next((level for level in _LADDER if level in levels), Level.VISIBILITY)
