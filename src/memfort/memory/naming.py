"""Ids given by their beginning: what is unique where the asker looks is enough."""

from __future__ import annotations

from memfort.errors import InvalidInput
from memfort.memory.engine import Engine
from memfort.memory.input import id_of
from memfort.model.actor import Standpoint
from memfort.model.names import is_short_name

_PREFIX = "mem_"
_LEAST = len(_PREFIX) + 4  # letters of a beginning; less is a slip
_LISTED = 5


def whole_id(engine: Engine, standpoint: Standpoint, given: str) -> str:
    """The id that `given` is, or is the beginning of. What nothing in sight begins with stays as it is, and is then not
    found; what begins several ids in sight is an error that names those and no others."""
    id = id_of(given)
    if not id.startswith(_PREFIX) or len(id) < _LEAST or is_short_name(_PREFIX, id):
        return id
    with engine.store.reading():
        found = engine.store.starting(engine.sight(standpoint), id, _LISTED + 1)
    if len(found) > 1:
        shown = ", ".join(found[:_LISTED]) + (", …" if len(found) > _LISTED else "")
        raise InvalidInput("id", f"`{id}` begins several: {shown}", "give more of it")
    return found[0] if found else id
