"""The index as a ranker reads it: a row for each memory, and what it is found by in columns.

A ranker works on whole columns at once, so that its cost is that of a few passes over what the caller can see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import simsimd
from msgspec import Struct
from numpy.typing import NDArray

from memfort.store.port.values.entries import Entry, unpack_days

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Vectors = NDArray[np.int8]
Floats = NDArray[np.float64]
_Made = TypeVar("_Made")

ROUGH_FROM = 20_000  # memories from which vectors are first compared by their first numbers
ROUGH_WIDTH = 96  # how many of them at least; of longer vectors a third
_SORT_FROM = 1 << 13  # entries in the index from which looking a word up beats going through all of them


class Postings(Struct, frozen=True):
    """Which row has which word how often, row by row. The first `len(order)` entries are also in the order of words."""

    terms: Numbers
    rows: Numbers
    counts: Numbers
    order: Numbers  # of the entries that have been sorted, by word
    ordered: Numbers  # their words, in that order

    def of(self, term: int) -> tuple[Numbers, Numbers]:
        """The rows that have a word, from first to last, and how often each has it."""
        rows, counts, _ = self.of_all([term])
        return rows, counts

    def of_all(self, terms: Sequence[int]) -> tuple[Numbers, Numbers, list[int]]:
        """The same of several words at once, one after the other, and how many rows have each."""
        done, wanted = len(self.order), np.array(terms, np.int64)
        late = self.terms[done:]
        first, past = (self.ordered.searchsorted(wanted, side).tolist() for side in ("left", "right"))
        spans = list(zip(first, past, strict=True))
        if len(late):
            found = [
                np.concatenate((self.order[start:end], np.flatnonzero(late == term) + done))
                for term, (start, end) in zip(terms, spans, strict=True)
            ]
            sizes = list(map(len, found))
        else:
            found = [self.order[start:end] for start, end in spans if start < end]  # half of the words nobody has
            sizes = [end - start for start, end in spans]
        at = np.concatenate(found) if found else NONE
        return self.rows[at], self.counts[at], sizes


class Columns(Struct, frozen=True, dict=True):
    """The memories of one space that one reader list admits, or those that are disclosed to a person."""

    layer: int
    handles: Numbers  # the store's own names for the memories, in the order in which they were written
    shown: Flags  # which of them the caller may see and hear, and whose time has not run out
    lengths: Numbers
    postings: Postings
    speakers: Numbers  # who said it; 0: not known
    days: Numbers  # on which it was said; 0: not known
    event_days: Numbers  # on which its event takes place; 0: not known
    in_talk: Flags
    names: Numbers  # its own name, by which others are linked with it; 0: none
    turns: Numbers  # the name of the turn that it is, or that it was taken from; 0: none
    may_replace: Numbers  # the name of an older memory that it may replace; 0: none
    traits: Numbers
    vectors: (
        Vectors  # from -127 to 127; zeros where there is none. As bytes, for most of the time goes into fetching them
    )
    lacking: Flags  # which have none of the embedder in use, nor its word that there is none
    rough: Vectors | None = None  # the first numbers of each, side by side, where there are many to go through

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What was worked out from these columns, by name."""
        return {}

    @cached_property
    def count(self) -> int:
        return int(np.count_nonzero(self.shown))

    @cached_property
    def at(self) -> Numbers:
        """The rows that are shown, in the order in which they were written."""
        at = np.flatnonzero(self.shown)
        handles = self.handles[at]
        if np.any(handles[1:] < handles[:-1]):
            return at[np.argsort(handles, kind="stable")]  # one that has changed since comes where it was written
        return at

    @property
    def length(self) -> int:
        return int(self.lengths[self.shown].sum())

    def once(self, name: str, make: Callable[[Columns], _Made]) -> _Made:
        """What follows from these columns and from no query: worked out when it is first asked for, and kept for as
        long as they are."""
        if name not in self.memo:
            self.memo[name] = make(self)
        return cast(_Made, self.memo[name])


def sorted_postings(terms: Numbers, rows: Numbers, counts: Numbers, before: Postings | None = None) -> Postings:
    """The postings, sorted as far as they were before, or to the end if that leaves too many to go through."""
    known = before.order if before is not None else NONE
    if len(terms) - len(known) < max(_SORT_FROM, len(known) // 4):
        return Postings(terms, rows, counts, known, before.ordered if before is not None else NONE)
    order = np.argsort(terms, kind="stable")
    return Postings(terms, rows, counts, order, terms[order])


def columns_of(
    layer: int,
    entries: Sequence[tuple[int, Entry]],
    number: Callable[[str], int],
    tag: bytes = b"",
    length: int | None = None,
) -> Columns:
    """Columns made from entries and their handles, all shown; `number` names a word, `tag` the embedder in use, and
    `length` how many numbers its vectors have."""
    flat = [(number(term), row, count) for row, (_, entry) in enumerate(entries) for term, count in entry.terms.items()]
    terms, rows, counts = (np.array([one[place] for one in flat], np.int64) for place in range(3))
    vectors, lacking = vectors_of([entry.vector for _, entry in entries], tag, length)
    days, event_days = unpack_days(np.array([entry.day for _, entry in entries], np.int64))
    return Columns(
        layer=layer,
        handles=np.array([handle for handle, _ in entries], np.int64),
        shown=np.ones(len(entries), np.bool_),
        lengths=np.array([entry.length for _, entry in entries], np.int64),
        postings=sorted_postings(terms, rows, counts),
        speakers=_named([entry.speaker for _, entry in entries], number),
        days=days,
        event_days=event_days,
        in_talk=np.array([entry.in_talk for _, entry in entries], np.bool_),
        names=_named([entry.name for _, entry in entries], number),
        turns=_named([entry.turn for _, entry in entries], number),
        may_replace=_named([entry.may_replace for _, entry in entries], number),
        traits=np.array([entry.traits for _, entry in entries], np.int64),
        vectors=vectors,
        lacking=lacking,
    )


def _named(names: Sequence[str], number: Callable[[str], int]) -> Numbers:
    return np.array([number(name) if name else 0 for name in names], np.int64)


def products(vectors: Vectors, vector: Vectors) -> Floats:
    """Of each with one, in this thread alone. Bytes are multiplied as whole numbers, so the sums are exact."""
    return np.asarray(simsimd.dot(vectors, vector)) if len(vectors) else _NO_PRODUCTS


def distinct(numbers: Numbers) -> Numbers:
    """Each number once, in order. `np.unique` does the same and imports `numpy.ma` for it, a tenth of all of numpy."""
    ordered = np.sort(numbers)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def vectors_of(packed: Sequence[bytes], tag: bytes, width: int | None = None) -> tuple[Vectors, Flags]:
    """The vectors of this width that an embedder with this tag made, or of the longest there are; zeros for what has
    none of them. Then which of those lack one: the tag alone says that the embedder has none for it."""
    own = [one if one.startswith(tag) and tag else b"" for one in packed]
    sizes = np.fromiter(map(len, own), np.int64, len(own)) - len(tag)
    width = max(int(sizes.max(initial=0)), 0) if width is None else width
    lacking: Flags = (sizes != 0) & (sizes != width)
    if not width or not (sizes == width).any():
        return np.zeros((len(packed), 0), np.int8), lacking
    flat = b"".join(one[len(tag) :] if len(one) == width + len(tag) else bytes(width) for one in own)
    return np.frombuffer(flat, np.int8).reshape(len(packed), width), lacking


NONE: Numbers = np.empty(0, np.int64)
_NO_PRODUCTS: Floats = np.empty(0)
