"""What an extractor is given and what it gives back: turns in, proposed statements and demoted sentences out.

Any extractor, by rules or by a model, has the signature of `Extractor`. Looking memories up, deciding and writing never
come in: what is proposed here passes every gate like any other candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from memfort.model.item import EventType, Kind, Origin
from memfort.model.moment import Moment
from memfort.model.occurred import ComposedBy, Occurred

CONTEXT_TURNS = 6  # before the new ones, that an extractor reads: three messages of a user, with the answers


class SpokenTurn(Struct, frozen=True):
    """One message of a conversation, as an extractor reads it."""

    text: str
    origin: Origin  # who spoke: the user, the assistant, a tool or the system
    at: Moment  # when it was said
    speaker: str | None = None  # the name or handle of the speaker, in a conversation of several


class Action(StrEnum):
    ADD = "add"
    UPDATE = "update"  # it replaces what was said before
    RETRACT = "retract"  # what was said before does not hold, and nothing takes its place
    FORGET = "forget"  # a request to forget, which is never kept as a statement


class Target(Struct, frozen=True):
    """What an update, a retraction or a request to forget refers to. Of words and query, the
    first that is given counts."""

    words: str | None = None  # the earlier sentence, verbatim, if it stands in one of the turns at hand
    query: str = ""  # the content words by which the memory can be found
    old: str = ""  # the value that does not hold: "Helen" in "Helen left, it's Marcus now"
    is_plan: bool = False  # only what takes place can be meant: an event, a task, a decision
    topic: str = ""  # the words for what is over: "welding" in "so much for welding"
    has_left: bool = False  # the topic is somebody who is no longer there
    is_only_an_end: bool = False  # the statement is kept only where something is found that has ended
    is_person: bool = False  # the old value is somebody who has gone, and only what says who they are ends
    is_denied: bool = False  # the query is what somebody would be to the speaker, who says that there is nobody


class OtherTurn(Struct, frozen=True):
    """The second turn that a composed statement rests on."""

    way: ComposedBy
    turn: int  # its place among the new ones; negative for those before
    words: str  # of it, verbatim


class Proposal(Struct, frozen=True, kw_only=True):
    """A statement that one turn leaves."""

    turn: int  # the place of its turn among the new ones
    text: str  # the statement; it can be understood without the turn
    quote: str  # the words of the turn that say it, verbatim
    kind: Kind = Kind.SEMANTIC
    key: str | None = None  # the name of a profile fact
    type: str | None = None  # inferred by the same rules as for `remember`
    event_type: EventType | None = None
    occurred: Occurred | None = None
    action: Action = Action.ADD
    target: Target | None = None
    confidence: float = 1.0
    reason: str = ""  # the rule that kept it
    subject: str = ""  # that the clause shares with the one before it: "I" in "I live in Rome and work at Acme"
    composed: OtherTurn | None = None


class Demoted(Struct, frozen=True):
    """A sentence that leaves no statement, and why: `question`, `hypothetical`, `quotation`, `joke`, `instruction`,
    `small_talk`, `tool_output`, `not_the_user`, `no_predicate`, or `pronoun`, if only the words before it say who that
    is."""

    turn: int
    quote: str
    reason: str


class Extraction(Struct, frozen=True):
    """What the new turns leave, in the order in which it was said."""

    proposals: tuple[Proposal, ...] = ()
    demoted: tuple[Demoted, ...] = ()


class Extractor(Protocol):
    """Reads the new turns. `before` are the last turns before them, oldest first: context, never a source."""

    def __call__(self, turns: Sequence[SpokenTurn], before: Sequence[SpokenTurn] = ()) -> Extraction: ...
