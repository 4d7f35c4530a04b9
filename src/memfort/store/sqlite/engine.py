"""SQLite as an engine of stores: one file each, with its key, its locks and its list of erased memories beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType

import apsw

from memfort.errors import InvalidInput
from memfort.model.moment import Moment
from memfort.store.port import Backup, Backups, Capability, Keyed, Progress, Store, StoreEngine
from memfort.store.sqlite.backup import read_note
from memfort.store.sqlite.connection import check_engine
from memfort.store.sqlite.copying import new_copy
from memfort.store.sqlite.files import check_path
from memfort.store.sqlite.part_file import check_is_free, part_file, publish
from memfort.store.sqlite.rekey import renew_key
from memfort.store.sqlite.restoring import restoring
from memfort.store.sqlite.store import SqliteStore
from memfort.trail.keys import Keys

_SCHEME = "sqlite://"


class SqlitePartFile:
    def __init__(self, path: Path, target: Path) -> None:
        self.path, self._target = path, target

    def publish(self) -> None:
        publish(self.path, self._target)


class SqliteBackups:
    """A backup is one file of SQLite with a note about itself."""

    @contextmanager
    def new_file(self, target: Path, field: str) -> Iterator[SqlitePartFile]:
        check_is_free(target, field)
        with part_file(target) as part:
            yield SqlitePartFile(part, target)

    @contextmanager
    def opened(self, path: Path, keys: Keys) -> Iterator[tuple[Backup, SqliteStore]]:
        note, _ = read_note(path)
        store = SqliteStore(path, keys=keys, read_only=True)
        try:
            yield note, store
        finally:
            store.close()

    restoring = staticmethod(restoring)


class SqliteEngine:
    capabilities = frozenset(Capability)
    remedies: Mapping[Capability, str] = MappingProxyType({})
    backups: Backups | None = SqliteBackups()

    def open(self, address: str, *, read_only: bool) -> SqliteStore:
        path = path_of(address)
        check_path(path)
        return SqliteStore(path, read_only=read_only)

    def open_source(self, address: str) -> SqliteStore:
        if not (path := path_of(address)).is_file():
            raise InvalidInput("source", f"there is no store at `{path}`", "name one that is there")
        return SqliteStore(path, read_only=True)

    def new_copy(self, address: str, source: Store) -> AbstractContextManager[SqliteStore]:
        return new_copy(path_of(address), source)

    def version(self) -> str:
        return f"SQLite {apsw.sqlite_lib_version()}, apsw {apsw.apsw_version()}"

    def check(self) -> None:
        check_engine(apsw.sqlite_lib_version())

    def renew_key(self, address: str, keyed: Keyed, at: Moment, progress: Progress | None) -> int:
        return renew_key(path_of(address), keyed, at, progress)


def path_of(address: str) -> Path:
    """The file of a store: a path, or what follows `sqlite://`."""
    return Path(address.removeprefix(_SCHEME)).absolute()


ENGINE: StoreEngine = SqliteEngine()
