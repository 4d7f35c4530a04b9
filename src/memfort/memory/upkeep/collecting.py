"""Collecting what has ended. What has expired is retired, and what is more than its author may keep makes room, in
small transactions between which others can write. Compacting takes old tombstones out for good.

Nothing read here is shown to anybody: the answer has numbers and names, and no contents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from threading import Event, Thread

from memfort.errors import InvalidInput, StoreError
from memfort.memory.engine import ALL_STATES, SYSTEM_STANDPOINT, Engine
from memfort.memory.erasing import erase_chosen
from memfort.memory.kin import Named
from memfort.memory.lifetimes import BATCH, anywhere, lapsed, order_of, retire_many, sweep_some
from memfort.memory.results import Receipt
from memfort.model.actor import SYSTEM, Actor, Standpoint
from memfort.model.item import Item, Status, is_expired, is_finite, is_live
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.budget import LASTING
from memfort.policy.sections import WhenFull
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Filter

DAY_SECONDS = 86_400
COMPACT_AFTER_DAYS = 90
MAX_DAYS = 365_000
Progress = Callable[[int, int], None]
Place = tuple[Space, str]  # a memory's space and its name there


@dataclass(frozen=True, slots=True)
class Collection:
    """What was collected, or would be."""

    expired: int  # memories whose time had run out
    evicted: tuple[Place, ...]  # those that made room for others of their author
    over: int  # authors who still keep more than they may: nothing of theirs could go
    batches: int  # transactions that it took
    compacted: Receipt | None = None  # of the old tombstones, if they were to go
    dry_run: bool = False


def collect(
    engine: Engine,
    *,
    batch: int = BATCH,
    progress: Progress | None = None,
    compact_days: float | None = None,
    dry_run: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Collection:
    """Retire what has expired and what is too much, space by space and author by author; with `compact_days`, take
    tombstones out that are older. A rehearsal answers the same and changes nothing. Between two transactions it looks
    whether it is to `stop`; what is left is left for the next time."""
    days = None if compact_days is None else _days(compact_days)
    expired, batches = _rehearsed(engine) if dry_run else _swept(engine, batch, progress, stop)
    evicted, over, more = _made_room(engine, batch, dry_run=dry_run, stop=stop)
    compacted = None if days is None else compact(engine, days, dry_run=dry_run, progress=progress)
    return Collection(expired, tuple(evicted), over, batches + more, compacted, dry_run)


def _days(given: float) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= MAX_DAYS:
        raise InvalidInput("compact_days", f"`{given}` is not a number of days", f"give a number from 0 to {MAX_DAYS}")
    return given


# -- what has expired ------------------------------------------------------------------------------------------------


class Rounds:
    """Collecting again and again in a thread of its own, as long as a memory is open: what a server does. Vectors,
    compacting and whatever else somebody has to ask for are none of its business."""

    def __init__(self, engine: Engine, seconds: float) -> None:
        self._engine, self._seconds = engine, _seconds(seconds)
        self._closing = Event()
        self._thread = Thread(target=self._run, name="memfort-gc", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, after the transaction that is under way."""
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.wait(self._seconds):
            with suppress(StoreError):  # one that cannot write just now may be able to next time
                collect(self._engine, stop=self._closing.is_set)


def _seconds(given: float) -> float:
    if not is_finite(given) or not 0 < given <= MAX_DAYS * DAY_SECONDS:
        raise InvalidInput("gc_every", f"`{given}` is not a number of seconds", "give more than zero, or leave it out")
    return given


def _swept(engine: Engine, batch: int, progress: Progress | None, stop: Callable[[], bool]) -> tuple[int, int]:
    """How many were retired, and in how many transactions. A space with nothing to do costs no transaction."""
    expired = batches = 0
    spaces = engine.store.spaces()
    for done, space in enumerate(spaces, start=1):
        sight, now = maintenance_sight([space]), engine.clock.now()
        while not stop() and engine.store.overdue(sight, now, 1):
            some = sweep_some(engine, sight, now, batch)
            expired, batches = expired + some, batches + 1
            if not some:
                break  # somebody else swept it first
        if progress is not None:
            progress(done, len(spaces))
    return expired, batches


def _rehearsed(engine: Engine) -> tuple[int, int]:
    now = engine.clock.now()
    due = Filter(frozenset(Status), expired=True, and_only=lambda item: is_expired(item, now))
    spaces = engine.store.spaces()
    return sum(1 for space in spaces for _ in engine.everything(maintenance_sight([space]), due)), 0


# -- what is too much ------------------------------------------------------------------------------------------------


def _made_room(
    engine: Engine, batch: int, *, dry_run: bool, stop: Callable[[], bool]
) -> tuple[list[Place], int, int]:  # fmt: skip
    """What gave way of authors who keep more than the policy lets them, who still do, and in how many transactions.
    One author's memories make room for that author's alone, in the order in which a write would take them."""
    limit, budget = engine.policy.budget.owner, engine.policy.budget
    if limit is None:
        return [], 0, 0
    evicted: list[Place] = []
    over = batches = 0
    for author, count in _authors(engine).items():
        if count <= limit or stop():
            continue
        can_go = [] if budget.when_full is WhenFull.REFUSE else _first_to_go(engine, author, count - limit)
        gone, more = (can_go, 0) if dry_run else _evicted(engine, author, limit, can_go, batch)
        evicted, batches, over = evicted + gone, batches + more, over + (count - len(gone) > limit)
    return evicted, over, batches


