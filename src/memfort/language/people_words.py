"""The words that name people, of all languages at once: what each word can be, and in which languages.

Languages are bits of a number, so that two words can be asked whether they belong together: "ma femme" is French, and
"my femme" is neither. The words stand in the `names.txt` of each language; how they make a phrase stands in
`mentions.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from memfort.language.files import NamesFile
from memfort.language.language import Language, english, naming_languages, shared
from memfort.language.words import split_words

ENGLISH = 1  # the bit of English

# Sections of words, in which a word is looked up.
_SECTIONS = (
    "speaker", "speaker_at_the_start", "speaker_is", "mine", "of_others", "others", "several", "having", "own",
    "former", "of", "articles", "descriptions", "being_someone", "joining", "company",
    "before_people", "titles", "adverbs", "people_do",
    "only_people", "first_names", "pets", "compounds",
)  # fmt: skip


class Roles(NamedTuple):
    """What a word can be: for each section the languages, as bits, in which it is there."""

    speaker: int = 0
    speaker_at_the_start: int = 0
    speaker_is: int = 0
    mine: int = 0
    of_others: int = 0
    others: int = 0
    several: int = 0
    having: int = 0
    own: int = 0
    former: int = 0
    of: int = 0
    articles: int = 0
    descriptions: int = 0
    being_someone: int = 0
    joining: int = 0
    company: int = 0
    before_people: int = 0
    titles: int = 0
    adverbs: int = 0
    people_do: int = 0
    only_people: int = 0
    first_names: int = 0
    pets: int = 0
    compounds: int = 0
    relations: int = 0
    terms: tuple[tuple[int, str], ...] = ()  # the relation that it is a word for, by language


NO_ROLES = Roles()


@cache
def _bits() -> Mapping[Language, int]:
    return {one: 1 << place for place, one in enumerate(naming_languages())}


@cache
def bit_of(name: str) -> int:
    """The bit of the language that the index calls so; 0 if it does not say how people are named."""
    return next((bit for one, bit in _bits().items() if one.name == name), 0)


@cache
def _known() -> dict[str, Roles]:
    """Every word of every language, with what it can be."""
    found: dict[str, dict[str, int]] = {}
    terms: dict[str, list[tuple[int, str]]] = {}
    for language, bit in _bits().items():
        for section in _SECTIONS:
            for word in getattr(language.names, section):
                roles = found.setdefault(word, {})
                roles[section] = roles.get(section, 0) | bit
        for word, term in language.relations.items():
            terms.setdefault(word, []).append((bit, term))
    for word, of in terms.items():
        found.setdefault(word, {})["relations"] = sum(bit for bit, _ in of)
    return {word: Roles(**roles, terms=tuple(terms.get(word, ()))) for word, roles in found.items()}


def roles_of(word: str) -> Roles:
    """What a word, in lower case, can be."""
    return _known().get(word, NO_ROLES)


@cache
def each_of_several() -> Mapping[str, str]:
    """What each of several people is: of "kids" each is a child."""
    return MappingProxyType(
        {
            word: term
            for language in naming_languages()
            for term, words in language.names.each_of_several.items()
            for word in words
        }
    )


def term_in(roles: Roles, languages: int) -> str:
    """The relation that a word is for, in the first of these languages that has it."""
    return next(term for bit, term in roles.terms if bit & languages)


@cache
def relation_terms() -> Mapping[str, str]:
    """Every word for a relation in any language, and the one it is kept under. English comes first."""
    found: dict[str, str] = {}
    for language in naming_languages():
        for word, term in language.relations.items():
            found.setdefault(word, term)
    return MappingProxyType(found)


@cache
def folded_relation_words() -> frozenset[str]:
    """The same words as a query has them, without accents."""
    return frozenset(part for word in relation_terms() for part in split_words(word))


def relation_term(reference: str) -> str | None:
    """The relation that an English reference in lower case is for: "best friend" is `friend`; `None`: for none."""
    *before, last = reference.split() or [""]
    term = english().relations.get(reference) or english().relations.get(last)
    if term is None or not before:
        return term
    *descriptions, former = before if roles_of(before[-1]).former & ENGLISH else (*before, "")
    if not all(roles_of(one).descriptions & ENGLISH for one in descriptions):
        return None
    return f"former {term}" if former else term


def possessed_term(reference: str) -> str | None:
    """The relation to the speaker that a reference in lower case is for, in any language: "my best friend", "ma sœur";
    `None`: it does not say that it is the speaker's."""
    possessive, _, rest = reference.partition(" ")
    mine = roles_of(possessive).mine
    if mine & ENGLISH and (term := relation_term(rest)) is not None:
        return term
    roles = roles_of(rest)
    return term_in(roles, mine) if roles.relations & mine else None


def kept_term(term: str) -> str:
    """The word that a relation is kept under, if it is known: `mom` is kept as `mother`."""
    return relation_term(term) or term


def has_only_one(term: str) -> bool:
    """Whether a person has one of this relation at a time: a mother, but not a friend."""
    return term in english().names.only_one


@cache
def not_names() -> frozenset[str]:
    """Words that are written with a capital only because they begin a sentence, and names of no person."""
    names = english().names
    beside = names.before_people | names.adverbs | names.people_do | names.company | names.titles
    everywhere = (one.names.not_names for one in (shared(), *naming_languages()))
    return beside.union(*everywhere)


@cache
def things_with_names() -> frozenset[str]:
    """Words for what is somebody's, has a name and is no person: "my bank Santander", "my new Tesla"."""
    return frozenset(word for one in naming_languages() for word in one.names.things_with_names)


