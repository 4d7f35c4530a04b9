"""Finds the people that a statement speaks of: handles, names, and what somebody is to somebody ("my wife", "Sarah's
sister"), in every language that has a `names.txt`; and whether the speaker speaks of themselves.

By words alone. A capital at the start of a sentence proves nothing, so a name needs evidence beside it: a possessive,
or something that people do. This module does not know which people exist; `people/` resolves what it finds to persons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from memfort.language.detect import foreign_language
from memfort.language.language import english, shared
from memfort.language.people_words import (
    ENGLISH,
    NO_ROLES,
    Roles,
    bit_of,
    each_of_several,
    has_no_spaces,
    introductions,
    is_chinese_name,
    leads,
    may_be_chinese_name,
    not_names,
    roles_of,
    spaced,
    term_in,
    things_with_names,
    triggers,
)
from memfort.language.words import split_words


class Spoken(NamedTuple):
    """Somebody that a statement speaks of: "my boss Tom" is called `Tom` and is the `boss` of the speaker. Neither a
    name nor a relation: somebody, and nobody knows who."""

    name: str | None = None  # as written; a handle with its sign
    term: str | None = None  # what they are to the owner
    owner: Spoken | None = None  # whose relation they are
    is_sure: bool = True  # that it is a person: an unknown word with a capital may be a company
    is_bare: bool = False  # nothing but a first name shows it

    @property
    def is_of_speaker(self) -> bool:
        """Whether they are known by what they are to the speaker."""
        return self.owner is not None and (self.owner == THE_SPEAKER or self.owner.is_of_speaker)


def _bare(name: str) -> Spoken:
    return Spoken(name, is_sure=False, is_bare=True)


THE_SPEAKER = Spoken("me")
SOMEBODY = Spoken()
PERHAPS_SOMEBODY = Spoken(is_sure=False)


class Mentions(NamedTuple):
    handles: tuple[str, ...]  # as written, with the sign: `@bob`
    people: tuple[Spoken, ...]  # whom it speaks of, each once; the speaker is not among them
    first_person: bool  # it speaks of the speaker, and not only of people who are theirs: "I", "my salary"
    is_of_self: bool = False  # "I" or "we" stands there, and not only "my"
    is_company: bool = False  # it speaks of others only as company: "had dinner with Sarah"
    perhaps: tuple[str, ...] = ()  # words that are names only if somebody is known to be called so

    @property
    def names(self) -> tuple[str, ...]:
        """The names of those it speaks of, handles aside."""
        return tuple(one.name for one in self.people if one.name and not one.name.startswith("@"))


def mentions(text: str) -> Mentions:
    """The people mentioned in `text`. Text in quotation marks is another person's, and is skipped."""
    if _is_about_nobody(text):
        return _NOBODY
    if not text.isascii() and has_no_spaces(text):
        found = _mentions(*spaced(text))
        return found._replace(perhaps=_pieces(text, found.names))
    return _mentions(text, 0)


def _mentions(text: str, languages: int) -> Mentions:
    tokens = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)
    words = _words(tokens if _CLOSES.isdisjoint(tokens) else _unquoted(tokens))
    kinds = 0
    for word in words:
        kinds |= word.kinds
    if not kinds & ~_FOREIGN:
        return _NOBODY
    if not languages:
        languages = _languages_of(words, text) if kinds & _FOREIGN else ENGLISH
    return _Statement(words, languages, kinds).mentions()


def _is_about_nobody(text: str) -> bool:
    """Whether that can be seen at once: without a capital or a handle, all that is left is words that are known."""
    if not text.islower() or not text.isascii() or "@" in text:
        return False
    return triggers().isdisjoint(text.encode().translate(_WORDS_ALONE).decode().split())


def _languages_of(words: list[_Word], text: str) -> int:
    """The bit of the language that the text is in, for words that are something else in another language."""
    found = foreign_language([part for word in words for part in word.folded], text.lower())
    foreign = 0 if found is None else bit_of(found)
    if not foreign & (spoken := _languages_of_speaker(words)):
        foreign |= spoken
    # A text of three words is soon taken for another language; the capital of "I" is English alone.
    is_english = not foreign or any(word.shown[0] == "I" and word.roles.speaker & ENGLISH for word in words)
    return foreign | ENGLISH if is_english else foreign


