"""Words of a text, as the index knows them.

Letters and digits of any script, compatibility-folded, case-folded and without accents, cut to their stems. A text in
Latin letters that is not in English also has the stems of its own language, marked as such, so that they meet no word
of an English text. Scripts without spaces (Chinese, Japanese, Thai, …) and Korean, whose words carry their particles,
are cut into short pieces. Numbers, dates, addresses, names of things in code and codes with hyphens (`codes.py`)
are words as a whole besides. Whoever changes the words of a text changes `ANALYZER` too.

A query is words too, and never a language.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from memfort.bounded_cache import BoundedCache
from memfort.folding import base_letter, category, compose_compatible, without_case
from memfort.language.attributes import attribute_terms
from memfort.language.canonical import canonical_terms, find_canonical
from memfort.language.codes import MAX_CHARS, Code, parse_code
from memfort.language.detect import (
    foreign_language,
    other_stop_words,
    possible_languages,
    script_of,
    stem,
    stop_words,
)
from memfort.language.language import ENGLISH, english, languages, shared
from memfort.language.normalise import plain

MAX_WORD_CHARS = 64
MAX_QUERY_TERMS = 64
ASSISTANTS = shared().turns.answering_roles  # who in a conversation is the one that a query says "you" to
FOREIGN = "~"  # before the stem of a language other than English

# The terms for one word of a query: any of them is that word, or all those in one with spaces; and if the last of these
# ends in a hyphen, where the first is there more often than that (`code_inner_term`).
TermGroup = tuple[str, ...]


def text_terms(text: str) -> dict[str, int]:
    """The terms of a text with how often each occurs."""
    lower = _compose(text)
    if lower.isascii():
        words = _split_ascii(lower)
        terms = list(map(_ENGLISH_STEMS.__getitem__, words))
    else:
        words = [folded for folded, _ in _fold_runs(lower)]
        terms = [term for word in words for term in _pieces(word)]
    if _has_punctuation(lower) and _MAY_BE_WHOLE.search(lower):
        wholes = [_whole_term(written) for written in _WORDS_AND_WHOLES.findall(lower) if not written.isalnum()]
        terms += wholes
        if "-" in lower and (codes := _find_codes(lower)):
            known = frozenset(wholes)
            terms += [code.whole for _, code in codes if code.whole not in known]
            terms += [code_inner_term(next(_pieces(code.parts[0]))) for _, code in codes]
    if (language := foreign_language(words, lower)) is not None:
        terms += _foreign_terms(_fold_runs(lower), language)
    terms += canonical_terms(lower)
    terms += attribute_terms(plain(text))
    often: dict[str, int] = {}
    for term in terms:
        often[term] = often.get(term, 0) + 1
    return often


def _foreign_terms(words: Sequence[tuple[str, str]], language: str) -> Iterator[str]:
    yield language_term(language)
    for _, written in words:
        if written.isalpha() and _is_latin(written):
            yield FOREIGN + _strip_accents(stem(written[:MAX_WORD_CHARS], language))


def language_term(language: str) -> str:
    """What every text in a language has."""
    return f"{FOREIGN} {language}"


def query_languages(query: str) -> tuple[str, ...] | None:
    """The languages in Latin letters that a query may be in; `None` if that cannot be said."""
    lower = _compose(_split_names(query)[0])
    return possible_languages([folded for folded, _ in _fold_runs(lower)], lower)


def content_words(query: str) -> frozenset[str]:
    """The words of a query, folded, that are no stop words of the languages that it may be in. A word is never left out
    because another language has it as a stop word: people called Uma, Kim or Ben would never be found."""
    languages, words = query_languages(query), split_words(query)
    return frozenset(word for word in words if is_content_word(word, languages)) | _names_among_stop_words(query, words)


def _names_among_stop_words(query: str, words: Sequence[str]) -> frozenset[str]:
    """English stop words that are written as names: "Tell me about Will", "Will employer", but not "Will it rain?"."""
    names = english().file.names
    if names.isdisjoint(words):
        return frozenset()
    written = {word for name in _split_names(query)[1] for word in split_words(name)}
    if words[0] in names and query.lstrip()[0].isupper() and len(words) > 1 and is_content_word(words[1]):
        written.add(words[0])
    return names & written


def _split_names(query: str) -> tuple[str, list[str]]:
    """The query without the words that have a capital inside a sentence, which may be names; and those words. Where
    every word has a capital, it shows nothing."""
    composed = compose_compatible(query)
    words = list(_LETTERS.finditer(composed))
    if not any(word[0][0].islower() for word in words):
        return composed, []
    names, rest, end = [], [], 0
    for before, word in pairwise(words):
        is_inside = _SENTENCE_ENDS.isdisjoint(composed[before.end() : word.start()])
        if is_inside and word[0][0].isupper():
            names.append(word[0])
            rest.append(composed[end : word.start()])
            end = word.end()
    return "".join((*rest, composed[end:])), names


_LETTERS = re.compile(r"[^\W\d_]\w*")
_SENTENCE_ENDS = frozenset(".!?:¿¡")


def query_terms(
    query: str,
    languages: Sequence[str] = (),
    without: Collection[str] = (),
    content: Collection[str] | None = None,
) -> list[TermGroup]:
    """The distinct words of a query in a fixed order, but for those `without` which it is asked; stop words only if
    there is nothing else. Each is found by any of its terms: its stems in English and in these languages. `content` are
    its content words, if they are known. Of more than `MAX_QUERY_TERMS`, the identifiers and the first words count."""
    groups, stop_words = _split_query(query, languages, without, content)
    return _first_terms(groups or stop_words)


def content_terms(
    query: str,
    languages: Sequence[str] = (),
    without: Collection[str] = (),
    content: Collection[str] | None = None,
) -> list[TermGroup]:
    """The same without stop words, also where there is nothing else."""
    return _first_terms(_split_query(query, languages, without, content)[0])


def _first_terms(groups: Iterable[TermGroup]) -> list[TermGroup]:
    return sorted(islice(groups, MAX_QUERY_TERMS))


def _split_query(
    query: str, languages: Sequence[str], without: Collection[str], content: Collection[str] | None
) -> tuple[Iterable[TermGroup], Iterable[TermGroup]]:
    """The content words of a query, its identifiers first, and its stop words; each in order and once."""
    lower, spoken = _compose(query), tuple(languages)
    known_content = content_words(query) if content is None else content
    kept = [(folded, written) for folded, written in _fold_runs(lower) if folded not in without]
    named = _find_identifiers(lower)
    hidden, coded = _words_inside(named), [(one.word, one.groups) for one in _code_words(lower)]
    groups: dict[TermGroup, None] = dict.fromkeys(group for group, _ in named)
    stop_words: dict[TermGroup, None] = {}
    for folded, written in kept:
        if hidden[folded]:
            hidden[folded] -= 1
            continue
        if coded and (known := next((one for one in coded if one[0] == folded), None)) is not None:
            coded.remove(known)
            groups.update(dict.fromkeys(known[1]))
            continue
        for group, is_stop_piece in _word_groups(folded, written, spoken):
            is_stop_word = is_stop_piece or (folded not in known_content and _is_latin(folded))
            (stop_words if is_stop_word else groups)[group] = None
    return groups, stop_words


def identifier_words(query: str) -> Counter[str]:
    """The words inside of what a query names as a whole, such as an error code or an address. They mean nothing by
    themselves: what has some of them is something else."""
    return _words_inside(_find_identifiers(_compose(query)))


class CodeWord(NamedTuple):
    """A word that begins a code, or stands in one, and says by itself what it is about: that of `covid-19`."""

    word: str  # folded
    inside: str  # what a text has as often as a code begins with the same word
    whole: str  # the code
    groups: tuple[TermGroup, ...]


def find_code_words(query: str) -> tuple[CodeWord, ...]:
    """The words of a query's codes that are asked for besides. They are found by themselves, and in that very code, but
    not inside another one: `INFRA-8` is no answer to `INFRA-7`."""
    return _code_words(_compose(query))


@lru_cache(maxsize=8)
def _code_words(lower: str) -> tuple[CodeWord, ...]:
    found = []
    for _, code in _find_codes(lower) if "-" in lower else ():
        inside, ways = code_inner_term(next(_pieces(code.parts[0]))), _code_spellings(code)
        for word in code.parts:
            if word not in code.hidden:
                groups = tuple((f"{piece} {inside}", *ways) for piece in _pieces(word))
                found.append(CodeWord(word, inside, code.whole, groups))
    return tuple(found)


@lru_cache(maxsize=8)  # a recall asks twice
def _find_identifiers(lower: str) -> tuple[tuple[TermGroup, Sequence[str]], ...]:
    """What a query names as a whole: the terms for each, and the words in it that are not asked for one by one."""
    canonical = find_canonical(lower)
    named: list[tuple[TermGroup, Sequence[str]]] = []
    for one in canonical:
        written = lower[one.begin : one.end]
        spellings = _version_spellings(_whole_term(written)) if _is_whole(written) else ()
        named.append(((*spellings, one.term), _folded_words(written) if one.is_one else ()))
        if one.is_one:  # what is inside of it is not looked at again
            lower = f"{lower[: one.begin]}{' ' * (one.end - one.begin)}{lower[one.end :]}"
    if not _MAY_BE_WHOLE.search(lower):
        return tuple(named)
    codes = _find_codes(lower) if "-" in lower else []
    ends, starts = [end for (_, end), _ in codes], [start for (start, _), _ in codes]
    named += [(_code_spellings(code), code.hidden) for _, code in codes]
    for match in _WORDS_AND_WHOLES.finditer(lower):
        if (written := match.group(0)).isalnum():
            continue
        next_code = bisect_right(ends, match.start())
        if next_code == len(codes) or match.end() <= starts[next_code]:  # what is inside of a code is a part of it
            named.append((_version_spellings(_whole_term(written)), _words_inside_term(written)))
    return tuple(named)


def _is_whole(written: str) -> bool:
    """Whether it is kept whole as it is written: without spaces and brackets."""
    match = _WORDS_AND_WHOLES.fullmatch(written)
    return match is not None and not written.isalnum()


def _folded_words(written: str) -> list[str]:
    return [folded for folded, _ in _fold_runs(written)]


def _words_inside(named: Sequence[tuple[TermGroup, Sequence[str]]]) -> Counter[str]:
    return Counter([part for _, parts in named for part in parts]) if named else Counter()


def _code_spellings(code: Code) -> TermGroup:
    """A code as one word, and as words apart: `GPT-4` and `GPT 4`. A single letter would be found anywhere."""
    if any(len(part) == 1 and part.isalpha() for part in code.parts):
        return (code.whole,)
    return (code.whole, " ".join(term for part in code.parts for term in _pieces(part)))


def code_inner_term(term: str) -> str:
    """What a text has as often as a term begins a code in it. "GPT-5 has 4 sizes" has the parts of `GPT-4`, and is not
    about it."""
    return f"{term}-"


def _version_spellings(whole: str) -> TermGroup:
    """A version has a `v` before it or none, and may end in zeros or not: `v2.1` is `2.1.0`."""
    if not _VERSION.fullmatch(whole):
        return (whole,)
    plain_form = whole.removeprefix("v")
    short = plain_form
    while short.count(".") > 1 and short.endswith(".0"):
        short = short[:-2]
    forms = dict.fromkeys((plain_form, short, f"{short}.0"))
    return tuple(dict.fromkeys((whole, *(f"{sign}{form}" for form in forms for sign in ("", "v")))))


def word_groups(folded: str) -> tuple[tuple[TermGroup, bool], ...]:
    """The terms for a folded word of a query, or for each piece of it, and whether the piece is a stop word."""
    return _word_groups(folded, folded, ())


@lru_cache(maxsize=16_384)
def _word_groups(folded: str, written: str, languages: tuple[str, ...]) -> tuple[tuple[TermGroup, bool], ...]:
    """The terms for a word, or for each piece of it, and whether the piece is a stop word."""
    if not _is_latin(folded):
        return tuple(((term,), not _is_content_piece(term)) for term in _pieces(folded))
    others = [name for name in languages if name != ENGLISH] if written.isalpha() else []
    forms = [written] if written == folded else [written, folded]
    stems = [_strip_accents(stem(form[:MAX_WORD_CHARS], name)) for name in others for form in forms]
    return (((_ENGLISH_STEMS[folded], *dict.fromkeys(FOREIGN + one for one in stems)), False),)


def split_words(text: str) -> list[str]:
    """The words of a text as they are written, folded, in order."""
    return _split_ascii(text) if text.isascii() else [folded for folded, _ in _fold_runs(_compose(text))]


@lru_cache(maxsize=16_384)
def is_content_word(word: str, languages: tuple[str, ...] | None = None) -> bool:
    """Whether a folded word is no stop word of these languages."""
    if not _is_latin(word):
        return any(map(_is_content_piece, _pieces(word)))
    known = languages or (ENGLISH,)
    if ENGLISH in known and _ENGLISH_STEMS[word] in _stop_terms():
        return False
    return not any(word in stop_words(name) for name in known if name != ENGLISH)


def stem_word(word: str) -> str:
    """The term of a folded English word."""
    return _ENGLISH_STEMS[word]


def is_piece(term: str) -> bool:
    """Whether it is cut out of a script without spaces: several of them make a word."""
    return bool(_piece_kind(term[0]))


def _is_content_piece(piece: str) -> bool:
    """Pieces of Hiragana are endings and particles."""
    return piece not in _other_stop_terms() and not all("\u3040" <= letter <= "\u309f" for letter in piece)


@lru_cache(maxsize=1)
def _stop_terms() -> frozenset[str]:
    return frozenset(map(_stem_english, stop_words(ENGLISH)))


@lru_cache(maxsize=1)
def _other_stop_terms() -> frozenset[str]:
    words = other_stop_words()
    return words | {stem(word, script) for word in words if (script := script_of(word[0])) is not None}


# -- folding ---------------------------------------------------------------------------------------------------------


def _compose(text: str) -> str:
    """Lower case, compatibility forms undone, and one kind of hyphen. What nobody sees is no part of a word: soft
    hyphens, and signs without a width."""
    if text.isascii():
        return text.lower()
    composed = compose_compatible(without_case(text))
    composed = _INVISIBLE.sub("", composed)
    for hyphen in _HYPHENS:
        composed = composed.replace(hyphen, "-")
    return _DASHED.sub(_unify_dashes, composed) if "\u2013" in composed else composed


_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def _unify_dashes(run: re.Match[str]) -> str:
    """A dash between two numbers alone is a range, whose ends are words."""
    written = run.group(0)
    return written if _RANGE.fullmatch(written) else written.replace("\u2013", "-")


def _fold_runs(composed: str) -> list[tuple[str, str]]:
    """Each word without accents, and as it is written. People search for `Zurich` and mean `Zürich`; outside the Latin
    and Greek scripts a mark makes another letter, a vowel or a tone, and stays."""
    if composed.isascii():
        return [(word, word) for word in _split_ascii(composed)]
    runs = composed.translate(_BREAKS).split()
    return [(folded, run) for run in runs if (folded := _strip_accents(run))]


def _strip_accents(word: str) -> str:
    return word if word.isascii() else _LOOSE_MARKS.sub("", "".join(map(_strip_accent, word)))


_HYPHENS = "\u2010\u2012\u2212"  # U+2011 is a compatibility form of the first
_DASHED = re.compile("(?<![^\\W_])[^\\W_]++(?:[-\u2013][0-9][^\\W_]*+)++")  # before letters it stands between words
_RANGE = re.compile("[0-9][^\\W_]*\u2013[^\\W_]+")

# Accents that are not one with their letter, and what only chooses how a sign is drawn: U+FE0F is in most emoji.
_LOOSE_MARKS = re.compile("[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f]")


@lru_cache(maxsize=4096)
def _strip_accent(letter: str) -> str:
    is_latin_or_greek = "\u00c0" <= letter <= "\u03ff" or "\u1e00" <= letter <= "\u1fff"
    return _UNACCENTED.get(letter) or (base_letter(letter) if is_latin_or_greek else letter)


# Letters whose stroke or shape Unicode takes for no accent, as people write them without it.
_UNACCENTED = dict(zip("łøđħŧıðæœþ", ("l", "o", "d", "h", "t", "i", "d", "ae", "oe", "th"), strict=True))


# -- runs of letters, digits and marks -------------------------------------------------------------------------------


def _split_ascii(text: str) -> list[str]:
    return text.encode().translate(_ASCII_RUNS).decode().split()


def _has_punctuation(text: str) -> bool:
    """Whether there is anything but words and spaces, which is quick to check in ASCII."""
    return not text.isascii() or bool(text.encode().translate(None, _RUNS_AND_SPACE))


class _Breaks(dict[int, str]):
    """A space for every character that is no part of a word. Found out when it is first met."""

    def __missing__(self, code: int) -> str:
        found = character if category(character := chr(code))[0] in "LNM" else " "
        if len(self) < 8192:
            self[code] = found
        return found


# As bytes: a table of texts is asked for every letter, and costs five times as much.
_ASCII_RUNS = bytes(ord(chr(code).lower() if chr(code).isalnum() else " ") for code in range(128)).ljust(256)
_RUNS_AND_SPACE = bytes(code for code in range(128) if chr(code).isalnum() or chr(code).isspace())
_BREAKS = _Breaks()

# What is one thing although it has a sign inside: 3.14, 10:30, 2024-05-03, v1.2.3, ERR_CONN_42, a@b.example, C++, C#.
_MAY_BE_WHOLE = re.compile(r"[_.@:,+#-](?:(?!\s|$)|(?<=#))")
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+")
# With the words between, which takes a third of the time of passing over their letters one by one.
_WORDS_AND_WHOLES = re.compile(r"[a-z](?:\+\+|#)(?![^\W_])|[^\W_]++(?:(?:[_.@]++|(?<=[0-9])[:,-](?=[0-9]))[^\W_]++)*+")
# Words and numbers between hyphens, if no other sign joins them to anything. It begins where no other such run could.
_HYPHENED = re.compile(r"(?<![^\W_])(?<![^\W_][-_.@])[^\W_]++(?:-[^\W_]++)++(?![_.@]++[^\W_]|(?<=[0-9])[:,][0-9])")
_HYPHEN = re.compile(r"-(?<=[^\W_]-)(?=[^\W_])")  # with nothing before the hyphen, so that it is soon found
_DIGIT = re.compile("[0-9]")


def _whole_term(written: str) -> str:
    """The term for something that is kept whole."""
    return _strip_accents(written.replace(",", ""))[: 2 * MAX_WORD_CHARS]


def _words_inside_term(whole: str) -> list[str]:
    """Which of the words in it are not asked for one by one: those of what has a digit, of an address, or of a name
    with a sign at its end, because others that have a part of it are something else."""
    is_one = "@" in whole or whole[-1] in "+#" or any(letter.isdigit() for letter in whole)
    return [folded for folded, _ in _fold_runs(whole)] if is_one else []


def _find_codes(lower: str) -> list[tuple[tuple[int, int], Code]]:
    """The codes with hyphens, and where they stand."""
    found, end = [], 0
    for hyphen in _HYPHEN.finditer(lower):
        if (at := hyphen.start()) < end:
            continue
        start, end = lower.rfind(" ", end, at) + 1 or end, lower.find(" ", at)
        end = len(lower) if end < 0 else end
        if _DIGIT.search(lower, start, end):
            runs = _HYPHENED.finditer(lower, start, end)
            found += [(run.span(), parse_code(_strip_accents(run.group(0)[: MAX_CHARS + 1]))) for run in runs]
    return [(span, code) for span, code in found if code is not None]


# -- terms -----------------------------------------------------------------------------------------------------------


def _stem_english(word: str) -> str:
    """The English stem of a folded word; of what is not letters alone, the word."""
    word = word[:MAX_WORD_CHARS]
    return stem(word, ENGLISH) if word.isalpha() and word.isascii() else word


_ENGLISH_STEMS = BoundedCache(_stem_english, 65_536)


def _is_latin(word: str) -> bool:
    return word.isascii() or not (script_of(word[0]) or any(map(_piece_kind, word)))


def _pieces(run: str) -> Iterator[str]:
    """The terms of a folded run. It is cut where it changes between scripts that are cut into pieces and others."""
    if run.isascii():
        yield _ENGLISH_STEMS[run]
        return
    start = 0
    for end in range(1, len(run) + 1):
        if end == len(run) or _piece_kind(run[end]) != _piece_kind(run[start]):
            part = run[start:end]
            kind = _piece_kind(part[0])
            if kind:
                yield from _grams(part, kind)
            else:
                script = script_of(part[0])
                yield _ENGLISH_STEMS[part] if script is None else stem(part[:MAX_WORD_CHARS], script)
            start = end


def _grams(part: str, kind: str) -> Iterator[str]:
    """Han: each sign, which is a word, and pairs. Kana and Korean: pairs. Thai and its like, whose signs are letters:
    threes."""
    if kind == "ones":
        yield from (sign for sign in part if _is_han(sign))
    size = 3 if kind == "threes" else 2
    if len(part) < size:
        yield from () if kind == "ones" and _is_han(part) else (part,)
    yield from (part[index : index + size] for index in range(len(part) - size + 1))


def _is_han(sign: str) -> bool:
    return len(sign) == 1 and sign >= "\u3400" and not "\uac00" <= sign <= "\ud7af"


@lru_cache(maxsize=8192)
def _piece_kind(character: str) -> str:
    code = ord(character)
    return next((kind for low, high, kind in _PIECE_RANGES if low <= code <= high), "")


_PIECE_RANGES = (
    (0x0E00, 0x0EFF, "threes"),  # Thai, Lao
    (0x1000, 0x109F, "threes"),  # Myanmar
    (0x1780, 0x17FF, "threes"),  # Khmer
    (0x3040, 0x30FF, "ones"),  # Hiragana, Katakana: in one run with Han
    (0x3400, 0x4DBF, "ones"),  # Han
    (0x4E00, 0x9FFF, "ones"),
    (0xAC00, 0xD7AF, "twos"),  # Korean
    (0xF900, 0xFAFF, "ones"),
    (0x20000, 0x323AF, "ones"),
)


@cache
def stop_words_of_all() -> frozenset[str]:
    """Those of all languages, folded as words are."""
    return frozenset(folded for one in languages() for word in one.stop_words for folded in split_words(word))
