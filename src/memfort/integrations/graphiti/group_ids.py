"""The group id of a space. No two spaces share one, although Graphiti allows letters, digits, `-` and `_` alone.

A plain id stands as it is: `agent-assistant-001-private`. One that could be read as another group's (it contains
`-public`, say), or that has other characters, is spelled as the digits of its bytes behind a mark.
"""

from __future__ import annotations

import re2

from memfort.model.space import Level, Space, Visibility

_MARK = "utf8_"
_PLAIN = re2.compile(r"[A-Za-z0-9_-]+")
_SIDES = ("-private", "-public", "-shared")
_BOUNDS = tuple(f"-{level.value}" for level in Level)


def is_mirrored(space: Space) -> bool:
    """Whether a space is an agent's, or shared between the agents of a user."""
    return Level.AGENT in space.levels or space.get(Level.VISIBILITY) == Visibility.SHARED


def group_id_of(space: Space) -> str:
    """`agent-{id}-private`, `agent-{id}-public`, `user-{id}-shared`; a narrower space names its other coordinates
    behind: `agent-{id}-public-org-{org}`."""
    owner = Level.AGENT if Level.AGENT in space.levels else Level.USER
    parts = [owner.value, _spelled(space.get(owner) or "", _SIDES), space.get(Level.VISIBILITY) or ""]
    for one in space.coordinates:
        if one.level not in {owner, Level.VISIBILITY}:
            parts += [one.level.value, _spelled(one.id, _BOUNDS)]
    return "-".join(parts)


def _spelled(id: str, reserved: tuple[str, ...]) -> str:
    """The id itself, if it can stand in a group id and no reader takes a part of it for a separator."""
    is_plain = _PLAIN.fullmatch(id) and not id.startswith(_MARK) and not any(word in id for word in reserved)
    return id if is_plain else _MARK + id.encode().hex()