def _languages_of_speaker(words: list[_Word]) -> int:
    """The languages in which a text speaks of the speaker, if no word of it is English: "Tengo asma"."""
    if any(part in english().stop_words for word in words for part in word.folded):
        return 0
    return reduce(or_, (word.roles.speaker for word in words), 0) & ~ENGLISH


def _pieces(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """The pieces of a text without spaces that can be somebody's name, as far as it is not a long one."""
    runs = _HAN.findall(text[:_MOST_HAN])
    found = (run[at : at + size] for run in runs for size in (2, 3) for at in range(len(run) - size + 1))
    return tuple(dict.fromkeys(one for one in found if not any(one in name for name in names)))


_HAN = re.compile("[\u4e00-\u9fff]+")
_MOST_HAN = 60
_WORDS_ALONE = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)
_NOBODY = Mentions((), (), first_person=False)


# -- words -------------------------------------------------------------------------------------------------------------


class _Word(NamedTuple):
    shown: str  # as written, without a possessive
    seen: str  # as the rules read it
    folded: tuple[str, ...]  # without accents
    is_owner: bool  # it had a possessive
    sign: str  # what stands before it, if anything but a space does
    is_handle: bool
    looks_like_a_name: bool
    roles: Roles
    kinds: int  # what it may be: bits, which are put together for a text


# What a word may be.
_RELATED, _NAME, _HANDLE, _SPEAKER, _FOREIGN, _PERHAPS = 1, 2, 4, 8, 16, 32


_LETTERS = "[\\w\u0300-\u036f]+"
# A handle; a word, which an address of mail is too; a sign or a line break. Each character is looked at once.
_TOKEN = re.compile(
    rf"@{_LETTERS}(?:[.-]{_LETTERS})*(?:['’ʼ]s)?|[ldLD]['’](?=\w)|{_LETTERS}(?:[.'’ʼ/@-]{_LETTERS})*|[^\w\s]|\n"
)
_ASCII_TOKEN = re.compile(r"@\w+(?:[.-]\w+)*(?:'s)?|[ldLD]'(?=\w)|\w+(?:[.'/@-]\w+)*|[^\w\s\x1c-\x1f]|\n", re.ASCII)
_CLOSING = {'"': '"', "“": "”", "«": "»"}
_CLOSES = frozenset(_CLOSING.values())
_SENTENCE_SIGNS = frozenset({".", "!", "?", "\n", ";", ":"})
_PLURAL_BEING = frozenset({"are", "aren't", "were", "weren't", "have", "haven't", "don't", "do"})
_POSSESSIVES = ("'s", "’s", "ʼs")
_HONOURED = ("さん", "くん", "ちゃん", "様", "氏")


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
    is_owner = len(token) > 2 and token.endswith(_POSSESSIVES) and token[:-2].lower() not in english().names.contracted
    shown = token[:-2] if is_owner else token
    seen = shown.casefold().replace("’", "'").replace("ʼ", "'") if not shown.isascii() else shown.lower()
    roles = _without_abbreviations(shown, roles_of(seen))
    if roles.speaker_at_the_start and shown[0].isupper():
        roles = roles._replace(speaker=roles.speaker | roles.speaker_at_the_start)
    is_handle, is_name = shown.startswith("@"), _is_like_a_name(shown, seen)
    kinds = _kinds(roles) | (_HANDLE if is_handle else 0) | (_NAME | _PERHAPS if is_name else 0)
    if seen in shared().names.not_names and shown[0].isupper():  # a Ruby may be a daughter
        kinds |= _PERHAPS
    return _Word(shown, seen, tuple(split_words(shown)), is_owner, sign, is_handle, is_name, roles, kinds)


def _kinds(roles: Roles) -> int:
    related, spoken = roles.relations | roles.several, roles.speaker | roles.mine | roles.others
    shows = related | spoken | roles.people_do
    return (
        (_RELATED if related else 0)
        | (_NAME if roles.first_names else 0)
        | (_SPEAKER if spoken else 0)
        | (_FOREIGN if shows and not shows & ENGLISH else 0)  # the language of the text has to be known
    )


_LONGEST_KNOWN = 32  # a longer one hardly comes again
_known_word = lru_cache(maxsize=16_384)(_word)  # most words come again


