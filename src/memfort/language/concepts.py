"""What a statement is about, as one term for many words: "my line manager is Anneke" is about a boss, and "Who is my
boss?" asks for one.

A statement has the terms of its concepts in the index, and a word of a query is found by the terms of its concepts too.
`concepts.txt` of each language says which words belong to a concept. Members of it do so in a statement only: a
marathon is a sport, but a question for football is not answered by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.detect import possible_languages
from memfort.language.fold import fold
from memfort.language.language import ENGLISH, Language, languages
from memfort.language.normalise import compile_set

CONCEPT = "≈"  # before the name of a concept
_MAX_CHARS = 400  # longer texts are about many things
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W_]+")


def concept_terms(text: str) -> list[str]:
    """The terms of the concepts that a statement is about."""
    if len(text) > _MAX_CHARS:
        return []
    folded = fold(text)
    for one in _spoken(folded):  # where its language does not show, the first that knows its words
        if found := {term_of(name) for name in one.in_text(folded, text)}:
            return sorted(found)
    return []


def concepts_by_word(query: str) -> dict[str, tuple[str, ...]]:
    """The words of a query that stand for a concept, folded, each with the terms of its concepts."""
    if len(query) > _MAX_CHARS:
        return {}
    folded, found = fold(query), dict[str, dict[str, None]]()
    for one in _spoken(folded):
        for name, written in one.phrases(folded):
            for word in _WORD.findall(written):
                found.setdefault(word, {})[term_of(name)] = None
    return {word: tuple(terms) for word, terms in found.items()}


def term_of(name: str) -> str:
    """The term of a concept in the index."""
    return f"{CONCEPT}{name}"


class _Concepts(Struct, frozen=True):
    """The concepts of one language, searched for together."""

    names: tuple[str, ...]
    together: Any  # with the members of each
    asked: tuple[Any, ...]  # without them
    introduction: Any

    def in_text(self, folded: str, text: str) -> Iterable[str]:
        found = [self.names[place] for place in self.together.Match(folded) or ()]
        return [*found, "name"] if self.introduction.match(text) else found

    def phrases(self, folded: str) -> Iterable[tuple[str, str]]:
        """The name of each concept with the words that stand for it."""
        for place in sorted(self.together.Match(folded) or ()):
            for match in self.asked[place].finditer(folded):
                yield self.names[place], match.group()


@cache
def _concepts(language: Language) -> _Concepts:
    file, border = language.concepts, "" if language.scripts else r"\b"

    def pattern(phrases: Iterable[str]) -> str:
        return rf"{border}(?:{'|'.join(map(_form, phrases))}){border}"

    stated = [pattern((*phrases, *file.members.get(name, ()))) for name, phrases in file.concepts.items()]
    return _Concepts(
        tuple(file.concepts),
        compile_set(stated),
        tuple(re2.compile(pattern(phrases)) for phrases in file.concepts.values()),
        re2.compile(file.introductions),
    )


def _form(phrase: str) -> str:
    return fold(phrase).replace("*", r"[a-z]*")


@cache
def _known() -> dict[str, Language]:
    """The languages that have concepts, by their names, English first."""
    found = {one.name: one for one in languages() if one.concepts.concepts}
    return {ENGLISH: found.pop(ENGLISH), **found}


def _spoken(folded: str) -> list[_Concepts]:
    """The concepts of the languages that a text may be in; where that does not show, those of all with its letters."""
    if not folded.isascii() and _HAN.search(folded):
        return [_concepts(one) for one in _known().values() if one.scripts]
    possible = possible_languages(_WORD.findall(folded), folded)
    return [
        _concepts(one) for name, one in _known().items() if not one.scripts and (possible is None or name in possible)
    ]
