"""The doors of a store. Every read takes a `Sight` first; every write is `apply(changes, events)`.

There is no other way in. What is *not* promised: a store does not decide who may see or write (policy did, before
the sight was made), does not rank (recall does), and does not read the clock (`now` comes in).

The conformance suite in `memfort.testing` is the definition of these methods; a store that passes it is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from memfort.model.actor import Actor, Standpoint
from memfort.model.directory import Agent, Chat, DirectoryState, Facts, Principal, Share, Trust
from memfort.model.hearing import PLAIN, Label
from memfort.model.item import EVERYONE, Authority, Item, Kind, Readers, Status, is_expired
from memfort.model.marks import Marks
from memfort.model.moment import Moment
from memfort.model.person import Person, Relation
from memfort.model.phase import Phase
from memfort.model.sight import Sight
from memfort.model.source import Source
from memfort.model.space import Coordinate, Space
from memfort.trace.checkpoint import Checkpoint
from memfort.trace.event import ChainId, Event, Link
from memfort.trace.keys import Keys

if TYPE_CHECKING:  # it is made of arrays, whose library only a recall needs
    from memfort.store.columns import Columns

# -- what a read asks and answers ------------------------------------------------------------------------------------


# How the words of a text are told, and marks made of them. It changes when `recall/words.py`, `store/marks.py` or what
# `capture/turns.py` takes for a speaker does, so that a store knows that its index is old.
ANALYZER = "words-5"


class Entry(Struct, frozen=True, gc=False):
    """What a memory is found by. It is made from the memory, and can be made from it again at any time."""

    terms: Mapping[str, int]  # words and how often each occurs
    marks: Marks | None = None  # by what news of it finds it
    speaker: str = ""  # who said it, by the name that a query would use
    day: int = 0  # on which it was said, as an ordinal number
    in_talk: bool = False  # whether those written before and after it are of the same conversation
    traits: int = 0  # what can be seen of it without understanding it, as flags
    vector: bytes = b""  # its meaning: the mark of the embedder, then signed bytes

    def but(self, **different: Any) -> Entry:
        """The same entry, but for these fields."""
        return replace(self, **different)

    @property
    def length(self) -> int:
        return sum(self.terms.values())


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a listing wants. Applied before the limit, never after."""

    statuses: frozenset[Status] = frozenset({Status.APPROVED})
    kinds: frozenset[Kind] | None = None
    types: frozenset[str] | None = None
    tags: frozenset[str] = frozenset()  # all of them
    source: str | None = None
    deleted: bool = False  # forgotten ones too
    expired: bool = False  # those whose time has run out too
    and_only: Callable[[Item], bool] | None = None  # of those, the ones that this admits

    def admits(self, item: Item, now: Moment) -> bool:
        return (
            item.status in self.statuses
            and (self.deleted or item.deleted_at is None)
            and (self.expired or not is_expired(item, now))
            and (self.kinds is None or item.kind in self.kinds)
            and (self.types is None or item.type in self.types)
            and (not self.tags or self.tags <= set(item.tags))
            and (self.source is None or item.source == self.source)
            and (self.and_only is None or self.and_only(item))
        )


LIVE = Filter()  # what a recall wants, if nobody says more: whatever is in force


class Position(Struct, frozen=True, gc=False):
    """A place in a listing, newest first; what a cursor stands for."""

    created_at: Moment
    id: str
    space: bytes


def position_of(item: Item) -> Position:
    return Position(item.created_at, item.id, item.space.id)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value that a reviewer rejected in a space, and with what authority."""

    space: Space
    readers: Readers
    value: bytes
    authority: Authority


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erase that was asked for: what it took out, and whether every byte is gone yet."""

    id: str
    at: Moment
    actor: bytes  # key of the actor who asked
    items: tuple[tuple[bytes, str], ...]  # (space id, memory id)
    counts: Mapping[str, int]
    pending: str | None  # why it is not finished; `None` when it is