def _without_abbreviations(shown: str, roles: Roles) -> Roles:
    """What a word in capitals can be: the US and an ME file are not the speaker."""
    if roles is NO_ROLES or not shown.isupper() or len(shown) < 2 or shown in english().names.speaker_in_capitals:
        return roles
    return roles._replace(speaker=0, mine=0, others=0)


def _is_like_a_name(shown: str, seen: str) -> bool:
    """A capital and then small letters, and no word that is written so only because it begins a sentence."""
    if not shown[0].isupper():
        return (shown.endswith(_HONOURED) and len(shown) > 2) or (not shown.isascii() and is_chinese_name(shown))
    parts = shown.replace("’", "-").replace("'", "-").split("-")
    is_capital = all(part[:1].isupper() and part[1:] == part[1:].lower() for part in parts)
    return is_capital and len(shown) > 1 and shown[-1].isalpha() and seen not in not_names()


# -- phrases -----------------------------------------------------------------------------------------------------------


class _Phrase(NamedTuple):
    """The words `first` to `last` that speak of one person."""

    first: int
    last: int
    spoken: Spoken


def _place_and_name(phrase: _Phrase) -> tuple[int, int, str]:
    """The order of phrases. Two may have the same words: "Ana is Ana's sister" speaks of Ana, and of Ana's sister."""
    return phrase.first, phrase.last, phrase.spoken.name or ""


