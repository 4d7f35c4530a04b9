"""What the verbs answer with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort.model.actor import Actor
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import NOTHING, Item, Readers
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.space import Space


class Hit(Struct, frozen=True, gc=False):
    """One recalled memory and why it came."""

    item: Item
    score: float
    level: str  # the layer of recall it was found in
    reason: Reason
    features: Mapping[str, float] = NOTHING  # what speaks for it, and its share in the score
    reached_from: str | None = None  # the memory from which a second step led to it, if that is among what is found

    def but(self, **different: Any) -> Hit:
        """The same hit, but for these fields."""
        return replace(self, **different)

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def text(self) -> str:
        return self.item.text


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a query: the most specific level first, each level ranked."""

    query: str
    hits: tuple[Hit, ...]
    trace: str  # give it to `explain`
    hash: str  # digest of what was recalled, in order: equal answers have equal hashes
    damaged: tuple[str, ...] = ()  # matching memories whose stored bytes are damaged
    warnings: tuple[str, ...] = ()  # what this had to do without, and why
    withheld: Mapping[str, int] | None = None  # how many did not come, by reason; `None`: they were not counted

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __bool__(self) -> bool:
        return bool(self.hits)

    @property
    def texts(self) -> list[str]:
        return [hit.item.text for hit in self.hits]


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a listing. `cursor` continues it; `None` says there is no more."""

    items: tuple[Item, ...]
    cursor: str | None
    damaged: tuple[str, ...] = ()  # on the last page: the memories in sight whose stored bytes are damaged

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A memory that waits for review, why it waits, and what would change."""

    item: Item
    reason: Reason
    explanation: str
    replaces: Item | None
    diff: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """How a memory did in a recall, whether it came or not."""

    rank: int | None  # its place among those that match, from 1; `None`: it does not match
    level: str | None  # the layer of recall it was found in; those of a more specific one come first
    matches: int  # how many match
    limit: int  # how many were wanted
    score: float
    features: Mapping[str, float]  # what speaks for it or against it, and its share in the score
    # What the floor looks at, of 1: how much of the query it says and means, how much speaks for it, and for the best.
    reached: Mapping[str, float]
    floor: Mapping[
        str, float
    ]  # of the words it takes more than that, or of the meaning as much; and of the rest as much
    reached_from: str | None = None  # as in `Hit`


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why something is or is not shown to a standpoint. Holds no contents of what the asker may not see."""

    subject: str  # the id or trace that was asked about
    shown: bool
    reason: Reason
    lines: tuple[str, ...]
    ranking: Ranking | None = None  # where a query was given and the memory was up for it

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of an erasure: what was asked, what is gone from where, and what still has to go."""

    id: str
    at: Moment
    actor: Actor
    selector: Mapping[str, object]
    items: tuple[tuple[Space, str], ...]
    counts: Mapping[str, int]  # by place: memories, older versions, derived copies, index entries, files
    pending: str | None = None  # why it is not finished
    dry_run: bool = False

    @property
    def state(self) -> str:
        if self.dry_run:
            return "dry run"
        return "complete" if self.pending is None else "pending"


@dataclass(frozen=True, slots=True)
class ErasureCheck:
    """What a search for residue found."""

    receipt: str
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of an import, item by item and in sum."""

    source: str | None
    already_imported: bool
    counts: Mapping[str, int]  # read, kept, pending, duplicate, denied, invalid, expired, damaged, unproven, …
    problems: tuple[str, ...] = field(default=())  # one line each: where, and what to do; never the text


def noted(decision: Decision, readers: Readers, actor: Actor) -> Decision:
    """A decision that says so when a memory is kept for readers its author is not among: that is allowed, and seldom
    what was meant."""
    if decision.verdict is Verdict.DENIED or readers.admits(actor):
        return decision
    return decision.but(detail={**decision.detail, "you_cannot_read_it": True})


def noted_outcome(outcome: Outcome, actor: Actor) -> Outcome:
    if outcome.item is None:
        return outcome
    decision = noted(outcome.decision, outcome.item.readers, actor)
    return outcome if decision is outcome.decision else outcome.but(decision=decision)
