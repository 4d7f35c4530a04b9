"""Garbage collection: retire expired memories, and evict those over their author's limit, in small transactions between
which others can write. Compacting removes old tombstones for good.

No contents read here are shown: the answer has only numbers and ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from threading import Event, Thread
from typing import Annotated

from msgspec import Meta

from memfort.engine.engine import ALL_STATES, SYSTEM_STANDPOINT
from memfort.engine.lease import SECONDS, Lease
from memfort.engine.lifecycle.sweep import BATCH, sweep_some
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput, StoreError
from memfort.model.item import Item, Status, as_expired, is_expired, is_finite, is_live
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.model.people.actor import Actor, Standpoint
from memfort.model.reason import Reason
from memfort.model.results import Collection, Receipt
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.operations.admit.budget import evictable, eviction_order
from memfort.operations.ending.lineage import ItemName
from memfort.operations.ending.removal import Selection, erase_selection
from memfort.operations.requests import Request
from memfort.policy.gates.budget import LASTING
from memfort.policy.settings.sections import WhenFull
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Filter, Scope

DAY_SECONDS = 86_400
MAX_DAYS = 365_000
Place = tuple[Space, str]  # a memory's space and its id there


class GcRequest(Request, frozen=True):
    """What to collect."""

    compact_days: Annotated[
        Annotated[float, Meta(ge=0, le=MAX_DAYS)] | None,
        Meta(description="Also remove physically memories superseded, forgotten or expired over so many days ago."),
    ] = None
    dry_run: Annotated[bool, Meta(description="Show what would happen, and do nothing.")] = False


def handle(session: Session, request: GcRequest) -> Collection:
    """Retire expired memories and those over their author's limit, in small transactions. Old tombstones are
    removed with a receipt."""
    return collect(session, request)


_EVERYTHING_DUE = GcRequest()


def collect(
    session: Session,
    request: GcRequest = _EVERYTHING_DUE,
    *,
    batch: int = BATCH,
    stop: Callable[[], bool] = lambda: False,
) -> Collection:
    """Retire expired memories and those over a limit, space by space and author by author. A dry run gives the same
    answer and changes nothing. It checks `stop` between transactions; the next run does the rest."""
    days, dry_run = request.compact_days, request.dry_run
    expired, batches = _count_expired(session) if dry_run else _sweep_all(session, batch, stop)
    evicted, over, more = _evict_over_budget(session, batch, dry_run=dry_run, stop=stop)
    compacted = None if days is None else compact(session, days, dry_run=dry_run)
    return Collection(expired, tuple(evicted), over, batches + more, compacted, dry_run)


# -- what has expired ------------------------------------------------------------------------------------------------


class PeriodicGc:
    """Collects periodically in its own thread while a memory is open, for servers. It does not embed, compact or do
    anything else that a caller must ask for."""

    def __init__(self, session: Session, seconds: float) -> None:
        self._session, self._seconds = session, _seconds(seconds)
        self._lease = Lease(session.store, "gc", max(SECONDS, 2 * self._seconds))
        self._closing = Event()
        self._thread = Thread(target=self._run, name="memfort-gc", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, after the transaction that is under way."""
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.wait(self._seconds):
            with suppress(StoreError):  # if it cannot write now, it may next time
                if self._lease.is_held():  # of all processes, one collects
                    collect(self._session, stop=self._must_stop)
        with suppress(StoreError):
            self._lease.give_back()

    def _must_stop(self) -> bool:
        return self._closing.is_set() or not self._lease.is_held()


def _seconds(given: float) -> float:
    if not is_finite(given) or not 0 < given <= MAX_DAYS * DAY_SECONDS:
        raise InvalidInput("gc_every", f"`{given}` is not a number of seconds", "give more than zero, or leave it out")
    return given


def _sweep_all(session: Session, batch: int, stop: Callable[[], bool]) -> tuple[int, int]:
    """How many were retired, and in how many transactions. A space with nothing to do costs no transaction."""
    expired = batches = 0
    spaces = list(session.store.spaces())
    for done, space in enumerate(spaces, start=1):
        sight, now = maintenance_sight([space]), session.now
        while not stop() and session.store.overdue(sight, now, 1):
            some = sweep_some(session.engine, sight, now, batch)
            expired, batches = expired + some, batches + 1
            if not some:
                break  # another process swept it first
        session.progress(done, len(spaces))
    return expired, batches


def _count_expired(session: Session) -> tuple[int, int]:
    now = session.now
    due = Filter(frozenset(Status), expired=True, and_only=lambda item: is_expired(item, now))
    spaces = session.store.spaces()
    return sum(1 for space in spaces for _ in session.engine.all_items(maintenance_sight([space]), due)), 0


# -- what is too much ------------------------------------------------------------------------------------------------


def _evict_over_budget(
    session: Session, batch: int, *, dry_run: bool, stop: Callable[[], bool]
) -> tuple[list[Place], int, int]:
    """The memories evicted from authors over their limit, the authors who are still over it, and the number of
    transactions. Memories are evicted only for their own author, in the order in which a write would evict them."""
    limit, budget = session.policy.budget.owner, session.policy.budget
    if limit is None:
        return [], 0, 0
    evicted: list[Place] = []
    over = batches = 0
    for author, count in _authors(session).items():
        if count <= limit or stop():
            continue
        can_go = [] if budget.when_full is WhenFull.REFUSE else _select_for_eviction(session, author, count - limit)
        gone, more = (can_go, 0) if dry_run else _evict_in_batches(session, author, limit, can_go, batch)
        evicted, batches, over = evicted + gone, batches + more, over + (count - len(gone) > limit)
    return evicted, over, batches