class _Statement:
    """One text as words, and the languages that its words are read in."""

    def __init__(self, words: list[_Word], languages: int, kinds: int) -> None:
        self.words = words
        self.languages = languages
        self._kinds = kinds
        self._taken: set[int] = set()  # places of words that are part of a phrase

    def mentions(self) -> Mentions:
        related = self._find_relations() if self._kinds & _RELATED else []
        named = self._find_names(related) if self._kinds & _NAME else []
        handles = self._find_handles() if self._kinds & _HANDLE else []
        phrases = sorted((*related, *named, *handles), key=_place_and_name)
        people = [one.spoken for one in phrases if one.spoken is not THE_SPEAKER]
        if not people and (self._speaks_of_another() or self._may_speak_of_another()):
            people.append(PERHAPS_SOMEBODY)
        first_person = self._speaks_of_speaker() or len(phrases) > len(people)
        return Mentions(
            handles=tuple(dict.fromkeys(word.shown for word in self.words if word.is_handle)),
            people=tuple(dict.fromkeys(people)),
            first_person=first_person,
            is_of_self=first_person and any(word.roles.speaker & self.languages for word in self.words),
            is_company=bool(phrases) and all(self._is_company(one) for one in phrases),
            perhaps=self._find_perhaps(named) if self._kinds & _PERHAPS else (),
        )

    def _find_perhaps(self, named: list[_Phrase]) -> tuple[str, ...]:
        """Words with a capital of whom something may be said: at the start of a sentence or a clause, after what people
        do ("dann fängt Lena an"), before a possessive, and beside another such word; and first names alone."""
        found, before = dict.fromkeys(one.spoken.name for one in named if one.spoken.is_bare), -2
        for at, word in enumerate(self.words):
            if not word.kinds & _PERHAPS or at in self._taken or (at == before + 1 and not word.sign):
                continue
            if at == 0 or word.sign or word.is_owner or self._follows_doing(at) or self._is_second(at, before):
                found[word.shown], before = None, at
        return tuple(name for name in found if name)

    def _follows_doing(self, at: int) -> bool:
        before = self.words[at - 1].roles
        return bool((before.people_do | before.adverbs | before.company | before.before_people) & self.languages)

    def _is_second(self, at: int, before: int) -> bool:
        """Whether "and" joins it to the name before, or to the clause before."""
        joins = self.words[at - 1]
        return bool(joins.roles.joining & self.languages) and (at == before + 2 or bool(joins.sign))

    def _find_handles(self) -> list[_Phrase]:
        free = (at for at, word in enumerate(self.words) if word.is_handle and at not in self._taken)
        return [_Phrase(at, at, Spoken(self.words[at].shown)) for at in free]

    def _speaks_of_speaker(self) -> bool:
        languages = self.languages
        return any(
            (word.roles.speaker | word.roles.mine) & languages
            for at, word in enumerate(self.words)
            if at not in self._taken
        )

    def _speaks_of_another(self) -> bool:
        return any(word.roles.others & self.languages for word in self.words)

    def _may_speak_of_another(self) -> bool:
        """Whether it is the speaker only by a word that may be anybody: "On a opéré le voisin", "Pago de Maite"."""
        speaking = [one for one in self.words if one.roles.speaker & self.languages]
        return bool(speaking) and all(one.roles.speaker_at_the_start & self.languages for one in speaking)

    def _is_company(self, phrase: _Phrase) -> bool:
        """Whether "with" stands before it, or before somebody that it is joined to."""
        before = self._at(phrase.first - 1)
        if before is None or self.words[phrase.first].sign not in ("", ","):
            return False
        return bool((before.roles.company | before.roles.joining) & self.languages)

    def _at(self, place: int) -> _Word | None:
        return self.words[place] if 0 <= place < len(self.words) else None

    def _take(self, first: int, last: int) -> None:
        self._taken.update(range(first, last + 1))

    # -- what somebody is to somebody ----------------------------------------------------------------------------------

    def _find_relations(self) -> list[_Phrase]:
        """ "My wife Sarah", "Sarah is my wife", "Sarah's sister", "the son of our neighbour"."""
        found: dict[int, list[_Phrase]] = {}  # by their first word
        places = [at for at, word in enumerate(self.words) if word.kinds & _RELATED]
        for at in reversed(places):  # the last word of "my sister's husband" says who is meant
            phrase = self._related(at) if at not in self._taken else None
            if phrase is not None and (each := self._each_by_name(phrase, at)):
                self._take(phrase.first, each[-1].last)
                for one in each:
                    found.setdefault(one.first, []).append(one)
            elif phrase is not None:
                named = self._with_name(phrase, at)
                self._take(named.first, named.last)
                for place in range(named.first, named.last + 1):  # whose relation it is
                    found.pop(place, None)
                found[named.first] = [*self._spoken_of(named, phrase)]
        return [one for phrases in found.values() for one in phrases]

    def _each_by_name(self, phrase: _Phrase, at: int) -> list[_Phrase]:
        """Each of several people who are all named: "my kids are Noah (9) and Ruby", "mis hijos, Bruno y Elisa"."""
        word = self.words[at]
        if phrase.spoken not in (SOMEBODY, PERHAPS_SOMEBODY) or not word.roles.several or word.is_owner:
            return []
        names = self._names_from(phrase.last + 1 + self._lead_after(phrase.last, word.roles.several))
        owner, term = self._owner_of(phrase, word.roles.several), each_of_several().get(word.seen)
        is_known = owner is not None and term is not None
        spoken = Spoken(None, term, owner) if is_known else Spoken()
        return [_Phrase(place, place, spoken._replace(name=self.words[place].shown)) for place in names]

    def _owner_of(self, phrase: _Phrase, languages: int) -> Spoken | None:
        return THE_SPEAKER if self.words[phrase.first].roles.mine & languages else None

    def _lead_after(self, at: int, languages: int) -> int:
        """How many words stand between people and their names: "are called"."""
        for lead in leads(languages).any:
            words = self.words[at + 1 : at + 1 + len(lead)]
            if tuple(word.seen for word in words if not word.sign) == lead:
                return len(lead)
        return 0

    def _names_from(self, at: int) -> list[int]:
        """The places of names that are joined to each other, the last one by "and"; an age may follow a name."""
        found: list[int] = []
        is_last = False
        while (word := self._at(at)) is not None and word.kinds & (_NAME | _PERHAPS) and word.sign in ("", ",", ":"):
            found.append(at)
            if is_last:
                return found
            at += 1
            if (age := self._at(at)) is not None and age.sign == "(" and age.seen.isdigit():
                at += 1
            joins = self._at(at)
            is_last = joins is not None and bool(joins.roles.joining & self.languages)
            at += is_last
        return []

    def _spoken_of(self, named: _Phrase, phrase: _Phrase) -> Iterator[_Phrase]:
        """Whom a phrase speaks of: "Bob is Carol's boss" of Carol too, "I am Tom's brother" of the speaker and Tom."""
        owner, before = named.spoken.owner, self._at(named.first - 1)
        is_speaker = before is not None and bool(before.roles.speaker_is) and not self.words[named.first].sign
        is_named = owner is not None and owner.name is not None and owner != THE_SPEAKER
        if owner is not None and is_named and (is_speaker or named.first < phrase.first):
            yield named._replace(spoken=owner)
        yield named._replace(spoken=THE_SPEAKER) if is_speaker else named

    def _related(self, at: int) -> _Phrase | None:
        """The phrase whose relation is the word here, if it says whose."""
        word = self.words[at]
        languages = word.roles.relations | word.roles.several
        if not languages or not self._is_one(at):
            return None
        start, is_former = self._skip_descriptions(at, languages)
        whose = self._owner_before(start, languages) or self._owner_after(at, languages)
        if whose is None:
            whose = self._owner_unsaid(start, at, languages)
        if whose is None:
            return None
        first, last, owner, spoken_in = whose
        if not word.roles.relations & spoken_in:
            return _Phrase(min(first, at), max(last, at), SOMEBODY)
        if owner in (SOMEBODY, PERHAPS_SOMEBODY):
            return _Phrase(min(first, at), max(last, at), owner)
        term = term_in(word.roles, spoken_in)
        spoken = Spoken(None, f"former {term}" if is_former else term, owner)
        return _Phrase(min(first, at), max(last, at), spoken)

    def _is_one(self, at: int) -> bool:
        """Not the first half of another word: "my dog food", "my doctor appointment"."""
        after = self._at(at + 1)
        return after is None or bool(after.sign) or self.words[at].is_owner or not after.roles.compounds

    def _skip_descriptions(self, at: int, languages: int) -> tuple[int, bool]:
        """The place of the first of at most three words that only say more ("my best friend"), and whether one of them
        says that it is over."""
        start, is_former = at, False
        while at - start < 3 and start > 0 and not self.words[start].sign:
            before = self.words[start - 1].roles
            if not (before.descriptions | before.former) & languages:
                break
            is_former = is_former or bool(before.former & languages)
            start -= 1
        return start, is_former

    def _owner_before(self, start: int, languages: int) -> tuple[int, int, Spoken, int] | None:
        """Whose relation, by the word before: "my", "Sarah's", "his". Also the first and the last place of those words,
        and the languages that they are in."""
        before = self._at(start - 1)
        if before is None or self.words[start].sign:
            return None
        if shared := before.roles.mine & languages:
            return start - 1, start - 1, THE_SPEAKER, shared
        if before.is_owner:
            possessor = self._possessor(start - 1)
            return possessor.first, start - 1, possessor.spoken, languages
        if before.roles.of_others & languages:
            return start - 1, start - 1, PERHAPS_SOMEBODY, before.roles.of_others & languages
        if self._is_genitive(before, languages):
            return start - 1, start - 1, Spoken(before.shown.rstrip("'’")[:-1]), languages & ~ENGLISH
        return None

    def _possessor(self, at: int) -> _Phrase:
        """Who the word with the possessive stands for."""
        word = self.words[at]
        if word.is_handle:
            return _Phrase(at, at, Spoken(word.shown))
        if (related := self._related(at)) is not None:
            return self._with_name(related, at)
        if word.looks_like_a_name and (name := self._name_ending(at)) is not None:
            first = at - len(name.split()) + 1
            related = self._related(first - 1) if first > 0 and not self.words[first].sign else None
            if related is not None and related.spoken.term is not None and related.last == first - 1:
                return _Phrase(related.first, at, related.spoken._replace(name=name))
            return _Phrase(first, at, Spoken(name))
        return _Phrase(at, at, SOMEBODY)

    def _is_genitive(self, word: _Word, languages: int) -> bool:
        """ "Sarahs Schwester": a first name with an s, before a relation in another language than English."""
        if not languages & ~ENGLISH or not word.looks_like_a_name or word.seen[-1:] != "s":
            return False
        return bool(roles_of(word.seen[:-1]).first_names) and not word.roles.first_names

    def _owner_after(self, at: int, languages: int) -> tuple[int, int, Spoken, int] | None:
        """Whose relation, by the words after: "the sister of Sarah", "der Sohn unseres Nachbarn"."""
        after = self._at(at + 1)
        if after is None or after.sign or self.words[at].is_owner:
            return None
        place = at + 1
        if shared := after.roles.of & languages:
            place += 1
            while (word := self._at(place)) is not None and not word.sign and word.roles.articles & shared:
                place += 1
        elif shared := after.roles.mine & languages & ~ENGLISH:
            pass
        else:
            return None
        owner = self._owner_at(place, shared)
        return None if owner is None else (at, owner.last, owner.spoken, shared)

    def _owner_at(self, place: int, languages: int) -> _Phrase | None:
        word = self._at(place)
        if word is None or word.sign:
            return None
        for ahead in range(place, min(place + 4, len(self.words))):
            if self.words[ahead].roles.relations & languages:
                related = self._related(ahead)
                if related is not None and related.first >= place:
                    return self._with_name(related, ahead)
        if (name := self._name_at(place)) is not None:
            return _Phrase(place, place + len(name.split()) - 1, Spoken(name))
        if word.roles.speaker & languages:  # a friend of mine
            return _Phrase(place, place, THE_SPEAKER)
        return None

    def _owner_unsaid(self, start: int, at: int, languages: int) -> tuple[int, int, Spoken, int] | None:
        """Whose relation, where nobody says so: "Mom called", "Wife has anxiety" are the speaker's; "a colleague" is
        anybody's, and "I am a teacher" is nobody else."""
        word, before = self.words[at], self._at(start - 1)
        # Whatever language a foreign text was taken for, its words for relations show which one it is.
        spoken_in = languages & self.languages or (0 if self.languages & ENGLISH else languages & ~ENGLISH)
        if not spoken_in:
            return None
        if (first := self._has_one(start, at, spoken_in)) is not None:
            return first, at, THE_SPEAKER, spoken_in
        is_after_article = before is not None and bool(before.roles.articles & spoken_in) and not self.words[start].sign
        if not is_after_article:
            is_own = word.roles.own & spoken_in or (start == 0 and self._does_something(at + 1, spoken_in))
            return (start, at, THE_SPEAKER, spoken_in) if is_own else None
        earlier = self._at(start - 2)
        is_predicate = earlier is not None and bool(
            (earlier.roles.speaker_is | earlier.roles.being_someone | earlier.roles.speaker) & spoken_in
        )
        is_said_of = self._does_something(at + 1, spoken_in) or word.is_owner
        return (start - 1, at, PERHAPS_SOMEBODY, spoken_in) if is_said_of and not is_predicate else None

    def _has_one(self, start: int, at: int, languages: int) -> int | None:
        """The first place of "I have a sister", "tengo una hermana"; and of "我跟男朋友", where nobody says "my". In
        English a noun may follow that makes something else of it: "I have a student loan"."""
        words, place, after = self.words, start - 1, self._at(at + 1)
        if not words[at].roles.relations & languages or any(word.sign for word in words[max(place, 1) : at + 1]):
            return None
        if languages & ENGLISH and after is not None and not after.sign and after.seen not in english().stop_words:
            return None
        if place > 0 and words[place].roles.articles & languages:
            place -= 1
        elif place == 1 and words[1].roles.company & words[0].roles.speaker & languages & ~ENGLISH:
            return start
        if place < 0 or not words[place].roles.having & languages:
            return None
        if words[place].roles.speaker & languages:
            return place
        return place - 1 if place > 0 and words[place - 1].roles.speaker & languages else None

    # -- the name of somebody with a relation --------------------------------------------------------------------------

    def _with_name(self, phrase: _Phrase, at: int) -> _Phrase:
        """The phrase, longer by the name that it gives: "my wife Sarah", "Sarah is my wife"."""
        if phrase.spoken.term is None:
            return phrase
        languages = self.words[at].roles.relations
        if (name := self._name_after(phrase.last, languages)) is not None:
            end, called = name
            return phrase._replace(last=end, spoken=phrase.spoken._replace(name=called))
        if not self.words[phrase.last].is_owner and (name := self._name_before(phrase, languages)) is not None:
            start, called = name
            return phrase._replace(first=start, spoken=phrase.spoken._replace(name=called))
        return phrase

    def _name_after(self, at: int, languages: int) -> tuple[int, str] | None:
        """The last place of a name, and the name: "my wife Sarah", "my wife is called Sarah", "my wife's name is
        Sarah", "my boss is Carol"."""
        words, known = self.words, leads(languages)
        for lead in known.of_owner if words[at].is_owner else known.any:
            first = at + 1 + len(lead)
            if tuple(word.seen for word in words[at + 1 : first] if not word.sign) == lead:
                name = self._name_at(first) or self._given_name(first, is_named=lead in known.named, is_beside=not lead)
                if name and (not words[first].sign or self._is_set_off(first, name)):
                    return first + len(name.split()) - 1, name
                return None
        return None

    def _given_name(self, at: int, *, is_named: bool, is_beside: bool) -> str | None:
        """The word here as a name, because it stands behind a relation, or behind "called"."""
        word = self._at(at)
        if word is None or word.sign or not (is_named or is_beside):
            return None
        is_chinese = not word.shown.isascii() and word.roles is NO_ROLES
        is_name = word.kinds & _PERHAPS or (is_chinese and may_be_chinese_name(word.shown, is_named=is_named))
        return word.shown if is_name else None

    def _is_set_off(self, at: int, name: str) -> bool:
        """Whether it stands between commas: "my friend, Bob, is here", and not "I asked my friend, Bob left"."""
        end = self._at(at + len(name.split()))
        return self.words[at].sign == "," and (end is None or end.sign != "")

    def _name_before(self, phrase: _Phrase, languages: int) -> tuple[int, str] | None:
        """The first place of a name, and the name: "Sarah is my wife", "Bob, my boss"."""
        start, after, words = phrase.first, self._at(phrase.last + 1), self.words
        before = self._at(start - 1)
        if before is not None and not words[start].sign and before.roles.articles & languages & ~ENGLISH:
            start -= 1  # "Marco è il mio capo"
        if start > 0 and words[start].sign == "," and (after is None or after.sign):
            return self._named_until(start - 1)
        if start < 2 or words[start].sign or not words[start - 1].roles.being_someone & languages:
            return None
        return None if words[start - 1].sign else self._named_until(start - 2)

    def _named_until(self, at: int) -> tuple[int, str] | None:
        name = self._name_ending(at)
        return None if name is None else (at - len(name.split()) + 1, name)

    def _name_at(self, at: int) -> str | None:
        """The name that begins here, if one does: a handle, or up to three words that look like parts of a name."""
        words = self.words
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

    def _name_ending(self, at: int) -> str | None:
        words, first = self.words, at
        while first > 0 and words[first - 1].looks_like_a_name and not words[first].sign and at - first < 2:
            first -= 1
        return self._name_at(first) if words[at].looks_like_a_name or words[at].is_handle else None

    # -- names ---------------------------------------------------------------------------------------------------------

    def _find_names(self, related: list[_Phrase]) -> list[_Phrase]:
        found: list[_Phrase] = []
        beside = {place for one in related if one.spoken != THE_SPEAKER for place in (one.first, one.last)}
        end = 0
        for at, word in enumerate(self.words):
            if not word.kinds & _NAME or at < end:
                continue
            name = (self._name_at(at) if word.looks_like_a_name else None) or word.shown
            end = at + len(name.split())
            if at not in self._taken and (phrase := self._named(at, end, name, beside)) is not None:
                found.append(self._with_role(phrase))
        return found

    def _with_role(self, phrase: _Phrase) -> _Phrase:
        """The phrase, with what the speaker calls them in front: "my lad Idris"."""
        if not self._has_role(phrase.first):
            return phrase
        self._take(phrase.first - 2, phrase.last)
        return phrase._replace(first=phrase.first - 2, spoken=Spoken(phrase.spoken.name))

    def _has_role(self, at: int) -> bool:
        """Whether a name stands behind what somebody is to the speaker, in a word that is no relation: whoever is
        somebody's is a person, unless it is a word for what is owned or joined."""
        role, mine = self._at(at - 1), self._at(at - 2)
        if role is None or mine is None or role.sign or mine.is_owner or self.words[at].sign:
            return False
        if not mine.roles.mine & self.languages:
            return False
        is_noun = role.shown.islower() and not role.is_owner and role.roles in (NO_ROLES, Roles())
        return is_noun and role.seen not in things_with_names() and role.seen not in english().stop_words

    def _named(self, at: int, end: int, name: str, beside: set[int]) -> _Phrase | None:
        """The name of the words from `at` to `end`, if something shows that it is a person's."""
        word = self.words[at]
        if self._is_introduced(at) or self._is_pet(at) or self._is_label(end):
            return None
        is_listed = bool(word.roles.first_names) or (not name.isascii() and is_chinese_name(name))
        is_certain = self._is_certain(at, end)
        is_shown = is_certain or self._is_person(at, end, is_listed=is_listed) or self._is_beside(at, end, beside)
        is_shown = is_shown or self._has_role(at)
        if not word.looks_like_a_name:  # "tom has asthma": nothing but a first name can be meant without a capital
            return _Phrase(at, at, _bare(name)) if self._does_something(end, ENGLISH) else None
        if not is_shown or (not is_listed and self._are_several_things(at, end)):
            return _Phrase(at, end - 1, _bare(name)) if is_listed or name.endswith(_HONOURED) else None
        return _Phrase(at, end - 1, Spoken(name, is_sure=is_certain or is_listed))

    def _are_several_things(self, at: int, end: int) -> bool:
        """Whether a first word with a capital is a plural: "Refunds need approval", "Contracts are signed by Legal".
        One person needs, and is."""
        first, verb = self.words[at], self._at(end)
        if end != at + 1 or (at and first.sign not in _SENTENCE_SIGNS) or verb is None or verb.sign:
            return False
        if not first.seen.endswith("s") or first.seen.endswith("ss") or first.is_owner or first.is_handle:
            return False
        return verb.seen in _PLURAL_BEING or any(
            roles_of(verb.seen + ending).people_do & ENGLISH for ending in ("s", "es")
        )

    def _is_introduced(self, at: int) -> bool:
        """Whether it is the speaker's own: "my name is Ada"."""
        if self.words[at].sign:
            return False
        seen = tuple(word.seen for word in self.words[max(0, at - 4) : at])
        return any(seen[-len(lead) :] == lead for lead in introductions())

    def _is_label(self, end: int) -> bool:
        """Whether it says who speaks: "Caroline: I went there"."""
        after = self._at(end)
        return after is not None and after.sign == ":"

    def _is_pet(self, at: int) -> bool:
        """Whether it is the name of an animal: "a dog named Max", "my cat Luna"."""
        return any(word.roles.pets for word in self.words[max(0, at - 3) : at])

    def _is_certain(self, start: int, end: int) -> bool:
        """Whether a word beside it is used of people alone: "Dr Jones", "Zoltan was diagnosed"."""
        before = self._at(start - 1)
        if before is not None and before.roles.titles and self.words[start].sign in ("", "."):
            return True
        for word in self.words[end : end + 4]:
            if word.sign:
                return False
            if word.roles.only_people & self.languages:
                return True
        return False

    def _is_person(self, start: int, end: int, *, is_listed: bool) -> bool:
        """Whether the words beside a name show that it is a person's. What people do in another language than English
        shows it of a first name, and inside a sentence; but German writes every noun with a capital."""
        words = self.words
        is_inside = start > 0 and not self.languages & bit_of("german")
        languages = self.languages | ENGLISH if is_listed or is_inside else ENGLISH
        before, after = self._at(start - 1), self._at(end)
        if words[end - 1].is_owner:
            return after is not None and not after.sign
        shows = NO_ROLES if before is None or words[start].sign else before.roles
        if (shows.before_people | shows.company) & languages or shows.relations & languages:
            return True
        return self._does_something(end, languages) or self._does_together(end, languages) or self._is_joined(start)

    def _is_beside(self, start: int, end: int, beside: set[int]) -> bool:
        """Whether "and" joins it to somebody who is known to be a person: "my wife and Tom"."""
        before, after = self._at(start - 1), self._at(end)
        is_after = before is not None and bool(before.roles.joining & self.languages) and start - 2 in beside
        is_before = after is not None and bool(after.roles.joining & self.languages) and end + 1 in beside
        return is_after or is_before

    def _does_something(self, at: int, languages: int) -> bool:
        """Whether what follows is what people do."""
        word = self._at(at)
        if word is None or word.sign:
            return False
        after = self._at(at + 1)
        does = after is not None and bool(after.roles.people_do & languages)
        return bool(word.roles.people_do & languages) or (bool(word.roles.adverbs & languages) and does)

    def _does_together(self, at: int, languages: int) -> bool:
        """The first of two: "Sarah and Bob love hiking"."""
        word = self._at(at)
        if word is None or not word.roles.joining & languages:
            return False
        other = self._name_at(at + 1)
        return other is not None and self._does_something(at + 1 + len(other.split()), languages)

    def _is_joined(self, at: int) -> bool:
        """The second of two: "met Sarah and Bob"."""
        if at < 3 or not self.words[at - 1].roles.joining & self.languages or not self.words[at - 2].looks_like_a_name:
            return False
        return bool(self.words[at - 3].roles.before_people)
