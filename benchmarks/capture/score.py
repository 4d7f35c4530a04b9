"""What was learned, judged by the labels. Nothing here opens a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import SequenceMatcher
from math import sqrt
from typing import Any

from benchmarks.capture.labels import LANGUAGES, Fact, Message, contains, contains_some, corrected, spans
from memfort.language.people_words import relation_terms

TOP = 5
LEVELS = ("public", "personal", "sensitive")
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that `observe` kept, and the message it was taken from."""

    id: str
    message: str
    text: str  # with the key of a profile fact
    type: str
    subjects: frozenset[str]  # every name and relation of each person, in lowercase; `user` is the user
    days: tuple[date, date] | None
    sensitivity: str
    in_force: bool
    is_profile: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory of a recall, ten days later."""

    messages: tuple[str, ...]  # that it comes from
    text: str
    is_statement: bool


@dataclass(frozen=True, slots=True)
class Answers:
    """The answer to the query of a fact: among statements alone, and with the turns."""

    statements: tuple[Hit, ...]
    everything: tuple[Hit, ...]


@dataclass(slots=True)
class Learned:
    """All that was kept of all conversations."""

    statements: list[Statement] = field(default_factory=list)
    answers: dict[tuple[str, int], Answers] = field(default_factory=dict)  # by message and place of the fact
    forget_requests: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One thing that was judged: where, what was wanted, what was there."""

    measure: str
    lang: str
    right: bool
    message: str
    wanted: str
    found: str = ""
    role: str = "user"


def judge(messages: Sequence[Message], learned: Learned) -> list[Verdict]:
    by_id = {message.id: message for message in messages}
    by_message: dict[str, list[Statement]] = {}
    for statement in learned.statements:
        by_message.setdefault(statement.message, []).append(statement)
    replaced = _replaced(messages)
    found: list[Verdict] = []
    for message in messages:
        mine = by_message.get(message.id, [])
        found += _worth(message, mine)
        found += _forgetting(message, mine, learned)
        found += _taken_back(message, by_id, by_message)
        for place, fact in enumerate(message.facts):
            if not fact.optional:
                found += _of_fact(message, fact, best(mine, fact))
                if fact.lasting and not _names(message, place) & replaced:
                    found += _found_later(message, fact, learned.answers.get((message.id, place)))
                found += _corrections(message, fact, place, by_id, by_message, learned)
    return [*found, *_wrongly_ended(messages, by_message, replaced)]


def _replaced(messages: Sequence[Message]) -> set[str]:
    """What some later message corrects or takes back."""
    return {
        reference
        for message in messages
        for reference in (message.retracts, *(one for fact in message.facts for one in (fact.replaces, fact.retracts)))
        if reference is not None
    }


def _names(message: Message, place: int) -> set[str]:
    """How a correction refers to the fact."""
    return {f"{message.id}#{place}", *([message.id] if place == 0 else [])}


def best(statements: Iterable[Statement], fact: Fact) -> Statement | None:
    """The statement that says the fact, in the words nearest to it; a profile fact only where there is nothing else."""
    saying = [one for one in statements if contains(one.text, fact.must)]
    return max(saying, key=lambda one: (not one.is_profile, _likeness(one.text, fact.fact)), default=None)


def _likeness(text: str, other: str) -> float:
    return SequenceMatcher(None, text.casefold(), other.casefold()).ratio()


def _of_fact(message: Message, fact: Fact, kept: Statement | None) -> Iterator[Verdict]:
    def verdict(measure: str, right: bool, wanted: str, found: object = "") -> Verdict:
        return Verdict(measure, message.lang, right, message.id, wanted, str(found))

    yield verdict("kept", kept is not None, fact.fact, message.text)
    if fact.date is not None:
        is_exact = kept is not None and kept.days in spans(fact.date)
        yield verdict("date", is_exact, f"{fact.date}: {fact.fact}", _days(kept))
        if kept is not None:
            yield verdict("date of kept", is_exact, f"{fact.date}: {fact.fact}", _days(kept))
    if kept is not None:
        types = (fact.type, *fact.also_type)
        yield verdict("type", kept.type in types, f"{'/'.join(types)}: {kept.text}", kept.type)
        if fact.subject is not None:
            yield verdict("subject", _is_about(kept, fact), f"{fact.subject}: {kept.text}", sorted(kept.subjects))
        is_guarded = LEVELS.index(kept.sensitivity) >= LEVELS.index(fact.sensitivity)
        yield verdict("sensitivity", is_guarded, f"{fact.sensitivity}: {kept.text}", kept.sensitivity)


def _found_later(message: Message, fact: Fact, answers: Answers | None) -> Iterator[Verdict]:
    if answers is None:
        return
    for measure, hits in (("top statements", answers.statements), ("top with turns", answers.everything)):
        right = any(_says(hit, message, fact) for hit in hits[:TOP])
        shown = str([hit.text for hit in hits[:TOP]])
        yield Verdict(measure, message.lang, right, message.id, f"{fact.query} -> {fact.fact}", shown)


def _days(kept: Statement | None) -> str:
    if kept is None:
        return "not kept"
    return "no date" if kept.days is None else "..".join(sorted({day.isoformat() for day in kept.days}))


