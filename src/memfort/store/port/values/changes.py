"""What a write consists of: the changes that `Store.apply` makes, each a value of its own."""

from __future__ import annotations

from msgspec import Struct

from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.model.people.access_key import KeptKey
from memfort.model.people.directory import Agent, Chat, Principal, Share, Trust
from memfort.model.people.person import Person, Relation
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.model.space import Coordinate, Space
from memfort.store.port.values.entries import Entry, EntryOf, Progress
from memfort.store.port.values.records import Erasure, QueuedTurn, RejectedValue, Reply


class Insert(Struct, frozen=True):
    """A new memory. Its author's next number in that partition is the one after its number."""

    item: Item
    value: bytes  # digest of the normalised statement
    entry: Entry | None  # `None`: it cannot be recalled
    disclosed: Entry | None = None  # what it is found by when it is disclosed to its subjects
    origin: tuple[Space, str] | None = None  # the memory in another space that it was promoted from


class Update(Struct, frozen=True):
    """A memory in a new state, in place of the version before it."""

    item: Item
    value: bytes
    entry: Entry | None
    disclosed: Entry | None = None
    redacts: bool = False  # words of it are gone: kept answers that name it lose their contents


class Erase(Struct, frozen=True):
    """A memory to be physically removed, with its index entries and its place in lineages."""

    space: Space
    id: str


class PutAgent(Struct, frozen=True):
    agent: Agent


class PutChat(Struct, frozen=True):
    chat: Chat


class PutMember(Struct, frozen=True):
    coordinate: Coordinate
    member: Principal
    trust: Trust = Trust.CONTRIBUTOR


class DropMember(Struct, frozen=True):
    coordinate: Coordinate
    member: Principal


class PutShare(Struct, frozen=True):
    share: Share


class DropShare(Struct, frozen=True):
    id: str


class PutKey(Struct, frozen=True):
    """An API key in a new state: made, or revoked."""

    kept: KeptKey


class TouchKey(Struct, frozen=True):
    """When an API key was last used. No event tells of it."""

    id: str
    at: Moment


class PutReply(Struct, frozen=True):
    """The answer to a request that is not to be carried out twice. Answers from before `oldest` go."""

    reply: Reply
    oldest: Moment


class DropReply(Struct, frozen=True):
    key: bytes


class PutPhase(Struct, frozen=True):
    """A phase that begins in a space."""

    space: Space
    phase: Phase


class DropPhases(Struct, frozen=True):
    """Removes the phases of a space up to and including the one with index `last`."""

    space: Space
    last: int


class PutPolicy(Struct, frozen=True):
    """The policy in use from now on, as a document. Earlier policies stay: decisions refer to them by digest."""

    digest: str
    document: str


class PutSource(Struct, frozen=True):
    source: Source


class DropSource(Struct, frozen=True):
    source: Source


class PutRejectedValue(Struct, frozen=True):
    rejected_value: RejectedValue


class DropRejectedValue(Struct, frozen=True):
    rejected_value: RejectedValue


class PutQueuedTurn(Struct, frozen=True):
    """A turn that a model is to read, in a new state. It leaves the queue by itself when it is erased or ended."""

    queued: QueuedTurn


class DropQueuedTurn(Struct, frozen=True):
    space: Space
    turn: str


class PutErasure(Struct, frozen=True):
    erasure: Erasure


class PutPerson(Struct, frozen=True):
    """A person in a new state. Its number is never given out again in that home, even when the person is gone."""

    person: Person


class DropPerson(Struct, frozen=True):
    """A person to be physically removed, with all its names."""

    id: str


class PutRelation(Struct, frozen=True):
    """A relation in a new state. It takes its number from the same sequence as the persons there."""

    relation: Relation


class DropRelation(Struct, frozen=True):
    id: str


class Reindex(Struct, frozen=True):
    """Writes every index entry anew, from the memories themselves."""

    entry_of: EntryOf
    progress: Progress | None = None
    disclosed_entry_of: EntryOf = lambda _: None


class Quarantine(Struct, frozen=True):
    """Takes every damaged memory out of the index and notes its name."""

    at: Moment


class Sign(Struct, frozen=True):
    """Signs every chain that has grown since its last checkpoint, the events of the same `apply` included."""

    at: Moment


Change = (
    Insert
    | Update
    | Erase
    | PutAgent
    | PutChat
    | PutMember
    | DropMember
    | PutShare
    | DropShare
    | PutKey
    | TouchKey
    | PutReply
    | DropReply
    | PutPhase
    | DropPhases
    | PutPolicy
    | PutSource
    | DropSource
    | PutRejectedValue
    | DropRejectedValue
    | PutQueuedTurn
    | DropQueuedTurn
    | PutErasure
    | PutPerson
    | DropPerson
    | PutRelation
    | DropRelation
    | Reindex
    | Quarantine
    | Sign
)
