"""How far a statement may travel, by its words alone.

Whether it means anything outside the conversation it was made in: "Bob loves pizza" does, "Bob is presenting next"
belongs to the chat where it was said. Only words about the course of a chat, a meeting or the day keep a statement
there: any other may travel, as far as disclosure lets it.

Whether what an agent learned is knowledge for anybody: a statement about the agent's owner or other people, one that
will not hold for long, one that is not public and one that these rules cannot read is for the owner alone.

And whether a statement is about the group that it is made in, "our standup is at 9", or about no person at all: a
rule, a thing, a process.
"""

from __future__ import annotations

import re
from functools import cache

from memfort.folding import is_latin, without_case
from memfort.language.detect import foreign_language
from memfort.language.language import ENGLISH, english, language, languages
from memfort.language.mentions import Mentions, mentions
from memfort.language.normalise import LazyPattern, plain
from memfort.language.people_words import not_names
from memfort.language.sensitivity import classify
from memfort.language.types import infer_type
from memfort.language.words import split_words
from memfort.model.item import Sensitivity


def is_portable(text: str) -> bool:
    """Whether nothing in `text` ties it to the conversation or the day."""
    return not _passing().is_in(plain(text))


def is_for_anybody(text: str, owner: str | None = None) -> bool:
    """Whether `text` says nothing about people, about its owner, or about what is going on just now."""
    if not _is_latin(text) or classify(text)[0] is not Sensitivity.PUBLIC:
        return False
    named_for_sure = mentions(text)._replace(perhaps=())  # any first word may be a name
    if infer_type(text) in _OWNERS_TYPES or any(named_for_sure):
        return False
    words = set(_WORD.findall(without_case(text)))
    named = set() if owner is None else set(_WORD.findall(without_case(owner)))
    return words.isdisjoint(_owner_words() | named) and not _short_lived().search(without_case(text))


def is_about_the_group(text: str) -> bool:
    """Whether `text` is in the first person plural, and neither about its speaker alone nor about single persons."""
    folded = without_case(text)
    if any(word in folded for word in _unspaced_group_words()):
        return not any(word in _without_group_words(folded) for word in _unspaced_owner_words())
    words = set(_WORD.findall(folded))
    if words.isdisjoint(_group_words()):
        return False
    words -= language(foreign_language(split_words(text), folded) or ENGLISH).sharing.false_group_words
    spoken = [one.sharing for one in languages() if not words.isdisjoint(one.sharing.group_words)]
    if not spoken or any(words & (one.owner_words - one.group_words) for one in spoken):
        return False
    named = mentions(text)
    return not (named.handles or named.people)


def is_about_no_person(text: str, found: Mentions) -> bool:
    """Whether `text` is about a thing, a rule or a process: "Refunds need approval", "the printer is broken". It names
    nobody, nor its speaker, and says itself what it is about. `found` are its mentions."""
    if found.people or found.handles or found.first_person or infer_type(text) in _OWNERS_TYPES:
        return False
    first, _, rest = text.lstrip("\"'([-*• ").partition(" ")
    if not rest.strip() or text.rstrip(" !)").endswith("?"):
        return False
    word = without_case(first).strip(".,;:!")
    if word in _articles():
        return True
    is_verb = word in _subject_left_out() or (word.endswith(("ed", "ing")) and word not in not_names())
    return first[:1].isupper() and not is_verb and _is_english(text)


def _is_english(text: str) -> bool:
    folded = without_case(text)
    words = [word for word in split_words(text) if word not in _shared_words()]
    return _is_latin(text) and foreign_language(words, folded) is None


@cache
def _articles() -> frozenset[str]:
    """Those of all languages."""
    return frozenset().union(*(one.names.articles for one in languages()))


@cache
def _shared_words() -> frozenset[str]:
    return frozenset(english().sharing.shared_words)


@cache
def _subject_left_out() -> frozenset[str]:
    return frozenset(english().sharing.subject_left_out)


def _is_latin(text: str) -> bool:
    """Whether every letter is one that the rules can read, and nothing invisible stands between them."""
    if text.isascii():
        return True
    return text.isprintable() and all(is_latin(one) for one in text if one.isalpha())


_WORD = re.compile(r"\w+")
_OWNERS_TYPES = frozenset(("preference", "identity", "relationship", "context", "task", "observation"))


@cache
def _owner_words() -> frozenset[str]:
    """Those of all languages."""
    return frozenset().union(*(one.sharing.owner_words for one in languages()))


@cache
def _short_lived() -> re.Pattern[str]:
    """Of all languages in Latin letters; the others are not read."""
    return re.compile("|".join(rf"\b{one.sharing.short_lived}\b" for one in languages() if not one.scripts))


@cache
def _group_words() -> frozenset[str]:
    """Those of all languages in Latin letters."""
    return frozenset().union(*(one.sharing.group_words for one in languages() if not one.scripts))


@cache
def _unspaced_group_words() -> frozenset[str]:
    """Those of languages that put no spaces between words."""
    return frozenset().union(*(one.sharing.group_words for one in languages() if one.scripts))


@cache
def _unspaced_owner_words() -> frozenset[str]:
    owned = (one.sharing.owner_words for one in languages() if one.scripts)
    return frozenset[str]().union(*owned) - _unspaced_group_words()


def _without_group_words(text: str) -> str:
    for word in sorted(_unspaced_group_words(), key=len, reverse=True):
        text = text.replace(word, " ")
    return text


@cache
def _passing() -> LazyPattern:
    return LazyPattern(rf"\b{english().sharing.passing}(?:\b|$)")