def _authors(engine: Engine) -> dict[Actor, int]:
    """How many lasting memories each author has in force: those that the author may read, as a budget counts them."""
    counts = Counter[Actor]()
    lasting = Filter(kinds=frozenset(LASTING), and_only=lambda item: item.readers.admits(item.author))
    for space in engine.store.spaces():
        counts.update(item.author for item in engine.everything(maintenance_sight([space]), lasting))
    return dict(sorted(counts.items(), key=lambda pair: pair[0].key))


def _first_to_go(engine: Engine, author: Actor, count: int) -> list[Place]:
    """The names of what would go first. Only where the author may still write, as itself or as a registered member:
    what others read there is not for the author's budget to take away."""
    own = [Coordinate(Level.USER, author.user)] if author.user is not None else []
    own += [Coordinate(Level.AGENT, author.agent)] if author.agent is not None else []
    with engine.store.reading():
        sight, now = engine.sight(Standpoint(author, tuple(own))), engine.clock.now()
        counted = maintenance_sight(engine.store.places(author))
        found = anywhere(engine, author, sight, counted, order_of(engine.policy.budget, now))
        return [(one.space, one.id) for one in islice((one for one in found if is_live(one, now)), count)]


def _evicted(engine: Engine, author: Actor, limit: int, names: Sequence[Place], batch: int) -> tuple[list[Place], int]:
    """Retire the named ones, as long as there are too many: others may have written or forgotten in between."""
    gone: list[Place] = []
    batches = 0
    for start in range(0, len(names), batch):
        with engine.writing():
            excess = max(engine.store.authored(author) - limit, 0)
            gone += _evict(engine, names[start : start + min(batch, excess)])
        batches += 1
    return gone, batches


def _evict(engine: Engine, names: Sequence[Place]) -> list[Place]:
    """Retire those of the named ones that are still in force. Who wrote them is not told: it did not happen in a call
    of theirs."""
    now, by_space = engine.clock.now(), dict[Space, list[str]]()
    for space, id in names:
        by_space.setdefault(space, []).append(id)
    found = [item for space, ids in by_space.items() for item in engine.store.items(maintenance_sight([space]), ids)]
    live = {(item.space, item.id): item for item in found if is_live(item, now)}
    in_order = [live[name] for name in names if name in live]
    retire_many(engine, SYSTEM, in_order, "evict", Reason.EVICTED, now)
    return [(item.space, item.id) for item in in_order]


# -- tombstones ------------------------------------------------------------------------------------------------------


def compact(
    engine: Engine, older_than_days: float = COMPACT_AFTER_DAYS, *, dry_run: bool = False,
    progress: Progress | None = None,
) -> Receipt:  # fmt: skip
    """Take out for good what was superseded, forgotten or evicted, or expired, that long ago. What a memory still in
    force was made from stays, and so does every wording in its history: to lose those, erase it. What a reviewer
    rejected stays too, because it keeps the words from coming back."""
    before = Moment(engine.clock.now() - round(older_than_days * DAY_SECONDS * MICROSECONDS_PER_SECOND))
    chosen = [name for space in engine.store.spaces() for name in _tombstones(engine, space, before)]
    selector = {"tombstones_older_than_days": older_than_days}
    sight = maintenance_sight(engine.store.spaces())
    return erase_chosen(engine, SYSTEM_STANDPOINT, selector, sight, chosen, dry_run=dry_run, progress=progress)


def _tombstones(engine: Engine, space: Space, before: Moment) -> list[Named]:
    """The names of the tombstones of one space that nothing else needs."""
    now, older, needed = engine.clock.now(), dict[str, str | None](), set[str]()
    for item in engine.everything(maintenance_sight([space]), ALL_STATES):
        if _is_tombstone(lapsed(item, now), before):
            older[item.id] = item.supersedes
        elif item.supersedes is not None:
            needed.add(item.supersedes)
    for id in needed:
        _keep_wordings(older, id)
    return [Named(space, id) for id in _childless(engine, space, older)]


def _is_tombstone(item: Item, before: Moment) -> bool:
    if item.deleted_at is not None:
        return item.deleted_at <= before and item.status is not Status.REJECTED
    return item.status is Status.SUPERSEDED and item.updated_at <= before


def _keep_wordings(older: dict[str, str | None], id: str | None) -> None:
    """Leave a wording where it is, and all that came before it."""
    while id is not None and id in older:
        id = older.pop(id)


def _childless(engine: Engine, space: Space, older: dict[str, str | None]) -> list[str]:
    """Those of which nothing was made that stays: an erasure takes everything that was made from what it takes."""
    sight = maintenance_sight([space])
    while needed := list(_with_children(engine, sight, older)):
        for id in needed:
            _keep_wordings(older, id)
    return sorted(older)


def _with_children(engine: Engine, sight: Sight, older: dict[str, str | None]) -> Iterator[str]:
    """Those that something was made from which is not among them. Asked for many at once, since nearly none are."""
    names = list(older)
    for start in range(0, len(names), BATCH):
        some = names[start : start + BATCH]
        if _stays(engine, sight, some, older):
            yield from (id for id in some if _stays(engine, sight, [id], older))


def _stays(engine: Engine, sight: Sight, names: Sequence[str], older: Container[str]) -> bool:
    """Whether something was made from the named ones that is not to go itself."""
    made = engine.store.derived(sight, names)
    return any(sight.seen(child.space) is None or child.id not in older for child in made)
