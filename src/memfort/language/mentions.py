"""Finds the people that a statement mentions: handles, relations of the speaker, names, the speaker.

By words alone. A capital at the start of a sentence proves nothing, so a name needs evidence beside it: a possessive,
or something that people do. This module does not know which people exist; `people/` resolves a name to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from memfort.language.language import english, shared
from memfort.language.normalise import plain

RELATION_TERMS: Mapping[str, str] = MappingProxyType(english().relations)


class Relation(NamedTuple):
    """Somebody as the speaker's: "my wife Sarah" is `wife`, `Sarah`."""

    term: str
    name: str | None


class Mentions(NamedTuple):
    handles: tuple[str, ...]  # as written, with the sign: `@bob`
    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    first_person: bool


def mentions(text: str) -> Mentions:
    """The people mentioned in `text`, each once. Text in quotation marks is another person's, and is skipped."""
    if _is_about_nobody(text):
        return _NOBODY
    tokens = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)
    words = _words(tokens if _CLOSES.isdisjoint(tokens) else _unquoted(tokens))
    known = [word for word in words if word.may_mention]
    if not known:
        return _NOBODY
    relations = tuple(dict.fromkeys(_relations(words)))
    related = (relation.name for relation in relations if relation.name and not relation.name.startswith("@"))
    return Mentions(
        handles=tuple(dict.fromkeys(word.shown for word in known if word.is_handle)),
        names=tuple(dict.fromkeys((*_names(words), *related))),
        relations=relations,
        first_person=any(word.is_speaker for word in known),
    )


def _is_about_nobody(text: str) -> bool:
    """Whether that can be seen at once: without a capital or a handle, all that is left is a word for the speaker or a
    relation, and those are known."""
    if not text.islower() or not text.isascii() or "@" in text:
        return False
    return _parts_of_known_words().isdisjoint(text.encode().translate(_WORDS_ALONE).decode().split())


_WORDS_ALONE = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)
_NOBODY = Mentions((), (), (), first_person=False)


class _Word(NamedTuple):
    shown: str  # as written, without a possessive
    seen: str  # as the rules read it
    is_owner: bool  # it had a possessive
    sign: str  # what stands before it, if anything but a space does
    is_handle: bool
    looks_like_a_name: bool
    is_speaker: bool
    relation: str | None  # that it is a word for
    may_mention: bool  # it is any of these four


_LETTERS = "[\\w\u0300-\u036f]+"
# A handle; a word, which an address of mail is too; a sign or a line break. Each character is looked at once.
_TOKEN = re.compile(rf"@{_LETTERS}(?:[.-]{_LETTERS})*(?:['’ʼ]s)?|{_LETTERS}(?:[.'’ʼ/@-]{_LETTERS})*|[^\w\s]|\n")
_ASCII_TOKEN = re.compile(r"@\w+(?:[.-]\w+)*(?:'s)?|\w+(?:[.'/@-]\w+)*|[^\w\s\x1c-\x1f]|\n", re.ASCII)
_CLOSING = {'"': '"', "“": "”", "«": "»"}
_CLOSES = frozenset(_CLOSING.values())
_POSSESSIVES = ("'s", "’s", "ʼs")


def _unquoted(tokens: list[str]) -> Iterator[str]:
    """What the speaker says in their own name. A mark that nothing closes is an inch or a slip."""
    last = {token: place for place, token in enumerate(tokens) if token in _CLOSES}
    closing = ""
    for place, token in enumerate(tokens):
        if closing:
            closing = "" if token == closing else closing
        elif last.get(_CLOSING.get(token, ""), 0) > place:
            closing = _CLOSING[token]
            yield ","
        else:
            yield token


def _words(tokens: Iterable[str]) -> list[_Word]:
    words, sign = [], ""
    for token in tokens:
        word = _known_word(token, sign) if len(token) <= _LONGEST_KNOWN else _word(token, sign)
        if word is None:
            sign = token
        else:
            words.append(word)
            sign = ""
    return words


