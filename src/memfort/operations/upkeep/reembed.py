"""Embed memories with the embedder in use: those that were written with another, or while it failed.

It works in small transactions and never calls the embedder inside one, so that others can write in between. After a
crash at any point the next run continues with the rest; until then those memories are found by their words.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.engine import Engine
from memfort.engine.indexing.embedding import Embedding
from memfort.engine.indexing.missing_vectors import count_missing_vectors
from memfort.engine.transaction import Session
from memfort.errors import CorruptMemory, EmbedderFailed, MemfortError
from memfort.model.audience import audience_of
from memfort.model.item import Item, is_in_force
from memfort.model.reason import Reason
from memfort.model.results import Reembedding
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.requests import Request
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Update

BATCH = 64  # memories in one transaction
MOST = 1000
_MAX_PENDING = 100_000  # ids kept in the queue; a full run finds the others
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0  # seconds, after a failure
_CLOSE_SECONDS = 10.0  # for the queue when a memory is closed

_EmbedResult = tuple[bytes, bool]  # a vector, or the tag alone; and whether the embedder refused the text


class ReembedRequest(Request, frozen=True):
    """Options of a run."""

    batch: Annotated[int, Meta(ge=1, le=MOST, description="How many memories in one step.")] = BATCH


def handle(session: Session, request: ReembedRequest) -> Reembedding:
    """Give every memory without one a vector of the embedder in use, in small transactions. After an interruption the
    next call continues with the rest; until then those memories are found by their words."""
    return reembed(session, request.batch)


def reembed(session: Session, batch: int = BATCH, stop: Callable[[], bool] = lambda: False) -> Reembedding:
    """Give every memory without one a vector of the embedder in use. A failing embedder ends the run: finished work
    stays."""
    engine = session.engine
    if engine.embedding.length is None:
        engine.embedding.check()  # vectors of another length are replaced
    left = [(space, handles) for space in engine.store.spaces() if (handles := _missing_in(session, space))]
    total = sum(len(handles) for _, handles in left)
    seen = done = refused = 0
    for items, space, count in _batches(session, left, batch):
        if stop():
            break
        given, not_taken = _embed_batch(session, space, items)
        seen, done, refused = seen + count, done + given, refused + not_taken
        session.progress(seen, total)
    return Reembedding(engine.embedding.name, done, total, refused, count_missing_vectors(engine))


def _missing_in(session: Session, space: Space) -> list[int]:
    return session.engine.unembedded(maintenance_sight([space]))


def _batches(
    session: Session, left: Sequence[tuple[Space, list[int]]], batch: int
) -> Iterator[tuple[list[Item], Space, int]]:
    for space, handles in left:
        sight = maintenance_sight([space])
        for start in range(0, len(handles), batch):
            some = handles[start : start + batch]
            yield list(session.store.items_by_handle(sight, some).values()), space, len(some)


def _embed_batch(session: Session, space: Space, items: Sequence[Item]) -> tuple[int, int]:
    """Embed some memories of one space and store the vectors, unless they have changed meanwhile; returns how many got
    a vector, and how many texts the embedder refused: those get its tag without a vector, so that they are not tried
    again."""
    engine = session.engine
    given = {
        item.id: (item, *one) for item, one in zip(items, _embed_by_partition(engine.embedding, items), strict=True)
    }
    with session.transaction([space]) as tx:
        known = _read_current(session, maintenance_sight([space]), list(given))
        settled = [given[item.id] for item in known if item == given[item.id][0]]
        refused = sum(is_refused for _, _, is_refused in settled)
        if settled:
            detail = {"memories": len(settled) - refused, "embedder": engine.embedding.name}
            changes = [_with_vector(engine, item, vector) for item, vector, _ in settled]
            tx.apply(changes, [tx.as_system().recorder.directory_event("reembed", Reason.EMBEDDED, detail=detail)])
    return len(settled) - refused, refused


def _read_current(session: Session, sight: Sight, ids: Sequence[str]) -> list[Item]:
    found: list[Item] = []
    for id in ids:  # one by one: a damaged one is a separate error
        with suppress(CorruptMemory):
            found += session.store.items(sight, [id])
    return found


def _with_vector(engine: Engine, item: Item, vector: bytes) -> Update:
    """The same memory with its vector."""
    return Update(
        item, engine.value(item), engine.embedding.entry_of(item, vector), engine.disclosed_entry_of(item, vector)
    )


def _embed_by_partition(embedding: Embedding, items: Sequence[Item]) -> list[_EmbedResult]:
    """The embeddings of memories, in their order. Only memories of one partition share a request: a server may answer a
    little differently depending on the batch, and one user's texts must not affect another's."""
    partitions: dict[object, list[int]] = {}
    for place, item in enumerate(items):
        partitions.setdefault((item.space.id, item.readers, audience_of(item)), []).append(place)
    found: dict[int, _EmbedResult] = {}
    for places in partitions.values():
        found |= zip(places, _embed_or_halve(embedding, [items[place] for place in places]), strict=True)
    return [found[place] for place in range(len(items))]


def _embed_or_halve(embedding: Embedding, items: Sequence[Item]) -> list[_EmbedResult]:
    """A refused batch is split in halves, down to the refused text. If the embedder refuses a test word too, the text
    is not the cause, and it is an error."""
    try:
        return [(vector, False) for vector in embedding.vectors_of(items)]
    except EmbedderFailed as error:
        if not error.refused:
            raise
    if len(items) == 1:
        embedding.check()
        return [(embedding.tag, True)]
    half = len(items) // 2
    return _embed_or_halve(embedding, items[:half]) + _embed_or_halve(embedding, items[half:])


class BackgroundEmbedder:
    """A background thread that embeds the queued memories, and on request all."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._pending: dict[tuple[Space, str], None] = {}
        self._all_requested = False
        self._until: float | None = None  # the deadline after closing

    @property
    def _progress(self) -> Reembedding:
        return self._session.engine.embedding.background

    def embed_later(self, item: Item) -> None:
        """A memory is being written without its vector."""
        with self._lock:
            if len(self._pending) < _MAX_PENDING:
                self._pending[item.space, item.id] = None
        self._start()

    def all(self) -> None:
        """Go over all memories once."""
        self._all_requested = True
        self._update_progress(is_running=True)  # from now on, not from when the thread starts it
        self._start()

    def close(self) -> None:
        """Work off the queue for a few seconds at most, and stop."""
        with self._lock:
            self._until = time.monotonic() + _CLOSE_SECONDS
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and self._until is None:
                self._thread = threading.Thread(target=self._run, name="memfort-reembed", daemon=True)
                self._thread.start()
        self._wake.set()

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            self._wake.wait()
            self._wake.clear()
            is_last = self._until is not None
            try:
                self._work()
            except MemfortError as error:  # the embedder or the store failed: both may recover soon
                self._update_progress(problem=str(error), is_running=False)
                if is_last or self._is_closed_within(pause):
                    return
                pause = min(2 * pause, _LONGEST_PAUSE)
                self._wake.set()
            else:
                pause = _FIRST_PAUSE
                if is_last:
                    return

    def _is_closed_within(self, seconds: float) -> bool:
        """Wait; memories queued meanwhile wait too."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self._until is None:
            self._wake.wait(left)
            self._wake.clear()
        return self._until is not None

    def _work(self) -> None:
        self._update_progress(is_running=True)
        while some := self._next_pending():
            self._embed_pending(*some)
        if self._all_requested and self._until is None:
            before = self._progress
            self._session.call.progress = lambda done, total: self._count(before, done, total)
            found = reembed(self._session, stop=lambda: self._until is not None)
            self._update_progress(refused=before.refused + found.refused)
            self._all_requested = self._until is not None
        self._update_progress(is_running=False, problem=None)

    def _next_pending(self) -> tuple[Space, list[str]] | None:
        """The ids of some queued memories of one space, the longest waiting first. They leave the queue here: one that
        is written again meanwhile is queued again."""
        with self._lock:
            if not self._pending or (self._until is not None and time.monotonic() > self._until):
                return None
            space = next(iter(self._pending))[0]
            ids = list(islice((id for one, id in self._pending if one == space), BATCH))
            for id in ids:
                del self._pending[space, id]
            return space, ids

    def _embed_pending(self, space: Space, ids: list[str]) -> None:
        try:
            with self._session.store.writing([space]):  # whoever is writing them has done so, or has given it up
                found = _read_current(self._session, maintenance_sight([space]), ids)
            items = [item for item in found if is_in_force(item)]  # forgotten text is not sent to the embedder
            given, refused = _embed_batch(self._session, space, items) if items else (0, 0)
        except MemfortError:
            with self._lock:
                self._pending |= {(space, id): None for id in ids}
            raise
        so_far = self._progress
        self._update_progress(
            done=so_far.done + given, total=so_far.total + len(items), refused=so_far.refused + refused
        )

    def _count(self, before: Reembedding, done: int, total: int) -> None:
        self._update_progress(done=before.done + done, total=before.total + total)

    def _update_progress(self, **news: object) -> None:
        self._session.engine.embedding.background = replace(self._progress, **news)
