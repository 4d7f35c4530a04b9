"""Transactions of an SQL store: snapshots for whoever reads, and writes, each an object that one thread holds.

An engine derives its `Transactions` from the class here and brings:

- `reader()`: the connection that this thread reads with outside a write;
- `reading()`: one unchanging view for all reads inside. A write's own view is its snapshot;
- `version()`: moves when another connection has written, as far as this thread's view shows it;
- `_transaction(scope)`: a context manager that begins a transaction, takes the locks `scope.locks()` in their order, or
  that of the whole store, and gives the connection. What is still open at the end, it rolls back. What the database
  ends by itself to resolve a deadlock or a conflict is raised as `WriteConflict`: nothing was kept, and the caller
  starts the write again;
- `_commit(write)`: commits. The versions of the spaces that the write names have moved by then; an engine whose readers
  ask for the versions of persons and of the directory moves those here;
- `translate_errors()`: raises the engine's errors as those of `memfort.errors`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from os import getpid

from memfort.store.port import Scope, scope_within
from memfort.store.sql.connection import Connection, WritingConnection
from memfort.store.sql.writing.known import Known
from memfort.store.sql.writing.numbers import Numbers
from memfort.store.sql.writing.write import Write
from memfort.trail.keys import Keys


class _OfThread(threading.local):
    write: Write | None = None


class Transactions:
    """The connections of a store. Nothing of a write is here but that its thread finds it."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self._known = Known()
        self._of_thread = _OfThread()
        self._process = getpid()

    # -- reading -----------------------------------------------------------------------------------------------------

    def current(self) -> Connection:
        """The connection that this thread reads with: the writer's while it writes, so that it sees its own work."""
        write = self.current_write()
        return self.reader() if write is None else write.flushed()

    def without_counters(self) -> Connection:
        """The same for statements that read no counter and nothing that a write holds back: in the middle of a write
        those may not be written yet."""
        write = self.current_write()
        return self.reader() if write is None else write.connection

    def reader(self) -> Connection:
        raise NotImplementedError

    def reading(self) -> AbstractContextManager[None]:
        raise NotImplementedError

    def version(self) -> int | None:
        """`None` inside a write, which sees what may yet be taken back."""
        raise NotImplementedError

    def translate_errors(self) -> AbstractContextManager[None]:
        raise NotImplementedError

    # -- writing -----------------------------------------------------------------------------------------------------

    def current_write(self) -> Write | None:
        """The write that this thread is in the middle of, if it is in one. It does not cross a fork."""
        write = self._of_thread.write
        return write if write is not None and self._process == getpid() else None

    @property
    def is_writing(self) -> bool:
        return self.current_write() is not None

    def writing(self, keys: Keys, scope: Scope | None = None) -> AbstractContextManager[None]:
        """A write in a transaction of its own, or a part of the one that this thread is in the middle of."""
        write = self.current_write()
        return self._writing(keys, scope_within(scope, None)) if write is None else write.part(scope)

    @contextmanager
    def _writing(self, keys: Keys, scope: Scope) -> Iterator[None]:
        with self._transaction(scope) as connection:
            write = self._of_thread.write = Write(connection, keys, scope, self.numbers, self._known)
            try:
                with self.translate_errors():
                    yield
                    write.finish()
            finally:
                self._of_thread.write = None
            self._commit(write)
            write.committed()

    def _leave_write(self) -> None:
        """Forget the write that the parent process was in the middle of."""
        self._of_thread = _OfThread()

    def _transaction(self, scope: Scope) -> AbstractContextManager[WritingConnection]:
        raise NotImplementedError

    def _commit(self, write: Write) -> None:
        """Commit its transaction."""
        raise NotImplementedError
