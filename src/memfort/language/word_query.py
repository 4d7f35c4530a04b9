"""A query that chooses memories by their words: what is in quotation marks exactly as a phrase, identifiers whole, and
of everything else all content words, whatever their endings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from memfort.language.tokens import LETTER, Token, identifiers, readable, tokens
from memfort.language.words import content_words, is_piece, split_words, stem_word, stop_words_of_all

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_WORDS = re.compile(r"[^\W\d_]+")
_DOUBLE, _SINGLE = '"“”„‟＂', "'‘’‚‛"
_PAIRS = (("«", "»"), ("»", "«"), ("‹", "›"), ("›", "‹"), ("「", "」"), ("『", "』"), ("《", "》"), ("`", "`"))
_QUOTED = re.compile(
    rf"(?<!{LETTER})[{_DOUBLE}](?P<double>[^{_DOUBLE}]*)[{_DOUBLE}]"
    rf"|(?<!{LETTER})[{_SINGLE}](?=\S)(?P<single>[^{_DOUBLE}]+?)(?<=\S)[{_SINGLE}](?!{LETTER})|"
    + "|".join(f"{first}(?P<pair{number}>[^{first}{last}]*){last}" for number, (first, last) in enumerate(_PAIRS))
)
_OPENING = re.compile(rf"(?<!{LETTER})[{_DOUBLE}]|[«»‹›「」『』]")


class WordQuery(Struct, frozen=True):
    """The parts of a query. A text has to have all of them."""

    phrases: tuple[str, ...]  # as they are written, but for case and spaces
    compounds: tuple[str, ...]  # words joined by hyphens, which people write apart too
    identifiers: frozenset[str]
    stems: frozenset[str]
    runs: tuple[str, ...]  # of Chinese signs, which show no words: what stands together has to stand so in a text
    is_idle: bool  # it has nothing but words that every text of some language has
    is_unclosed: bool  # a quotation mark opens and does not close

    @property
    def is_empty(self) -> bool:
        return not (self.phrases or self.compounds or self.identifiers or self.stems or self.runs)

    def is_said_in(self, text: str) -> bool:
        """Whether a text has all of it. No text has an empty query."""
        if self.is_empty or not self.stems <= stems_of(text) or not all(run in text for run in self.runs):
            return False
        if self.identifiers and not self.identifiers <= identifiers(text):
            return False
        return not (self.phrases or self.compounds) or self._has_phrases(readable(text))

    def _has_phrases(self, text: str) -> bool:
        inside = {place for one in tokens(text) for place in range(one.start + 1, one.end)}
        line = text.replace("\n", " ")
        return all(_has_phrase(line, one, inside) for one in self.phrases) and all(
            _has_phrase(line.replace("-", " "), one, inside) for one in self.compounds
        )


@lru_cache(maxsize=64)
def parse_word_query(query: str) -> WordQuery:
    """The parts of a query, in any quotation marks that people use."""
    quoted = [readable(match[match.lastgroup or 0]) for match in _QUOTED.finditer(query)]
    phrases = [one.replace("\n", " ") for one in quoted if any(sign.isalnum() for sign in one)]
    names = {one: whole for one in phrases if (whole := _as_identifier(one)) is not None}
    rest = _QUOTED.sub(" ; ", query)
    wholes = [one for one in tokens(readable(rest)) if one.is_identifier or one.is_compound]
    stems = _stems_outside(rest, wholes)
    return WordQuery(
        phrases=tuple(one for one in phrases if one not in names),
        compounds=tuple(one.text.replace("-", " ") for one in wholes if one.is_compound),
        identifiers=frozenset([*names.values(), *(one.text for one in wholes if one.is_identifier)]),
        stems=frozenset(one for one in stems if not _HAN.search(one)),
        runs=tuple(_HAN.findall(rest)),
        is_idle=not phrases and not wholes and all(_is_idle(word) for word in _WORDS.findall(rest)),
        is_unclosed=_OPENING.search(rest) is not None,
    )


def stems_of(text: str) -> frozenset[str]:
    """The stems of the content words of a text."""
    return frozenset(stem_word(word) for word in content_words(text))


def stems_and_identifiers(text: str) -> frozenset[str]:
    """What a text says, with an identifier as one word: the words inside of it mean nothing by themselves."""
    named = [one for one in tokens(readable(text)) if one.is_identifier]
    return _stems_outside(text, named) | {one.text for one in named}


def _as_identifier(phrase: str) -> str | None:
    """The identifier that a phrase is, if it is one: quotation marks add nothing to it."""
    found = tokens(phrase)
    is_one = len(found) == 1 and found[0].is_identifier and not phrase[: found[0].start] + phrase[found[0].end :]
    return found[0].text if is_one else None


def _stems_outside(text: str, wholes: Sequence[Token]) -> frozenset[str]:
    if not wholes:
        return stems_of(text)
    plain, rest, at = readable(text), [], 0
    for one in wholes:
        rest.append(plain[at : one.start])
        at = one.end
    words = set(split_words(" ".join([*rest, plain[at:]])))
    return frozenset(stem_word(word) for word in content_words(text) if word in words)


def _has_phrase(text: str, phrase: str, inside: set[int]) -> bool:
    """Whether a text has the phrase, and neither end of it inside a word or an identifier."""
    start = text.find(phrase)
    while start >= 0 and (start in inside or start + len(phrase) in inside):
        start = text.find(phrase, start + 1)
    return start >= 0


def _is_idle(word: str) -> bool:
    """Whether every text of some language has the word. With a capital it may be a name: Kim, Ben, Uma."""
    if word.islower() and word in stop_words_of_all():
        return True
    return all(is_piece(sign) and sign in stop_words_of_all() for sign in word)
