"""What a text tells a value of: the words beside its numbers and days, and these, as a few bits above its traits.

"My rent is 900 euros" tells a value of the rent, and so does "they want 950 in rent": of two that tell another value of
the same, one may be the news of the other. What is asked, supposed or wished, or was so once, tells nothing: "would the
rent be 950?".

Each word and each value is one of few bits, so two may have the same. A word is never known by its bit alone: whoever
looks for it beside a value knows that the text has it. And of two values with the same bit nothing is concluded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

from memfort.capture.wording import plain
from memfort.model.kept import Kept
from memfort.recall.words import is_telling, stem_of, words_of

_FIRST = 24  # the bit where they begin, above the traits and what `recall/weight.py` keeps there
_WORD_BITS, _VALUE_BITS = 20, 19
TOLD_WORDS = ((1 << _WORD_BITS) - 1) << _FIRST
TOLD_VALUES = ((1 << _VALUE_BITS) - 1) << _FIRST + _WORD_BITS
_BESIDE = 3  # telling words on either side of a value belong to it
_FARTHEST = 8  # words of any kind
_DIGITS = 12  # the last so many of a number tell it apart
_SHORTLY = 4  # words: so near before a value, "would" and "was" are said of it


class Told(NamedTuple):
    bits: int  # values and the words beside them, in their places above the traits
    is_open: bool  # there are values that are asked, supposed or wished


NOTHING = Told(0, is_open=False)


def told_in(body: str) -> Told:
    """What a text tells values of."""
    bits, is_open = 0, False
    for words, is_asked in _clauses(plain(body)):
        doubt, start = is_asked, 0
        for first, last in _values(words):
            doubt = doubt or _is_doubt(words[start:first])
            start = last + 1
            if beside := _beside(words, first, last):
                holds = not doubt and _holds(words[max(0, first - _SHORTLY) : first])
                bits |= (beside | _value_bit(words[first : last + 1])) if holds else 0
                is_open = is_open or not holds
    return Told(bits, is_open)


def bit_of(term: str) -> int:
    """The bit of an English stem, in its place."""
    return 1 << _FIRST + crc32(term.encode()) % _WORD_BITS


def _value_bit(words: Sequence[str]) -> int:
    """Of numbers the remainder, so that those which are near each other never have the same."""
    value = "".join(word for word in words if word not in _LINKS)
    number = int(value[-_DIGITS:]) if value.isdigit() else crc32(value.encode())
    return 1 << _FIRST + _WORD_BITS + number % _VALUE_BITS


def _values(words: Sequence[str]) -> list[tuple[int, int]]:
    """Where values begin and end: "Friday at 9" is one."""
    found: list[tuple[int, int]] = []
    for place, word in enumerate(words):
        if word[0].isdigit() or word in _VALUES:
            if found and all(link in _LINKS for link in words[found[-1][1] + 1 : place]):
                found[-1] = (found[-1][0], place)
            else:
                found.append((place, place))
    return found


def _is_doubt(words: Sequence[str]) -> bool:
    return not _DOUBTS.isdisjoint(words) or any(pair in _WISHES for pair in pairwise(words))


def _clauses(seen: str) -> Iterator[tuple[list[str], bool]]:
    """The words between one comma and the next, and whether they are asked."""
    for sentence in _ENDS.split(seen):
        clauses = _COMMAS.split(sentence)
        words = words_of(clauses[0])
        is_asked = bool(words) and words[0] in _ASKING and sentence.rstrip().endswith("?")
        yield words, is_asked
        for clause in clauses[1:]:
            yield words_of(clause), is_asked


def _holds(before: Sequence[str]) -> bool:
    """Whether a value is so, by the few words before it: neither would be nor was, unless it "was raised to"."""
    if not _UNSURE.isdisjoint(before):
        return False
    past = [place for place, word in enumerate(before) if word in _PAST]
    return not past or (past[-1] + 1 < len(before) and _is_passive(before[past[-1] + 1]))


def _is_passive(word: str) -> bool:
    return word.endswith("ed") or word in _DONE


def _beside(words: Sequence[str], first: int, last: int) -> int:
    return _next(words[last + 1 : last + 1 + _FARTHEST]) | _next(words[max(0, first - _FARTHEST) : first][::-1])


def _next(words: Sequence[str]) -> int:
    bits = found = 0
    for word in words:
        if bit := _BIT[word]:
            bits |= bit
            found += 1
            if found == _BESIDE:
                break
    return bits


def _bit_of_word(word: str) -> int:
    return bit_of(stem_of(word)) if not word[0].isdigit() and is_telling(word) else 0


_BIT = Kept(_bit_of_word, 65_536)
_ENDS = re.compile(r"[!;|\n]+|\.(?=\s|$)|(?<=\?)|[-=]+>")
_COMMAS = re.compile(r",(?![0-9])")
_VALUES = frozenset((
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays", "wednesdays",
    "thursdays", "fridays", "saturdays", "sundays", "january", "february", "april", "june", "july", "august",
    "september", "october", "november", "december", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "dozen", "hundred", "thousand", "noon", "midnight", "tomorrow",
))  # fmt: skip
_LINKS = frozenset(("on", "at", "of", "the", "am", "pm"))
_ASKING = frozenset((
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "should", "would", "will", "isn", "aren",
    "wasn", "weren", "don", "doesn", "didn", "hasn", "haven", "shouldn", "wouldn",
))  # fmt: skip
# From these on, to the next comma, nothing is told as it is.
_DOUBTS = frozenset((
    "if", "suppose", "supposing", "imagine", "wish", "wished", "hope", "hoping", "unless", "dream", "dreams",
))  # fmt: skip
_WISHES = frozenset((("want", "to"), ("like", "to"), ("goal", "is"), ("plan", "is"), ("aim", "is")))
_UNSURE = frozenset(("would", "could", "might", "d"))  # "I'd" is read as two words
_PAST = frozenset(("was", "were", "used"))
_DONE = frozenset(("set", "cut", "put", "brought", "made", "given", "taken", "sold"))
