"""Upkeep: damage, erasing for good, and the store's own structures. Nothing here shows anybody any contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port.values.entries import Progress
from memfort.store.port.values.records import Backup, Erasure, QueuedTurn, Scrub


class Upkeep(Protocol):
    """What maintenance asks."""

    def spaces(self, user: str | None = None) -> Iterator[Space]:
        """Every space there is, or those of one user, in the order of their ids, read in pages: for maintenance, which
        walks them one by one."""

    def records(self, sight: Sight) -> Iterator[tuple[str, bytes]]:
        """The ids and records of all sound memories in sight, in any state, to compare them with the trail. Only a
        whole sight gets an answer."""

    def damaged(self, sight: Sight) -> list[str]:
        """Ids of memories whose stored bytes no longer match their seal."""

    def quarantined(self, sight: Sight) -> list[str]:
        """Those of the damaged that were taken out of the index. A recall asks for no more than this: `damaged` walks
        through everything in sight."""

    def all_damaged(self) -> Iterator[str]:
        """Ids of all damaged memories, read in pages; those too that damage has torn from every space."""

    def erasures(self) -> Iterator[Erasure]:
        """Every erasure that was asked for, the oldest first, read in pages."""

    def due_turns(self, now: Moment, limit: int, *, is_imported: bool = False) -> list[QueuedTurn]:
        """The queued turns of all spaces that are to be tried by now, said here or from a file: the first of each
        space, then the second of each, those that were queued first before the others. For the worker, which does the
        work of each as whoever observed it."""

    def waiting_turns(self, first: QueuedTurn, limit: int) -> list[QueuedTurn]:
        """The queued turns of the space of this one that were queued with it or after it and were not given up, those
        that were queued first before the others."""

    def count_queued_turns(self) -> tuple[int, int]:
        """How many turns wait in the queue, and how many were given up."""

    def take_lease(self, name: str, holder: str, seconds: float) -> bool:
        """Whether a holder has the lease of this name for so long from now: nobody else gets it before, unless it is
        given back. Whoever has it takes it again in time to keep it. A lease is no change: it moves nothing that is
        read, and has no event."""

    def give_back_lease(self, name: str, holder: str) -> None: ...

    def count_leases(self, beginning: str) -> int:
        """How many leases are held now whose names begin so."""

    def scrub(self) -> Scrub:
        """Make what was erased unrecoverable from the store's files, or say why that must wait."""

    def residue(self) -> Mapping[str, int]:
        """Places in the store's files that could still hold erased bytes, with counts; empty when there are none."""

    def unlisted(self, erasure: Erasure) -> list[str]:
        """The memories of an erasure that the list beside the store does not name, so that a backup could bring them
        back; none where there are no files."""

    def backup(self, target: Path, at: Moment, *, with_key: bool, progress: Progress | None = None) -> Backup:
        """Copy one consistent state of the store into a new file while others write; with its key only if that is
        asked for."""

    def checkup(self) -> list[tuple[str, str]]:
        """Examine the store's own structures: (what, problem) for everything that is wrong."""

    def info(self) -> Mapping[str, Any]:
        """Facts about the store for people: engine, file, sizes."""

    def close(self) -> None: ...
