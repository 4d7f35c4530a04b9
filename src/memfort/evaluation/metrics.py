"""What came of each label, and six measures of it. Pure: nothing here knows what system was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from msgspec import Struct

from memfort.evaluation.labels import Conversation, Deletion, Injection, Question, contains


class Measure(Struct, frozen=True):
    """What is measured: the share of samples that are right, or of those that are wrong."""

    name: str
    title: str
    samples: str  # what is counted
    target: float
    is_error_rate: bool = False  # the smaller the better, and the share of wrong samples


MEASURES = {
    one.name: one
    for one in (
        Measure("extraction_precision", "of what is kept, worth keeping", "statements kept", 0.85),
        Measure("extraction_recall", "of what is worth keeping, kept", "facts", 0.60),
        Measure("false_positive_rate", "messages without a fact that left one", "messages", 0.05, is_error_rate=True),
        Measure("retrieval_hit_rate", "questions whose answer is found", "questions", 0.80),
        Measure("injection_pollution_rate", "prompts with something in them that must not be", "prompts", 0.02, True),
        Measure("deletion_compliance", "deletions that leave nothing", "deletions", 1.0),
    )
}


class Sample(Struct, frozen=True):
    """One thing that was right or wrong."""

    measure: str
    is_right: bool
    line: int  # of the file of labels
    lang: str
    wanted: str = ""
    found: str = ""


class Statement(Struct, frozen=True):
    """A statement that a system keeps of a message."""

    text: str
    in_force: bool = True  # and not waiting for a review


class Score(Struct, frozen=True):
    """A measure of some samples."""

    measure: Measure
    right: int
    total: int
    target: float

    @property
    def value(self) -> float:
        return self._share(self.total - self.right if self.measure.is_error_rate else self.right)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the value would lie in 95 of 100 files like this one (Wilson)."""
        n, share, z = self.total, self.value, 1.96
        middle, width = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        whole = 1 + z * z / n
        return max(0.0, (middle - width) / whole), min(1.0, (middle + width) / whole)

    @property
    def is_met(self) -> bool:
        return self.value <= self.target if self.measure.is_error_rate else self.value >= self.target

    def _share(self, count: int) -> float:
        return count / self.total


def judge_conversation(conversation: Conversation, kept: Sequence[Sequence[Statement]]) -> list[Sample]:
    """What was kept of each message, compared with its facts. A statement is worth keeping if it says a fact of its
    conversation: one may be put together from several messages."""
    line, lang, found = conversation.line, conversation.lang, list[Sample]()
    facts = [fact for message in conversation.messages for fact in message.facts]
    all_kept = [one.text for statements in kept for one in statements if one.in_force]
    for message, statements in zip(conversation.messages, kept, strict=True):
        texts = [one.text for one in statements if one.in_force]
        for text in texts:
            is_fact = any(contains(text, fact.must) for fact in facts)
            found.append(Sample("extraction_precision", is_fact, line, lang, "nothing of the kind", text))
        for fact in message.facts:
            is_kept = any(contains(text, fact.must) for text in all_kept)
            found.append(Sample("extraction_recall", is_kept, line, lang, fact.fact, " / ".join(texts) or "nothing"))
        if not message.facts:
            found.append(Sample("false_positive_rate", not texts, line, lang, "nothing", " / ".join(texts)))
    return found


def judge_question(question: Question, texts: Sequence[str], prompt: str) -> list[Sample]:
    """The memories that were found, best first, and what a prompt would get."""
    is_hit = any(contains(text, question.answer) for text in texts)
    best = texts[0] if texts else "nothing"
    samples = [Sample("retrieval_hit_rate", is_hit, question.line, question.lang, question.question, best)]
    if question.never:
        there = [word for word in question.never if contains(prompt, [word])]
        samples.append(_pollution(question, question.question, there))
    return samples


def judge_injection(injection: Injection, prompt: str) -> Sample:
    there = [injection.injection] if contains(prompt, injection.words) else []
    return _pollution(injection, injection.query, there)


def _pollution(line: Question | Injection, query: str, there: Sequence[str]) -> Sample:
    return Sample("injection_pollution_rate", not there, line.line, line.lang, query, " / ".join(there))


def judge_deletion(deletion: Deletion, count: int, residue: Sequence[str]) -> list[Sample]:
    """Where the words still are. What was not there cannot be deleted, and says nothing."""
    if not count:
        return []
    said = " ".join(deletion.words)
    return [Sample("deletion_compliance", not residue, deletion.line, deletion.lang, said, ", ".join(residue))]


def score(samples: Iterable[Sample], targets: Mapping[str, float] | None = None) -> list[Score]:
    """The measures that have samples, in their order. A measure without any is left out: it says nothing."""
    listed, wanted = list(samples), targets or {}
    found = []
    for measure in MEASURES.values():
        own = [one for one in listed if one.measure == measure.name]
        if own:
            right = sum(one.is_right for one in own)
            found.append(Score(measure, right, len(own), wanted.get(measure.name, measure.target)))
    return found
