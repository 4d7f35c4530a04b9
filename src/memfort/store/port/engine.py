"""What an engine offers besides the stores that it opens: its version, backups, a new key. What it cannot do is not
among its capabilities, and its remedies say what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from msgspec import Struct

from memfort.errors import StoreError
from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.store.port.values.changes import PutPolicy
from memfort.store.port.values.entries import EntryOf, Progress
from memfort.store.port.values.records import Backup
from memfort.trail.event import Event
from memfort.trail.keys import Keys

if TYPE_CHECKING:  # a store names its engine
    from memfort.store.port import Store

TextOf = Callable[[Item], str]


class Capability(StrEnum):
    """Something that not every engine has."""

    BACKUP = "backup"
    SCRUB = "scrub"
    REKEY = "rekey"


class RestoreOrder(Struct, frozen=True):
    """What to restore, and with what."""

    backup: Path
    store: Path
    key: Path | None = None  # for a backup without its key, unless the key lies where the store will
    erased: Path | None = None  # the list of erased memories, unless it lies where the store will


class Keyed(Struct, frozen=True):
    """What depends on the key and is made from memories anew."""

    entry_of: EntryOf
    disclosed_entry_of: EntryOf
    value_of: TextOf
    rejected_text: TextOf
    ended_text: TextOf
    events_of: Callable[
        [Keys, Sequence[Item], PutPolicy | None], list[Event]
    ]  # for all memories, and the policy in use


class PartFile(Protocol):
    """A file that is made under another name, so that nothing half made has its own."""

    @property
    def path(self) -> Path: ...

    def publish(self) -> None:
        """Give it its name, without ever replacing another."""


class Erased(Protocol):
    """What was erased, as digests."""

    @property
    def digests(self) -> frozenset[str]: ...
    def has_memory(self, space: bytes, id: str) -> bool: ...
    def has_record(self, id: str) -> bool:
        """Whether a person, a relation or an import was erased."""


class Restoring(Protocol):
    """A store that is being made from a backup, under another name."""

    @property
    def store(self) -> Store: ...
    @property
    def note(self) -> Backup: ...
    @property
    def erased(self) -> Erased:
        """What was erased after the backup was made."""

    @property
    def place(self) -> str:
        """Where the store will be."""

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What cannot be ruled out, and why."""

    def publish(self) -> None:
        """Close it and give it its name."""


class Backups(Protocol):
    """Copies of stores in files."""

    def new_file(self, target: Path, field: str) -> AbstractContextManager[PartFile]:
        """A file to make a backup in. `field` is what the caller's file is called in an error."""

    def opened(self, path: Path, keys: Keys) -> AbstractContextManager[tuple[Backup, Store]]:
        """What a backup says about itself, and the store in it, to be read alone."""

    def restoring(self, order: RestoreOrder, progress: Progress | None) -> AbstractContextManager[Restoring]: ...


class StoreEngine(Protocol):
    """One kind of store."""

    capabilities: frozenset[Capability]
    remedies: Mapping[Capability, str]  # what to do instead of what it cannot
    backups: Backups | None

    def open(self, address: str, *, read_only: bool) -> Store: ...

    def open_source(self, address: str) -> Store:
        """The store at an address, to be copied: it must be there, and nothing is written to it where that can be."""

    def new_copy(self, address: str, source: Store) -> AbstractContextManager[Store]:
        """The store that a copy of `source` is made in, or the half made one of a process that was stopped. It has its
        name, or can be opened, once this is left without an error."""

    def version(self) -> str:
        """The library that is linked."""

    def check(self) -> None:
        """Raise `EngineTooOld` if that library can lose what it has acknowledged."""

    def renew_key(self, address: str, keyed: Keyed, at: Moment, progress: Progress | None) -> int:
        """Make a new key for the store at an address, if the engine can; gives how many memories there are."""


def refuse(engine: StoreEngine | None, capability: Capability) -> NoReturn:
    """Say what to do instead of something that an engine cannot."""
    if engine is None:
        raise StoreError(f"a store without a file has no {capability}; export its memories, or keep them in a file")
    raise StoreError(f"this store has no {capability}; {engine.remedies[capability]}")
