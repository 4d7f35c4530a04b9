"""What a run of `relearn` notes in the provenance of a memory that it changes: the run, and how the memory was before.

So a run can be taken back by its trace, memory by memory, as far as nobody has changed them since. A note is in no
other space than its memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_type_hints

import msgspec
from msgspec.structs import replace

from memfort.model.item import Item

RELEARNED = "relearned"
TAKEN_BACK = "undo_unended"  # in the provenance of a memory that an undo brought back as it was
_TRACE, _VERSION, _TIMES, _WAS = "trace", "version", "times", "was"
CHANGED = (
    "sensitivity", "judgement", "subjects", "portable", "status", "status_reason", "superseded_by", "ended_phase"
)  # fmt: skip


def with_note(item: Item, trace: str, before: Item | None = None) -> Item:
    """A memory that the run made; or that it changes, from what it was `before`."""
    note: dict[str, Any] = {_TRACE: trace, _VERSION: item.version, _TIMES: 0}
    if before is not None:
        was = {name: getattr(before, name) for name in CHANGED if getattr(before, name) != getattr(item, name)}
        earlier = {_WAS: msgspec.to_builtins(was), "before": note_of(before) or None}
        note |= {_TIMES: times_relearned(before) + 1, **earlier}
    return replace(item, provenance=MappingProxyType({**item.provenance, RELEARNED: note}))


def note_of(item: Item) -> Mapping[str, Any]:
    note = item.provenance.get(RELEARNED)
    return note if isinstance(note, Mapping) else {}


def is_of_run(item: Item, trace: str) -> bool:
    return note_of(item).get(_TRACE) == trace


def is_as_left(item: Item) -> bool:
    """Whether nobody has changed the memory since the run that noted it."""
    return bool(note_of(item).get(_VERSION) == item.version)


def times_relearned(item: Item) -> int:
    return int(note_of(item).get(_TIMES, 0))


def was_made(item: Item) -> bool:
    """Whether the run made the memory, and did not only change it."""
    return _WAS not in note_of(item)


def fields_before(item: Item) -> dict[str, Any]:
    """What a changed memory was before, as far as it is another now; with the note that it had then."""
    was = note_of(item).get(_WAS, {})
    fields = fields_of(was)
    rest = {name: value for name, value in item.provenance.items() if name != RELEARNED}
    earlier = note_of(item).get("before")
    return fields | {"provenance": MappingProxyType(rest | ({RELEARNED: earlier} if earlier else {}))}


def fields_of(noted: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a memory as a provenance has them."""
    return {name: msgspec.convert(value, _TYPES[name]) for name, value in noted.items() if name in _TYPES}


_TYPES = get_type_hints(Item)
