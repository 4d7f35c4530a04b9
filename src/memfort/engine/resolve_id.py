"""Ids given by their beginning: what is unique where the asker looks is enough."""

from __future__ import annotations

from collections.abc import Iterable

from memfort.engine.inputs import id_of
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.model.serialize.encoding import is_short_name

_PREFIX = "mem_"
_LEAST = len(_PREFIX) + 4  # letters of a beginning; less is a slip
_LISTED = 5
_MOST = 1000  # ids that are looked through: far more than begin alike by chance


def resolve_id(view: View, given: object, reach: View | None = None) -> str:
    """The id that `given` is, or is the beginning of. What begins nothing that the asker may know of stays as it is,
    and is then not found; what begins several such ids is an error that names those and no others. `reach` is where
    ids in any state count; without it, where the asker may write."""
    id = id_of(given)
    if not id.startswith(_PREFIX) or len(id) < _LEAST or is_short_name(_PREFIX, id):
        return id
    wide = (reach or view.writable).sight
    found = sorted({*view.store.ids_with_prefix(wide, id, _MOST), *_visible_ids(view, id)})
    if len(found) > 1:
        shown = ", ".join(found[:_LISTED]) + (", …" if len(found) > _LISTED else "")
        raise InvalidInput("id", f"`{id}` begins several: {shown}", "give more of it")
    return found[0] if found else id


def resolve_ids(view: View, given: Iterable[object], reach: View | None = None) -> tuple[str, ...]:
    return tuple(resolve_id(view, one, reach) for one in given)


def _visible_ids(view: View, prefix: str) -> list[str]:
    """Ids of what is shown in sight. Only those who could change it know of what is not in force."""
    items = view.items(view.store.ids_with_prefix(view.sight, prefix, _MOST))
    return [item.id for item in items if view.is_shown(item)]
