"""A call that has one effect, however often it is made: its answer is kept with what it changed, and given again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from memfort.engine.transaction import Session, Transaction
from memfort.errors import Changed, Denied, InvalidInput, MemfortError, NotFound
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.store.port import DropReply, PutReply, Reply, Store

KEPT_SECONDS = 24 * 3600
_Answer = TypeVar("_Answer")


class Replayed(MemfortError):
    """The call was made before. `reply` is what was kept of it."""

    def __init__(self, reply: Reply) -> None:
        super().__init__("the call was made before")
        self.reply = reply


class Once:
    """The name of a call that is made once, and how its answer is kept: as bytes, with the ids in it."""

    def __init__(self, key: bytes, fingerprint: bytes, encode: Callable[[Any], tuple[bytes, tuple[str, ...]]]) -> None:
        self._key, self._fingerprint, self._encode = key, fingerprint, encode

    def in_transaction(self, tx: Transaction, work: Callable[[], _Answer]) -> _Answer:
        """Do the work and keep its answer in the same commit."""
        self._check(tx.store)
        answer = work()
        self._keep(tx, answer)
        return answer

    def in_session(self, session: Session, work: Callable[[], _Answer]) -> _Answer:
        """The same of work in several commits. It is noted before it begins: work that was interrupted is not begun
        again, because nobody knows how far it came. A refusal has done nothing, and may be asked for again."""
        session.write((), self._begin)
        try:
            answer = work()
        except (InvalidInput, Denied, NotFound, Changed):
            session.apply([DropReply(self._key)], [])
            raise
        session.write((), lambda tx: self._keep(tx, answer))
        return answer

    def _begin(self, tx: Transaction) -> None:
        self._check(tx.store)
        tx.apply([self._put(tx.now)], [])

    def _check(self, store: Store) -> None:
        if (known := store.reply(self._key)) is not None:
            raise Replayed(known)

    def _keep(self, tx: Transaction, answer: Any) -> None:
        body, names = self._encode(answer)
        put = self._put(tx.now)
        tx.apply([replace(put, reply=replace(put.reply, body=body, names=names))], [])

    def _put(self, now: Moment) -> PutReply:
        return PutReply(Reply(self._key, self._fingerprint, now), Moment(now - KEPT_SECONDS * MICROSECONDS_PER_SECOND))
