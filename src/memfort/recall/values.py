"""Finds the values that a text states, and the words they are stated of, as a few bits above its traits in the index.

"My rent is 900 euros" states a value of the rent, and so does "they want 950 in rent": of two statements of different
values of the same thing, the later one may be newer. A value that is asked, supposed, wished or past is not stated:
"would the rent be 950?".

Words and values are hashed to few bits, so two may share one. A bit alone never identifies a word: the caller knows
from the index that the text has it. And from two values with the same bit nothing is concluded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from zlib import crc32

from msgspec import Struct

from memfort.bounded_cache import BoundedCache
from memfort.language.language import english
from memfort.language.normalise import plain
from memfort.language.words import is_content_word, split_words, stem_word

_FIRST_BIT = 20  # above the traits and what `recall/packed_weight.py` keeps there
_WORD_BITS, _VALUE_BITS = 20, 19
WORDS_MASK = ((1 << _WORD_BITS) - 1) << _FIRST_BIT
VALUES_MASK = ((1 << _VALUE_BITS) - 1) << _FIRST_BIT + _WORD_BITS
_NEARBY_CONTENT_WORDS = 3  # on either side of a value, that it is stated of
_NEARBY_WORDS = 8  # of any kind
_MAX_DIGITS = 12  # the last digits of a number, which distinguish it
_WORDS_BEFORE = 4  # so near before a value, "would" and "was" are said of it


class StatedValues(Struct, frozen=True):
    bits: int = 0  # of the values and of the words beside them
    has_unstated: bool = False  # there are values that are asked, supposed, wished or past


NO_VALUES = StatedValues()


def find_values(body: str) -> StatedValues:
    bits, has_unstated = 0, False
    for words, is_asked in _clauses(plain(body)):
        doubt, start = is_asked, 0
        for first, last in _value_spans(words):
            doubt = doubt or _is_doubt(words[start:first])
            start = last + 1
            if beside := _nearby_word_bits(words, first, last):
                is_stated = not doubt and _is_present(words[max(0, first - _WORDS_BEFORE) : first])
                bits |= (beside | _value_bit(words[first : last + 1])) if is_stated else 0
                has_unstated = has_unstated or not is_stated
    return StatedValues(bits, has_unstated)


def word_bit(term: str) -> int:
    """The bit of an English stem."""
    return 1 << _FIRST_BIT + crc32(term.encode()) % _WORD_BITS


def _value_bit(words: Sequence[str]) -> int:
    """Numbers are hashed by their remainder, so that two which are near each other never share a bit."""
    value = "".join(word for word in words if word not in english().values.links)
    number = int(value[-_MAX_DIGITS:]) if value.isdigit() else crc32(value.encode())
    return 1 << _FIRST_BIT + _WORD_BITS + number % _VALUE_BITS


def _value_spans(words: Sequence[str]) -> list[tuple[int, int]]:
    """The first and last word of each value: "Friday at 9" is one."""
    found: list[tuple[int, int]] = []
    known = english().values
    for place, word in enumerate(words):
        if word[0].isdigit() or word in known.values:
            if found and all(link in known.links for link in words[found[-1][1] + 1 : place]):
                found[-1] = (found[-1][0], place)
            else:
                found.append((place, place))
    return found


def _is_doubt(words: Sequence[str]) -> bool:
    return not english().values.doubts.isdisjoint(words) or any(pair in _wishes() for pair in pairwise(words))


def _clauses(seen: str) -> Iterator[tuple[list[str], bool]]:
    """The words between one comma and the next, and whether the sentence is a question."""
    for sentence in _ENDS.split(seen):
        clauses = _COMMAS.split(sentence)
        words = split_words(clauses[0])
        is_asked = bool(words) and words[0] in english().values.question_verbs and sentence.rstrip().endswith("?")
        yield words, is_asked
        for clause in clauses[1:]:
            yield split_words(clause), is_asked


def _is_present(before: Sequence[str]) -> bool:
    """Whether a value holds by the few words before it: neither "would be" nor "was", unless it "was raised to"."""
    known = english().values
    if not known.unsure.isdisjoint(before):
        return False
    past = [place for place, word in enumerate(before) if word in known.past]
    return not past or (past[-1] + 1 < len(before) and _is_passive(before[past[-1] + 1]))


def _is_passive(word: str) -> bool:
    return word.endswith(english().values.done_endings) or word in english().values.done


def _nearby_word_bits(words: Sequence[str], first: int, last: int) -> int:
    after, before = words[last + 1 : last + 1 + _NEARBY_WORDS], words[max(0, first - _NEARBY_WORDS) : first][::-1]
    return _join_word_bits(after) | _join_word_bits(before)


def _join_word_bits(words: Sequence[str]) -> int:
    """The bits of the first few content words."""
    bits = found = 0
    for word in words:
        if bit := _CONTENT_BITS[word]:
            bits |= bit
            found += 1
            if found == _NEARBY_CONTENT_WORDS:
                break
    return bits


def _content_bit(word: str) -> int:
    return word_bit(stem_word(word)) if not word[0].isdigit() and is_content_word(word) else 0


_CONTENT_BITS = BoundedCache(_content_bit, 65_536)
_ENDS = re.compile(r"[!;|\n]+|\.(?=\s|$)|(?<=\?)|(?<![-=])[-=]++>")
_COMMAS = re.compile(r",(?![0-9])")


@cache
def _wishes() -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in english().values.wishes)