def _word(token: str, sign: str) -> _Word | None:
    """What can be said of a word by itself, and of the sign before it; None of what is a sign itself."""
    if not (token[-1].isalnum() or token[-1] == "_" or len(token) > 1):
        return None
    is_owner = token.endswith(_POSSESSIVES) and token[:-2].lower() not in english().names.contracted
    shown = token[:-2] if is_owner else token
    seen = shown.lower() if shown.isascii() else plain(shown)
    found = (shown.startswith("@"), _is_like_a_name(shown, seen), _is_speaker(shown, seen), RELATION_TERMS.get(seen))
    return _Word(shown, seen, is_owner, sign, *found, any(found))


_LONGEST_KNOWN = 32  # a longer one hardly comes again
_known_word = lru_cache(maxsize=16_384)(_word)  # most words come again


def _is_like_a_name(shown: str, seen: str) -> bool:
    """A capital and then small letters, and no word that is written so only because it begins a sentence."""
    if not shown[0].isupper():
        return False
    parts = shown.replace("’", "-").replace("'", "-").split("-")
    is_capital = all(part[:1].isupper() and part[1:] == part[1:].lower() for part in parts)
    return is_capital and len(shown) > 1 and shown[-1].isalpha() and seen not in _not_names()


def _is_speaker(shown: str, seen: str) -> bool:
    if shown.isupper() and len(shown) > 1:  # the US, an ME file
        return shown in english().names.speaker_in_capitals
    return seen in english().names.speaker


@cache
def _not_names() -> frozenset[str]:
    """Words that are written with a capital only because they begin a sentence, and names of no person."""
    names = english().names
    beside = names.before_people | names.adverbs | names.people_do
    return beside | names.not_names | shared().names.not_names


@cache
def _parts_of_known_words() -> frozenset[str]:
    return frozenset(part for term in (*english().names.speaker, *RELATION_TERMS) for part in re.split("['-]", term))


def _relations(words: list[_Word]) -> Iterator[Relation]:
    """ "My wife Sarah", "Sarah is my wife", "a dog named Max"; but not "Bob's wife", no relation of the speaker."""
    for at, word in enumerate(words):
        if (term := word.relation) and _is_one(words, at):
            if _is_mine(words, at):
                yield Relation(term, _name_after(words, at) or (None if word.is_owner else _name_before(words, at)))
            elif (name := _name_after(words, at, only_named=True)) and not _is_anothers(words, at):
                yield Relation(term, name)


def _is_one(words: list[_Word], at: int) -> bool:
    """Not the first half of another word: "my dog food", "my doctor appointment"."""
    after = words[at + 1] if at + 1 < len(words) else None
    return after is None or bool(after.sign) or words[at].is_owner or after.seen not in english().names.compounds


def _is_mine(words: list[_Word], at: int) -> bool:
    """Whether "my" stands before, with at most two words between that only say more: "my best friend"."""
    for word in reversed(words[max(0, at - 3) : at]):
        if word.seen in english().names.mine:
            return True
        if word.seen not in english().names.descriptions:
            return False
    return False


def _is_anothers(words: list[_Word], at: int) -> bool:
    others = english().names.of_others
    return any(word.is_owner or word.seen in others for word in words[max(0, at - 3) : at])


def _name_after(words: list[_Word], at: int, *, only_named: bool = False) -> str | None:
    """ "My wife Sarah", "my wife is called Sarah", "my wife's name is Sarah", "my boss is Carol"."""
    leads = _leads()
    for lead in leads.named if only_named else leads.of_owner if words[at].is_owner else leads.any:
        first = at + 1 + len(lead)
        if tuple(word.seen for word in words[at + 1 : first] if not word.sign) == lead:
            name = _name_at(words, first)
            return name if name and (not words[first].sign or _is_set_off(words, first, name)) else None
    return None


