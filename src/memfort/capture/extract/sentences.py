"""Cut a message into sentences, and set apart what is not the speaker's own prose: code, quoted lines, pasted text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.fold import fold

MAX_CHARS = 20_000  # of a message that are read; a longer one is a pasted document


class Sentence(Struct, frozen=True):
    text: str  # verbatim
    folded: str  # just as long
    start: int = 0  # its place in the message
    kind: str = ""  # `code` or `quotation`, if it is not the speaker's own prose

    @property
    def is_question(self) -> bool:
        return self.folded.rstrip(" \"')*_").endswith("?")


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a message, in order."""
    seen = text[:MAX_CHARS]
    found = []
    for start, end, kind in _blocks(seen):
        if kind:
            found.append(_sentence(seen, start, end, kind))
        else:
            found.extend(_sentence(seen, first, last) for first, last in _sentence_spans(seen, start, end))
    return [one for one in found if one.text]


def _sentence(text: str, start: int, end: int, kind: str = "") -> Sentence:
    words = text[start:end].strip()
    first = end - len(text[start:end].lstrip())
    return Sentence(words, fold(words), first, kind)


def split_sentence(one: Sentence, place: int) -> tuple[Sentence, Sentence]:
    """A sentence as two, the second from this place on."""
    first = one.text[:place].rstrip(" ,;.-，；")
    second = one.text[place:]
    return Sentence(first, fold(first), one.start), Sentence(second, fold(second), one.start + place)


def join_sentences(text: str, one: Sentence, other: Sentence) -> Sentence:
    """Two sentences that follow each other, as one."""
    words = text[one.start : other.start + len(other.text)]
    return Sentence(words, fold(words), one.start)


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """Stretches of the text, with the kind of those that are no prose of the speaker's."""
    start = 0
    if "```" in text:
        for found in _fence().finditer(text):
            yield from _line_blocks(text, start, found.start())
            yield found.start(), found.end(), "code"
            start = found.end()
    yield from _line_blocks(text, start, len(text))


def _line_blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    for found in _line().finditer(text[start:end]):
        first, last = start + found.start(), start + found.end()
        words = found.group().lstrip()
        if words.startswith(">"):
            yield first, last, "quotation"
        elif _code_line().search(found.group()):
            yield first, last, "code"
        else:
            yield from _quoted_blocks(text, first, last)


def _quoted_blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """A line, with the sentences set apart in which somebody else's words stand in quotation marks."""
    line, first = text[start:end], 0
    for found in _quoted().finditer(line):
        if (
            found.group().strip(_MARKS).count(" ") < _WORDS_OF_A_QUOTATION
            and len(found.group().encode()) < _BYTES_OF_A_QUOTATION
        ):
            continue  # a title, or a word that is talked about
        spans = list(_sentence_spans(line, first, found.start()))
        begin = spans[-1][0] if spans and not _ends_sentence(line[: found.start()]) else found.start()
        if begin > first:
            yield start + first, start + begin, ""
        yield start + begin, start + found.end(), "quotation"
        first = found.end()
    if first < len(line):
        yield start + first, end, ""


def _ends_sentence(text: str) -> bool:
    return text.rstrip().endswith((".", "!", "?", "。", "！", "？"))


_MARKS = ' "“”„«»「」『』.!?,。'
_WORDS_OF_A_QUOTATION = 3  # and more: spaces between them
_BYTES_OF_A_QUOTATION = 40  # in a script without spaces


def _sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each sentence of a line begins and ends."""
    line = text[start:end]
    first = 0
    for found in _sentence_end().finditer(line):
        if not _is_end(line, found.start(), found.end()):
            continue
        yield start + first, start + found.end()
        first = found.end()
    if first < len(line):
        yield start + first, end


def _is_end(line: str, at: int, after: int) -> bool:
    """Whether a mark ends a sentence: not the dot of "Dr. Jones", "3.5", "am 3. Mai", "J. Smith" or "www.x.org"."""
    mark = line[at]
    rest = line[after:].lstrip()
    if mark in "。！？；" or not rest:
        return True
    if not line[after : after + 1].isspace():
        return mark in "!?" and after - at > 1
    if mark != "." or after - at > 1:
        return True
    word = line[:at].rsplit(None, 1)[-1].lower() if line[:at].strip() else ""
    if word in _BEFORE_NUMBERS and rest[0].isdigit():
        return False
    if word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i"):
        return False
    is_ordinal = word.isdigit() and len(word) <= 2  # in German, and in lists
    return not is_ordinal or rest.split(None, 1)[0].lower().strip(",'’") in _SENTENCE_STARTS


# Words behind a number and a dot that begin a sentence: no ordinal stands before them.
_SENTENCE_STARTS = frozenset(
    (
        *("the", "i", "i'm", "we", "my", "he", "she", "it", "our", "they", "this", "that", "and", "but", "so"),
        *("der", "die", "ich", "wir", "er", "sie", "es", "und", "mein", "meine", "dann"),
        *("le", "la", "les", "je", "il", "elle", "on", "nous", "mon", "ma", "et", "c'est", "el", "los", "yo", "mi"),
    )
)
_BEFORE_NUMBERS = frozenset(("no", "nr", "nº", "p", "pp"))
_ABBREVIATIONS = frozenset(
    (
        *("dr", "mr", "mrs", "ms", "prof", "st", "vs", "e.g", "i.e", "z.b", "bzw", "ca", "approx", "sr"),
        *(
            "sra",
            "dra",
            "jr",
            "mme",
            "mlle",
            "av",
            "apt",
            "inc",
            "ltd",
            "u.s",
            "d.h",
            "p.ej",
            "ej",
            "tel",
            "a.m",
            "p.m",
        ),
    )
)


@cache
def _fence() -> Any:
    return re2.compile(r"```[\s\S]*?(?:```|$)")


@cache
def _quoted() -> Any:
    return re2.compile(r"[\"“„«「『][^\"“”„«»「」『』\n]{8,}[\"”“»」』]+[.!?,。]*")


@cache
def _line() -> Any:
    return re2.compile(r"[^\n]+")


@cache
def _code_line() -> Any:
    """A line of a program, of a log or of its output."""
    programs = (
        r"def |class \w+[(:]|import \w+$|from \w+ import |const |let \w+ =|var \w+ =|function \w*\(|public |private "
        r"|#include|SELECT .* FROM |INSERT INTO |UPDATE \w+ SET |CREATE TABLE |[{}\[\]();]+\s*$|\"\w+\": |</?\w+[^>]*>"
        r"|return [\w(\"'\[{]+.*;$|\w+\(.*\);?\s*$"
    )
    output = (
        r"Traceback |File \"|at \w+[.(]|\$ |>>> "
        r"|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL)\b[:\s\]]|\w+Error: |\w+Exception: "
        r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(?:ERROR|INFO|WARN|DEBUG)|npm |pip |git \w+ "
    )
    anywhere = r"[=({\[<>].*;\s*$|^\s*\S+;\s*$|\{\s*$|=> *[{(]|\w+ ?= ?\w+\(.*\)"
    return re2.compile(rf"^\s*(?:{programs}|{output})|{anywhere}")


@cache
def _sentence_end() -> Any:
    return re2.compile(r"[.!?…]+[\"')\]*_”»]*|[。！？；][\"”』」）)]*")
