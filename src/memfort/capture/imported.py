"""One record of an import, before any gate has looked at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memfort.model.item import Item
from memfort.model.moment import Moment


@dataclass(frozen=True, slots=True)
class Imported:
    """What one line or row says. Exactly one of `fields`, `item`, `skip` and `problem` tells what to do with it."""

    place: str  # where in the file, for people: `line 3`
    fields: Mapping[str, Any] | None = None  # a statement, as `remember` takes it
    item: Item | None = None  # a memory of our own export
    skip: str | None = None  # why it is left out on purpose: `expired`, `deleted`, `superseded`
    problem: str | None = None  # why it cannot be used, and what to do; never its contents
    owner: str | None = None  # the user the record says it belongs to, if it says
    created_at: Moment | None = None
    notes: tuple[str, ...] = field(default=())  # `without_provenance`, `open_reader_list`, …