# -- what a write consists of ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Insert:
    """A new memory. Its author's sequence on that shelf goes on after its number."""

    item: Item
    value: bytes  # digest of the normalised statement
    entry: Entry | None  # `None`: it cannot be recalled
    told: Entry | None = None  # what it is found by when it is told to its subjects
    origin: tuple[Space, str] | None = None  # the memory in another space that it was promoted from


@dataclass(frozen=True, slots=True)
class Update:
    """A memory in a new state, in place of the version before it."""

    item: Item
    value: bytes
    entry: Entry | None
    told: Entry | None = None


@dataclass(frozen=True, slots=True)
class Erase:
    """A memory to be physically removed, with its index entries and its place in lineages."""

    space: Space
    id: str


@dataclass(frozen=True, slots=True)
class PutAgent:
    agent: Agent


@dataclass(frozen=True, slots=True)
class PutChat:
    chat: Chat


@dataclass(frozen=True, slots=True)
class PutMember:
    coordinate: Coordinate
    member: Principal
    trust: Trust = Trust.CONTRIBUTOR


@dataclass(frozen=True, slots=True)
class DropMember:
    coordinate: Coordinate
    member: Principal


@dataclass(frozen=True, slots=True)
class PutShare:
    share: Share


@dataclass(frozen=True, slots=True)
class DropShare:
    id: str


@dataclass(frozen=True, slots=True)
class PutPhase:
    """A phase that begins in a space."""

    space: Space
    phase: Phase


@dataclass(frozen=True, slots=True)
class DropPhases:
    """The phases of a space, up to one of them, that are kept no longer."""

    space: Space
    last: int


@dataclass(frozen=True, slots=True)
class PutPolicy:
    """The policy that is in use from now on, as a document. Those before it stay, for what was decided under them."""

    digest: str
    document: str


@dataclass(frozen=True, slots=True)
class PutSource:
    source: Source


@dataclass(frozen=True, slots=True)
class DropSource:
    source: Source


@dataclass(frozen=True, slots=True)
class PutBar:
    bar: Bar


@dataclass(frozen=True, slots=True)
class DropBar:
    bar: Bar


@dataclass(frozen=True, slots=True)
class PutErasure:
    erasure: Erasure


@dataclass(frozen=True, slots=True)
class PutPerson:
    """A person in a new state. The creator's sequence in that home goes on after its number, even when it is gone."""

    person: Person


@dataclass(frozen=True, slots=True)
class DropPerson:
    """A person to be physically removed, with everything that it was called."""

    id: str


@dataclass(frozen=True, slots=True)
class PutRelation:
    """A relation. It takes its number from the same sequence as the persons there."""

    relation: Relation


@dataclass(frozen=True, slots=True)
class DropRelation:
    id: str


EntryOf = Callable[[Item], Entry | None]
Progress = Callable[[int, int], None]  # how many are done, of how many


