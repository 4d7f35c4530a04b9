"""Embed memories with the embedder in use: those that were written with another, or while it failed.

It works in small transactions and never calls the embedder inside one, so that others can write in between. After a
crash at any point the next run continues with the rest; until then those memories are found by their words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.engine import Engine
from memfort.engine.indexing.embedding import Embedding
from memfort.engine.indexing.missing_vectors import count_missing_vectors
from memfort.engine.transaction import Session, Transaction
from memfort.errors import CorruptMemory, EmbedderFailed
from memfort.model.audience import audience_of
from memfort.model.item import Item, is_in_force
from memfort.model.reason import Reason
from memfort.model.results import Reembedding
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.requests import Request
from memfort.operations.upkeep.background import BackgroundWorker
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Scope, Update

BATCH = 64  # memories in one transaction
MOST = 1000

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

    def write(tx: Transaction) -> tuple[int, int]:
        known = _read_current(session, maintenance_sight([space]), list(given))
        settled = [given[item.id] for item in known if item == given[item.id][0]]
        refused = sum(is_refused for _, _, is_refused in settled)
        if settled:
            detail = {"memories": len(settled) - refused, "embedder": engine.embedding.name}
            changes = [_with_vector(engine, item, vector) for item, vector, _ in settled]
            tx.apply(changes, [tx.as_system().recorder.directory_event("reembed", Reason.EMBEDDED, detail=detail)])
        return len(settled) - refused, refused

    return session.write(Scope.of([space], directory=True), write)


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


class BackgroundEmbedder(BackgroundWorker):
    """Embeds memories after they are written."""

    thread_name = "memfort-reembed"
    batch = BATCH
    close_seconds = 10.0

    @property
    def _progress(self) -> Reembedding:
        return self._session.engine.embedding.background

    def _work_on(self, space: Space, ids: list[str]) -> None:
        # In a write: whoever is writing them has done so, or has given it up.
        read = partial(_read_current, self._session, maintenance_sight([space]), ids)
        found = self._session.engine.commit(Scope.of([space]), read)
        items = [item for item in found if is_in_force(item)]  # forgotten text is not sent to the embedder
        given, refused = _embed_batch(self._session, space, items) if items else (0, 0)
        so_far = self._progress
        self._update_progress(
            done=so_far.done + given, total=so_far.total + len(items), refused=so_far.refused + refused
        )

    def _work_on_all(self) -> None:
        before = self._progress
        self._session.call.progress = lambda done, total: self._count(before, done, total)
        found = reembed(self._session, stop=self._must_stop)
        self._update_progress(refused=before.refused + found.refused)

    def _count(self, before: Reembedding, done: int, total: int) -> None:
        self._update_progress(done=before.done + done, total=before.total + total)

    def _update_progress(self, **news: object) -> None:
        self._session.engine.embedding.background = replace(self._progress, **news)
