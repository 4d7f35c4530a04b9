"""Put the lines of a file to a system, and judge what comes of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from memfort.evaluation.labels import Conversation, Deletion, Injection, Labels
from memfort.evaluation.metrics import (
    Sample,
    Score,
    Statement,
    judge_conversation,
    judge_deletion,
    judge_injection,
    judge_question,
    score,
)

Progress = Callable[[int, int], None]


class System(Protocol):
    """What is measured: a memory, as a host program uses it."""

    def observe(self, conversation: Conversation) -> Sequence[Sequence[Statement]]:
        """Let a conversation go by. The statements that each message left."""
        ...

    def plant(self, injection: Injection) -> None:
        """Let somebody put a text in."""
        ...

    def find(self, user: str, query: str, limit: int) -> Sequence[str]:
        """The memories that answer a query, best first."""
        ...

    def prompt(self, user: str, query: str) -> str:
        """What a prompt gets for a query."""
        ...

    def delete(self, deletion: Deletion) -> int:
        """Delete what contains the words. How many memories that were."""
        ...

    def residue(self, deletion: Deletion) -> Sequence[str]:
        """The places where the words still are."""
        ...


class Evaluation(Struct, frozen=True):
    """What was measured, and each sample of it."""

    labels: str  # the name of the file
    top: int  # how many memories count as found
    samples: tuple[Sample, ...]
    scores: tuple[Score, ...]
    notes: tuple[str, ...] = ()

    @property
    def misses(self) -> list[Sample]:
        return [one for one in self.samples if not one.is_right]

    def is_met(self, asked: Sequence[str] = ()) -> bool:
        """Whether every measure reaches its target. One that was asked for and has no sample does not."""
        measured = {one.measure.name for one in self.scores}
        return bool(self.scores) and all(one.is_met for one in self.scores) and set(asked) <= measured


def evaluate(
    system: System,
    labels: Labels,
    *,
    top: int = 5,
    targets: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Conversations and injections first, then the questions about them, and the deletions last."""
    samples, notes, done = list[Sample](), list[str](), 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, labels.size + len(labels.injections))

    for conversation in labels.conversations:
        samples += judge_conversation(conversation, system.observe(conversation))
        step()
    for injection in labels.injections:
        system.plant(injection)
        step()
    for question in labels.questions:
        prompt = system.prompt(question.user, question.question) if question.never else ""
        samples += judge_question(question, system.find(question.user, question.question, top), prompt)
        step()
    for injection in labels.injections:
        samples.append(judge_injection(injection, system.prompt(injection.user, injection.query)))
        step()
    for deletion in labels.deletions:
        count = system.delete(deletion)
        if not count:
            notes.append(f"line {deletion.line}: nothing there to {deletion.deletion}")
        samples += judge_deletion(deletion, count, system.residue(deletion))
        step()
    return Evaluation(labels.name, top, tuple(samples), tuple(score(samples, targets)), tuple(notes))