def _is_about(kept: Statement, fact: Fact) -> bool:
    """Whether it is about one of the labelled people; and not about the user, if only somebody else is labelled. What
    says who somebody is to the user is about both. A relation is the same in every language."""
    labelled = [one.casefold() for one in (fact.subject or "").split("|")]
    wanted = [*labelled, *filter(None, map(relation_terms().get, labelled))]
    if "user" in kept.subjects and "user" not in wanted and fact.type != "relationship":
        return False
    return any(one in name for one in wanted for name in kept.subjects)


def _says(hit: Hit, message: Message, fact: Fact) -> bool:
    """Whether the hit answers: it has the words, or it is the turn itself, which may leave them to the turn before."""
    return contains(hit.text, fact.must) or (message.id in hit.messages and not hit.is_statement)


def _worth(message: Message, statements: Sequence[Statement]) -> Iterator[Verdict]:
    for one in statements:
        is_worth = any(contains_some(one.text, fact.must) for fact in message.facts)
        yield Verdict("worth keeping", message.lang, is_worth, message.id, message.text, one.text, message.role)


def _forgetting(message: Message, statements: Sequence[Statement], learned: Learned) -> Iterator[Verdict]:
    is_recognised = message.id in learned.forget_requests
    if message.forget is not None:
        right = is_recognised and not statements
        yield Verdict("forget requests", message.lang, right, message.id, message.text, f"{len(statements)} kept")
    elif is_recognised:
        yield Verdict("no forget request", message.lang, False, message.id, message.text)


def _corrections(
    message: Message, fact: Fact, place: int, by_id: Mapping[str, Message],
    by_message: Mapping[str, Sequence[Statement]], learned: Learned,
) -> Iterator[Verdict]:  # fmt: skip
    reference = fact.replaces or fact.retracts
    if reference is None:
        return
    source, old = corrected(reference, by_id)
    gone = fact.old or old.must
    answers = learned.answers.get((message.id, place))
    hits = answers.everything if answers is not None else ()
    news = [rank for rank, hit in enumerate(hits) if _says(hit, message, fact)]
    olds = [rank for rank, hit in enumerate(hits) if _is_of(hit, source, gone) and rank not in news]
    is_below = bool(news) and (not olds or news[0] < olds[0])
    shown = [hit.text for hit in hits[:TOP]]
    yield Verdict("old below new", message.lang, is_below, message.id, f"{fact.query} -> {fact.fact}", str(shown))
    yield _ended(message, source, gone, by_message)


def _is_of(hit: Hit, source: Message, gone: Sequence[str]) -> bool:
    return source.id in hit.messages and (not hit.is_statement or contains(hit.text, gone))


def _taken_back(
    message: Message, by_id: Mapping[str, Message], by_message: Mapping[str, Sequence[Statement]]
) -> Iterator[Verdict]:
    if message.retracts is not None:
        source, old = corrected(message.retracts, by_id)
        yield _ended(message, source, old.must, by_message)


def _ended(
    message: Message, source: Message, gone: Sequence[str], by_message: Mapping[str, Sequence[Statement]]
) -> Verdict:
    """An old value that was never kept has not been ended."""
    saying = [one for one in by_message.get(source.id, ()) if contains(one.text, gone)]
    right = bool(saying) and not any(one.in_force for one in saying)
    return Verdict("old ended", message.lang, right, message.id, message.text, str([one.text for one in saying]))


def _wrongly_ended(
    messages: Sequence[Message], by_message: Mapping[str, Sequence[Statement]], replaced: set[str]
) -> Iterator[Verdict]:
    """What nothing corrects still holds."""
    for message in messages:
        for place, fact in enumerate(message.facts):
            saying = [one for one in by_message.get(message.id, ()) if contains(one.text, fact.must)]
            if saying and not _names(message, place) & replaced:
                right, shown = any(one.in_force for one in saying), str([one.text for one in saying])
                yield Verdict("still in force", message.lang, right, message.id, fact.fact, shown)


def summary(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Shares with their number and interval: of all, of English, of the others, of each language."""
    groups = {"all": LANGUAGES, "English": ("en",), "other": LANGUAGES[1:], **{lang: (lang,) for lang in LANGUAGES}}
    measures = dict.fromkeys(one.measure for one in verdicts)
    return {
        measure: {name: _share([one for one in verdicts if one.measure == measure and one.lang in group])
                  for name, group in groups.items()}
        for measure in sorted(measures)
    }  # fmt: skip


def _share(verdicts: Sequence[Verdict]) -> dict[str, float | int | None]:
    right, n = sum(one.right for one in verdicts), len(verdicts)
    if not n:
        return {"n": 0, "right": 0, "share": None, "low": None, "high": None}
    low, high = wilson(right, n)
    return {"n": n, "right": right, "share": _percent(right / n), "low": _percent(low), "high": _percent(high)}


def wilson(right: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    share, squared = right / n, _Z**2
    middle = (share + squared / (2 * n)) / (1 + squared / n)
    half = _Z * sqrt(share * (1 - share) / n + squared / (4 * n**2)) / (1 + squared / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def _percent(share: float) -> float:
    return round(100 * share, 1)