def _is_set_off(words: list[_Word], at: int, name: str) -> bool:
    """Whether it stands between commas: "my friend, Bob, is here", and not "I asked my friend, Bob left"."""
    end = at + len(name.split())
    return words[at].sign == "," and (end >= len(words) or words[end].sign != "")


class _Leads(NamedTuple):
    """The words that may stand between a relation and a name, as tuples."""

    named: tuple[tuple[str, ...], ...]
    of_owner: tuple[tuple[str, ...], ...]
    any: tuple[tuple[str, ...], ...]


@cache
def _leads() -> _Leads:
    names = english().names
    named, of_owner, being = (
        tuple(tuple(phrase.split()) for phrase in phrases) for phrases in (names.naming, names.name_is, names.being)
    )
    return _Leads(named, of_owner, (*named, *being, ()))


def _name_before(words: list[_Word], at: int) -> str | None:
    """ "Sarah is my wife", "@bob is my best friend", "Bob, my boss"."""
    start = at - 1
    while start > 0 and words[start].seen in english().names.descriptions:
        start -= 1
    if start > 0 and words[start].sign == "," and (at + 1 == len(words) or words[at + 1].sign):
        return _name_ending(words, start - 1)
    if start < 2 or words[start - 1].seen not in english().names.being_someone:
        return None
    return _name_ending(words, start - 2)


def _name_at(words: list[_Word], at: int) -> str | None:
    """The name that begins here, if one does: a handle, or up to three words that look like parts of a name."""
    if at < len(words) and words[at].is_handle:
        return words[at].shown
    parts: list[str] = []
    for word in words[at : at + 3]:
        if not word.looks_like_a_name or (parts and word.sign):
            break
        parts.append(word.shown)
        if word.is_owner:
            break
    return " ".join(parts) or None


def _name_ending(words: list[_Word], at: int) -> str | None:
    first = at
    while first > 0 and words[first - 1].looks_like_a_name and not words[first].sign and at - first < 2:
        first -= 1
    return _name_at(words, first) if words[at].looks_like_a_name or words[at].is_handle else None


def _names(words: list[_Word]) -> Iterator[str]:
    at = 0
    while at < len(words):
        name = _name_at(words, at) if words[at].looks_like_a_name else None
        size = len(name.split()) if name else 1
        if name and _is_person(words, at, at + size):
            yield name
        at += size


def _is_person(words: list[_Word], start: int, end: int) -> bool:
    """Whether the words beside a name show that it is a person's."""
    before = words[start - 1] if start else None
    after = words[end] if end < len(words) else None
    if words[end - 1].is_owner:
        return after is not None and not after.sign
    if before and not words[start].sign and _comes_before_people(before):
        return True
    return _does_something(words, end) or _does_together(words, end) or _is_joined(words, start)


def _comes_before_people(word: _Word) -> bool:
    return word.seen in english().names.before_people or word.seen in RELATION_TERMS


def _does_something(words: list[_Word], at: int) -> bool:
    """Whether what follows is what people do."""
    if at >= len(words) or words[at].sign:
        return False
    follows = words[at + 1].seen if at + 1 < len(words) else ""
    names = english().names
    return words[at].seen in names.people_do or (words[at].seen in names.adverbs and follows in names.people_do)


def _does_together(words: list[_Word], at: int) -> bool:
    """The first of two: "Sarah and Bob love hiking"."""
    if at >= len(words) or words[at].seen not in english().names.joining:
        return False
    other = _name_at(words, at + 1)
    return other is not None and _does_something(words, at + 1 + len(other.split()))


def _is_joined(words: list[_Word], at: int) -> bool:
    """The second of two: "met Sarah and Bob"."""
    if at < 3 or words[at - 1].seen not in english().names.joining or not words[at - 2].looks_like_a_name:
        return False
    return words[at - 3].seen in english().names.before_people
