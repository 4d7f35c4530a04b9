"""Partition groups of the index, held in memory for those who recall.

An image of a partition group is only added to: a memory that goes out is marked with the stamp of that change. So any
number of threads read one image while it grows, and each sees the partition group as its own view of the store has it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memfort.model.moment import Moment
from memfort.store.port.values.columns import (
    ROUGH_FROM,
    ROUGH_WIDTH,
    Columns,
    Flags,
    Numbers,
    Postings,
    Vectors,
    sorted_postings,
    vectors_of,
)
from memfort.store.port.values.entries import unpack_days
from memfort.store.sql.connection import Connection
from memfort.store.sql.damage import index_damaged, memory_missing
from memfort.store.sql.index.entries import is_sealed
from memfort.store.sql.index.visibility import PartitionGroup
from memfort.trail.keys import Keys

BYTES_KEPT = 512 * 1024 * 1024
_NEVER = np.iinfo(np.int64).max
_FEWEST = 64
_VIEWS = 4  # of a partition group that are kept: who asks from other rooms sees other partitions of it
_VIEW_BYTES = 128  # about what a view holds of each memory besides, with what is worked out of it for recall


class _Column:
    """An array that grows at its end. What was handed out of it before stays as it is."""

    def __init__(self, kind: Any, *width: int) -> None:
        self._data: NDArray[Any] = np.empty((_FEWEST, *width), kind)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def size(self) -> int:
        return int(self._data.nbytes)

    def extend(self, more: Any) -> None:
        needed = self._used + len(more)
        if needed > len(self._data):
            size = max(needed, 2 * len(self._data))
            larger = np.empty((size, *self._data.shape[1:]), self._data.dtype)
            larger[: self._used] = self.all()
            self._data = larger
        self._data[self._used : needed] = more
        self._used = needed

    def all(self) -> NDArray[Any]:
        return self._data[: self._used]


class _View(NamedTuple):
    """Some partitions of a partition group as they are at a stamp, from one moment on until another: then one of them
    expires."""

    stamp: int
    since: int
    until: int
    columns: Columns


class CachedIndex:
    """One partition group, as far as it has been read."""

    def __init__(self, keys: Keys, tag: bytes, length: int | None = None) -> None:
        self._keys = keys
        self._tag = tag  # of the embedder whose vectors it has
        self._length = length  # of each of those; `None`: none has been read yet
        self._lock = threading.Lock()
        self._stamp = 0
        self._exact_from = 0  # what came and went between two readings is not here, so no older view is served
        self._stamps, self._gone = _Column(np.int64), _Column(np.int64)
        self._items, self._partitions, self._lengths = _Column(np.int64), _Column(np.int64), _Column(np.int64)
        self._expires, self._ends = _Column(np.int64), _Column(np.int64)
        self._terms, self._rows, self._counts = _Column(np.int64), _Column(np.int64), _Column(np.int64)
        self._speakers, self._days, self._traits = _Column(np.int64), _Column(np.int64), _Column(np.int64)
        self._names, self._turns, self._may_replace = _Column(np.int64), _Column(np.int64), _Column(np.int64)
        self._in_talk, self._lacking = _Column(np.bool_), _Column(np.bool_)
        self._vectors: _Column | None = None
        self._rough: _Column | None = None  # their first numbers, once there are many
        self._postings: Postings | None = None
        self._is_spoilt = False  # whether something was missing from what it followed
        self._row_of: dict[int, int] = {}  # of the memories that have not gone
        self._views: OrderedDict[tuple[int, frozenset[int] | None], _View] = OrderedDict()
        self.size = 0  # in bytes, as of the last view

    @property
    def _described(self) -> tuple[_Column, ...]:
        """What an entry says of its memory besides its words, in the order in which it is stored."""
        about = (self._speakers, self._days, self._in_talk, self._names, self._turns, self._may_replace)
        return (*about, self._traits)

    def is_of_less_use_than(self, other: CachedIndex) -> bool:
        """Whether another should be kept in its place: one of a newer view, or with vectors of the length in use."""
        return self._is_spoilt or self._stamp < other._stamp or self._length != other._length

    def columns(
        self, connection: Connection, partition_group: PartitionGroup, now: Moment, length: int | None = None
    ) -> Columns | None:
        """The partition group at its stamp; `None` if this image cannot tell, or has vectors of another length."""
        with self._lock:
            self._length = self._length or length
            if self._is_spoilt or length not in {None, self._length}:
                return None
            if self._stamp < partition_group.stamp and not self._follow(connection, partition_group):
                return None
            if partition_group.stamp < self._exact_from:
                return None
            place = (partition_group.layer, partition_group.partitions)
            view = self._views.get(place)
            if view is None or view.stamp != partition_group.stamp or not view.since <= now < view.until:
                if (view := self._viewed(partition_group, now)) is None:
                    self._is_spoilt = True
                    return None
                self._views[place] = view
                if len(self._views) > _VIEWS:
                    self._views.popitem(last=False)
                self.size = self._measured()
            self._views.move_to_end(place)
        return view.columns

    def _measured(self) -> int:
        columns = sum(column.size for column in vars(self).values() if isinstance(column, _Column))
        return columns + len(self._views) * len(self._items) * _VIEW_BYTES

    def _viewed(self, partition_group: PartitionGroup, now: Moment) -> _View | None:
        """A view of the partition group; `None` if not as many entries are here as it has."""
        count = int(np.searchsorted(self._stamps.all(), partition_group.stamp, "right"))
        gone, partitions, expires = (column.all()[:count] for column in (self._gone, self._partitions, self._expires))
        handles, lengths, ends = (column.all()[:count] for column in (self._items, self._lengths, self._ends))
        postings = self._sorted(int(ends[-1]) if count else 0)
        speakers, packed_days, in_talk, names, turns, may_replace, traits = (
            column.all()[:count] for column in self._described
        )
        days, event_days = unpack_days(packed_days)
        vectors = np.zeros((count, 0), np.int8) if self._vectors is None else self._vectors.all()[:count]
        lacking = self._lacking.all()[:count]
        in_force = gone > partition_group.stamp
        if np.count_nonzero(in_force) != partition_group.entries:
            return None
        open = _open(in_force, partitions, partition_group)
        shown = open & (expires > now)
        since, until = expires[open & ~shown].max(initial=0), expires[shown].min(initial=_NEVER)
        columns = Columns(
            partition_group.layer,
            handles,
            shown,
            lengths,
            postings,
            speakers,
            days,
            event_days,
            in_talk,
            names,
            turns,
            may_replace,
            traits,
            vectors,
            lacking,
            self._rough_of(vectors),
        )
        return _View(partition_group.stamp, int(since), int(until), columns)

    def _follow(self, connection: Connection, partition_group: PartitionGroup) -> bool:
        """Read what has changed since the last time; says whether that is still on record."""
        if self._stamp and self._stamp < connection.scalar("followable_since", partition_group.no):
            return False
        self._views.clear()  # they would hold on to columns that have been outgrown
        between = (partition_group.no, self._stamp, partition_group.stamp)
        if not self._stamp:
            self._exact_from = partition_group.stamp
        else:
            self._mark_gone(connection.rows("removed_entries", *between))
        if connection.scalar("any_entry_without_memory", *between):
            raise memory_missing()
        self._add(partition_group.no, connection.rows("entries", *between))  # none of which has gone by this stamp
        self._stamp = partition_group.stamp
        return True

    def _mark_gone(self, gone: Sequence[tuple[int, int]]) -> None:
        for stamp, item in gone:
            row = self._row_of.pop(item, None)
            if row is None:  # it came and went unread
                self._exact_from = stamp
            else:
                self._gone.all()[row] = stamp

    def _add(self, partition_group: int, found: Sequence[tuple[Any, ...]]) -> None:
        if not found:
            return
        if not all(is_sealed(self._keys, (partition_group, *row)) for row in found):
            raise index_damaged("an index entry does not match its seal")
        stamps, items, partitions, lengths, expires, terms, counts, *described, vectors, _, _ = zip(*found, strict=True)
        sizes = np.array([len(one) // 8 for one in terms], np.int64)
        first, used = len(self._stamps), len(self._terms)
        self._row_of.update({item: first + place for place, item in enumerate(items)})
        self._stamps.extend(stamps)
        self._gone.extend(np.full(len(found), _NEVER))
        self._items.extend(items)
        self._partitions.extend(partitions)
        self._lengths.extend(lengths)
        self._expires.extend([_NEVER if one is None else one for one in expires])
        self._ends.extend(used + np.cumsum(sizes))
        self._terms.extend(np.frombuffer(b"".join(terms), "<i8"))
        self._rows.extend(np.repeat(np.arange(first, first + len(found)), sizes))
        self._counts.extend(np.frombuffer(b"".join(counts), "<u2"))
        for column, values in zip(self._described, described, strict=True):
            column.extend(values)
        self._add_vectors(vectors, before=first)

    def _add_vectors(self, packed: Sequence[bytes], before: int) -> None:
        found, lacking = vectors_of(packed, self._tag, self._length)
        self._lacking.extend(lacking)
        if self._vectors is None and found.shape[1]:
            self._length = found.shape[1]
            self._vectors = _Column(np.int8, self._length)
            self._vectors.extend(np.zeros((before, self._length), np.int8))
        if self._vectors is not None:
            self._vectors.extend(found if found.shape[1] else np.zeros((len(packed), self._length or 0), np.int8))

    def _rough_of(self, vectors: Vectors) -> Vectors | None:
        """The first numbers of these vectors. They are copied once, so that going through them touches nothing else."""
        count, width = vectors.shape
        if count < ROUGH_FROM or width < 2 * ROUGH_WIDTH:
            return None
        if self._rough is None:
            self._rough = _Column(np.int8, max(ROUGH_WIDTH, width // 3))
        rough = self._rough
        rough.extend(vectors[len(rough) :, : rough.all().shape[1]])
        return rough.all()[:count]

    def _sorted(self, end: int) -> Postings:
        if self._postings is None or len(self._postings.terms) != len(self._terms):
            flat = (self._terms.all(), self._rows.all(), self._counts.all())
            self._postings = sorted_postings(*flat, self._postings)
        known = self._postings
        if end == len(known.terms):
            return known
        order = known.order if len(known.order) <= end else known.order[:0]
        return Postings(known.terms[:end], known.rows[:end], known.counts[:end], order, known.ordered[: len(order)])


def _open(in_force: Flags, partitions: Numbers, partition_group: PartitionGroup) -> Flags:
    return (
        in_force
        if partition_group.partitions is None
        else in_force & np.isin(partitions, np.fromiter(partition_group.partitions, np.int64))
    )


class CachedIndexes:
    """The images that one process keeps of a store: the last used, as many as fit."""

    def __init__(self, keys: Keys, bytes_kept: int = BYTES_KEPT) -> None:
        self._keys = keys
        self._bytes_kept = bytes_kept
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, bytes], CachedIndex] = OrderedDict()
        self._sizes: dict[tuple[int, bytes], int] = {}  # as they are counted: to look at all of them takes long
        self._total = 0

    def columns(
        self,
        connection: Connection,
        partition_group: PartitionGroup,
        now: Moment,
        tag: bytes,
        length: int | None,
        *,
        is_writing: bool,
    ) -> Columns:
        """A partition group as this view of the store has it. Whoever writes sees what may be taken back: that is not
        kept."""
        known = None if is_writing else self._known((partition_group.no, tag))
        if known is not None and (found := known.columns(connection, partition_group, now, length)) is not None:
            self._count((partition_group.no, tag), known)
            return found
        image = CachedIndex(self._keys, tag, length)
        found = image.columns(connection, partition_group, now)
        if found is None:  # although all of it was just read
            raise index_damaged("an index entry is missing")
        if not is_writing and (known is None or known.is_of_less_use_than(image)):
            self._keep((partition_group.no, tag), image)
        return found

    def _known(self, partition_group: tuple[int, bytes]) -> CachedIndex | None:
        with self._lock:
            if partition_group in self._kept:
                self._kept.move_to_end(partition_group)
            return self._kept.get(partition_group)

    def _keep(self, partition_group: tuple[int, bytes], image: CachedIndex) -> None:
        with self._lock:
            self._kept[partition_group] = image
            self._kept.move_to_end(partition_group)
        self._count(partition_group, image)

    def _count(self, partition_group: tuple[int, bytes], image: CachedIndex) -> None:
        """Count what an image takes now, and let those go that were not used for long, if it is too much."""
        with self._lock:
            if self._kept.get(partition_group) is not image or self._sizes.get(partition_group) == image.size:
                return
            self._total += image.size - self._sizes.get(partition_group, 0)
            self._sizes[partition_group] = image.size
            while self._total > self._bytes_kept and len(self._kept) > 1:
                self._total -= self._sizes.pop(self._kept.popitem(last=False)[0], 0)
