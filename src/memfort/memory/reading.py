"""Reading: resolve, select, rank, trace. Everything here goes through one sight."""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from memfort.errors import InvalidInput, NotFound, StoreError
from memfort.memory.engine import Engine
from memfort.memory.input import choice, id_of, limit_of, list_of, space_of
from memfort.memory.lifetimes import lapsed, sweep
from memfort.memory.promoting import is_void
from memfort.memory.results import Page
from memfort.memory.showing import shown_to
from memfort.memory.writing import find, is_current
from memfort.model.actor import Standpoint
from memfort.model.canonical import canonical_json
from memfort.model.item import Item, Kind, Status, is_expired, is_live
from memfort.model.moment import Moment, to_moment
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.sight import asking_about, own_spaces_sight
from memfort.store.port import LIVE, Filter, Position, position_of

_HISTORY_LINKS = 100


def of_now(engine: Engine, sight: Sight, filter: Filter) -> Filter:
    """The filter with only what belongs to the phases that the spaces are in."""
    if not sight.phases and not sight.about:
        return filter
    return replace(filter, and_only=lambda item: is_current(engine, sight, item))


def get(engine: Engine, standpoint: Standpoint, id: str) -> Item | None:
    """One memory by id, if it can be recalled now. Absent and not yours are the same answer."""
    now = engine.clock.now()
    with engine.store.reading():
        sight = engine.sight(standpoint)
        found = engine.store.items(sight, [id_of(id)])
    overdue = [item for item in found if is_expired(item, now) and item.deleted_at is None]
    retire_overdue(engine, sight.narrowed([item.space for item in overdue]), overdue, now)
    live = [item for item in found if is_live(item, now) and of_now(engine, sight, Filter()).admits(item, now)]
    note_shown(engine, standpoint, sight, "get", live[:1], now)
    return shown_to(engine, sight, live[0]) if live else None


def about(engine: Engine, standpoint: Standpoint, persons: Sequence[str], limit: int, filter: Filter) -> list[Item]:
    """What is known about persons, the newest first: what is in sight, and of those who are here what others know."""
    limit, now = limit_of(limit), engine.clock.now()
    with engine.store.reading():
        sight = asking_about(engine.sight(standpoint), persons)
        found = engine.store.about(sight, persons, of_now(engine, sight, filter), limit, now)
    note_shown(engine, standpoint, sight, "about", found, now)
    return [shown_to(engine, sight, item) for item in found]


def note_shown(
    engine: Engine, standpoint: Standpoint, sight: Sight, action: str, items: Sequence[Item], now: Moment
) -> None:
    """Put on record which memories a read showed, and which of them came from out of sight."""
    told = [item.id for item in items if sight.seen(item.space) is None]
    engine.note_sight_of(action, standpoint.actor, [item.id for item in items], now, told=told)


def page(
    engine: Engine,
    standpoint: Standpoint,
    limit: int,
    cursor: str | None,
    within: Mapping[str, str] | None,
    filter: Filter,
) -> Page:
    """Memories in sight from newest to oldest."""
    limit, now = limit_of(limit), engine.clock.now()
    after = None if cursor is None else _position(cursor)
    with engine.store.reading():
        sight = sight_within(engine, standpoint, within)
        if filter.statuses != {Status.APPROVED} or filter.deleted or filter.expired:
            sight = sight.writable  # what is not in force is shown only to those who could change it
            filter = replace(
                filter, and_only=lambda item: item.status is not Status.PENDING or not is_void(engine, item)
            )
        else:
            filter = of_now(engine, sight, filter)
        found = engine.store.page(sight, filter, after, limit, now)
        items = [shown_to(engine, sight, lapsed(item, now)) for item in found]
        overdue = engine.store.overdue(sight, now)
        cursor = _cursor(items[-1]) if len(items) == limit else None
        # A page that is not full has walked to the end of everything in sight. Only then is it walked once more for
        # what is damaged: that at most doubles the work of the whole listing, and costs its first pages nothing.
        damaged = damaged_in(engine, sight) if cursor is None else []
    retire_overdue(engine, sight, overdue, now)
    engine.note_sight_of("list", standpoint.actor, [item.id for item in items], now)
    return Page(tuple(items), cursor, tuple(damaged))


