"""Which languages with sensitivity data a text may be in: the gate before any judgement of its words.

A script of its own decides at once. Among the languages in Latin letters the commonest words vote, and letters that few
of them have. A text is turned away only if a language without data has clearly more votes, or if a longer text has no
word that any language with data knows: short statements and names show no language, and are let in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import repeat
from string import ascii_lowercase
from struct import Struct

from memfort.language.detect import script_of
from memfort.language.language import Language, language, languages, shared
from memfort.language.reading import folded, is_east_asian

_CHINESE, _JAPANESE = "chinese", "japanese"
_KANA = re.compile("[\u3040-\u30ff]")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile("[a-z]+")
_LETTERS_ALONE = bytes(code if chr(code) in ascii_lowercase else ord(" ") for code in range(256))  # as `_WORD` finds
_MARKED_LETTERS = re.compile("[¡¿À-ỿ]")
_BITS = 16  # of each counter
_FEWEST_VOTES = 1  # more than any language with data has, for a text to be in another
_SHORT = 4  # characters
_SHOWING_WORDS = 6  # in a text of so many, one at least is a common word of its language


def possible_languages(text: str, reading: str) -> tuple[str, ...] | None:
    """The names of the languages with sensitivity data that `text` may be in, by it and its folded reading. None: it
    is in a language without such data."""
    if not reading.isascii() and _EAST_ASIAN.search(reading):
        return (_JAPANESE,) if _KANA.search(reading) else (_CHINESE, _JAPANESE)
    if not text.isascii() and _is_in_another_script(text):
        return None
    words = _words(reading)
    known, others = _votes(words, text)
    most, most_of_others = max(known), max(others)
    is_word = len(words) > 1 or len(reading) > _SHORT  # "ok" is a word of everybody
    if (is_word and most_of_others >= most + _FEWEST_VOTES) or (most == 0 and len(words) >= _SHOWING_WORDS):
        return None
    names = latin_names()
    if most == 0:
        return names
    return tuple(name for name, count in zip(names, known, strict=True) if count == most or name == names[0])


def _words(reading: str) -> list[str]:
    return reading.encode().translate(_LETTERS_ALONE).decode().split() if reading.isascii() else _WORD.findall(reading)


def _is_in_another_script(text: str) -> bool:
    """Whether most letters are neither Latin nor Chinese nor Japanese."""
    letters = [one for one in text if one.isalpha()]
    foreign = sum(1 for one in letters if ord(one) > 0x24F and not _is_latin_or_east_asian(one))
    return foreign * 2 > len(letters)


def _is_latin_or_east_asian(letter: str) -> bool:
    if is_east_asian(letter):
        return True
    return script_of(letter) is None and ("\u1e00" <= letter <= "\u1eff" or folded(letter) not in ("_", ""))


@cache
def latin_names() -> tuple[str, ...]:
    """The languages in Latin letters with sensitivity data, English first."""
    return tuple(one.name for one in languages() if one.sensitivity.rule and not one.scripts)


def _votes(words: Sequence[str], text: str) -> tuple[Sequence[int], Sequence[int]]:
    table = _word_votes()
    total = sum(map(table.get, words, repeat(0)))
    if not text.isascii():
        letters = _letter_votes()
        total += sum([letters[one] for one in set(_MARKED_LETTERS.findall(text.lower())) if one in letters])
    if not total:
        return _NO_VOTES
    counts = _counters().unpack(total.to_bytes(_counters().size, "little"))
    border = len(latin_names())
    return counts[:border], counts[border:]


_NO_VOTES = ((0,), (0,))


@cache
def _counters() -> Struct:
    return Struct(f"<{len(_voters())}H")


@cache
def _voters() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """The words and letters of every language, those with sensitivity data first."""
    known = [language(name) for name in latin_names()]
    others = [one for one in languages() if not one.scripts and one not in known]
    unknown = shared().other_languages
    folders = [(_words_of(one), frozenset(one.file.letters)) for one in (*known, *others)]
    rest = [(frozenset(words), frozenset(unknown.letters.get(name, ()))) for name, words in unknown.words.items()]
    return (*folders, *rest)


def _words_of(one: Language) -> frozenset[str]:
    """A language's commonest words; what is harmless in it shows it too."""
    return frozenset({*one.stop_words, *one.sensitivity.harmless_words, *shared().common_words.words.get(one.name, ())})


@cache
def _word_votes() -> dict[str, int]:
    """Each word with one vote for every language that has it: all counts in one number."""
    found: dict[str, int] = {}
    for place, (words, _) in enumerate(_voters()):
        for word in words:
            if len(word) > 1:  # a letter alone may be anything
                found[word] = found.get(word, 0) + (1 << _BITS * place)
    return found


@cache
def _letter_votes() -> dict[str, int]:
    """Each letter that English does not have, with two votes for every language that has it."""
    found: dict[str, int] = {}
    for place, (_, letters) in enumerate(_voters()):
        for letter in letters:
            found[letter] = found.get(letter, 0) + (2 << _BITS * place)
    return found
