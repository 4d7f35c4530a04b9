"""The port of a store: every read takes a `Sight` first, every write is `apply(changes, events)`.

There is no other way in. What is *not* promised: a store does not decide who may see or write (policy did, before the
sight was made), does not rank (recall does), and does not read the clock (`now` comes in).

Four protocols make up a store, each in its own module: `directory`, `memories`, `trail`, `upkeep`. Their values are in
`changes`, `entries`, `listing`, `questions` and `records`; `columns` is the index as a ranker reads it and is imported
only by those who rank, because it needs arrays. No SQL, no files and no decisions come in here.

The conformance suite in `memfort.testing` is the definition of these methods; a store that passes it is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from memfort.store.port.directory import Directory
from memfort.store.port.engine import (
    Backups,
    Capability,
    Erased,
    Keyed,
    PartFile,
    RestoreOrder,
    Restoring,
    StoreEngine,
    TextOf,
    refuse,
)
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
    MOST_REPLACEMENTS,
    FoundItems,
    ReadContext,
    Statement,
    WriteContext,
    contexts_by_parts,
    found_items_by_parts,
    read_context_by_parts,
)
from memfort.store.port.values.records import Backup, Erasure, QueuedTurn, RejectedValue, Reply, Scrub
from memfort.store.port.values.scope import (
    DIRECTORY_KEY,
    WHOLE_STORE,
    OutsideScope,
    Scope,
    WriteConflict,
    check_scope,
    lock_key,
    person_key,
    reach_of,
    scope_within,
    space_key,
    write_until_done,
)
from memfort.trail.event import Event
from memfort.trail.keys import Keys

__all__ = [
    "ANALYZER",
    "BALLAST_BYTES",
    "DIRECTORY_KEY",
    "LIVE",
    "MOST_ALIKE",
    "MOST_REPLACEMENTS",
    "WHOLE_STORE",
    "Backup",
    "Backups",
    "Capability",
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
    "Erased",
    "Erasure",
    "Filter",
    "FoundItems",
    "Insert",
    "Keyed",
    "Memories",
    "OutsideScope",
    "PartFile",
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
    "RestoreOrder",
    "Restoring",
    "Scope",
    "Scrub",
    "Sign",
    "Statement",
    "Store",
    "StoreEngine",
    "TextOf",
    "TouchKey",
    "Trail",
    "Update",
    "Upkeep",
    "WriteConflict",
    "WriteContext",
    "check_scope",
    "contexts_by_parts",
    "found_items_by_parts",
    "lock_key",
    "person_key",
    "position_of",
    "reach_of",
    "read_context_by_parts",
    "refuse",
    "scope_within",
    "space_key",
    "write_until_done",
]


class Store(Directory, Memories, Trail, Upkeep, Protocol):
    """A place where memories are kept."""

    keys: Keys
    is_read_only: bool  # nothing can be written: a write is `StoreReadOnly`

    @property
    def engine(self) -> StoreEngine | None:
        """The kind of store that this is, if it has an address by which it can be opened again."""

    def reading(self) -> AbstractContextManager[None]:
        """One unchanging view for all reads inside, the directory's included: a revoked share is gone at once."""

    def writing(self, scope: Scope | None = None) -> AbstractContextManager[None]:
        """One transaction: what is read inside stays true until it is left, and nothing is kept on an error.

        A store may lock what the scope names and nothing else; without one it is the whole store, for upkeep. A change
        that is not in the scope is refused with `OutsideScope`. A write inside a write is a part of it, and cannot
        change more than the outer one. Any write may end in `WriteConflict`: nothing of it is kept, and it can be
        started again, so all that leads to a change happens inside."""

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        """Record the events and make the changes, both or neither, durably. Outside a write it is one of its own, with
        the scope that these need."""
