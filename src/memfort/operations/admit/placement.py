"""What a write is about, and what was worked out for it in advance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from memfort.engine.indexing.text_analysis import TextAnalysis
from memfort.model.item import Authority, Candidate, Item
from memfort.model.space import Space
from memfort.policy.admission import Screened
from memfort.store.port import Change, WriteContext
from memfort.trail.event import Event

Digests = tuple[bytes, bytes]  # of a statement's value and of its very words


class Placement(Struct, frozen=True):
    """A statement, the space it is for, and how it relates to memories that exist."""

    candidate: Candidate
    space: Space
    supersedes: Item | None = None  # the memory that it is a new wording of
    is_edit: bool = False  # that memory is pending, and gives way at once
    promotes: Item | None = None  # the memory in another space that it copies; the caller records a refusal
    finish: Callable[[Item], Item] | None = None  # adds what an import or a promotion brings along
    is_enriched: bool = False  # what it says about people is in the candidate already
    on_record: bool = False  # words of a conversation that the engine itself records, not a caller's claim
    at_most: Authority | None = None  # a limit to its authority


class Enriched(Struct, frozen=True):
    """A statement with everything about people filled in, and the changes that enter people it mentions first."""

    candidate: Candidate
    changes: Sequence[Change] = ()
    events: Sequence[Event] = ()


class Precomputed(Struct, frozen=True):
    """Work on one statement of a batch that was done before its turn. What is missing is done then."""

    analysis: TextAnalysis | None = None
    enriched: Enriched | None = None
    screened: Screened | None = None
    digests: Digests | None = None
    context: WriteContext | None = None  # what the store knows of it, as of now


NOTHING_PRECOMPUTED = Precomputed()
