"""Memories: what a store answers about them. A method takes a sight first, or counts for the asking author alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from memfort.model.audience import PLAIN, Audience
from memfort.model.item import EVERYONE, ChangeKeys, Item, Kind, Readers
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port.values.listing import Filter, Position
from memfort.store.port.values.questions import FoundItems, ReadContext, Statement, WriteContext
from memfort.store.port.values.records import QueuedTurn, RejectedValue

if TYPE_CHECKING:  # columns are made of arrays, whose library only a recall needs
    from memfort.store.port.values.columns import Columns


class Memories(Protocol):
    """A partition is the memories of a space that share one reader list and one audience: whoever sees one of them
    sees all of them. Numbers, ticks and budgets count inside a partition, so that nothing a caller may not see moves
    them."""

    # finding

    def columns(self, sight: Sight, now: Moment, tag: bytes = b"", length: int | None = None) -> list[Columns]:
        """The index of the live memories in sight, one for each space and reader list; last, that of the memories
        disclosed to somebody present. With the vectors of the embedder that has this tag and, if it is known, this
        `length`."""

    def unembedded(self, sight: Sight, tag: bytes, length: int | None = None) -> list[int]:
        """Handles of the memories in force in sight without a vector of the embedder with this tag and `length`, in
        order; a vector that consists of the tag alone says that there is none to make. Without a tag, handles of those
        that have a vector."""

    def unjudged(self, sight: Sight) -> list[int]:
        """Handles of the memories in sight, in force or pending, whose sensitivity waits to be judged, in order."""

    def positions(self, sight: Sight, handles: Sequence[int]) -> dict[int, Position]:
        """Age and id of the memories behind handles, to break ties with."""

    def items_by_handle(self, sight: Sight, handles: Sequence[int]) -> dict[int, Item]:
        """The memories behind handles. A damaged one is left out and can be found with `damaged`."""

    def found_items(self, sight: Sight, handles: Sequence[int], beside: int) -> FoundItems:
        """The memories behind handles, the best first, and what came of the turns among them since. The first `beside`
        turns, and every turn that is not the user's, come with the turns around them."""

    def items(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        """Memories by id, in any state. A memory that is not in sight is left out like one that does not exist."""

    def items_with_values(self, sight: Sight, values: Sequence[bytes]) -> list[Item]:
        """The memories in sight that have any of these values and are approved or pending, whatever their readers."""

    def page(self, sight: Sight, filter: Filter, after: Position | None, limit: int, now: Moment) -> list[Item]:
        """Memories from newest to oldest, past `after`."""

    def turns(
        self,
        sight: Sight,
        space: Space,
        conversation: str,
        limit: int,
        *,
        before: str | None = None,
        after: str | None = None,
        ended: bool = False,
    ) -> list[Item]:
        """Turns of a conversation in one space, in the order in which they were written: the last ones, or the nearest
        ones before or after the turn with this id. With `ended`, those that are not in force any more too."""

    def turns_around(
        self, sight: Sight, turns: Sequence[Item], before: int, after: int
    ) -> list[tuple[list[Item], list[Item]]]:
        """For each of these turns, those in force right before it and right after it in its conversation: the nearest
        ones, in the order in which they were written. Of a memory that is no turn of a conversation, none."""

    def turns_with_values(self, sight: Sight, space: Space, values: Sequence[bytes]) -> dict[bytes, Item]:
        """The turns in a space that have these values, by value, in any state: what was said is not said again."""

    def ids_with_prefix(self, sight: Sight, prefix: str, limit: int) -> list[str]:
        """Ids of memories in sight that begin like this, in any state, in order."""

    def about(self, sight: Sight, persons: Sequence[str], filter: Filter, limit: int, now: Moment) -> list[Item]:
        """Memories about any of the persons, from newest to oldest: those in sight, and those disclosed to them."""

    def handles_about(self, sight: Sight, persons: Sequence[str]) -> list[int]:
        """Handles of the memories in force and in sight that are about any of the persons."""

    def derived(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        """Memories made directly from the given ones; for a whole sight, promoted copies too, wherever they are."""

    def derived_not_in_force(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        """Memories made directly from the given ones that are not in force: deleted, superseded, rejected or
        pending."""

    def origins(self, sight: Sight, item: Item) -> list[tuple[Space, str]]:
        """Where a promoted memory came from. Its readers need not know, so only a whole sight gets an answer."""

    def count_entries(self, sight: Sight, ids: Sequence[str]) -> int:
        """How many words and change keys the index has of these memories; 0 unless the sight is whole."""

    def phases(self, sight: Sight) -> Mapping[bytes, tuple[Phase, ...]]:
        """The phases of the spaces in sight, by space, oldest first. The very first is not among them."""

    def queued_turns(self, sight: Sight, ids: Sequence[str] | None = None) -> list[QueuedTurn]:
        """The turns in sight that a model has still to read, or could not, those that were queued first before the
        others; only those with these ids, if any are given."""

    def sources(self, sight: Sight) -> list[Source]: ...

    def overdue(self, sight: Sight, now: Moment, limit: int | None = None) -> list[Item]:
        """Memories whose time has run out, in any state, that no sweep has ended yet; at most `limit`, whichever."""

    # deciding about a statement

    def write_contexts(self, sight: Sight, statements: Sequence[Statement]) -> list[WriteContext]:
        """What the decision about each of these statements depends on, as of now: none knows of the others."""

    def read_context(self, sight: Sight, now: Moment, limit: int | None = None) -> ReadContext:
        """What a read of this sight has to know first; at most `limit` overdue memories."""

    def with_change_keys(
        self, sight: Sight, space: Space, readers: Readers, change_keys: ChangeKeys, limit: int
    ) -> list[Item]:
        """The latest memories in force in a space for these readers that a statement with these change keys may
        update: they say the same words, or all but one if it says more than they do, or give a value of its attribute;
        and they are about one of its persons, or like it about nobody."""

    def rivals(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> list[Item]:
        """Memories with the same value that are approved or pending, in the same space and for the same readers."""

    def rejected_value(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> RejectedValue | None: ...
    def rejected_values(
        self, sight: Sight, space: Space, readers: Readers, values: Sequence[bytes]
    ) -> list[RejectedValue]:
        """Those of the values that were rejected in the space, for the asker and for all of these readers: whoever sees
        the statement may know of the rejection."""

    def next_number(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kind: Kind, audience: Audience = PLAIN
    ) -> int:
        """The next free number in the author's own sequence in a partition."""

    def tick(self, sight: Sight, space: Space, readers: Readers = EVERYONE, audience: Audience = PLAIN) -> int:
        """How many memories have come into force in a partition."""

    def due_by_tick(
        self, sight: Sight, space: Space, readers: Readers, tick: int, audience: Audience = PLAIN
    ) -> list[Item]:
        """Memories in force in a partition whose last tick is this one or an earlier one."""

    # budgets

    def count_by_kind(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, audience: Audience = PLAIN
    ) -> Mapping[Kind, int]:
        """How many memories of an author are in force in a partition, by kind."""

    def authored_count(self, author: Actor) -> int:
        """How many lasting memories of an author are in force that the author may read, in all spaces."""

    def author_spaces(self, author: Actor) -> list[Space]:
        """The spaces of those memories, for the author's own budget."""

    def least_important(
        self,
        sight: Sight,
        space: Space,
        readers: Readers,
        author: bytes,
        kinds: Sequence[Kind],
        count: int,
        *,
        oldest: bool = False,
        before: Moment | None = None,
        audience: Audience = PLAIN,
    ) -> list[Item]:
        """The least important memories of an author in force in a partition, the oldest of equals first; or simply the
        oldest. None that was made after `before`."""

    def eviction_candidates(
        self, sight: Sight, author: Actor, *, oldest: bool = False, before: Moment | None = None
    ) -> Iterator[Item]:
        """The lasting memories of an author in force in sight, in every partition, ordered as by `least_important`."""
