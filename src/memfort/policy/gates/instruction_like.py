"""Whether a text gives orders to a model, or passes for a part of a prompt: "ignore previous instructions", a line that
begins with "System:", special tokens, tool calls.

A memory is data, and a context renders it as such. But what comes from a tool, a file or a model was written by others,
so what reads like an order waits for a person to look at it. What people say themselves is never held back.

The text is read in the folded views of the secrets gate, so that invisible, full-width and look-alike characters hide
nothing. Prose about such texts is none: a quotation in a sentence that speaks of attacks, examples or papers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import re2
from msgspec import Struct

from memfort.folding import compose_compatible
from memfort.language.language import Language, english, languages, shared
from memfort.language.normalise import compile_set
from memfort.policy.secrets.fold import decode_tags, fold
from memfort.policy.secrets.views import base64_runs, escape, html, percent

_MAX_CHARS = 20_000  # of a text: beyond, its beginning and its end are read
_AROUND_CHARS = 160  # before and behind, in which a sentence shows that it speaks about such texts
_HIDDEN_SIGNS = 6  # so many tag characters say something that nobody sees


def find_instructions(text: str) -> tuple[str, ...]:
    """The families of instructions that a text holds, in order; empty for ordinary text."""
    found: dict[str, None] = {}
    read = text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS // 2]}\n{text[-_MAX_CHARS // 2 :]}"
    if sum("\U000e0020" <= sign <= "\U000e007e" for sign in read) >= _HIDDEN_SIGNS and not _is_flag(read):
        found["hidden_text"] = None
    for view in dict.fromkeys(_views(read)):
        found.update(dict.fromkeys(_families(view)))
    return tuple(sorted(found))


def _is_flag(text: str) -> bool:
    """Whether tag characters stand only where they belong: in the flags of parts of a country."""
    return "\U0001f3f4" in text and len(decode_tags(text)) == len(text) and text.count("\U000e007f") > 0


def _views(text: str) -> Iterator[str]:
    """The readings of a text, in lower case and with single spaces."""
    yield _plain(compose_compatible(text))
    if not text.isascii():
        yield _plain(fold(text))
        yield _plain(fold(decode_tags(text)))
    for decoded in (percent(text), html(text), escape(text), base64_runs(text)):
        if decoded and decoded != text:
            yield _plain(fold(decoded))
    if (joined := _SPACED.sub(_without_spaces, text)) != text:
        yield _plain(fold(joined))
    yield _plain(fold(text[::-1]))
    if _LEET.search(text):
        yield _plain(fold(text).translate(_LETTERS))


def _plain(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.lower().split("\n"))


_SPACED = re2.compile(r"(?:\b\w\b[ .\-*]{1,3}){8,}\w\b")  # i g n o r e


_LEET = re2.compile(r"(?i)[a-z][013457@$][a-z]")
_LETTERS = str.maketrans("013457@$", "oieastas")


def _without_spaces(found: Any) -> str:
    is_dotted = any(sign in found[0] for sign in ".-*")
    words = found[0].split(" " if is_dotted else "  ")
    return " ".join("".join(sign for sign in word if sign.isalnum()) for word in words)


def _families(view: str) -> Iterator[str]:
    for form in _forms().found_in(view):
        for match in form.pattern.finditer(view):
            if form.is_order and not _begins_an_order(view, match.start()):
                continue
            if not _is_spoken_about(view, match.start(), match.end(), form.family):
                yield form.family
                break


def _begins_an_order(view: str, begin: int) -> bool:
    before = view[max(begin - _AROUND_CHARS, 0) : begin]
    return begin == 0 or _before_orders().search(before) is not None


def _is_spoken_about(view: str, begin: int, end: int, family: str) -> bool:
    """Whether a sentence names such a text instead of giving it: it stands in quotation marks, or behind a word such as
    "like", and the sentence speaks of attacks, examples or papers."""
    before, behind = view[max(begin - _AROUND_CHARS, 0) : begin], view[end : end + _AROUND_CHARS]
    around = f"{_SENTENCE_END.split(before)[-1]} {_SENTENCE_END.split(behind)[0]}"
    if family == "token" and _about_tokens().search(around) is not None:
        return True
    if _about().search(around) is None:
        return False
    return _is_quoted(before, behind) or _naming().search(before) is not None


_SENTENCE_END = re2.compile(r"[.!?]\s|\n|。")
_QUOTES = "\"'`“”„«»「」『』‘’‹›"


def _is_quoted(before: str, behind: str) -> bool:
    """Whether a quotation opens before and closes behind, in the same line."""
    opened, closed = before.rpartition("\n")[2], behind.partition("\n")[0]
    opening = [sign for sign in opened[-60:] if sign in _QUOTES]
    return bool(opening) and any(sign in closed for sign in _QUOTES)


class _Form(Struct, frozen=True):
    family: str
    pattern: Any
    is_order: bool  # it counts only where an order can begin


class _Forms(Struct, frozen=True):
    forms: tuple[_Form, ...]
    together: Any

    def found_in(self, view: str) -> list[_Form]:
        """The forms that are somewhere in a view: all are searched for at once."""
        return [self.forms[place] for place in sorted(self.together.Match(view) or ())]


def _sources() -> tuple[Language, ...]:
    return (shared(), *(one for one in languages() if one.orders.order or one.orders.anywhere))


@cache
def _forms() -> _Forms:
    written = [
        (rule.name, form if language.scripts or language is shared() else rf"\b(?:{form})", is_order)
        for language in _sources()
        for is_order, rules in ((True, language.orders.order), (False, language.orders.anywhere))
        for rule in rules
        for form in rule.forms
    ]
    forms = tuple(_Form(family, re2.compile(form), is_order) for family, form, is_order in written)
    return _Forms(forms, compile_set([form for _, form, _ in written]))


@cache
def _before_orders() -> Any:
    words = "|".join(one.orders.before_orders for one in _sources())
    return re2.compile(rf"(?:[^\w\s]\s*|\n\s*|\b(?:{words})\s+)$")


@cache
def _about() -> Any:
    spaced = "|".join(one.orders.about for one in _sources() if not one.scripts)
    unspaced = "|".join(one.orders.about for one in _sources() if one.scripts)
    return re2.compile(rf"\b(?:{spaced})\b|{unspaced}")


@cache
def _about_tokens() -> Any:
    return re2.compile(rf"\b(?:{english().orders.about_tokens})\b")


@cache
def _naming() -> Any:
    spaced = "|".join(one.orders.naming for one in _sources() if not one.scripts)
    unspaced = "|".join(one.orders.naming for one in _sources() if one.scripts)
    return re2.compile(rf"(?:\b(?:{spaced})|{unspaced})[\s:,{_QUOTES}]*$")
