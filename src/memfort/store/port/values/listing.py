"""Listings: which memories are wanted, and a position to continue from."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from memfort.model.item import Item, Kind, Status, is_expired
from memfort.model.moment import Moment


class Filter(Struct, frozen=True):
    """Which memories a listing wants. Applied before the limit, never after."""

    statuses: frozenset[Status] = frozenset({Status.APPROVED})
    kinds: frozenset[Kind] | None = None
    types: frozenset[str] | None = None
    tags: frozenset[str] = frozenset()  # all of them
    keys: frozenset[str] | None = None  # of profile facts
    source: str | None = None
    deleted: bool = False  # forgotten ones too
    expired: bool = False  # those whose time has run out too
    and_only: Callable[[Item], bool] | None = None  # of those, the ones that this function admits

    def admits(self, item: Item, now: Moment) -> bool:
        return (
            item.status in self.statuses
            and (self.deleted or item.deleted_at_us is None)
            and (self.expired or not is_expired(item, now))
            and (self.kinds is None or item.kind in self.kinds)
            and (self.types is None or item.type in self.types)
            and (not self.tags or self.tags <= set(item.tags))
            and (self.keys is None or (item.kind is Kind.PROFILE and item.key in self.keys))
            and (self.source is None or item.source == self.source)
            and (self.and_only is None or self.and_only(item))
        )


LIVE = Filter()  # memories in force: what a recall wants unless the caller asks for others


class Position(Struct, frozen=True, gc=False):
    """A place in a listing, newest first; what a cursor stands for."""

    created_at: Moment
    id: str
    space: bytes


def position_of(item: Item) -> Position:
    return Position(item.created_at_us, item.id, item.space.id)
