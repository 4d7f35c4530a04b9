"""The file of labels: JSON lines, each a conversation, a question, an injection or a deletion.
`docs/reference/evaluation.md` says what each field means."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from memfort.errors import InvalidInput
from memfort.folding import without_accents

OURS = "ours"  # the name of the file that comes with Memfort

Words = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]  # all of them; `a|b`: one of two
Text = Annotated[str, Meta(min_length=1)]


class Fact(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that a message says and that is worth keeping."""

    fact: Text  # for people
    must: Words  # what a statement that says it contains


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message. Without facts there is nothing in it to keep."""

    role: Literal["user", "assistant", "tool"]
    content: Text
    facts: tuple[Fact, ...] = ()
    at: str | None = None
    name: str | None = None


class _Line(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    user: Text
    lang: str = "?"
    line: int = 0  # of the file; set by the reader


class Conversation(_Line, frozen=True, kw_only=True):
    """What is said, in order."""

    messages: Annotated[tuple[Message, ...], Meta(min_length=1)]


class Question(_Line, frozen=True, kw_only=True):
    """What is asked afterwards."""

    question: Text
    answer: Words  # what a memory that answers it contains
    never: tuple[str, ...] = ()  # what must not be in the prompt: an old value, another person's fact


class Injection(_Line, frozen=True, kw_only=True):
    """A text that somebody plants, and that must not get into a prompt."""

    injection: Text
    through: Literal["tool", "assistant", "agent", "import"]
    words: Words
    query: Text  # whose prompt is looked at


class Deletion(_Line, frozen=True, kw_only=True):
    """A wish to have something deleted."""

    deletion: Literal["forget", "erase"]
    words: Words  # what the memories that are meant contain
    query: Text  # that found them before


_KINDS: dict[str, type[_Line]] = {
    "messages": Conversation,
    "question": Question,
    "injection": Injection,
    "deletion": Deletion,
}


class Labels(Struct, frozen=True):
    """The lines of a file, by kind, each in its order."""

    name: str
    conversations: tuple[Conversation, ...] = ()
    questions: tuple[Question, ...] = ()
    injections: tuple[Injection, ...] = ()
    deletions: tuple[Deletion, ...] = ()

    @property
    def size(self) -> int:
        return sum(map(len, (self.conversations, self.questions, self.injections, self.deletions)))


def our_labels() -> Labels:
    """The file that comes with Memfort."""
    return read_labels(OURS, files(__package__).joinpath("sets/default.jsonl").read_text(encoding="utf-8"))


def read_labels(name: str, text: str) -> Labels:
    """Read a file. An error names the line and the field."""
    found: list[_Line] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.strip():
            found.append(_read_line(number, line))
    if not found:
        raise InvalidInput("file", "it has no lines", "give one JSON object per line")
    return Labels(
        name,
        tuple(one for one in found if isinstance(one, Conversation)),
        tuple(one for one in found if isinstance(one, Question)),
        tuple(one for one in found if isinstance(one, Injection)),
        tuple(one for one in found if isinstance(one, Deletion)),
    )


def _read_line(number: int, line: str) -> _Line:
    try:
        document: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput("file", f"line {number} is not JSON", "write one JSON object per line") from None
    kinds = [name for name in _KINDS if isinstance(document, dict) and name in document]
    if len(kinds) != 1:
        remedy = f"give each line one of {', '.join(_KINDS)}"
        raise InvalidInput("file", f"line {number} is not a conversation, question, injection or deletion", remedy)
    try:
        return msgspec.convert({**document, "line": number}, _KINDS[kinds[0]])
    except msgspec.ValidationError as error:
        raise InvalidInput(
            "file", f"line {number}: {error}", "docs/reference/evaluation.md describes the fields"
        ) from None


def contains(text: str, words: Iterable[str]) -> bool:
    """Whether a text contains all of the words, whatever their case and accents; of `a|b` one is enough."""
    folded = fold(text)
    return all(any(fold(form) in folded for form in word.split("|")) for word in words)


def fold(text: str) -> str:
    return " ".join(without_accents(text).split())
