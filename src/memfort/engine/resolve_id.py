"""Resolve ids given by a prefix: a prefix that is unique in the asker's sight is enough."""

from __future__ import annotations

from collections.abc import Iterable

from memfort.engine.inputs import id_of
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.model.serialize.encoding import is_short_name

_PREFIX = "mem_"
_LEAST = len(_PREFIX) + 4  # minimum length of a prefix
_LISTED = 5
_MOST = 1000  # ids that are compared: far more than share a prefix by chance


def resolve_id(view: View, given: object, reach: View | None = None) -> str:
    """The id that `given` is, or is a prefix of. A prefix without a match in the asker's sight is returned unchanged,
    and is then not found; a prefix of several such ids is an error that lists only those. `reach` is where ids in any
    state count; without it, where the asker may write."""
    id = id_of(given)
    if not id.startswith(_PREFIX) or len(id) < _LEAST or is_short_name(_PREFIX, id):
        return id
    found = sorted({*_listed_ids(reach or view.writable, id), *_visible_ids(view, id)})
    if len(found) > 1:
        shown = ", ".join(found[:_LISTED]) + (", …" if len(found) > _LISTED else "")
        raise InvalidInput("id", f"`{id}` is the beginning of several: {shown}", "give more of it")
    return found[0] if found else id


def resolve_ids(view: View, given: Iterable[object], reach: View | None = None) -> tuple[str, ...]:
    """The ids, each once: the same memory may be named twice, or by an id and by its prefix."""
    return tuple(dict.fromkeys(resolve_id(view, one, reach) for one in given))


def _listed_ids(view: View, prefix: str) -> list[str]:
    """Ids of memories in any state that the actor may list."""
    items = view.items(view.store.ids_with_prefix(view.sight, prefix, _MOST))
    return [item.id for item in items if view.may_list(item)]


def _visible_ids(view: View, prefix: str) -> list[str]:
    """Ids of the memories shown in sight. Only actors who could change a memory see it when it is not in force."""
    items = view.items(view.store.ids_with_prefix(view.sight, prefix, _MOST))
    return [item.id for item in items if view.is_shown(item)]