def damaged_in(engine: Engine, sight: Sight) -> list[str]:
    """Names of the memories in sight whose stored bytes are damaged, whatever they were. Damage can tear a memory from
    its reader list, and then it is named to nobody but the user whose own space it lies in."""
    own = own_spaces_sight(sight.actor, [seen.space for seen in sight.spaces], whole=True)
    others = sight.narrowed([seen.space for seen in sight.spaces if seen.space.id not in own.by_id])
    return sorted({*engine.store.damaged(own), *engine.store.damaged(others)})


def history(engine: Engine, standpoint: Standpoint, id: str) -> list[Item]:
    """All versions of a memory that the standpoint may see, oldest first. What is not in force, or not any more, is
    shown only to those who could change it; what has expired to nobody."""
    with engine.store.reading():
        sight, now = engine.sight(standpoint), engine.clock.now()
        start = readable(engine, sight, id, now)
        here = sight.narrowed([start.space])
        versions = [
            *_walk(engine, here, start, lambda item: (*item.replaces, item.supersedes))[::-1],
            start,
            *_walk(engine, here, start, lambda item: (item.superseded_by,)),
        ]
        shown = [item for item in versions if _may_show(sight, item, now)]
    note_shown(engine, standpoint, sight, "history", shown, now)
    return [shown_to(engine, sight, item) for item in shown]


def readable(engine: Engine, sight: Sight, id: str, now: Moment) -> Item:
    """A memory whose history can be asked for."""
    item = find(engine, sight, id)
    if not _may_show(sight, item, now):
        raise NotFound("memory", id)
    return item


def _may_show(sight: Sight, item: Item, now: Moment) -> bool:
    seen = sight.seen(item.space)
    return not is_expired(item, now) and ((seen is not None and seen.writable) or is_live(item, now))


def filter_of(
    *, types: Iterable[str] | None = None, tags: Iterable[str] = (), kinds: Iterable[str] | None = None,
    statuses: Iterable[str] | None = None, source: str | None = None, deleted: bool = False, expired: bool = False,
    engine: Engine,
) -> Filter:  # fmt: skip
    """A filter from plain texts; what it does not know it refuses."""
    if types is kinds is statuses is source is None and tags == () and not deleted and not expired:
        return LIVE
    wanted = [Status.APPROVED] if statuses is None else list_of(statuses, "statuses")
    return Filter(
        statuses=frozenset(choice(Status, status, "statuses") for status in wanted),
        kinds=None if kinds is None else frozenset(choice(Kind, kind, "kinds") for kind in list_of(kinds, "kinds")),
        types=None if types is None else frozenset(map(engine.policy.resolve_type, list_of(types, "types"))),
        tags=frozenset(id_of(tag, "tags") for tag in list_of(tags, "tags")),
        source=None if source is None else id_of(source, "source"),
        deleted=deleted,
        expired=expired,
    )


def retire_overdue(engine: Engine, sight: Sight, overdue: Sequence[Item], now: Moment) -> None:
    """What was seen to have expired is swept, so that no clock set back brings it back."""
    if overdue:
        with suppress(StoreError):  # a store that cannot write can still answer; the sweep comes another time
            sweep(engine, sight, now)


def sight_within(engine: Engine, standpoint: Standpoint, within: Mapping[str, str] | Space | None) -> Sight:
    held = engine.sight(standpoint)
    return held if within is None else held.narrowed([space_of(standpoint, within)])


def _walk(engine: Engine, sight: Sight, start: Item, links: Callable[[Item], Iterable[str | None]]) -> list[Item]:
    """Follow links from version to version, the nearest first. Where one has been, one does not go again."""
    found: list[Item] = []
    seen, queue, now = {start.id}, deque(links(start)), engine.clock.now()
    while queue and len(found) < _HISTORY_LINKS:
        if (id := queue.popleft()) is None or id in seen:
            continue
        seen.add(id)
        versions = [item for item in engine.store.items(sight, [id]) if lapsed(item, now).deleted_at is None]
        found += versions[:1]
        queue.extend(link for item in versions[:1] for link in links(item))
    return found


def _cursor(item: Item) -> str:
    place = position_of(item)
    data = canonical_json([place.created_at, place.id, place.space.hex()])
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _position(cursor: str) -> Position:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        created_at, id, space = json.loads(base64.urlsafe_b64decode(padded.encode()))
        return Position(to_moment(created_at, "cursor"), id_of(id), bytes.fromhex(space))
    except (AttributeError, ValueError, TypeError, RecursionError):
        raise InvalidInput("cursor", "it cannot be read", "use the cursor of the page before, unchanged") from None
