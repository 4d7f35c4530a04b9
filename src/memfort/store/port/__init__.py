"""The port of a store: every read takes a `Sight` first, every write is `apply(changes, events)`.

There is no other way in. What is *not* promised: a store does not decide who may see or write (policy did, before the
sight was made), does not rank (recall does), and does not read the clock (`now` comes in).

Four protocols make up a store, each in its own module: `directory`, `memories`, `trail`, `upkeep`. Their values are in
`changes`, `entries`, `listing`, `questions` and `records`; `columns` is the index as a ranker reads it and is imported
only by those who rank, because it needs arrays. No SQL, no files and no decisions come in here.

The conformance suite in `memfort.testing` is the definition of these methods; a store that passes it is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from memfort.model.space import Space
from memfort.store.port.directory import Directory
from memfort.store.port.memories import Memories
from memfort.store.port.trail import Trail
from memfort.store.port.upkeep import Upkeep
from memfort.store.port.values.changes import (
    Change,
    DropMember,
    DropPerson,
    DropPhases,
    DropQueuedTurn,
    DropRejectedValue,
    DropRelation,
    DropReply,
    DropShare,
    DropSource,
    Erase,
    Insert,
    PutAgent,
    PutChat,
    PutErasure,
    PutKey,
    PutMember,
    PutPerson,
    PutPhase,
    PutPolicy,
    PutQueuedTurn,
    PutRejectedValue,
    PutRelation,
    PutReply,
    PutShare,
    PutSource,
    Quarantine,
    Reindex,
    Sign,
    TouchKey,
    Update,
)
from memfort.store.port.values.entries import ANALYZER, BALLAST_BYTES, Entry, EntryOf, Progress
from memfort.store.port.values.listing import LIVE, Filter, Position, position_of
from memfort.store.port.values.questions import (
    MOST_ALIKE,
    ReadContext,
    Statement,
    WriteContext,
    contexts_by_parts,
    read_context_by_parts,
)
from memfort.store.port.values.records import Backup, Erasure, QueuedTurn, RejectedValue, Reply, Scrub
from memfort.store.port.values.scope import WHOLE_STORE, OutsideScope, Scope, Spaces, check_scope, scope_of
from memfort.trail.event import Event
from memfort.trail.keys import Keys

__all__ = [
    "ANALYZER",
    "BALLAST_BYTES",
    "LIVE",
    "MOST_ALIKE",
    "WHOLE_STORE",
    "Backup",
    "Change",
    "Directory",
    "DropMember",
    "DropPerson",
    "DropPhases",
    "DropQueuedTurn",
    "DropRejectedValue",
    "DropRelation",
    "DropReply",
    "DropShare",
    "DropSource",
    "Entry",
    "EntryOf",
    "Erase",
    "Erasure",
    "Filter",
    "Insert",
    "Memories",
    "OutsideScope",
    "Position",
    "Progress",
    "PutAgent",
    "PutChat",
    "PutErasure",
    "PutKey",
    "PutMember",
    "PutPerson",
    "PutPhase",
    "PutPolicy",
    "PutQueuedTurn",
    "PutRejectedValue",
    "PutRelation",
    "PutReply",
    "PutShare",
    "PutSource",
    "Quarantine",
    "QueuedTurn",
    "ReadContext",
    "Reindex",
    "RejectedValue",
    "Reply",
    "Scope",
    "Scrub",
    "Sign",
    "Spaces",
    "Statement",
    "Store",
    "TouchKey",
    "Trail",
    "Update",
    "Upkeep",
    "WriteContext",
    "check_scope",
    "contexts_by_parts",
    "position_of",
    "read_context_by_parts",
    "scope_of",
]


class Store(Directory, Memories, Trail, Upkeep, Protocol):
    """A place where memories are kept."""

    keys: Keys
    is_read_only: bool  # nothing can be written: a write is `StoreReadOnly`

    def reading(self) -> AbstractContextManager[None]:
        """One unchanging view for all reads inside, the directory's included: a revoked share is gone at once."""

    def writing(self, spaces: Iterable[Space] | None = None) -> AbstractContextManager[None]:
        """One transaction: what is read inside stays true until it is left, and nothing is kept on an error.

        `spaces` are those that the write may change. A change of a memory, a record or the chain of another space is
        refused with `OutsideScope`; the directory, people and the chains of actors belong to no space. `WHOLE_STORE` is
        for upkeep. A write inside a write is a part of it, and cannot change more than the outer one."""

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        """Record the events and make the changes, both or neither, durably."""
