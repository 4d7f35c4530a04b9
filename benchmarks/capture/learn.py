"""Run the conversations through a real store: each user's in the order of time; then ten days pass, and the questions
are asked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks.capture.labels import Fact, Message, conversations
from benchmarks.capture.score import Answers, Hit, Learned, Statement
from memfort import Item, Kind, Memory, Occurred, Status
from memfort.client import BoundMemory
from memfort.clock import FixedClock
from memfort.model.moment import Moment, to_datetime, to_moment

LATER = timedelta(days=10)
STATEMENTS = (Kind.SEMANTIC, Kind.PROFILE)
DEPTH = 20  # how far down an old value is looked for
_SECOND = 1_000_000


@dataclass
class Source:
    """The messages that each memory comes from, and those that were taken for a request to forget."""

    messages: dict[str, list[str]] = field(default_factory=dict)  # of each memory: what is said twice is kept once
    forget_requests: set[str] = field(default_factory=set)

    def add(self, memory: str, message: str) -> None:
        self.messages.setdefault(memory, []).append(message)

    def of(self, item: Item) -> Sequence[str]:
        """What is left of a corrected statement was not answered by any call; its evidence names the turn."""
        turn = "" if item.evidence is None else item.evidence.turn
        return self.messages.get(item.id) or self.messages.get(turn) or ()


Way = Callable[[BoundMemory, Sequence[Message], Source], None]


def observe(bound: BoundMemory, messages: Sequence[Message], source: Source) -> None:
    """Give the conversation to `observe`, in one call."""
    seen = bound.observe([_given(one) for one in messages], conversation=messages[0].conversation)
    for message, became in zip(messages, seen.messages, strict=True):
        for outcome in (became.turn, *became.statements):
            if outcome is not None and outcome.item is not None:
                source.add(outcome.item.id, message.id)
    source.forget_requests |= {messages[one.message].id for one in seen.forget_requests}


def observe_one_by_one(bound: BoundMemory, messages: Sequence[Message], source: Source) -> None:
    """A call for each message, as an assistant makes that answers in between."""
    for message in messages:
        observe(bound, [message], source)


def _given(message: Message) -> dict[str, Any]:
    given = {"role": message.role, "content": message.text, "at": message.at, "id": message.id}
    return given if message.speaker is None else {**given, "speaker": message.speaker}


def remember(bound: BoundMemory, messages: Sequence[Message], source: Source) -> None:
    """For comparison: what the user says is remembered as it is, and nothing of the assistant or of tools."""
    said = [one for one in messages if one.role == "user"]
    outcomes = bound.remember_many([{"text": one.text, "observed_at": one.at} for one in said])
    for message, outcome in zip(said, outcomes, strict=True):
        if outcome.item is not None:
            source.add(outcome.item.id, message.id)


WAYS: Mapping[str, Way] = {"observe": observe, "one by one": observe_one_by_one, "remember": remember}


def learn(
    messages: Sequence[Message], way: Way, progress: Callable[[str], None], extractor: str | None = None
) -> Learned:
    """What each user's conversations leave. With an `extractor`, a model reads each of them too, as far as it may be
    sent."""
    learned = Learned()
    for user, talks in conversations(messages).items():
        with _store(_after(talks[0]), extractor) as (memory, clock):
            _learn(memory.as_user(user), clock, talks, _with_model(way, memory), learned)
        progress(f"{user}: {sum(map(len, talks))} messages")
    return learned


def _with_model(way: Way, memory: Memory) -> Way:
    """The same, and then the model reads what it is given of it; nothing where there is no model."""

    def learn_twice(bound: BoundMemory, messages: Sequence[Message], source: Source) -> None:
        way(bound, messages, source)
        run = memory.store.extract()
        if run.failed or run.given_up:
            raise RuntimeError(run.problem or "the extractor gave no usable reply")

    return learn_twice


@contextmanager
def _store(start: Moment, extractor: str | None = None) -> Iterator[tuple[Memory, FixedClock]]:
    clock = FixedClock(start)
    rules = {"send": ["public", "personal"], "debounce_seconds": 0, "attempts": 1}
    policy = None if extractor is None else {"extraction": rules}
    with (
        tempfile.TemporaryDirectory(prefix="memfort-capture-") as folder,
        Memory.open(Path(folder) / "memories.db", clock=clock, extractor=extractor, policy=policy) as memory,
    ):
        yield memory, clock


def _after(talk: Sequence[Message]) -> Moment:
    return Moment(to_moment(talk[-1].at, "at") + 60 * _SECOND)


def _learn(
    bound: BoundMemory, clock: FixedClock, talks: Sequence[Sequence[Message]], way: Way, learned: Learned
) -> None:
    source, kept = Source(), dict[str, Item]()
    for talk in talks:
        clock.set(_after(talk))
        way(bound, talk, source)
        kept = _all_kept(bound, kept)
    people = _people(bound)
    learned.forget_requests |= source.forget_requests
    learned.statements += [
        _statement(item, message, people, bound)
        for item in kept.values()
        if item.kind in STATEMENTS
        for message in source.of(item)
    ]
    clock.advance(LATER.total_seconds())
    for message in (one for talk in talks for one in talk):
        for place, fact in enumerate(message.facts):
            if not fact.optional:
                learned.answers[message.id, place] = _answers(bound, fact, source)


def _all_kept(bound: BoundMemory, before: Mapping[str, Item]) -> dict[str, Item]:
    """Everything that was kept: in force, superseded, and what has ended with the text that it had."""
    found = dict(before)
    for status in (Status.APPROVED, Status.SUPERSEDED):
        found |= {item.id: item for item in _pages(bound, statuses=[status])}
    for item in _pages(bound, deleted=True):
        text = item.text or (before[item.id].text if item.id in before else "")
        found[item.id] = replace(item, text=text)
    return found


def _pages(bound: BoundMemory, **which: Any) -> Iterator[Item]:
    cursor: str | None = None
    while True:
        page = bound.list(limit=200, cursor=cursor, **which)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _statement(item: Item, message: str, people: Mapping[str, frozenset[str]], bound: BoundMemory) -> Statement:
    me = bound.standpoint.actor.user
    subjects = (frozenset({"user"}) if one == f"@{me}" else people.get(one, _handle(one)) for one in item.subjects)
    return Statement(
        id=item.id,
        message=message,
        text=item.text if item.key is None else f"{item.key}: {item.text}",
        type=item.type,
        subjects=frozenset().union(*subjects),
        days=_days(item.occurred),
        sensitivity=item.sensitivity.value,
        in_force=item.status is Status.APPROVED and item.deleted_at_us is None,
        is_profile=item.kind is Kind.PROFILE,
    )


def _people(bound: BoundMemory) -> dict[str, frozenset[str]]:
    """Every name of each person and what they are to somebody, in lowercase."""
    return {
        person.id: frozenset(
            name.casefold()
            for name in (person.name, *person.aliases, *(one.term for one in bound.people.relations(person.id)))
        )
        for person in bound.people.list(limit=1000)
    }


def _handle(subject: str) -> frozenset[str]:
    return frozenset({subject.removeprefix("@").casefold()})


def _days(occurred: Occurred | None) -> tuple[date, date] | None:
    if occurred is None:
        return None
    last = max(occurred.start_us, occurred.end_us - 1)  # the end is exclusive
    return to_datetime(occurred.start_us).date(), to_datetime(Moment(last)).date()


def _answers(bound: BoundMemory, fact: Fact, source: Source) -> Answers:
    def hits(**which: Any) -> tuple[Hit, ...]:
        return tuple(_hit(one.item, source) for one in bound.recall(fact.query, limit=DEPTH, **which))

    return Answers(hits(kinds=STATEMENTS), hits())


def _hit(item: Item, source: Source) -> Hit:
    text = item.text if item.key is None else f"{item.key}: {item.text}"
    return Hit(tuple(source.of(item)), text, is_statement=item.kind is not Kind.SHORT_TERM)
