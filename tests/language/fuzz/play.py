"""Put texts to a memory in batches: each has its own outcome, nothing is raised but what is documented, and the
statements around a text are kept whatever it says."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from msgspec import Struct
from tests.language.fuzz.readers import NOW, READERS

from memfort import BoundMemory, Denied, FixedClock, InvalidInput, Memory, Outcome
from memfort.model.item import MAX_TEXT_BYTES
from memfort.store.memory import MemoryStore

CONTROLS = ("My desk is on the second floor", "The printer needs blue ink")  # what stands before and after a text
ROLES = ("user", "user", "user", "assistant", "tool")
QUOTED = 300  # characters of a text in a report


class Failure(Struct, frozen=True):
    """A text that something could not read."""

    where: str
    problem: str
    text: str
    seed: int

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}\n  seed {self.seed}, {len(self.text)} characters: {self.text[:QUOTED]!r}"


def play(texts: Sequence[str], seed: int) -> Iterator[Failure]:
    """What fails of a batch, whose texts have the numbers from `seed` on."""
    for at, text in enumerate(texts, seed):
        for name, read in READERS.items():
            yield from _attempt(name, text, at, lambda read=read, text=text: read(text))  # type: ignore[misc]
    memory = Memory(MemoryStore(), clock=FixedClock(NOW))
    try:
        yield from _Player(memory.as_user("ada"), seed).play(texts)
    finally:
        memory.close()


def _attempt(where: str, text: str, seed: int, call: Callable[[], Any]) -> Iterator[Failure]:
    try:
        problem = call()
    except Exception as error:  # whatever it is, it is the finding
        problem = f"{type(error).__name__}: {error}"[:QUOTED]
        yield Failure(where, problem, text, seed)


class _Player:
    """One memory, and the texts of a batch through every verb that reads a text."""

    def __init__(self, ada: BoundMemory, seed: int) -> None:
        self.ada = ada
        self.seed = seed
        self.rng = random.Random(f"memfort play {seed}")
        self.number = count()

    def play(self, texts: Sequence[str]) -> Iterator[Failure]:
        yield from self._batch("remember_many", texts, lambda: self._remember_many(texts))
        for at, text in enumerate(texts, self.seed):
            for verb in (self._remember, self._observe, self._recall, self._context, self._correct):
                name = verb.__name__.strip("_")
                yield from _attempt(name, text, at, lambda verb=verb, text=text: verb(text))  # type: ignore[misc]
        text = self.rng.choice(texts)
        yield from _attempt("recall of a control", text, self.seed, self._recall_control)
        yield from _attempt(
            "about and forget", text, self.seed + texts.index(text), lambda: self._name_and_forget(text)
        )

    def _batch(self, where: str, texts: Sequence[str], call: Callable[[], Any]) -> Iterator[Failure]:
        yield from _attempt(where, "\n".join(texts), self.seed, call)

    def _remember_many(self, texts: Sequence[str]) -> None:
        given = [CONTROLS[0], *texts, CONTROLS[1]]
        outcomes = self.ada.remember_many(given)
        assert len(outcomes) == len(given)
        assert outcomes[0].kept
        assert outcomes[-1].kept
        for text, outcome in zip(given, outcomes, strict=True):
            _check_kept_as_given(outcome, text)

    def _remember(self, text: str) -> None:
        is_usable = bool(text.strip()) and len(text.encode()) <= MAX_TEXT_BYTES
        with documented(InvalidInput, "nothing" if is_usable else "text: "):
            _check_kept_as_given(self.ada.remember(text, tags=[str(next(self.number))]), text)

    def _observe(self, text: str) -> None:
        here = f"c{next(self.number)}"
        role = self.rng.choice(ROLES)
        given = [CONTROLS[0], {"role": role, "content": text}, CONTROLS[1]]
        before, message, after = self.ada.observe(given, conversation=here).messages
        for control in (before, after):
            assert control.turn is not None
            assert control.turn.kept
        assert message.skipped is not None or message.turn is not None
        if message.turn is not None and text.strip():  # a tool that says nothing is noted as such
            _check_kept_as_given(message.turn, text)

    def _recall(self, text: str) -> None:
        with documented(InvalidInput, _too_long(text)):
            self.ada.recall(text)

    def _recall_control(self) -> None:
        assert CONTROLS[1] in [hit.item.text for hit in self.ada.recall(CONTROLS[1]).hits], "a text hides what was kept"

    def _context(self, text: str) -> None:
        with documented(InvalidInput, _too_long(text)):
            context = self.ada.context(text)
            assert str(context).count("<memories>") <= 1

    def _correct(self, text: str) -> None:
        kept = self.ada.remember(f"The badge of visitor {next(self.number)} is green")
        assert kept.id is not None
        with documented(InvalidInput, "text: "):
            self.ada.correct(kept.id, text)

    def _name_and_forget(self, text: str) -> None:
        with documented(InvalidInput, "user: "):  # a handle with a NUL
            self.ada.about(text[:200])
        with documented(InvalidInput, "query: "), documented(Denied, "query: it looks like a cred"):
            self.ada.forget(query=text[:2_000], dry_run=True)


def _too_long(text: str) -> str:
    """The beginning of the error for a query that is too long; of one that is not, no error is documented."""
    return "query: it has" if len(text) > MAX_TEXT_BYTES else "nothing"


@contextmanager
def documented(kind: type[Exception], beginning: str) -> Iterator[None]:
    """Let a documented error pass, and no other of its kind."""
    try:
        yield
    except kind as error:
        if not str(error).startswith(beginning):
            raise


def _check_kept_as_given(outcome: Outcome, text: str) -> None:
    """A text is kept as it was given, or it is refused with a reason; what is kept is never another text."""
    assert outcome.reason
    if outcome.kept and outcome.decision.reason != "duplicate":
        assert outcome.item is not None
        assert outcome.item.text == text, "another text was kept"
