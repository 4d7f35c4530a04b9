"""What `compare` answers: who would get which memories in a room, and why."""

from __future__ import annotations

from enum import StrEnum

from memfort.model.item import Item
from memfort.model.reason import Reason
from memfort.model.value import Listing, Value, count_noun, shortened


class RoomKind(StrEnum):
    """Where a question is asked, by who hears the answer."""

    ALONE = "alone"  # outside any chat: only who asks
    PRIVATE = "private"
    GROUP = "group"


class VerdictStepName(StrEnum):
    """What is asked of a memory before it is shown, in this order. The first no decides."""

    ROOM = "room"  # does the asker take part in this chat?
    SIGHT = "sight"  # is its space in the asker's sight, or is it disclosed as something about a person?
    READERS = "readers"  # does its reader list name the asker?
    LISTENERS = "listeners"  # may everybody who listens hear it?
    FORCE = "force"  # is it in force, in the present phase?


class VerdictStep(Value, frozen=True):
    """One question and its answer."""

    name: VerdictStepName
    passed: bool | None  # `None`: not asked, because an earlier answer was no
    reason: Reason | None = None


class RemedyName(StrEnum):
    """What would bring a memory that is withheld. Each was tried, and the memory came."""

    WITHOUT_LISTENER = "without_listener"  # ask where this person does not listen
    ALONE = "alone"  # ask outside any chat
    ASKED_BY = "asked_by"  # this person asks, in the same room
    JUDGED_PUBLIC = "judged_public"  # it is judged to be public


class Remedy(Value, frozen=True):
    """What would bring a memory that is withheld."""

    name: RemedyName
    who: str = ""


class ViewerVerdict(Value, frozen=True):
    """Whether a memory would be shown to one viewer in the room, and why."""

    viewer: str
    shown: bool | None  # `None`: whoever asks may not learn it of others
    reason: Reason
    explanation: str
    steps: tuple[VerdictStep, ...] = ()
    decided_by: tuple[str, ...] = ()  # listeners without whom, each alone, it would be shown
    remedies: tuple[Remedy, ...] = ()


class ComparedMemory(Value, frozen=True):
    """A memory that the asker may see, and who else would get it."""

    item: Item
    score: float  # how well it answers the query; 0 without a query
    verdicts: tuple[ViewerVerdict, ...]  # one for each viewer, in their order
    were_there: tuple[str, ...] | None = None  # the listeners who heard it said; `None`: the asker was not there

    @property
    def id(self) -> str:
        return self.item.id

    def __repr__(self) -> str:
        got = ", ".join(one.viewer for one in self.verdicts if one.shown)
        return f"<ComparedMemory {shortened(self.item.text, 60)!r} for {got or 'nobody'}>"


class Comparison(Listing[ComparedMemory], frozen=True):
    """Who would get which of the asker's memories in a room. It has no word of what only others may see."""

    query: str
    chat: str | None  # the chat that is meant; `None`: none, or one that does not exist
    room: RoomKind
    listeners: tuple[str, ...]  # who takes part; nobody outside any chat
    viewers: tuple[str, ...]  # who asks, one after the other
    memories: tuple[ComparedMemory, ...]
    has_more: bool = False  # more match than the limit lets through

    @property
    def _entries(self) -> tuple[ComparedMemory, ...]:
        return self.memories

    def __repr__(self) -> str:
        return f"<Comparison {shortened(self.query)!r} {self.room}: {count_noun(len(self.memories), 'item')}>"

    def got_by(self, viewer: str) -> list[ComparedMemory]:
        """What one of the viewers would get."""
        place = self.viewers.index(viewer)
        return [one for one in self.memories if one.verdicts[place].shown]
