"""List memories, newest first."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.damaged import damaged_ids
from memfort.engine.inputs import id_of
from memfort.engine.lifecycle.copies import is_void
from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.model.item import Item, Status, as_expired
from memfort.model.moment import to_moment
from memfort.model.results import Page
from memfort.model.serialize.encoding import canonical_json
from memfort.operations.people.person_ids import ids_of_person, resolve_person
from memfort.operations.read.filters import FilteredRequest, by_author, filter_of, only_current
from memfort.operations.requests import Cursor, FactKey, Limit, OneWord, Time
from memfort.store.port import Filter, Position, position_of

_IN_FORCE = frozenset({Status.APPROVED})


class ListRequest(FilteredRequest, frozen=True, kw_only=True):
    """Which memories to list."""

    limit: Annotated[Limit, Meta(description="How many at most.")] = 50
    cursor: Annotated[Cursor | None, Meta(description="Continue after the previous page.")] = None
    statuses: Annotated[
        tuple[Status, ...] | None,
        Meta(description="Only of these states: pending, approved (the default), rejected or superseded."),
    ] = None
    keys: Annotated[
        tuple[FactKey, ...] | None,
        Meta(description="Only profile facts with one of these keys, compared whole.", extra={"metavar": "KEY"}),
    ] = None
    source: Annotated[str | None, Meta(description="Only memories from this import.", extra={"metavar": "ID"})] = None
    person: Annotated[
        OneWord | None, Meta(description="Only those about a person or said by them: `@bob`, `me`, an id.")
    ] = None
    author: Annotated[OneWord | None, Meta(description="Only of one writer: `me`, `user:ID` or `agent:ID`.")] = None
    since: Annotated[Time | None, Meta(description="Only those written at this time or later.")] = None
    until: Annotated[Time | None, Meta(description="Only those written before this time.")] = None
    deleted: Annotated[bool, Meta(description="Forgotten and expired ones too.")] = False


def handle(view: View, request: ListRequest) -> Page:
    """Memories in sight from newest to oldest. Those that are not in force are listed only where the actor may write,
    and forgotten, expired and rejected ones only if it may end them. The last page names the damaged ones, which no
    page shows."""
    after = None if request.cursor is None else _position(request.cursor)
    view, filter = _reach(view.within(request.space), request)
    filter = _only_chosen(view, filter, request)
    found = view.store.page(view.sight, filter, after, request.limit, view.now)
    items = [redact_for(view.engine, view.sight, as_expired(item, view.now)) for item in found]
    if view.context.overdue:
        view.sweep_later()
    cursor = cursor_after(items[-1]) if len(items) == request.limit else None
    # A page that is not full has reached the end of everything in sight. Only then a second pass looks for damaged
    # memories: that at most doubles the work of the whole listing, and costs its first pages nothing.
    damaged = damaged_ids(view.engine, view.sight) if cursor is None else []
    view.note_shown("list", items)
    return Page(tuple(items), cursor, tuple(damaged))


def _reach(view: View, request: ListRequest) -> tuple[View, Filter]:
    """The spaces and the filter. Memories that are not in force are shown only where the actor may write, and those
    that have ended only to actors who may end them."""
    keys = None if request.keys is None else frozenset(id_of(key, "keys") for key in request.keys)
    if request.statuses is None and request.source is None and not request.deleted:
        more = {} if keys is None else {"keys": keys}
        return view, only_current(view, filter_of(view, request, **more))
    statuses = _IN_FORCE if request.statuses is None else frozenset(request.statuses)
    source = None if request.source is None else id_of(request.source, "source")
    filter = filter_of(
        view, request, statuses=statuses, keys=keys, source=source, deleted=request.deleted, expired=request.deleted
    )
    if statuses == _IN_FORCE and not request.deleted:
        return view, only_current(view, filter)
    there = view.writable
    return there, replace(filter, and_only=lambda item: there.may_list(item) and not _waits_for_nothing(view, item))


def _only_chosen(view: View, filter: Filter, request: ListRequest) -> Filter:
    """The filter with only those of a person, a writer or a time, as they are shown: what is redacted selects
    nothing."""
    tests: list[Callable[[Item], bool]] = [] if filter.and_only is None else [filter.and_only]
    if request.since is not None or request.until is not None:
        tests.append(lambda item: _is_between(item, request.since, request.until))
    if request.author is not None:
        tests.append(by_author(view.actor, request.author))
    if request.person is not None:
        names = ids_of_person(view, resolve_person(view, request.person))
        tests.append(lambda item: item.stated_by in names or not names.isdisjoint(item.subjects))
    if len(tests) == (filter.and_only is not None):
        return filter
    own, chosen = tests[: filter.and_only is not None], tests[filter.and_only is not None :]
    return replace(
        filter,
        and_only=lambda item: (
            all(test(item) for test in own) and all(test(redact_for(view.engine, view.sight, item)) for test in chosen)
        ),
    )


def _is_between(item: Item, since: int | None, until: int | None) -> bool:
    return (since is None or item.created_at_us >= since) and (until is None or item.created_at_us < until)


def _waits_for_nothing(view: View, item: Item) -> bool:
    return item.status is Status.PENDING and is_void(view.engine, item)


def cursor_after(item: Item) -> str:
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
