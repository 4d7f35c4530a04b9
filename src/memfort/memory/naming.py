"""Ids given by their beginning: what is unique where the asker looks is enough."""

from __future__ import annotations

from memfort.errors import InvalidInput
from memfort.memory.engine import Engine
from memfort.memory.input import id_of
from memfort.memory.reviewing import reviewable
from memfort.memory.writing import is_shown
from memfort.model.actor import Standpoint
from memfort.model.names import is_short_name
from memfort.model.sight import Sight

_PREFIX = "mem_"
_LEAST = len(_PREFIX) + 4  # letters of a beginning; less is a slip
_LISTED = 5
_MOST = 1000  # names that are looked through: far more than begin alike by chance


def whole_id(engine: Engine, standpoint: Standpoint, given: object, *, wherever: bool = False) -> str:
    """The id that `given` is, or is the beginning of. What begins nothing that the asker may know of stays as it is,
    and is then not found; what begins several such ids is an error that names those and no others. With `wherever`,
    what is the user's own counts also where the asker does not stand."""
    id = id_of(given)
    if not id.startswith(_PREFIX) or len(id) < _LEAST or is_short_name(_PREFIX, id):
        return id
    with engine.store.reading():
        held = engine.sight(standpoint)
        reach = reviewable(engine, held) if wherever else held.writable
        found = sorted({*engine.store.starting(reach, id, _MOST), *_shown(engine, held, id)})
    if len(found) > 1:
        shown = ", ".join(found[:_LISTED]) + (", …" if len(found) > _LISTED else "")
        raise InvalidInput("id", f"`{id}` begins several: {shown}", "give more of it")
    return found[0] if found else id


def _shown(engine: Engine, held: Sight, beginning: str) -> list[str]:
    """Names of what is shown in sight. Of what is not in force only those who could change it know."""
    now = engine.clock.now()
    items = engine.store.items(held, engine.store.starting(held, beginning, _MOST))
    return [item.id for item in items if is_shown(engine, held, item, now)]
