"""Transactions of a memory store: a writer works on a copy of the state, a reader on the state it began with."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from memfort.errors import StoreError
from memfort.store.memory.state import State
from memfort.store.port import Scope, scope_within


class _ThreadState(threading.local):
    """What one thread works on: the copy it writes to, and the snapshot it reads from."""

    draft: State | None = None
    scope: Scope | None = None  # what it said it changes
    snapshot: State | None = None


class Transactions:
    """The committed state, and what each thread sees of it."""

    def __init__(self) -> None:
        self._committed: State | None = State()  # `None` once the store is closed
        self._write_lock = threading.RLock()
        self._thread = _ThreadState()

    @property
    def _state(self) -> State:
        """What this thread sees: its draft while it writes, its snapshot while it reads, else what is committed."""
        return self._thread.draft or self._thread.snapshot or self._latest

    @property
    def _latest(self) -> State:
        if self._committed is None:
            raise StoreError("the store is closed, and what was kept in memory is gone")
        return self._committed

    @contextmanager
    def reading(self) -> Iterator[None]:
        before = self._thread.snapshot
        self._thread.snapshot = before or self._latest
        try:
            yield
        finally:
            self._thread.snapshot = before

    def writing(self, scope: Scope | None = None) -> AbstractContextManager[None]:
        return self._write_to_copy(scope)

    @contextmanager
    def _write_to_copy(self, scope: Scope | None) -> Iterator[None]:
        """Write to a copy, and commit it when the outermost block ends without an error. An inner block that fails
        drops its own copy only."""
        with self._write_lock:
            outer, outer_scope = self._thread.draft, self._thread.scope
            self._thread.draft = (outer or self._latest).copy()
            try:
                self._thread.scope = scope_within(scope, outer_scope)
                yield
            except BaseException:
                self._thread.draft = outer
                raise
            finally:
                self._thread.scope = outer_scope
            if outer is None:
                self._committed, self._thread.draft = self._state, None
