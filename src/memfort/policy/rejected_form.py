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
from memfort.language.tokens import tokens
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


def forms_to_check(
    kind: Kind, key: str | None, text: str, words: str, *, keeps_identifiers: bool = False
) -> tuple[str, ...]:
    """Every form of a statement that may have been rejected: the whole, in each reading, and each part of it, since
    words around a rejected value do not make it another one. A profile fact is checked with its key and without.
    `words` is the text in normal form. With `keeps_identifiers` no part ends inside an identifier: who said "I use
    node.js" has not said "I use node"."""
    if (
        kind is not Kind.PROFILE and _is_plain(text) and _PART_MARK.search(text, 0, len(text) - 1) is None
    ):  # as most statements
        return (_join(words),)
    forms = [rejected_form(kind, key, text)] if kind is Kind.PROFILE else []
    for reading in _readings(text):
        inside = _places_inside_identifiers(reading) if keeps_identifiers else frozenset[int]()
        forms += [_compact(reading), *map(_compact, _parts(reading, inside))]
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


def _parts(text: str, inside: frozenset[int]) -> list[str]:
    """The sentences, whole and in the parts around a colon, and what stands after one: a tool's answer is kept with the
    tool's name before it. No mark at a place `inside` an identifier counts."""
    sentences = _split(_SENTENCE_END, text, inside)
    if len(sentences) <= 1:
        return []
    if ":" not in text and ";" not in text:
        return sentences
    whole = _split(_WHOLE_SENTENCE_END, text, inside)
    colons = islice((at for at, one in enumerate(text) if one == ":" and at not in inside), _MAX_COLONS)
    return [*sentences, *whole, *(text[at + 1 :] for at in colons)]


def _split(border: re.Pattern[str], text: str, inside: frozenset[int]) -> list[str]:
    """The parts between the borders, a mark before which stays with its part."""
    parts, start = [], 0
    for match in border.finditer(text):
        mark = match.start() if match.group().strip() else match.start() - 1
        if mark not in inside:
            parts.append(text[start : match.start()])
            start = match.end()
    return [part for part in (*parts, text[start:]) if part.strip()]


def _places_inside_identifiers(text: str) -> frozenset[int]:
    """The places between the ends of an identifier. Two sentences without a space between them are none:
    "node.It is fast"."""
    lower = text.lower()
    if len(lower) != len(text):  # the places would be others
        return frozenset()
    found = (one for one in tokens(lower) if one.is_identifier and not _is_sentences(text[one.start : one.end]))
    return frozenset(place for one in found for place in range(one.start + 1, one.end - 1))


def _is_sentences(written: str) -> bool:
    first, *others = written.split(".")
    return first.isalpha() and bool(others) and all(one.isalpha() and one.istitle() for one in others)


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
