"""The scope of a write: all that it may change. A store may lock exactly this, so nothing reaches further.

Whatever a write can change is under one of the locks that `Scope.locks` gives: each space, the chain of each actor,
the budget of each author, the directory, and each person. Stores take them in the order of their keys, so that no two
writes ever wait for each other.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct, field

from memfort.errors import StoreBusy
from memfort.model.people.actor import Actor
from memfort.model.space import Space
from memfort.store.port.values.changes import (
    Change,
    DropMember,
    DropPerson,
    DropPhases,
    DropQueuedTurn,
    DropRejectedValue,
    DropShare,
    DropSource,
    Erase,
    Insert,
    PutAgent,
    PutChat,
    PutKey,
    PutMember,
    PutPerson,
    PutPhase,
    PutPolicy,
    PutQueuedTurn,
    PutRejectedValue,
    PutRelation,
    PutShare,
    PutSource,
    Quarantine,
    Reindex,
    Sign,
    Update,
)
from memfort.trail.event import Event

_KEY_BYTES = 16
_PAUSE_SECONDS = 0.005  # about so long before the first new attempt, and twice as long before each later one
_MOST_CONFLICTS = 8  # after which a write has lost often enough to say so
_Answer = TypeVar("_Answer")
_OF_DIRECTORY = (PutAgent, PutChat, PutMember, DropMember, PutShare, DropShare, PutKey, PutPolicy, PutPhase)
_OF_WHOLE_STORE = (Reindex, Quarantine, Sign)


class Scope(Struct, frozen=True):
    """What a write may change, named before it begins."""

    spaces: dict[bytes, Space] = field(default_factory=dict)  # by id: their memories, their records and their chains
    actors: frozenset[bytes] = frozenset()  # keys of actors, whose own chains it extends
    authors: frozenset[bytes] = frozenset()  # keys of authors, whose memories it counts in every space
    directory: bool = False  # agents, chats, groups, shares, API keys, policies, people who are listed, and their chain
    people: frozenset[str] = frozenset()  # ids of persons, whose records and lists of memories about them it changes
    whole: bool = False  # everything there is, for upkeep

    @classmethod
    def of(
        cls,
        spaces: Iterable[Space] = (),
        *,
        actors: Iterable[Actor] = (),
        authors: Iterable[Actor] = (),
        directory: bool = False,
        people: Iterable[str] = (),
    ) -> Scope:
        return cls(
            {space.id: space for space in spaces},
            frozenset(actor.key for actor in actors),
            frozenset(author.key for author in authors),
            directory,
            frozenset(people),
        )

    def with_spaces(self, spaces: Iterable[Space]) -> Scope:
        more = {space.id: space for space in spaces}
        return Scope(self.spaces | more, self.actors, self.authors, self.directory, self.people, self.whole)

    def __or__(self, other: Scope) -> Scope:
        return Scope(
            self.spaces | other.spaces,
            self.actors | other.actors,
            self.authors | other.authors,
            self.directory or other.directory,
            self.people | other.people,
            self.whole or other.whole,
        )

    def covers(self, other: Scope) -> bool:
        return self.whole or (
            not other.whole
            and other.spaces.keys() <= self.spaces.keys()
            and other.actors <= self.actors
            and other.authors <= self.authors
            and self.directory >= other.directory
            and other.people <= self.people
        )

    def locks(self) -> list[bytes]:
        """The keys of 16 bytes of all that it locks, in the order in which every write takes them. Of the whole store
        there are none: whoever writes to it writes alone."""
        keys = {space_key(space) for space in self.spaces.values()}
        keys |= {lock_key("actor", actor) for actor in self.actors}
        keys |= {lock_key("author", author) for author in self.authors}
        keys |= {person_key(person) for person in self.people}
        return sorted(keys | {DIRECTORY_KEY} if self.directory else keys)


WHOLE_STORE = Scope(whole=True)


def space_key(space: Space) -> bytes:
    """The key of a space: the first bytes of its id."""
    return space.id[:_KEY_BYTES]


def person_key(person: str) -> bytes:
    return lock_key("person", person.encode())


def lock_key(kind: str, name: bytes) -> bytes:
    """The key of something that is no space."""
    return hashlib.sha256(b"memfort/lock\x00" + kind.encode() + b"\x00" + name).digest()[:_KEY_BYTES]


DIRECTORY_KEY = lock_key("directory", b"")


class OutsideScope(Exception):
    """A write reached further than it said. Nothing of it is kept; it can be done again with `needs` named too."""

    def __init__(self, what: str, needs: Scope) -> None:
        self.needs = needs
        super().__init__(f"{what}, which this write does not name")


class WriteConflict(StoreBusy):
    """The database gave up a write in favour of another. Nothing of it is kept, and it can be started again as it
    is."""


def write_until_done(scope: Scope, attempt: Callable[[Scope], _Answer], *, is_part: bool = False) -> _Answer:
    """Attempt a write, and start it again with what it turned out to reach, or as it is if the database gave it up. A
    part of a write is given up together with the whole."""
    conflicts = 0
    while True:
        try:
            return attempt(scope)
        except OutsideScope as reached:
            if reached.needs.whole or scope.covers(reached.needs):
                raise  # nothing that could be named is enough, or the write that this is a part of has to name it
            scope |= reached.needs
        except WriteConflict:
            conflicts += 1
            if is_part or conflicts == _MOST_CONFLICTS:
                raise
            # Those that were in each other's way must not come back at the same moment.
            time.sleep(random.uniform(0, _PAUSE_SECONDS * 2**conflicts))  # noqa: S311  # nothing secret


def scope_within(scope: Scope | None, outer: Scope | None) -> Scope:
    """The scope of a write, inside another write if there is an `outer` scope; without a scope that of the outer one,
    or the whole store."""
    if scope is None:
        return WHOLE_STORE if outer is None else outer
    if outer is not None and not outer.covers(scope):
        raise OutsideScope("a part of a write names more than the whole", scope)
    return scope


def check_scope(scope: Scope, changes: Sequence[Change], events: Sequence[Event]) -> None:
    """Refuse changes and events that reach out of a scope. Persons are not looked at: whom a memory was about shows
    only when it is read, so a store takes their locks as it meets them. Replies, erasures and uses of API keys are rows
    of their own, and every write may change them."""
    if scope.whole:
        return
    missing: Scope | None = None
    for reach in _reaches(scope, changes, events):
        missing = reach if missing is None else missing | reach
    if missing is not None:
        raise OutsideScope(f"it changes {_first_of(missing)}", missing)


def reach_of(changes: Sequence[Change], events: Sequence[Event]) -> Scope:
    """The smallest scope that these changes and events are in."""
    found = Scope(people=frozenset(person for change in changes for person in _people_of(change)))
    for reach in _reaches(found, changes, events):
        found |= reach
    return found


def _reaches(scope: Scope, changes: Sequence[Change], events: Sequence[Event]) -> Iterable[Scope]:
    """What these change that is not in a scope."""
    known = scope.spaces
    for change in changes:
        for space in _spaces_of(change):
            if space.id not in known:
                yield Scope({space.id: space})
        if isinstance(change, _OF_WHOLE_STORE):
            yield WHOLE_STORE
        elif not scope.directory and _is_of_directory(change):
            yield Scope(directory=True)
    for event in events:
        chain = event.chain
        if chain.kind == "space":
            if chain.key not in known:
                assert event.space is not None  # it is in the chain of its space
                yield Scope({chain.key: event.space})
        elif chain.kind == "actor":
            if chain.key not in scope.actors:
                yield Scope(actors=frozenset([chain.key]))
        elif not scope.directory:
            yield Scope(directory=True)


def _is_of_directory(change: Change) -> bool:
    match change:
        case PutPerson(of) | PutRelation(of):
            return of.home is None
        case _:
            return isinstance(change, _OF_DIRECTORY)


def _spaces_of(change: Change) -> tuple[Space, ...]:
    """The spaces whose memories or records a change touches."""
    match change:
        case Insert(item, origin=(origin, _)):
            return item.space, origin  # whose lineage gets a line
        case Insert(item) | Update(item):
            return (item.space,)
        case Erase(space) | PutPhase(space) | DropPhases(space) | DropQueuedTurn(space):
            return (space,)
        case PutSource(of) | DropSource(of) | PutRejectedValue(of) | DropRejectedValue(of) | PutQueuedTurn(of):
            return (of.space,)
        case PutPerson(of) | PutRelation(of) if of.home is not None:
            return (of.home,)
        case _:
            return ()


def _people_of(change: Change) -> Iterable[str]:
    """The persons whose records or lists a change touches, as far as it says so itself."""
    match change:
        case Insert(item) | Update(item):
            return item.subjects
        case PutPerson(person):
            return (person.id,)
        case DropPerson(id):
            return (id,)
        case _:
            return ()


def _first_of(missing: Scope) -> str:
    for space in missing.spaces.values():
        return str(space)
    if missing.whole:
        return "the whole store"
    return "the directory" if missing.directory else "the chain of another actor"
