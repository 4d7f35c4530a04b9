"""Put every read verb to a world, and compare each answer with what the oracle says it owes.

An answer is read as JSON: a marker or an id of a memory that occurs anywhere in it was shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from memfort import BoundMemory, NotFound

from . import matrix, oracle
from .matrix import Due, Standpoint, View
from .play import Kept, World, bind

QUERY = "ledger entry filed"  # words of every memory
SUBJECTS = ("alice", "bob", matrix.THIRD)  # everybody whom a memory of the matrix is about
ALL = 1000  # more than there are memories in one store
_FOUND = re.compile(rb"zq[a-z]{6}q|mem_[a-z0-9]+")


class Answer(Struct, frozen=True):
    """What one call showed: the ids and the markers anywhere in its JSON."""

    verb: str
    found: frozenset[str]
    person: str | None = None  # whom it was asked about
    id: str | None = None  # which memory was asked for
    shown: bool | None = None  # what `explain` says


def read(verb: str, call: Callable[[], Any], **asked: Any) -> Answer:
    """The answer of one call. What is not found shows nothing."""
    try:
        given = call()
    except NotFound:
        return Answer(verb, frozenset(), **asked)
    shown = given.shown if verb == "explain" else None
    words = _FOUND.findall(msgspec.json.encode(given, enc_hook=str))
    return Answer(verb, frozenset(word.decode() for word in words), shown=shown, **asked)


def answers_in_bulk(bound: BoundMemory) -> Iterator[Answer]:
    """The answers of the verbs that give many memories at once."""
    every_status = ["pending", "approved", "rejected", "superseded"]
    yield read("recall", lambda: bound.recall(QUERY, limit=ALL))
    yield read("context", lambda: bound.context(QUERY, limit=ALL, budget_tokens=100_000))
    yield read("recall by name", lambda: bound.recall(f"{QUERY} @{matrix.THIRD}", limit=ALL), person=matrix.THIRD)
    yield read("list", lambda: bound.list(limit=ALL))
    yield read("list of all", lambda: bound.list(limit=ALL, statuses=every_status, deleted=True))
    yield read("export", lambda: list(bound.export()))
    for person in SUBJECTS:
        yield read("about", lambda person=person: bound.about(f"@{person}", limit=ALL), person=person)


def answers_by_id(bound: BoundMemory, id: str) -> Iterator[Answer]:
    """The answers of the verbs that take a memory."""
    yield read("get", lambda: bound.get(id), id=id)
    yield read("history", lambda: bound.history(id), id=id)
    yield read("explain", lambda: bound.explain(id), id=id)


class Failure(Struct, frozen=True):
    """A cell in which an answer and the oracle disagree."""

    kind: str  # leak or withheld
    verb: str
    cell: str
    because: str
    group: str  # what it has in common with others

    def __str__(self) -> str:
        expected, got = ("not shown", "shown") if self.kind == "leak" else ("shown", "not shown")
        return f"{self.kind} in `{self.verb}`: {self.cell}\n    expected {expected}, got {got}; {self.because}"


class Bench:
    """All memories of a world, as one standpoint has to see them."""

    def __init__(self, world: World, standpoint: Standpoint) -> None:
        self.world, self.standpoint = world, standpoint
        self._views: dict[int, View] = {}
        self._dues: dict[tuple[str, int, str | None], Due] = {}

    def owed(self, verb: str, kept: Kept, person: str | None = None) -> Due:
        """What `verb` owes for one memory. Memories that are described alike are judged once."""
        alike = (verb, kept.alike, person)
        if alike not in self._dues:
            if kept.alike not in self._views:
                self._views[kept.alike] = View(kept.entry, self.standpoint, self.world.rules)
            self._dues[alike] = matrix.due(verb, self._views[kept.alike], person)
        return self._dues[alike]

    def failures(self, answer: Answer) -> Iterator[Failure]:
        """Whatever `answer` shows and must not, or withholds and must show."""
        yield from self._leaks(answer)
        for kept in self._must_show(answer):
            if kept.id not in answer.found and not answer.shown:
                yield self._failure("withheld", answer, kept, self.owed(answer.verb, kept, answer.person))

    def _must_show(self, answer: Answer) -> list[Kept]:
        """The memories that this answer has to show."""
        if answer.id is None:
            candidates: Sequence[Kept] = self.world.kept
        else:
            asked = self.world.known_as[answer.id][0]
            candidates = [asked]
            if not self.owed(answer.verb, asked).required:
                return []
            if answer.verb == "history":
                candidates = [
                    kept
                    for kept in self.world.of_spec[asked.entry.number]
                    if kept is asked or (kept.entry.version.step != "derived" and self._stands_in(asked))
                ]
            if answer.verb == "related":
                about = asked.entry.memory.subjects
                candidates = [
                    kept for kept in self.world.kept if kept.entry.memory.subjects & about and kept is not asked
                ]
        return [kept for kept in candidates if self.owed(answer.verb, kept, answer.person).required]

    def _stands_in(self, kept: Kept) -> bool:
        """Whether the standpoint has it from its own space: only there a history tells of the other wordings."""
        return oracle.stands_in(kept.entry.memory, self.standpoint.asker, self.standpoint.place)

    def _leaks(self, answer: Answer) -> Iterator[Failure]:
        if answer.id is not None:
            asked = self.world.known_as[answer.id][0]
            # Where `related` starts, the memory is asked for by its id, as by `get`; what it brings is not.
            owed = self.owed("get" if answer.verb == "related" else answer.verb, asked)
            if not owed.allowed and (answer.shown or answer.found - {answer.id}):
                yield self._failure("leak", answer, asked, owed)
                return
        for seen in sorted(answer.found - {answer.id}):
            known = self.world.known_as.get(seen, ())
            # An id may stand beside a newer wording wherever the history may show it; words only where the verb may.
            verbs = (answer.verb, "history") if seen.startswith("mem_") else (answer.verb,)
            if known and not any(self.owed(verb, kept, answer.person).allowed for kept in known for verb in verbs):
                shown = next((kept for kept in known if kept.entry.is_live), known[-1])
                verb = answer.verb if shown.entry.is_live else "history"
                yield self._failure("leak", answer, shown, self.owed(verb, shown, answer.person))

    def _failure(self, kind: str, answer: Answer, kept: Kept, owed: Due) -> Failure:
        chat = self.standpoint.place.chat
        where = "outside any chat" if chat is None else f"{chat.kind} chat of {len(chat.persons)}"
        group = f"{kind} in `{answer.verb}`, {where}, {kept.entry.memory.sensitivity}: {owed.because}"
        verb = f"{answer.verb} @{answer.person}" if answer.person else answer.verb
        return Failure(kind, verb, f"{kept.entry}\n    asked by {self.standpoint}", owed.because, group)


def failures_at(world: World, standpoint: Standpoint, by_id: Sequence[Kept]) -> Iterator[Failure]:
    """Every failure of every read verb at one standpoint; the memories of `by_id` are also asked for by their ids."""
    bound = bind(world.memory, standpoint.asker, standpoint.place, standpoint.claimed)
    bench = Bench(world, standpoint)
    for answer in answers_in_bulk(bound):
        yield from bench.failures(answer)
    for kept in by_id:
        for answer in answers_by_id(bound, kept.id):
            yield from bench.failures(answer)
    for kept in _starts(bench, by_id):
        answer = read("related", lambda kept=kept: bound.related(kept.id, limit=ALL), id=kept.id)
        yield from bench.failures(answer)


def _starts(bench: Bench, by_id: Sequence[Kept]) -> list[Kept]:
    """Where `related` starts: every memory that is hidden, and one that is shown for each set of subjects."""
    shown: dict[frozenset[str], Kept] = {}
    hidden = []
    for kept in by_id:
        if bench.owed("related", kept).required:
            shown.setdefault(kept.entry.memory.subjects, kept)
        elif not bench.owed("get", kept).allowed:
            hidden.append(kept)
    return [*shown.values(), *hidden]


def report(failures: Sequence[Failure], cells: int) -> str:
    """The failures as text: how many of each group, then the first of each."""
    groups = Counter(failure.group for failure in failures)
    first = {failure.group: failure for failure in reversed(failures)}
    lines = [f"{len(failures)} failures in {cells} cells"]
    lines += [f"{count:6} {group}" for group, count in groups.most_common()]
    lines += [str(first[group]) for group, _ in groups.most_common(40)]
    return "\n".join(lines)
