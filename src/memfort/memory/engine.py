"""The engine: what all standpoints share. Holds no identity and knows no verb."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from memfort.clock import Clock
from memfort.errors import StoreError
from memfort.model.actor import SYSTEM, Actor, Standpoint
from memfort.model.canonical import canonical_json
from memfort.model.item import Item, Status
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.record import item_to_dict
from memfort.model.sight import Sight
from memfort.policy.admit import statement_of, value_of
from memfort.policy.settings import AuditReads, Policy
from memfort.policy.sight import sight
from memfort.policy.standing import Memberships
from memfort.recall.words import text_terms
from memfort.store.port import Filter, Insert, Position, Store, Update, position_of
from memfort.trace.event import Event, chain_of_actor, chain_of_space
from memfort.trace.keys import Keys

_READS_KEPT = 64
_READS_KEPT_AT_MOST = 65_536  # while they cannot be written down
_PAGE = 1000
ALL_STATES = Filter(statuses=frozenset(Status), deleted=True, expired=True)


@dataclass
class Engine:
    """A store, a clock and a policy, and the reads that have not been written down yet."""

    store: Store
    clock: Clock
    policy: Policy
    memberships: Memberships
    surface: str = "python"
    _reads: list[Event] = field(default_factory=list)
    _sights: dict[Standpoint, tuple[object, Sight]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sight(self, standpoint: Standpoint) -> Sight:
        """What the standpoint may see, now. Kept only as long as the directory's facts are the very same."""
        facts = self.store.facts(standpoint)
        known = self._sights.get(standpoint)
        if known is not None and known[0] == facts:
            return known[1]
        resolved = sight(standpoint, facts, self.memberships, self.policy.read_order)
        if len(self._sights) > 4096:
            self._sights.clear()
        self._sights[standpoint] = (facts, resolved)
        return resolved

    def everything(self, sight: Sight, filter: Filter) -> Iterator[Item]:
        """All memories in sight that the filter wants, from newest to oldest, however many they are."""
        after: Position | None = None
        now = self.clock.now()
        while page := self.store.page(sight, filter, after, _PAGE, now):
            yield from page
            after = position_of(page[-1])

    # -- values for the store ----------------------------------------------------------------------------------------

    def insert(self, item: Item) -> Insert:
        return Insert(item, self.value(item), terms_of(item))

    def update(self, item: Item) -> Update:
        return Update(item, self.value(item), terms_of(item))

    def value(self, item: Item) -> bytes:
        return self.store.keys.value(value_of(item.kind, item.key, item.text))

    def statement(self, item: Item) -> bytes:
        return self.store.keys.value(statement_of(item.kind, item.key, item.text))

    # -- events ------------------------------------------------------------------------------------------------------

    def changed(
        self, action: str, actor: Actor, item: Item, reason: str, now: Moment, *, gone: bool = False, **detail: Any
    ) -> Event:
        """An event about a change, for the chain of the space that changed."""
        return Event(
            chain=chain_of_space(item.space), at=now, action=action, actor=actor, surface=self.surface,
            decision="allowed" if item.status is not Status.PENDING else "pending", reason=reason,
            policy=self.policy.digest, space=item.space, item=item.id, digest=self.store.keys.digest(item.text),
            detail={**detail, "after": None if gone else labels(item, self.store.keys)},
        )  # fmt: skip

    def asked(
        self, action: str, actor: Actor, decision: str, reason: str, now: Moment, detail: Mapping[str, Any],
        digest: str | None = None,
    ) -> Event:  # fmt: skip
        """An event about a read or a refusal, for the chain of the actor who asked."""
        return Event(
            chain=chain_of_actor(actor), at=now, action=action, actor=actor, surface=self.surface,
            decision=decision, reason=reason, policy=self.policy.digest, digest=digest, detail=detail,
        )  # fmt: skip

    def note_sight_of(self, action: str, actor: Actor, ids: Sequence[str], now: Moment) -> None:
        """Put on record which memories a read showed."""
        reason = Reason.VISIBLE if ids else Reason.NOT_FOUND
        self.note_read(self.asked(action, actor, "allowed", reason, now, {"ids": list(ids)}))

    def note_read(self, event: Event) -> None:
        """Put a read on record as the policy says: not at all, with the next write, or at once."""
        if self.policy.audit_reads is AuditReads.OFF:
            return
        with self._lock:
            self._reads.append(event)
            due = len(self._reads) >= _READS_KEPT or self.policy.audit_reads is AuditReads.DURABLE
        if due:
            self._flush_if_possible()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: the reads that were waiting to be written down, then what is decided inside. In this order,
        so that an actor's own chain does not show when somebody else happened to write."""
        taken = self._take_reads()
        try:
            with self.store.writing():
                if taken:
                    self.store.apply([], taken)
                yield
        except BaseException:
            with self._lock:
                self._reads = taken + self._reads
            raise

    def _flush_if_possible(self) -> None:
        """A store that cannot write just now can still answer, unless the policy wants every read on disk first."""
        try:
            self.flush()
        except StoreError:
            if self.policy.audit_reads is AuditReads.DURABLE:
                raise
            with self._lock:
                del self._reads[:-_READS_KEPT_AT_MOST]

    def flush(self) -> None:
        """Write the reads down that are still waiting."""
        if self._reads:
            with self.writing():
                pass

    def _take_reads(self) -> list[Event]:
        with self._lock:
            taken, self._reads = self._reads, []
        return taken


def terms_of(item: Item) -> Mapping[str, int]:
    """The words an item is found by: its text, its tags and its key. Only what can be recalled has any."""
    if item.status is not Status.APPROVED or item.deleted_at is not None:
        return {}
    return text_terms(" \n ".join((item.text, *item.tags, item.key or "")))


def labels(item: Item, keys: Keys) -> dict[str, Any]:
    """The state of an item without its contents: what replaying the trail must give again. The digest of the whole
    record tells of a change to anything else, its reader list and its author for example."""
    return {
        "status": item.status.value,
        "version": item.version,
        "digest": keys.digest(item.text),
        "expires_at": item.expires_at,
        "deleted_at": item.deleted_at,
        "deleted_reason": item.deleted_reason,
        "superseded_by": item.superseded_by,
        "record": keys.digest(canonical_json(item_to_dict(item)).decode()),
    }


SYSTEM_STANDPOINT = Standpoint(SYSTEM, ())
