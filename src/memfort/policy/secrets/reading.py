"""Cut a text into words, and look up which part each plays around a secret: a password's name, a lock, a unit.

A text is cut once, and each word is looked up in one dictionary of all languages, so the work grows with the text and
not faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.files import SecretsFile
from memfort.policy.secrets.words import files, is_wide, normal, spaced

_ROLES = tuple(role for role in SecretsFile.__struct_fields__ if role != "endings")
_BESIDE_ONLY = frozenset(
    {"links", "being", "units", "references", "not_values", "before_amounts", "digits", "serving_as"}
)
_INTERNATIONAL = frozenset({"passwords", "short_passwords", "pins", "one_time_codes", "keys", "logins", "networks"})
_TAIL = 4
_PLURAL = 3  # letters that a word with a plural has at least
_Parts = tuple[tuple[str, frozenset[str]], ...]  # the parts that a word plays, each with the languages


class Lexicon(Struct, frozen=True):
    """The words of all languages, folded, with the parts that they play."""

    roles: Mapping[str, frozenset[str]]
    marked: Mapping[str, _Parts]  # the words that speak for a secret wherever they stand near it
    first_words: frozenset[str]  # of phrases
    first_pairs: frozenset[str]
    longest: int
    known: frozenset[str]  # words, their plurals and first words of phrases
    heads: Mapping[str, _Parts]  # that may be the end of a longer word
    tails: frozenset[str]  # the last letters of those
    head_lengths: tuple[int, ...]
    wide: Any  # finds the words of scripts without spaces
    wide_told: tuple[str, ...]
    wide_linked: tuple[str, ...]
    wide_units: tuple[str, ...]
    wide_references: tuple[str, ...]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    roles: dict[str, dict[str, set[str]]] = {}
    heads: set[str] = set()
    for code, file in files().items():
        for role in _ROLES:
            for word in getattr(file, role):
                low = normal(word.removeprefix("*"))
                name = low if is_wide(low) else spaced(low)
                if name:
                    is_everywhere = code == "shared" or (code == "en" and role in _INTERNATIONAL)
                    roles.setdefault(name, {}).setdefault(role, set()).update(files() if is_everywhere else {code})
                if word.startswith("*") or (role == "passwords" and len(name) >= 6 and name.isalpha()):
                    heads.add(name)
    marked = {word: _parts_of(found) for word, found in roles.items() if found.keys() - _BESIDE_ONLY}
    phrases = [word.split() for word in marked if " " in word]
    singles = [word for word in marked if " " not in word]
    wide = sorted(filter(is_wide, marked), key=lambda word: (-len(word), word))
    return Lexicon(
        roles={word: frozenset(found) for word, found in roles.items()},
        marked=marked,
        first_words=frozenset(phrase[0] for phrase in phrases),
        first_pairs=frozenset(" ".join(phrase[:2]) for phrase in phrases),
        longest=max(map(len, phrases)),
        known=frozenset((*singles, *(f"{word}s" for word in singles if len(word) > 2), *(it[0] for it in phrases))),
        heads={word: marked[word] for word in heads},
        tails=frozenset(word[-_TAIL:] for word in heads),
        head_lengths=tuple(sorted({len(word) for word in heads}, reverse=True)),
        wide=re2.compile("|".join(map(str, map(re2.escape, wide)))),
        wide_told=_wide(roles, "being"),
        wide_linked=_wide(roles, "links"),
        wide_units=_wide(roles, "units"),
        wide_references=_wide(roles, "references"),
    )


def _parts_of(found: Mapping[str, set[str]]) -> _Parts:
    return tuple((role, frozenset(codes)) for role, codes in found.items() if role not in _BESIDE_ONLY)


def _wide(roles: Mapping[str, Mapping[str, set[str]]], role: str) -> tuple[str, ...]:
    return tuple(word for word, found in roles.items() if role in found and is_wide(word)) or ("\0",)


class Mark(Struct, frozen=True):
    """A word that plays a part, and where it stands."""

    start: int
    end: int
    role: str
    word: str
    languages: frozenset[str]


class Reading(Struct, frozen=True):
    """A text cut into words."""

    raws: Sequence[str]
    keys: Sequence[str]
    sentences: Sequence[int]  # the number of the sentence, by word
    marks: Sequence[Mark]
    starts: Sequence[int]  # of the marks

    def roles_of(self, place: int) -> frozenset[str]:
        """The parts that the word at a place plays by itself."""
        return lexicon().roles.get(self.keys[place], _NONE) if 0 <= place < len(self.keys) else _NONE


_NONE: frozenset[str] = frozenset()


def read(text: str) -> Reading:
    raws = _cut(text)
    keys = [low if low.isalnum() else _key(low) for low in map(str.lower, raws)]
    sentences: list[int] = []
    number = 0
    for raw in raws:
        sentences.append(number)
        number += raw[-1] in _ENDS or (raw[-1] in _CLOSING and raw.rstrip("\"')")[-1:] in _ENDS)
    marks = list(_marks(keys))
    return Reading(raws, keys, sentences, marks, [mark.start for mark in marks])


_ENDS = frozenset(".?!\n")
_CLOSING = frozenset("\"')")
_AROUND = "\"'`()[]{}<>.,;:!?|=-*_/&+#$%@~^\\"
_CUT = re2.compile("\\n|[^\\s,\u2e80-\U0010ffff]+(?:,[0-9]{3})*,?|,|[\u2e80-\U0010ffff]+")


def _cut(text: str) -> list[str]:
    """The words of a text and its line ends; cut where a script without spaces begins and ends."""
    if text.isascii():
        return [word for line in text.split("\n") for word in (*line.split(), "\n")][:-1]
    if is_wide(text):
        text = text.replace(":", ": ")
    return list(_CUT.findall(text))


def _key(low: str) -> str:
    """A word as the dictionary has it: letters and digits, a space for other signs."""
    inner = low.strip(_AROUND)
    return inner if inner.isalnum() else " ".join(inner.translate(_SPACES).split())


class _Spaces(dict[int, int]):
    """A translation table: a space in place of the signs of ASCII."""

    def __missing__(self, code: int) -> int:
        self[code] = 0x20 if code < 0x80 and not chr(code).isalnum() else code
        return self[code]


_SPACES = _Spaces()


def _marks(keys: Sequence[str]) -> Iterator[Mark]:
    words = lexicon()
    known, tails, marked = words.known, words.tails, words.marked
    for place, key in [
        (place, key)
        for place, key in enumerate(keys)
        if key in known or key[-_TAIL:] in tails or not key.isascii() or " " in key or key.endswith(_CLITICS)
    ]:
        if key[-1] >= "\u2e80":
            yield from _wide_marks(place, key)
            continue
        if key.partition(" ")[0] in words.first_words:
            yield from _phrase_marks(keys, place)
        found = marked.get(key) or (marked.get(key[:-1]) if key[-1] == "s" and len(key) > _PLURAL else None)
        for role, codes in found or ():
            yield Mark(place, place + 1, role, key, codes)
        if not found or words.roles[key if key in marked else key[:-1]] == _HARMLESS_KEYS:
            yield from _parts(place, key)


_CLITICS = ("lo", "telo", "melo", "la")  # mételo, scrivilo
_HARMLESS_KEYS = frozenset({"harmless_keys"})


def _phrase_marks(keys: Sequence[str], place: int) -> Iterator[Mark]:
    """The longest phrase that begins here."""
    words = lexicon()
    if (
        " ".join(f"{keys[place]} {keys[place + 1] if place + 1 < len(keys) else ''}".split()[:2])
        not in words.first_pairs
    ):
        return
    for size in range(min(words.longest, len(keys) - place), 0, -1):
        phrase = " ".join(filter(None, keys[place : place + size]))
        if " " in phrase and phrase in words.marked and size + phrase.count(" ") > 1:
            if size > 1:
                yield from (Mark(place, place + size, role, phrase, codes) for role, codes in words.marked[phrase])
            return


def _wide_marks(place: int, key: str) -> Iterator[Mark]:
    """The words in a run of letters without spaces; a code behind `郵便` is none."""
    words, harmless_until = lexicon(), -1
    for match in words.wide.finditer(key):
        word = match.group()
        if not ("codes" in words.roles[word] and match.start() == harmless_until):
            yield from (Mark(place, place + 1, role, word, codes) for role, codes in words.marked[word])
        if "harmless_codes" in words.roles[word]:
            harmless_until = match.end()


def _parts(place: int, key: str) -> Iterator[Mark]:
    """The parts of `WLAN-Passwort`, `l'alarme`, `Haustürschloss`."""
    words = lexicon()
    for part in key.split() if " " in key else ():
        yield from (Mark(place, place + 1, role, part, codes) for role, codes in words.marked.get(part, ()))
    for ending in _CLITICS:
        stem = words.marked.get(key.removesuffix(ending), ()) if key.endswith(ending) else ()
        yield from (Mark(place, place + 1, role, key, codes) for role, codes in stem if role == "entering")
    for length in words.head_lengths if key[-_TAIL:] in words.tails else ():
        if length < len(key) and key[-length:] in words.heads:
            yield from (Mark(place, place + 1, role, key, codes) for role, codes in words.heads[key[-length:]])
            return
