"""`Transaction` and `Session`: the first argument of handlers that write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Self, TypeVar

from memfort.engine.lifecycle.withdrawals import withdrawal_detail
from memfort.engine.view import View
from memfort.model.item import Item, next_version
from memfort.model.people.actor import SYSTEM, Actor, Standpoint
from memfort.model.reason import Reason
from memfort.policy.settings.policy import Policy
from memfort.store.port import Change, Insert, Scope, Store, Update
from memfort.trail.event import Event

if TYPE_CHECKING:
    from memfort.engine.call import Call
    from memfort.engine.engine import Digests, Engine
    from memfort.model.moment import Moment
    from memfort.model.space import Space

_Answer = TypeVar("_Answer")
_WITHDRAWS = frozenset({"forget", "promote", "undo"})  # what somebody does; nobody is told that a memory has expired


class Transaction(View):
    """One commit: changes and their events, or neither. It reads its own writes, so that a batch decides its second
    statement knowing the first. An exception rolls it back."""

    __slots__ = ()

    # -- what the store is given -------------------------------------------------------------------------------------

    def apply(self, changes: Sequence[Change], events: Sequence[Event], *, traced: bool = True) -> None:
        """Make the changes and record the events. Not `traced`: they depend on what the caller may not see, so the
        public trace of the call leaves them out."""
        self.engine.apply(changes, events, traced=traced)

    def insert(self, item: Item, origin: Item | None = None, digests: Digests | None = None) -> Insert:
        return self.engine.insert(item, origin, digests)

    def update(self, item: Item) -> Update:
        return self.engine.update(item)

    def event(self, action: str, item: Item, reason: str, **detail: Any) -> Event:
        """An event about a change to a memory, for the chain of its space."""
        return self.recorder.change_event(action, item, reason, **detail)

    def actor_event(
        self, action: str, decision: str, reason: str, detail: Mapping[str, Any], digest: str | None = None
    ) -> Event:
        """An event about a refusal or a read, for the chain of the actor who asked."""
        return self.recorder.actor_event(action, decision, reason, detail, digest)

    def as_system(self) -> Self:
        """The same transaction, acting as the system: for consequences of the call that are not in the actor's name."""
        return self._other(Standpoint(SYSTEM, ()), self.sight)

    def progress(self, done: int, total: int) -> None:
        """Report progress. Cancellation is checked here, and then nothing is written."""
        self.call.report(done, total)

    # -- memories ----------------------------------------------------------------------------------------------------

    def next_version(self, item: Item, **fields: Any) -> Item:
        """The next version of a memory, with these fields."""
        return next_version(item, self.now, **fields)

    def retire(
        self,
        item: Item,
        action: str,
        reason: Reason,
        *,
        deleted: Reason | None = None,
        traced: bool = True,
        also: Sequence[Change] = (),
        **detail: Any,
    ) -> Item:
        """Take a memory out of every read. `deleted` is the reason on the tombstone, if it differs; `also` are changes
        that belong to it."""
        phase = self.engine.phase_of(item.space).id
        if action in _WITHDRAWS:
            detail |= withdrawal_detail(self.engine, item, self.now)
        gone = self.next_version(
            item, deleted_at_us=self.now, deleted_reason=(deleted or reason).value, ended_phase=phase
        )
        self.apply([self.update(gone), *also], [self.event(action, gone, reason, **detail)], traced=traced)
        return gone

    def retire_many(self, items: Sequence[Item], action: str, reason: Reason) -> None:
        """Retire many memories at once, in no call's trace."""
        phases = {space: self.engine.phase_of(space).id for space in {item.space for item in items}}
        fields = {"deleted_at_us": self.now, "deleted_reason": reason.value}
        after = [self.next_version(item, ended_phase=phases[item.space], **fields) for item in items]
        events = [self.event(action, one, reason) for one in after]
        self.apply([self.update(one) for one in after], events, traced=False)


class Session:
    """The first argument of a verb with several commits. Each commit is whole, and the work can be resumed."""

    __slots__ = ("call", "engine", "standpoint")

    def __init__(self, engine: Engine, standpoint: Standpoint, call: Call) -> None:
        self.engine = engine
        self.standpoint = standpoint
        self.call = call

    @property
    def actor(self) -> Actor:
        return self.standpoint.actor

    @property
    def policy(self) -> Policy:
        return self.engine.policy

    @property
    def store(self) -> Store:
        return self.engine.store

    @property
    def now(self) -> Moment:
        """The present moment. Each view and each transaction fixes its own."""
        return self.engine.clock.now()

    def progress(self, done: int, total: int) -> None:
        """Report progress. Cancellation is checked here, before more work is done."""
        self.call.report(done, total)

    def view(self) -> AbstractContextManager[View]:
        return self.engine.view(self.standpoint, self.call)

    def write(self, reach: Scope | Iterable[Space], work: Callable[[Transaction], _Answer]) -> _Answer:
        """Do the work in one commit that changes these spaces, or what a scope names. It may be done more than once,
        with nothing kept of all but the last time (`Engine.commit`)."""
        return self.engine.write(self.standpoint, self.call, reach, work)

    def apply(self, changes: Sequence[Change], events: Sequence[Event], *, traced: bool = True) -> None:
        """Make these changes and events in a commit of their own."""
        self.call.check()
        self.engine.apply(changes, events, traced=traced)
