"""What the verbs answer with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from memfort.model.item import NOTHING, Item
from memfort.model.moment import Instant, Microseconds, Moment, OptionalInstant
from memfort.model.notebook import facts, table
from memfort.model.people.actor import Actor
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.model.value import Listing, Value, count_noun, shortened


class Feature(StrEnum):
    WORDS = "words"  # how much of what is asked it says, each word weighed by its rarity
    NEARBY_WORDS = "nearby_words"  # how much more of it is said just before or after, in the same conversation
    MEANING = "meaning"  # how near its meaning is to the query's
    NEARBY_MEANING = "nearby_meaning"  # how near the meaning of what is said just before or after is
    SPEAKER = "speaker"  # said by a person whom the query names, or by the asker if it says "I"
    ABOUT = "about"  # about a person whom the query names
    DATE = "date"  # said on or near a day that the query names
    FOLLOWS_QUESTION = "follows_question"  # the turn before it asks for what the query asks for
    ANSWER_KIND = "answer_kind"  # it holds the kind of thing asked for: a time, a number, a name
    INSTRUCTION = "instruction"  # an instruction or a preference, where help is asked for
    IMPORTANCE = "importance"  # how important it is
    USE = "use"  # how often it was marked as useful
    SHORT_QUESTION = "short_question"  # a short question and nothing else, which answers nothing
    FADE = "fade"  # how far it has faded, if its lifetime was only guessed from its words
    NEWER_VALUE = "newer_value"  # it states a newer value of what a better memory states


class Hit(Value, frozen=True, gc=False):
    """One recalled memory and why it came."""

    item: Item
    score: float
    level: str  # the layer of recall it was found in
    reason: Reason
    features: Mapping[str, float] = NOTHING  # what speaks for it, and its share in the score
    section: str = ""  # the part of a briefing that it is in
    weak: bool = False  # little speaks for it: it fills up an answer of few hits, and comes last
    around: tuple[Item, ...] = ()  # of a turn: the turns directly before and after it, as far as they may be shown

    def __repr__(self) -> str:
        return f"<Hit {self.score:.3f} {self.level} {shortened(self.text, 60)!r}>"

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def text(self) -> str:
        return self.item.text


class Recall(Listing[Hit], frozen=True):
    """The answer to a query: the most specific level first, each level ranked."""

    query: str
    hits: tuple[Hit, ...]
    trace: str  # give it to `explain`
    hash: str  # digest of what was recalled, in order: equal answers have equal hashes
    damaged: tuple[str, ...] = ()  # matching memories whose stored bytes are damaged
    warnings: tuple[str, ...] = ()  # what this had to do without, and why
    withheld: Mapping[str, int] | None = None  # how many did not come, by reason; `None`: they were not counted

    @property
    def _entries(self) -> tuple[Hit, ...]:
        return self.hits

    def __bool__(self) -> bool:
        return bool(self.hits)

    def __repr__(self) -> str:
        return f"<Recall {shortened(self.query)!r} {count_noun(len(self.hits), 'hit')}>"

    def _repr_html_(self) -> str:
        rows = [(f"{hit.score:.3f}", hit.level, hit.text, hit.item.created_at, hit.id) for hit in self.hits]
        caption = f"{self.query}: {count_noun(len(rows), 'hit')}"
        return table(caption, ("score", "level", "text", "written", "id"), rows)

    @property
    def texts(self) -> list[str]:
        return [hit.item.text for hit in self.hits]


class Page(Listing[Item], frozen=True):
    """Part of a listing. `cursor` continues it; `None` says there is no more."""

    items: tuple[Item, ...]
    cursor: str | None
    damaged: tuple[str, ...] = ()  # on the last page: the memories in sight whose stored bytes are damaged

    @property
    def _entries(self) -> tuple[Item, ...]:
        return self.items

    def __repr__(self) -> str:
        return f"<Page {count_noun(len(self.items), 'item')}{', and more' if self.cursor else ''}>"

    def _repr_html_(self) -> str:
        rows = [(item.text, item.space, item.type, item.status, item.created_at, item.id) for item in self.items]
        caption = f"{count_noun(len(rows), 'item')}{', and more' if self.cursor else ''}"
        return table(caption, ("text", "space", "type", "status", "written", "id"), rows)


class ReviewEntry(Value, frozen=True):
    """A memory that waits for review, why it waits, and what would change."""

    item: Item
    reason: Reason
    explanation: str
    replaces: Item | None
    diff: str
    to: Space | None = None  # of a proposal to promote a memory out of a private chat: the space it would go to


class Ranking(Value, frozen=True):
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


class Explanation(Value, frozen=True):
    """Why something is or is not shown to a standpoint. Holds no contents of what the asker may not see."""

    subject: str  # the id or trace that was asked about
    shown: bool
    reason: Reason
    lines: tuple[str, ...]
    ranking: Ranking | None = None  # where a query was given and the memory was up for it

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"<Explanation {shortened(self.subject)} {'shown' if self.shown else 'not shown'}: {self.reason}>"

    def _repr_html_(self) -> str:
        caption = f"{self.subject}: {'shown' if self.shown else 'not shown'} ({self.reason})"
        return table(caption, ("why",), [(line,) for line in self.lines])


class SaidSentence(Value, frozen=True):
    """A sentence of a turn that says what was forgotten or erased."""

    turn: str
    words: str = ""  # in a dry run, and of what was forgotten; what was erased is written nowhere


class Forgotten(Listing[Item], frozen=True):
    """Memories that were forgotten, or would be: those that were asked for, then what was made from them."""

    items: tuple[Item, ...]
    dry_run: bool = False
    sentences: tuple[SaidSentence, ...] = ()  # hidden in the turns of a conversation, whose rest stays
    may_still_say: tuple[str, ...] = ()  # turns that may say it in other words
    notes: tuple[str, ...] = ()  # what the caller should know

    @property
    def count(self) -> int:
        return len(self.items)

    @property
    def sample(self) -> tuple[str, ...]:
        """The texts of the first few memories."""
        return tuple(item.text for item in self.items[:5])

    @property
    def _entries(self) -> tuple[Item, ...]:
        return self.items

    def __repr__(self) -> str:
        return f"<Forgotten {count_noun(len(self.items), 'item')}{' (dry run)' if self.dry_run else ''}>"


class Undone(Listing[Item], frozen=True):
    """Memories that an undo took back, or would take back, and those that came back into force because of it."""

    id: str  # give it to `undo` to take the undo back; empty in a dry run
    items: tuple[Item, ...]  # what falls: what was named, then what was derived from it
    back: tuple[Item, ...]  # what comes back into force
    counts: Mapping[str, int]  # memories, derived, back
    dry_run: bool = False
    notes: tuple[str, ...] = ()  # what the caller should know

    @property
    def sample(self) -> tuple[str, ...]:
        """The texts of the first few memories that fall."""
        return tuple(item.text for item in self.items[:5])

    @property
    def _entries(self) -> tuple[Item, ...]:
        return self.items

    def __repr__(self) -> str:
        falls, back = count_noun(len(self.items), "item"), count_noun(len(self.back), "item")
        return f"<Undone {falls}, {back} back{' (dry run)' if self.dry_run else ''}>"


class Trace(Value, frozen=True):
    """The public events of one call, in order."""

    id: str
    events: list[dict[str, Any]]  # plain data

    def __repr__(self) -> str:
        return f"<Trace {self.id} {count_noun(len(self.events), 'event')}>"

    def _repr_html_(self) -> str:
        rows = [(event.get("type"), {name: event[name] for name in event if name != "type"}) for event in self.events]
        return table(repr(self)[1:-1], ("event", "what it says"), rows)


class TracedCall(Value, frozen=True):
    """A call that is on record."""

    trace: str
    at_us: Microseconds
    actions: tuple[str, ...]  # what was done, each once, in order

    at = Instant()


class TrailEvent(Value, frozen=True):
    """One event of the trail: who did what, whether it was allowed, and why. Never any contents."""

    at_us: Microseconds
    action: str
    actor: Actor
    decision: str  # allowed, pending or denied
    reason: str
    explanation: str
    surface: str
    policy: str  # digest of the policy in force
    space: Space | None = None
    item: str | None = None
    trace: str | None = None  # of the call that it belongs to
    via: str | None = None  # whose credential acted for the actor
    detail: Mapping[str, Any] = NOTHING  # counts, ids and labels
    chain: str = ""
    number: int | None = None  # its place in the chain, in the actor's own
    hash: str | None = None

    at = Instant()


class TrailPage(Listing[TrailEvent], frozen=True):
    """Part of the trail, the latest first. `cursor` continues it; `None` says there is no more."""

    events: tuple[TrailEvent, ...]
    cursor: str | None

    @property
    def _entries(self) -> tuple[TrailEvent, ...]:
        return self.events

    def __repr__(self) -> str:
        return f"<TrailPage {count_noun(len(self.events), 'event')}{', and more' if self.cursor else ''}>"


class Namesake(Value, frozen=True):
    """A memory that says the name of a person and is not linked to them."""

    space: Space
    id: str
    kind: str
    text: str  # empty where the caller may not read it

    @property
    def summary(self) -> str:
        """What it says, or else where and what it is."""
        return self.text or f"{self.kind} {self.id} in {self.space}"


class Receipt(Value, frozen=True):
    """Proof of an erasure: what was asked, what is gone from where, and what still has to go."""

    id: str
    at_us: Microseconds
    actor: Actor
    selector: Mapping[str, object]
    items: tuple[tuple[Space, str], ...]
    counts: Mapping[str, int]  # by place: memories, older versions, derived copies, index entries, files
    pending: str | None = None  # why it is not finished
    dry_run: bool = False
    sentences: tuple[SaidSentence, ...] = ()  # removed from the turns of a conversation, whose rest stays
    may_still_say: tuple[str, ...] = ()  # turns that may say it in other words
    notes: tuple[str, ...] = ()  # what the caller should know
    sample: tuple[str, ...] = ()  # in a dry run: the texts of the first few memories
    namesakes: tuple[Namesake, ...] = ()  # that stay: they say the name of the person, and are not linked to them
    is_undecided: bool = False  # nobody has said yet what becomes of them

    at = Instant()

    def __repr__(self) -> str:
        return f"<Receipt {self.id} {self.state}: {count_noun(len(self.items), 'item')}>"

    def _repr_html_(self) -> str:
        named = {"at": self.at, "asked by": self.actor, "why it waits": self.pending, "items": len(self.items)}
        return facts(f"{self.id}: {self.state}", {**named, **self.counts})

    @property
    def state(self) -> str:
        if self.dry_run:
            return "dry run"
        if self.pending is not None:
            return "pending"
        return "undecided" if self.is_undecided else "complete"


class FinishedErasures(Value, frozen=True):
    """Which erasures are complete now, and which still have to wait and why."""

    finished: tuple[str, ...]
    waiting: dict[str, str]  # by the id of the receipt


class ErasureCheck(Value, frozen=True):
    """What a search for residue found."""

    receipt: str
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


class TakenOut(Value, frozen=True):
    """Something that was there and is no longer, by its id: a share, a person."""

    id: str


class PersonLink(StrEnum):
    """How a memory is linked to a person, and so what of the person is to be forgotten."""

    ABOUT = "about"  # what is known about the person
    STATED_BY = "stated_by"  # what the person said
    BOTH = "both"


class PersonForgotten(Value, frozen=True):
    """What of a person was forgotten, or would be. What was erased has a receipt, which says more."""

    person: str
    which: PersonLink
    items: tuple[tuple[Space, str], ...]
    counts: Mapping[str, int] = NOTHING  # about, stated_by, derived
    receipt: Receipt | None = None
    dry_run: bool = False


class SubjectCopy(Listing[Item], frozen=True):
    """A copy of everything by and about a person that the caller may see, oldest first."""

    person: str
    at_us: Microseconds
    items: tuple[Item, ...]
    without_contents: tuple[tuple[Space, str], ...] = ()  # for the system: where there is more, which it does not see
    namesakes: tuple[Namesake, ...] = ()  # not in the copy: they say the name, and are not linked to the person

    at = Instant()

    @property
    def _entries(self) -> tuple[Item, ...]:
        return self.items

    def __repr__(self) -> str:
        return f"<SubjectCopy {self.person} {count_noun(len(self.items), 'item')}>"

    @property
    def markdown(self) -> str:
        """The copy as a text for people."""
        lines = [f"# What is kept by and about {self.person}", "", f"Copied at {self.at:%Y-%m-%d %H:%M} UTC.", ""]
        spaces = dict.fromkeys(item.space for item in self.items)
        for space in spaces:
            lines += [f"## {space}", ""]
            lines += [_markdown_line(item) for item in self.items if item.space == space]
            lines.append("")
        if not self.items:
            lines += ["Nothing.", ""]
        if self.without_contents:
            more = count_noun(len(self.without_contents), "memory")
            lines += [f"And {more} in other spaces, whose contents are not shown here.", ""]
        if self.namesakes:
            lines += [f"{count_noun(len(self.namesakes), 'more memory')} with this name, of whom is not known:", ""]
            lines += [*(f"- {one.summary}" for one in self.namesakes), ""]
        return "\n".join(lines)


def _markdown_line(item: Item) -> str:
    text = " ".join(item.text.split())
    said = f", said by {item.stated_by}" if item.stated_by else ""
    state = "" if item.status == "approved" else f", {item.status}"
    return f"- {item.created_at:%Y-%m-%d} {text} ({item.type}, {item.sensitivity}{said}{state}; `{item.id}`)"


class ImportReport(Value, frozen=True):
    """What became of an import, item by item and in sum."""

    source: str | None
    already_imported: bool
    counts: Mapping[str, int]  # read, kept, pending, duplicate, denied, invalid, expired, damaged, unproven, …
    problems: tuple[str, ...] = ()  # one line each: where, and what to do; never the text
    dry_run: bool = False
    skipped: tuple[str, ...] = ()  # records left out on purpose, one line each: where, and why


class EdgeKind(StrEnum):
    ABOUT = "about"  # a memory, and a person it is about
    STATED_BY = "stated_by"  # a memory, and the person who said it
    LEARNED_IN = "learned_in"  # a memory, and the chat where it was said
    SUPERSEDES = "supersedes"  # a memory, and one that gave way to it
    TAKES_PART_IN = "takes_part_in"  # a person, and a chat
    IS_PERSON = "is_person"  # a user, and the person they are
    MERGED_INTO = "merged_into"  # a person, and who they turned out to be
    RELATES_TO = "relates_to"  # a person, and somebody who is something to them


class Edge(Value, frozen=True, order=True):
    kind: EdgeKind
    source: str
    target: str
    term: str = ""  # of a relation: what the one is to the other


def edges_of(item: Item) -> list[Edge]:
    """The edges that begin at a memory."""
    found = [Edge(EdgeKind.ABOUT, item.id, person) for person in item.subjects]
    if item.stated_by is not None:
        found.append(Edge(EdgeKind.STATED_BY, item.id, item.stated_by))
    if item.learned_in:
        found.append(Edge(EdgeKind.LEARNED_IN, item.id, item.learned_in))
    older = dict.fromkeys((*item.replaces, *([] if item.supersedes is None else [item.supersedes])))
    return [*found, *(Edge(EdgeKind.SUPERSEDES, item.id, id) for id in older)]


class Source(Value, frozen=True):
    """A batch and what became of it. The platform is provenance, never a filter."""

    id: str
    space: Space
    platform: str
    filename: str | None
    sha256: str
    imported_at_us: Microseconds
    counts: Mapping[str, int]
    items: tuple[tuple[bytes, str], ...] | None = None  # what came back from an export of ours: (space id, memory id)

    imported_at = Instant()


def source_to_dict(source: Source) -> dict[str, Any]:
    return {
        "id": source.id,
        "space": source.space.to_dict(),
        "platform": source.platform,
        "filename": source.filename,
        "sha256": source.sha256,
        "imported_at": source.imported_at_us,
        "counts": dict(source.counts),
        "items": None if source.items is None else [[space.hex(), id] for space, id in source.items],
    }


def source_from_dict(data: Mapping[str, Any]) -> Source:
    """The source that `source_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else."""
    return Source(
        id=data["id"],
        space=Space.of(data["space"]),
        platform=data["platform"],
        filename=data["filename"],
        sha256=data["sha256"],
        imported_at_us=Moment(int(data["imported_at"])),
        counts={str(name): int(count) for name, count in data["counts"].items()},
        items=None if data["items"] is None else tuple((bytes.fromhex(space), str(id)) for space, id in data["items"]),
    )


class StoreInfo(Value, frozen=True):
    """Facts about a store. A store without a file has none of the facts about files."""

    engine: str
    memories: int
    spaces: int
    policy: str  # name and digest of the one in force
    embedder: str
    reranker: str
    without_vector: int  # memories that only their words find
    classifier: str = "none"  # the encoder that judges how private a statement is
    not_judged: int = 0  # memories whose sensitivity is only assumed until it has judged them
    file: str | None = None
    bytes: int | None = None
    schema: int | None = None
    key: str | None = None  # fingerprint
    words: str | None = None  # which version of the text analysis the index was written with
    ballast_bytes: int | None = None  # set aside for erasing on a full disk
    erased_lines: int | None = None  # lines of the list of erased memories, as the store knows them
    erased_listed: int | None = None  # the number of the list's last line


class Collection(Value, frozen=True):
    """What garbage collection retired and removed, or would."""

    expired: int  # memories whose time had run out
    evicted: tuple[tuple[Space, str], ...]  # those that made room for others of their author
    over: int  # authors who still keep more than they may: nothing of theirs could go
    batches: int  # transactions that it took
    compacted: Receipt | None = None  # of the old tombstones, if they were to go
    dry_run: bool = False


class BackupReport(Value, frozen=True):
    """A backup that was written and checked."""

    path: str
    at_us: Microseconds  # the state of the store that it holds
    bytes: int
    memories: int
    spaces: int
    events: int  # of the trail
    key: str  # the fingerprint of the key that it needs
    with_key: bool = False  # whether the key is in it; then the file is as precious as the store

    at = Instant()


class RestoreReport(Value, frozen=True):
    """A store that was made from a backup."""

    path: str
    backed_up_at_us: Microseconds
    memories: int
    spaces: int
    erased: int = 0  # memories that were erased after the backup was made, and were erased again
    receipt: str | None = None  # of that erasure
    not_promised: tuple[str, ...] = ()  # what the restore cannot rule out, and why

    backed_up_at = Instant()


class Reindexed(Value, frozen=True):
    """What the index was written from."""

    memories: int
    embedder: str


class Reembedding(Value, frozen=True):
    """How far giving memories their vectors has come."""

    embedder: str
    done: int = 0  # memories that have got theirs
    total: int = 0  # that had none of this embedder
    refused: int = 0  # that the embedder will not take; words find them, and they count as done from then on
    left: int = 0  # that have none of this embedder now, in the whole store
    is_running: bool = False
    problem: str | None = None  # why it waits, if it does


class SensitivityProgress(Value, frozen=True):
    """How far judging the sensitivity of memories has come."""

    classifier: str
    done: int = 0  # memories that were judged
    total: int = 0  # that waited for it
    released: int = 0  # of those judged: now less private than was assumed
    raised: int = 0  # now more private
    left: int = 0  # that wait now, in the whole store
    is_running: bool = False
    problem: str | None = None  # why it waits, if it does


class Relearned(Value, frozen=True):
    """What a run of relearning changed, or would change. `undo(trace=…)` takes it back."""

    turns: int = 0  # that were read again
    added: int = 0  # statements that an older extractor had missed
    reworded: int = 0  # statements that took the place of another of the same words
    ended: int = 0  # statements that today's rules would not make
    back: int = 0  # memories that only such a statement had replaced
    refused: int = 0  # statements that a gate refused; what they were to replace stays
    kept: int = 0  # statements of these turns that people or a model have touched
    judged: int = 0  # memories that rules judge otherwise today
    raised: int = 0  # of those: now more private
    lowered: int = 0  # now less private
    subjects: int = 0  # now about others
    portable: int = 0  # that travel now, or do not any more
    skipped: int = 0  # whose author may not stand there any more
    dry_run: bool = False
    trace: str = ""

    @property
    def changed(self) -> int:
        """How many memories it made, ended, brought back or judged otherwise."""
        return self.added + self.reworded + self.ended + self.back + self.judged

    def __bool__(self) -> bool:
        return self.changed > 0

    def __str__(self) -> str:
        made = (
            f"{count_noun(self.turns, 'turn')} read: {self.added} added, {self.reworded} reworded, {self.ended} ended"
        )
        judged = f"{self.judged} judged otherwise ({self.raised} raised, {self.lowered} lowered)"
        return f"{made}, {self.back} brought back; {judged}"


class QueuedMessage(Value, frozen=True):
    """A turn that a model has still to read, or could not. It has no word of the turn."""

    id: str  # of the turn
    space: Space
    queued_at_us: Microseconds
    due_at_us: Microseconds | None  # when it is tried next; `None`: it was given up
    attempts: int = 0
    problem: str = ""  # why the last attempt failed

    queued_at = Instant()
    due_at = OptionalInstant()

    @property
    def is_given_up(self) -> bool:
        return self.due_at_us is None


class ExtractionRun(Value, frozen=True):
    """What became of the turns that waited for the extractor."""

    extractor: str
    read: int = 0  # turns that the model has read
    kept: int = 0  # statements of them that are new, in force or pending
    refused: int = 0  # statements of its replies that were not used
    withheld: int = 0  # turns that may not be sent, so no model reads them
    failed: int = 0  # turns of requests that failed; they are tried again later
    given_up: int = 0  # turns that will not be tried again by themselves, in the whole store
    left: int = 0  # turns that wait, in the whole store
    problem: str | None = None  # why the run ended early, if it did


class Finding(Value, frozen=True):
    """One thing that is wrong, without a word of what it is about."""

    check: str
    id: str  # of a memory, a person or a relation
    levels: tuple[str, ...]  # of the space it is in; none for who is listed for all
    problem: str
    can_be_fixed: bool


class CheckResult(Value, frozen=True):
    """What one check of the doctor found."""

    check: str
    found: str  # in a few words
    problems: tuple[str, ...] = ()  # the first of them
    notes: tuple[str, ...] = ()  # for a person to judge; they make no store unsound
    remedy: str | None = None
    count: int = 0  # of findings about what is kept
    fixable: int = 0  # of problems that `fix` can put right
    findings: tuple[Finding, ...] = ()  # the first of them

    @property
    def ok(self) -> bool:
        return not self.problems


class Diagnosis(Value, frozen=True):
    """What the doctor found, and how much of what was put right before."""

    checks: tuple[CheckResult, ...]
    fixed: Mapping[str, int] = {}
    quarantined: tuple[str, ...] = ()  # damaged memories that are out of the index now

    def __repr__(self) -> str:
        return f"<Diagnosis {count_noun(len(self.checks), 'check')}: {count_noun(len(self.problems), 'problem')}>"

    def __getitem__(self, check: str) -> CheckResult:
        if check in self.__struct_fields__:  # not one of the checks
            return super().__getitem__(check)  # type: ignore[misc,no-any-return]
        return next((one for one in self.checks if one.check == check), CheckResult(check, "not looked at"))

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, but for what is a matter of judgement."""
        return all(one.ok for one in self.checks)

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Every problem that is named, with its check."""
        return [(one.check, problem) for one in self.checks for problem in one.problems]
