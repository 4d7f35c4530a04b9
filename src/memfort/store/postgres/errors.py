"""What the errors of PostgreSQL mean, without anything that was bound, and without the address or a password."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout

from memfort.errors import StoreBroken, StoreBusy, StoreError, StoreFull
from memfort.store.port import WriteConflict

RETRIED = (errors.DeadlockDetected, errors.SerializationFailure)  # nothing was kept, and the whole can be done again
_MEANINGS: tuple[tuple[tuple[type[Exception], ...], type[StoreError], str], ...] = (
    (RETRIED, WriteConflict, "another writer held what this one needed; try again"),
    ((errors.LockNotAvailable, errors.QueryCanceled), StoreBusy, "another writer holds the store; try again"),
    ((PoolTimeout, errors.TooManyConnections), StoreBusy, "all connections to the database are in use; try again"),
    ((errors.DiskFull, errors.OutOfMemory), StoreFull, "the database has no room left; free some space on its server"),
    (
        (errors.InsufficientPrivilege,),
        StoreError,
        "the database refused a statement; run `memfort store check URL`, which says which right is missing",
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted, errors.IoError),
        StoreBroken,
        "the database reported damage; restore it from a copy",
    ),
    (
        (errors.IntegrityError,),
        StoreBroken,
        "the store's tables contradict each other; run `doctor()`, and restore the store from a copy",
    ),
    (
        (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction, errors.InvalidSchemaName),
        StoreBroken,
        "the database is not a memfort store, or of another version; run `memfort store check URL`",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        StoreError,
        "the database takes no writes (a standby?); name the server that is written to",
    ),
    ((psycopg.OperationalError,), StoreError, "the connection to the database was lost; nothing was kept; try again"),
    ((psycopg.Error,), StoreError, "the database refused a statement"),
)


class _Translation(AbstractContextManager[None]):
    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and (meant := translate(error)) is not None:
            raise meant from _bare(error)


def _bare(error: BaseException) -> BaseException:
    """The kind of error without its words: those can quote what was stored."""
    if isinstance(error, psycopg.Error):
        return type(error)(error.sqlstate or type(error).__name__)
    return type(error)(type(error).__name__)


_TRANSLATED = _Translation()


def translate_errors() -> AbstractContextManager[None]:
    """Say what an engine's error means, keeping the cause."""
    return _TRANSLATED


def translate(error: BaseException) -> StoreError | None:
    for kinds, meaning, said in _MEANINGS:
        if isinstance(error, kinds):
            return meaning(said)
    return None