def _authors(session: Session) -> dict[Actor, int]:
    """How many lasting memories each author has in force: those that the author may read, as a budget counts them."""
    counts = Counter[Actor]()
    lasting = Filter(kinds=frozenset(LASTING), and_only=lambda item: item.readers.admits(item.author))
    for space in session.store.spaces():
        counts.update(item.author for item in session.engine.all_items(maintenance_sight([space]), lasting))
    return dict(sorted(counts.items(), key=lambda pair: pair[0].key))


def _select_for_eviction(session: Session, author: Actor, count: int) -> list[Place]:
    """The ids of the memories that would be evicted first. Only where the author may still write, as itself or as a
    registered member: elsewhere the author's budget must not remove what others read."""
    own = [Coordinate(Level.USER, author.user)] if author.user is not None else []
    own += [Coordinate(Level.AGENT, author.agent)] if author.agent is not None else []
    with session.engine.view(Standpoint(author, tuple(own)), session.engine.call(author, "gc")) as view:
        counted = maintenance_sight(session.store.author_spaces(author))
        found = evictable(view, counted, eviction_order(session.policy.budget, view.now))
        return [(one.space, one.id) for one in islice((one for one in found if is_live(one, view.now)), count)]


def _evict_in_batches(
    session: Session, author: Actor, limit: int, names: Sequence[Place], batch: int
) -> tuple[list[Place], int]:
    """Retire the listed memories while there are too many: others may have written or forgotten in between."""
    gone: list[Place] = []
    batches = 0
    for start in range(0, len(names), batch):
        some = names[start : start + batch]
        reach = Scope.of((space for space, _ in some), authors=[author])
        gone += session.write(reach, partial(_evict_excess, author=author, limit=limit, names=some))
        batches += 1
    return gone, batches


def _evict_excess(tx: Transaction, author: Actor, limit: int, names: Sequence[Place]) -> list[Place]:
    excess = max(tx.store.authored_count(author) - limit, 0)
    return _evict(tx.as_system(), names[:excess])


def _evict(tx: Transaction, names: Sequence[Place]) -> list[Place]:
    """Retire those of the named ones that are still in force. Who wrote them is not told: it did not happen in a call
    of theirs."""
    by_space = dict[Space, list[str]]()
    for space, id in names:
        by_space.setdefault(space, []).append(id)
    found = [item for space, ids in by_space.items() for item in tx.store.items(maintenance_sight([space]), ids)]
    live = {(item.space, item.id): item for item in found if is_live(item, tx.now)}
    in_order = [live[name] for name in names if name in live]
    tx.retire_many(in_order, "evict", Reason.EVICTED)
    return [(item.space, item.id) for item in in_order]


# -- tombstones ------------------------------------------------------------------------------------------------------


def compact(session: Session, older_than_days: float, *, dry_run: bool = False) -> Receipt:
    """Remove for good memories superseded, forgotten, evicted or expired that long ago. The sources of a memory in
    force stay, and so does every wording in its history: to remove those, erase it. Rejected memories stay too, because
    they keep the text from being learned again."""
    before = Moment(session.now - round(older_than_days * DAY_SECONDS * MICROSECONDS_PER_SECOND))
    chosen = [name for space in session.store.spaces() for name in _tombstones(session, space, before)]
    selector = {"tombstones_older_than_days": older_than_days}
    selection = Selection(selector, maintenance_sight(session.store.spaces()), chosen, notes_words=False)
    system = Session(session.engine, SYSTEM_STANDPOINT, session.call)
    return erase_selection(system, selection, dry_run=dry_run)


def _tombstones(session: Session, space: Space, before: Moment) -> list[ItemName]:
    """The ids of the tombstones of one space that no other memory needs."""
    now, older, needed = session.now, dict[str, str | None](), set[str]()
    for item in session.engine.all_items(maintenance_sight([space]), ALL_STATES):
        if _is_tombstone(as_expired(item, now), before):
            older[item.id] = item.supersedes
        elif item.supersedes is not None:
            needed.add(item.supersedes)
    for id in needed:
        _keep_wordings(older, id)
    return [ItemName(space, id) for id in _without_other_children(session, space, older)]


def _is_tombstone(item: Item, before: Moment) -> bool:
    if item.deleted_at_us is not None:
        return item.deleted_at_us <= before and item.status is not Status.REJECTED
    return item.status is Status.SUPERSEDED and item.updated_at_us <= before


def _keep_wordings(older: dict[str, str | None], id: str | None) -> None:
    """Keep a wording and all earlier ones."""
    while id is not None and id in older:
        id = older.pop(id)


def _without_other_children(session: Session, space: Space, older: dict[str, str | None]) -> list[str]:
    """Those without a remaining derivation: an erasure also removes everything derived from what it removes."""
    sight = maintenance_sight([space])
    while needed := list(_find_with_other_children(session, sight, older)):
        for id in needed:
            _keep_wordings(older, id)
    return sorted(older)


def _find_with_other_children(session: Session, sight: Sight, older: dict[str, str | None]) -> Iterator[str]:
    """Those with a derivation that is not among them. Asked for many at once, since there are nearly none."""
    names = list(older)
    for start in range(0, len(names), BATCH):
        some = names[start : start + BATCH]
        if _has_other_children(session, sight, some, older):
            yield from (id for id in some if _has_other_children(session, sight, [id], older))


def _has_other_children(session: Session, sight: Sight, names: Sequence[str], older: Container[str]) -> bool:
    """Whether the listed memories have a derivation that is not to be removed itself."""
    made = session.store.derived(sight, names)
    return any(sight.seen(child.space) is None or child.id not in older for child in made)
