"""The form in which a statement is compared with the values that a reviewer rejected.

Texts that a reader takes for the same have the same form: without invisible characters, accents, case, punctuation and
spaces, in ASCII letters and digits where others only look like them, and decoded. It is for comparing only, and errs on
the side of keeping a rejected value out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from memfort.language.normal_form import normal_text
from memfort.model.item import Kind
from memfort.policy.secrets import views
from memfort.policy.secrets.fold import decode_tags, fold

_MAX_DEPTH = 3  # encodings inside encodings
_MAX_COLONS = 32  # names before a text that are looked behind
_LONG_RUN = 16  # characters without a space, the least that base64 and hexadecimal text is looked for in
_SEPARATORS = str.maketrans("", "", " <=>^`|~")
_SINGLE_PLUS = re.compile(r"(?<!\+)\+(?!\+)")
_SYMBOL = re.compile(r"[<=>^`|~+]")
_ENCODING_MARK = re.compile(r"[%&\\]")
_PART_MARK = re.compile(r"[.!?;:]")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*|[\n;:]+")
_WHOLE_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*|\n+")
_BACKWARDS = re.compile("[\u202e\u2067]([^\u202c\u2069]*)")


def rejected_form(kind: Kind, key: str | None, text: str) -> str:
    """The form under which a statement is rejected: a profile fact together with its key, anything else by its text."""
    return _form(f"{key} {text}" if kind is Kind.PROFILE and key is not None else text)


def forms_to_check(kind: Kind, key: str | None, text: str, words: str) -> tuple[str, ...]:
    """Every form of a statement that may have been rejected: the whole, in each reading, and each part of it, since
    words around a rejected value do not make it another one. A profile fact is checked with its key and without.
    `words` is the text in normal form."""
    if (
        kind is not Kind.PROFILE and _is_plain(text) and _PART_MARK.search(text, 0, len(text) - 1) is None
    ):  # as most statements
        return (_join(words),)
    forms = [rejected_form(kind, key, text)] if kind is Kind.PROFILE else []
    for reading in _readings(text):
        forms += [_compact(reading), *map(_compact, _parts(reading))]
    return tuple(dict.fromkeys(forms))


def ended_form(form: str) -> str:
    """The form under which a statement in this rejected form is known to have been forgotten or erased."""
    return f"ended\x00words\x00{form}"


def end_markers(subjects: Iterable[str]) -> list[str]:
    """The forms that say that all of a space has ended, or all about one of these persons in it."""
    return [END_OF_SPACE, *map(end_of_person, subjects)]


END_OF_SPACE = "ended\x00space"


def end_of_person(person: str) -> str:
    return f"ended\x00person\x00{person}"


def _form(text: str) -> str:
    return _compact(text if _is_plain(text) else _decode(text))


def _compact(text: str) -> str:
    return _join(normal_text(text))


def _join(words: str) -> str:
    """A normal form without spaces and the symbols that are set between letters. Others carry meaning, as in "C++"."""
    joined = words.replace(" ", "")
    if _SYMBOL.search(joined) is None:  # as most statements
        return joined
    return _SINGLE_PLUS.sub("", words).translate(_SEPARATORS)


def _is_plain(text: str) -> bool:
    """Whether decoding and folding change nothing."""
    return (
        text.isascii()
        and text.isprintable()
        and _ENCODING_MARK.search(text) is None
        and max(map(len, text.split()), default=0) < _LONG_RUN
    )


def _parts(text: str) -> list[str]:
    """The sentences, whole and in the parts around a colon, and what stands after one: a tool's answer is kept with the
    tool's name before it."""
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    if len(sentences) <= 1:
        return []
    if ":" not in text and ";" not in text:
        return sentences
    whole = [part for part in _WHOLE_SENTENCE_END.split(text) if part.strip()]
    colons = islice((at for at, character in enumerate(text) if character == ":"), _MAX_COLONS)
    return [*sentences, *whole, *(text[at + 1 :] for at in colons)]


def _readings(text: str) -> Iterator[str]:
    """The text as it reads, and with what only a model sees in it."""
    yield _decode(text)
    if not text.isascii():
        if (visible := decode_tags(text)) != text:
            yield _decode(visible)
        if (forwards := _BACKWARDS.sub(lambda run: run.group(1)[::-1], text)) != text:
            yield _decode(forwards)


def _decode(text: str) -> str:
    """The text, folded and decoded until nothing changes."""
    for _ in range(_MAX_DEPTH):
        before, text = text, fold(text)
        if "%" in text:
            text = views.percent(text)
        if "&" in text:
            text = views.html(text)
        if "\\" in text or "%u" in text:
            text = views.escape(text)
        if max(map(len, text.split()), default=0) >= _LONG_RUN:
            text = views.hex_runs(views.base64_runs(text))
        if text == before:
            break
    return fold(text)