@dataclass(frozen=True, slots=True)
class Reindex:
    """Every index entry to be written anew, from the memories themselves."""

    entry_of: EntryOf
    progress: Progress | None = None
    told_entry_of: EntryOf = lambda _: None


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Every damaged memory to be taken out of the index and noted by name."""

    at: Moment


@dataclass(frozen=True, slots=True)
class Sign:
    """Every chain to be signed that has grown since its last checkpoint, by the events of the same `apply` too."""

    at: Moment


Change = (
    Insert | Update | Erase | PutAgent | PutChat | PutMember | DropMember | PutShare | DropShare
    | PutPhase | DropPhases | PutPolicy | PutSource | DropSource | PutBar | DropBar | PutErasure
    | PutPerson | DropPerson | PutRelation | DropRelation
    | Reindex | Quarantine | Sign
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scrub:
    """What came of making erased bytes unrecoverable."""

    pending: str | None  # why it could not be finished; `None` when no erased byte is left in the store's files
    places: Mapping[str, int] = field(default_factory=dict)  # what was cleaned, by place


class Store(Protocol):
    """A place where memories are kept."""

    keys: Keys

    def reading(self) -> AbstractContextManager[None]:
        """One unchanging view for all reads inside, the directory's included: a revoked share is gone at once."""

    def writing(self) -> AbstractContextManager[None]:
        """Hold the one write lock: what is read inside stays true until it is left. Nothing is kept on an error."""

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        """Record the events and make the changes, both or neither, durably."""

    # the directory, which is about who stands where and never about memories

    def facts(self, standpoint: Standpoint) -> Facts: ...
    def agent(self, id: str) -> Agent | None: ...
    def chat(self, id: str) -> Chat | None: ...
    def members(self, coordinate: Coordinate) -> list[Principal]: ...
    def trust(self, coordinate: Coordinate, member: Principal) -> Trust | None: ...
    def shares_of(self, spaces: Sequence[Space]) -> list[Share]: ...
    def policy(self, digest: str | None = None) -> str | None:
        """The document of the policy in use, or of the one with this digest that once was."""

    def directory(self) -> DirectoryState:
        """All of it, for checking it against the trail. A line that contradicts itself says `None`."""

    # memories: a sight first, always

    def columns(self, sight: Sight, now: Moment, mark: bytes = b"", length: int | None = None) -> list[Columns]:
        """The index of the live memories in sight, apart for each space and reader list; last, of those that are told
        of somebody present. With the vectors of the embedder that has this mark; if their `length` is known, those of
        another are none of its."""

    def unembedded(self, sight: Sight, mark: bytes, length: int | None = None) -> list[int]:
        """Handles of the memories in force in sight that have no vector of the embedder with this mark, nor its mark
        alone, in order; without a mark, of those that have a vector. A vector of another `length` is none."""

    def stamps(self, sight: Sight, handles: Sequence[int]) -> dict[int, Position]:
        """Age and name of the memories behind handles, to break ties with."""

    def opened(self, sight: Sight, handles: Sequence[int]) -> dict[int, Item]:
        """The memories behind handles. A damaged one is left out and can be found with `damaged`."""

    def items(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        """Memories by id, in whatever state. Not in sight, not for this reader, not there: all the same, nothing."""

    def page(self, sight: Sight, filter: Filter, after: Position | None, limit: int, now: Moment) -> list[Item]:
        """Memories from newest to oldest, past `after`."""

    def starting(self, sight: Sight, beginning: str, limit: int) -> list[str]:
        """Names of memories in sight that begin like this, in whatever state, in order."""

    def marked(self, sight: Sight, space: Space, readers: Readers, marks: Marks, limit: int) -> list[Item]:
        """Memories in force in a space for these readers that a statement with these marks can be the news of, the
        latest of them: they say the same words or, if it is the news of less, all but one, or are of its attribute; and
        of one of its persons, or like it of none."""

    def rivals(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> list[Item]:
        """Memories with the same value that are kept or pending, in the same space and for the same readers."""

    def bar(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> Bar | None: ...

    def about(self, sight: Sight, persons: Sequence[str], filter: Filter, limit: int, now: Moment) -> list[Item]:
        """Memories about any of the persons, from newest to oldest: those in sight, and what is told of them."""

    def concerning(self, sight: Sight, persons: Sequence[str]) -> list[int]:
        """Handles of the memories in force and in sight that are about any of the persons."""

    def next_number(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kind: Kind, label: Label = PLAIN
    ) -> int:
        """The next free place in the author's own sequence in the space, for these readers, under this label."""

    def derived(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        """Memories made from the given ones, directly; for a whole sight, promoted copies too, wherever they are."""

    def origins(self, sight: Sight, item: Item) -> list[tuple[Space, str]]:
        """Where a promoted memory came from. Its readers need not know, so only a whole sight is told."""

    def tick(self, sight: Sight, space: Space, readers: Readers = EVERYONE, label: Label = PLAIN) -> int:
        """How many memories have come into force in the space for these readers, under this label."""

    def faded(self, sight: Sight, space: Space, readers: Readers, tick: int, label: Label = PLAIN) -> list[Item]:
        """Memories in force there whose time has run out by this tick."""

    def population(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, label: Label = PLAIN
    ) -> Mapping[Kind, int]:
        """How many memories of an author are in force there, by kind."""

    def authored(self, author: Actor) -> int:
        """How many lasting memories of an author are in force that the author may read, everywhere."""

    def places(self, author: Actor) -> list[Space]:
        """Where those memories are: names of spaces, for the author's own budget."""

    def least(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kinds: Sequence[Kind], count: int,
        *, oldest: bool = False, before: Moment | None = None, label: Label = PLAIN,
    ) -> list[Item]:  # fmt: skip
        """The least important memories of an author in force there, the oldest of equals first; or simply the oldest.
        None that was made after `before`."""

    def spare(
        self, sight: Sight, author: Actor, *, oldest: bool = False, before: Moment | None = None
    ) -> Iterator[Item]:
        """The lasting memories of an author in force in sight, wherever and for whomever, in the order of `least`."""

    def phases(self, sight: Sight) -> Mapping[bytes, tuple[Phase, ...]]:
        """The phases of the spaces in sight, by space, oldest first. The very first is not among them."""

    def overdue(self, sight: Sight, now: Moment, limit: int | None = None) -> list[Item]:
        """Memories whose time has run out, in whatever state, but which nobody has swept yet; with a `limit`, no more
        than that many of them, whichever."""

    def records(self, sight: Sight) -> Iterator[tuple[str, bytes]]:
        """The names and records of all sound memories in sight, in whatever state: for maintenance, which compares them
        with the trail and shows them to nobody. Only a whole sight is told."""

    def sources(self, sight: Sight) -> list[Source]: ...

    def damaged(self, sight: Sight) -> list[str]:
        """Names of memories whose stored bytes no longer match their seal."""

    def quarantined(self, sight: Sight) -> list[str]:
        """Those of the damaged that were taken out of the index. No word finds them, and a recall can ask for no more
        than this: `damaged` walks through everything in sight."""

    def unsound(self) -> list[str]:
        """Names of all damaged memories, those too that damage has torn from every space; for maintenance."""

    def spaces(self, user: str | None = None) -> list[Space]:
        """Every space there is, by name only, for maintenance, which walks them one by one; or those of one user."""

    # people: those of the spaces in sight, and those that are listed, whom everybody sees who sees anything

    def people(self, sight: Sight, ids: Sequence[str]) -> list[Person]:
        """Persons by id, in the order of their ids. Users have none here unless something was said about them."""

    def knows_people(self, sight: Sight) -> bool:
        """Whether there may be anybody whom `named` could find."""

    def named(self, sight: Sight, *names: str) -> list[Person]:
        """Persons with one of these normal names, or with a name of several words that begins with it."""

    def all_people(self, sight: Sight, after: str | None, limit: int) -> list[Person]:
        """Persons in the order of their ids, past `after`."""

    def relations(self, sight: Sight, persons: Sequence[str]) -> list[Relation]:
        """What these persons are to others, and others to them, in the order of their ids."""

    def all_relations(self, sight: Sight) -> list[Relation]: ...

    def next_person(self, sight: Sight, home: Space | None, readers: Readers, creator: bytes) -> int:
        """The next free place in the creator's own sequence of persons and relations there, for these readers."""

    # the trail

    def chains(self) -> list[tuple[ChainId, int, bytes]]:
        """Every chain with its length and head; `NOT_OURS` for a head that this store did not put there."""

    def links(self, chain: ChainId, after: int = 0) -> Iterator[Link]: ...
    def checkpoints(self, chain: ChainId) -> list[Checkpoint]: ...

    # erasing for good, and upkeep: these show nobody any contents

    def erasures(self) -> list[Erasure]: ...
    def scrub(self) -> Scrub:
        """Make what was erased unrecoverable from the store's files, or say why that must wait."""

    def residue(self) -> Mapping[str, int]:
        """Places in the store's files that could still hold erased bytes, with counts; empty when there are none."""

    def checkup(self) -> list[tuple[str, str]]:
        """Look over the store's own structures: (what, problem) for everything that is not as it should be."""

    def info(self) -> Mapping[str, Any]:
        """Facts about the store for people: engine, file, sizes."""

    def close(self) -> None: ...