@cache
def triggers() -> frozenset[str]:
    """The parts of every word that can mention somebody without a capital. A text without any mentions nobody."""
    words = (
        word
        for language in naming_languages()
        for section in ("speaker", "mine", "others", "several", "own", "first_names")
        for word in getattr(language.names, section)
    )
    return frozenset(part for word in (*words, *relation_terms()) for part in re.split("['-]", word))


class Leads(NamedTuple):
    """The words that may stand between a relation and a name, as tuples, the longest first."""

    named: tuple[tuple[str, ...], ...]
    of_owner: tuple[tuple[str, ...], ...]
    any: tuple[tuple[str, ...], ...]


@cache
def leads(languages: int) -> Leads:
    files = list(_files(languages))
    named, of_owner, being = (
        _phrases(phrase for file in files for phrase in getattr(file, section))
        for section in ("naming", "name_is", "being")
    )
    return Leads(named, of_owner, (*named, *being, ()))


@cache
def introductions() -> tuple[tuple[str, ...], ...]:
    """What stands before the speaker's own name in any language, as tuples of words."""
    return _phrases(phrase for one in naming_languages() for phrase in one.names.introducing)


def _files(languages: int) -> Iterator[NamesFile]:
    return (one.names for one, bit in _bits().items() if bit & languages)


def _phrases(given: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted({tuple(phrase.split()) for phrase in given}, key=lambda words: (-len(words), words)))


# -- scripts without spaces --------------------------------------------------------------------------------------------

_KANA = re.compile("[\u3041-\u30ff]")
_EITHER = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")
# In Japanese a word for a relation is often part of another word, and stands alone only before a particle.
_JAPANESE_END = r"(?=[はがもをにのとへでやか、。,.!?！？\s]|です|だ|$)"
_JAPANESE_START = r"(?<![\u4e00-\u9fff\u30a1-\u30ff])"


def has_no_spaces(text: str) -> bool:
    """Whether a text is in Chinese or Japanese."""
    return _EITHER.search(text) is not None


def spaced(text: str) -> tuple[str, int]:
    """A Chinese or Japanese text with spaces around the words that name people and possessives as `'s`, and the bit of
    its language."""
    code = "ja" if _KANA.search(text) is not None else "zh"
    with_spaces = _finder(code).sub(_set_apart, text)
    return with_spaces, next(bit for one, bit in _bits().items() if one.code == code)


def _set_apart(found: re.Match[str]) -> str:
    words, possessive = [one for one in found.groups() if one is not None], found[0][-1] in "的の"
    words = words[:-1] if possessive else words
    return f" {' '.join(words)}'s " if possessive else f" {' '.join(words)} "


@cache
def _chinese_name() -> re.Pattern[str]:
    """A surname with what makes a name of it: "小周", "刘教授"."""
    return re.compile(_chinese_names())


def _chinese_names() -> str:
    names = _chinese()
    surnames, forms = "".join(sorted(names.surnames)), "|".join(sorted(names.name_forms))
    return f"(?<![大最])[小老][{surnames}](?![一二三四五六日天末年月期时])|[{surnames}](?:{forms})"


def _chinese() -> NamesFile:
    return next(one for one in naming_languages() if one.code == "zh").names


@cache
def _clear_surnames() -> str:
    """Surnames that begin few other words."""
    return "".join(sorted(_chinese().surnames - {word[0] for word in _chinese().not_names}))


def is_chinese_name(word: str) -> bool:
    """Whether a word is a surname with what makes a name of it."""
    return _chinese_name().fullmatch(word) is not None


def may_be_chinese_name(word: str, *, is_named: bool) -> bool:
    """Whether a word behind a relation is a name: after "叫" any of two characters, else one with a surname."""
    is_word = 2 <= len(word) <= 3 and all("\u4e00" <= character <= "\u9fff" for character in word)
    is_short_name = len(word) == 2 and word[0] in "小阿" and word not in _chinese().not_names
    is_called = is_named and (len(word) == 2 or word[0] in _chinese().surnames)
    return is_word and (is_called or is_short_name or word[0] in _clear_surnames())


@cache
def _finder(code: str) -> re.Pattern[str]:
    names = next(one for one in naming_languages() if one.code == code).names
    sections = (
        "speaker", "mine", "of_others", "others", "several", "having", "own", "joining", "being_someone", "people_do",
    )  # fmt: skip
    words = {word for section in sections for word in getattr(names, section)}
    relations = {word for group in names.relations.values() for word in group}
    words |= relations
    words |= {word for phrase in (*names.naming, *names.being) for word in phrase.split()}
    either = _either(words)
    if code == "zh":
        # After a relation a whole name shows itself by what follows it: "我儿子王乐明年高考".
        follows = _either({*names.people_do, *names.joining, *names.adverbs})
        given = rf"[{_clear_surnames()}][\u4e00-\u9fff]{{1,2}}?|(?!{_either(names.not_names)})[小阿][\u4e00-\u9fff]"
        whole = rf"(?:{given})(?={follows}|[^\u4e00-\u9fff]|$)"
        return re.compile(f"({_either(relations)})({whole})|({_chinese_names()})(的)?|({either})(的)?")
    honoured = rf"[\u4e00-\u9fff\u30a1-\u30ffー]{{1,6}}(?:{'|'.join(sorted(names.titles))})"
    return re.compile(f"{_JAPANESE_START}({either}){_JAPANESE_END}(の)?|({honoured})(の)?")


def _either(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
