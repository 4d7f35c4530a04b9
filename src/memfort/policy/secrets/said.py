"""Find secrets that people give away in ordinary words, in every language with a `secrets.txt`.

"the voicemail code is 4821", "das WLAN-Passwort lautet Sonne2024": a word names the secret, a few words later stands
its value. One pattern finds the naming words; the words around each are looked at one by one, in a window of fixed
size, so the work grows with the text and not faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from typing import Any

import re2
from msgspec import Struct

from memfort.policy.secrets.fold import fold
from memfort.policy.secrets.rules import Check, Rule
from memfort.policy.secrets.shapes import Shape, is_generated, parts_of_pair, shape_of
from memfort.policy.secrets.values import is_counted, is_said_alone
from memfort.policy.secrets.words import RUNS, files, is_wide, normal, references, spaced, words_for

_WINDOW = 110  # characters that are looked at on either side of a naming word
_NAMES = (
    "passwords", "short_passwords", "pins", "one_time_codes", "codes", "keys", "plain_keys", "logins", "phrases",
    "seeds",
)  # fmt: skip
_SIGNS = frozenset(":=-–—>→|/,;~*•、，")
_QUOTES = "「『《（“‘"
_PHRASE_WORDS = 10  # a wallet has twelve at least


class Name(Struct, frozen=True):
    """A word that names a secret, where it stands in a text."""

    word: str
    start: int
    end: int
    kinds: frozenset[str]
    languages: frozenset[str]


class Token(Struct, frozen=True):
    text: str  # without quotes and the signs around it
    raw: str
    linked: bool  # what stands before it leads to a value
    is_told: bool  # the same, and it leads to nothing else: a form of "to be", a colon
    after_comma: bool
    ends: bool  # a sentence or a clause ends with it


class Vocabulary(Struct, frozen=True):
    """The words of all languages, folded."""

    kinds: Mapping[str, frozenset[str]]  # of naming words, by word
    languages: Mapping[str, frozenset[str]]
    first_words: frozenset[str]
    longest: int  # how many words a name has at most
    tails: frozenset[str]  # the last six letters of the next, singular and plural
    inside: tuple[str, ...]  # words for passwords that may be the end of a longer one: `bankpasswort`
    wide: Any  # finds the names in scripts without spaces
    links: frozenset[str]
    wide_links: tuple[str, ...]  # in scripts without spaces, where a link ends a run of letters
    told: frozenset[str]  # all of the next
    being: Mapping[str, frozenset[str]]  # by language
    endings: Mapping[str, tuple[str, ...]]
    not_values: frozenset[str]
    places: frozenset[str]
    wide_places: tuple[str, ...]
    harmless: frozenset[str]
    harmless_before: tuple[str, ...]
    harmless_keys: frozenset[str]


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    kinds: dict[str, set[str]] = {}
    spoken: dict[str, set[str]] = {}
    for code, file in files().items():
        for section in _NAMES:
            for word in map(normal, getattr(file, section)):
                name = word if is_wide(word) else spaced(word)
                kinds.setdefault(name, set()).add(section)
                spoken.setdefault(name, set()).add(code)
    inside = tuple(word for word in kinds if len(word) >= 6 and "passwords" in kinds[word] and " " not in word)
    wide = sorted(filter(is_wide, kinds), key=lambda word: (-len(word), word))
    links = {part for word in words_for("links", "being") for part in (word, *word.split())}
    places, harmless = words_for("code_places"), words_for("harmless_codes")
    return Vocabulary(
        kinds={word: frozenset(found) for word, found in kinds.items()},
        languages={word: frozenset(found) for word, found in spoken.items()},
        first_words=frozenset(form for word in kinds if not is_wide(word) for form in _forms(word.split()[0])),
        longest=max(len(word.split()) for word in kinds),
        tails=frozenset(form[-6:] for word in inside for form in _forms(word)),
        inside=inside,
        wide=re2.compile("|".join(map(str, map(re2.escape, wide)))),
        links=frozenset(links),
        wide_links=tuple(filter(is_wide, links)),
        told=frozenset(words_for("being")),
        being={code: frozenset(map(normal, file.being)) for code, file in files().items()},
        endings={code: tuple(map(normal, file.endings)) or ("\0",) for code, file in files().items()},
        not_values=frozenset(words_for("not_values")),
        places=frozenset(map(spaced, places)),
        wide_places=tuple(filter(is_wide, places)),
        harmless=frozenset(map(spaced, harmless)) | frozenset(filter(is_wide, harmless)),
        harmless_before=tuple(word for word in harmless if is_wide(word)),
        harmless_keys=frozenset(words_for("harmless_keys")),
    )


def _forms(word: str) -> tuple[str, str]:
    return word, f"{word}s"


def names_in(lower: str) -> Iterator[Name]:
    """The words that name a secret, in the order of the text; of two that overlap, the longer."""
    words = vocabulary()
    if not lower.isascii():
        for match in words.wide.finditer(lower):
            yield _name(match.group(), match.start(), match.end())
    runs = lower.translate(_SPACES).split(" ")
    ends = list(accumulate(map(len, runs)))  # without the spaces
    after = 0
    for place in [at for at, run in enumerate(runs) if run in words.first_words or run[-6:] in words.tails]:
        for last in range(min(place + words.longest, len(runs)) - 1, place - 1, -1) if place >= after else ():
            name = _known(" ".join(filter(None, runs[place : last + 1]))) if runs[last] else None
            if name is not None:
                yield _name(name, ends[place] - len(runs[place]) + place, ends[last] + last)
                after = last + 1
                break


class _Spaces(dict[int, int]):
    """A translation table: a space in place of all but letters and digits of scripts with spaces between words."""

    def __missing__(self, code: int) -> int:
        is_word = chr(code).isalnum() if code < 0x80 else code < 0x2E80
        self[code] = code if is_word else 0x20
        return self[code]


_SPACES = _Spaces()


def _known(word: str) -> str | None:
    words = vocabulary()
    for form in (word, word.removesuffix("s")):
        if form in words.kinds:
            return form
        if " " not in form and form.endswith(words.inside):
            return next(one for one in words.inside if form.endswith(one))
    return None


def _name(word: str, start: int, end: int) -> Name:
    words = vocabulary()
    return Name(word, start, end, words.kinds[word], words.languages[word])


_DIGIT = re2.compile(b"[0-9]")


def gives_away(*sections: str, needs_digit: bool = True) -> Check:
    """A check whether a text names a secret of these kinds and has its value beside it."""
    kinds = frozenset(sections)

    def check(match: Any) -> bool:
        if needs_digit and not _DIGIT.search(match.group()):
            return False
        text = fold(match.group().decode(errors="replace"))
        lower = text.lower()
        if len(lower) != len(text):  # a letter that has two in lower case: places would not agree
            text = lower
        seen: set[tuple[frozenset[str], str]] = set()
        for name in names_in(lower):
            around = (name.kinds & kinds, text[max(0, name.start - _WINDOW) : name.end + _WINDOW])
            if around not in seen and any(_is_given(kind, name, text, lower) for kind in around[0]):
                return True
            seen.add(around)
        return False

    return check


def _is_given(kind: str, name: Name, text: str, lower: str) -> bool:
    if _is_in_code(name, text):
        return False
    after = _tokens(_line(text[name.end : name.end + _WINDOW]))
    if kind in _LISTS:
        return _LISTS[kind](after)
    if kind == "codes" and not _is_secret_code(name, lower):
        return False
    if kind in ("plain_keys", "short_passwords") and _is_harmless_key(name, lower):
        return False
    before = _tokens(text[max(0, name.start - _WINDOW) : name.start].rpartition("\n")[2])
    return _follows(kind, name, after, is_short=len(before) + len(after) <= 8) or _precedes(kind, name, before)


def _is_in_code(name: Name, text: str) -> bool:
    """Whether the name is a part of one in a program: `password_hash`, `check_password(`. Assignments have a rule of
    their own."""
    rest = text[name.end : name.end + 2]
    if rest[:1] in ("_", "(") or (rest[:1] in ('"', "'", "`") and rest[1:] in (",", ")", "}", "]", ";")):
        return True
    start, end = max(0, name.start - _WINDOW), name.end + _WINDOW
    if _CODE.search(text[start : name.start].rpartition("\n")[2] + text[name.start : end].partition("\n")[0]):
        return True
    before, sign = text[max(0, name.start - 1) : name.start], text[name.end : name.end + 4].lstrip()[:1]
    return before == "<" or (before == "_" and sign in ("=", ":", ",", ")", ".", ""))


_CODE = re2.compile(r"[A-Za-z_]\(|</|/>|<[a-z]+ |[{;]\s*$|=>| [!=]= |\b(?:def|return|self|const|await|import)\b[ .]")


def _line(window: str) -> str:
    """The rest of the line, or the next one if nothing more than a sign stands there."""
    head, _, rest = window.partition("\n")
    return head if head.strip(" :=-\t") else f"{head} {rest.partition(chr(10))[0]}"


# -- the words around a name ------------------------------------------------------------------------------------------


def _split_scripts(text: str) -> Iterator[str]:
    """The words of a text, cut where ASCII begins and ends: Chinese has no spaces around a password."""
    for word in text.split():
        yield from ("".join(letters) for _, letters in groupby(word, str.isascii))


def _tokens(text: str) -> list[Token]:
    """The words of a window, each with what leads to it."""
    links, wide = vocabulary().links, vocabulary().wide_links
    found: list[Token] = []
    told = vocabulary().told
    linked = is_told = after_comma = False
    for raw in text.split() if text.isascii() else _split_scripts(text):
        inner = raw.lstrip("\"'`*([{<:=->~|")
        leads = linked or raw[:1] in _SIGNS or raw.startswith("'s")
        value = inner.rstrip("\"'`*)]}>.,;:!?|=")
        is_told = is_told or raw[:1] in (":", "=")
        found.append(Token(value, raw, leads, is_told, after_comma, raw.rstrip("\"'`*)]}>")[-1:] in ".,;!?"))
        low = raw.lower().strip("\"'`*().,!")
        linked = (
            not value
            or raw == "'s"
            or low in links
            or raw[-1:] in ":=>→、，"
            or (not raw.isascii() and raw.rstrip(_QUOTES).endswith(wide))
        )
        is_told = low in told or raw == "'s" or raw[-1:] in (":", "=") or (not raw.isascii() and linked)
        after_comma = raw[-1:] == ","
    return found


def _follows(kind: str, name: Name, after: Sequence[Token], *, is_short: bool) -> bool:
    """Whether the value stands behind the name, as it mostly does."""
    for place, token in enumerate(after[:12]):
        following = after[place + 1].text if place + 1 < len(after) else ""
        if kind in ("pins", "codes", "one_time_codes") and _is_spelled_out(after[place:]):
            return True
        is_linked = token.linked or place == 0 or (token.after_comma and kind in ("pins", "codes", "one_time_codes"))
        is_jotted = is_short and name.word != "pass"
        if _is_value(kind, Place(token, following, place, is_linked, is_jotted)):
            return not _is_reference(after, place)
        if kind == "passwords" and _is_plain_word(name, after, place):
            return True
        if _CLOSES.search(token.raw):
            return False
        if place and token.raw[-1:] in ".?!" and place + 1 < len(after) and not _leads_on(after[place + 1]):
            return False
    return False


_CLOSES = re2.compile("[\"'`][)}\\],;]")  # the end of a text in a program


def _is_spelled_out(tokens: Sequence[Token]) -> bool:
    """`4 8 2 1`, one digit at a time."""
    digits = 0
    while digits < len(tokens) and tokens[digits].text.isdigit() and len(tokens[digits].text) == 1:
        digits += 1
    return tokens[0].linked and 4 <= digits <= 8


def _leads_on(token: Token) -> bool:
    """Whether a sentence goes on about the name: "… the wifi password. It's …"."""
    return token.text.lower() in vocabulary().links or token.raw[:1] in _SIGNS


def _is_reference(tokens: Sequence[Token], place: int) -> bool:
    """Whether the words before a value call it an order, a ticket, an address."""
    named = {tokens[at].text.lower().lstrip("(#") for at in range(max(0, place - 2), place)}
    return bool(named & references())


def _precedes(kind: str, name: Name, before: Sequence[Token]) -> bool:
    """Whether the value stands before the name: "448201 is your code", "use hunter2 as the password"."""
    being = frozenset[str]().union(*(vocabulary().being[code] for code in name.languages)) | _AS
    wide = tuple(filter(is_wide, being)) or ("\0",)
    between: list[str] = []
    for place, token in enumerate(reversed(before[-8:])):
        joined = place and any(word in being or word in _SIGNS or word.endswith(wide) for word in between)
        if (joined or (place and token.linked and kind == "codes")) and _is_value_before(kind, token):
            return not _is_reference(before, len(before) - 1 - place)
        if token.raw[-1:] in ".?!;":
            return False
        between.append(token.text.lower() or token.raw)
    return False


_AS = frozenset({"as", "als", "como", "come", "comme", "jako", "that's", "thats", "c'est", "es", "ist", "to", "="})


def _is_value_before(kind: str, token: Token) -> bool:
    shape = shape_of(token.text)
    if token.text.lower() in vocabulary().not_values or "`" in token.raw:
        return False
    if kind in ("passwords", "short_passwords"):
        return shape is Shape.MIXED and len(token.text) >= 6
    if kind in ("pins", "one_time_codes", "codes"):
        return shape is Shape.DIGITS and 4 <= _digits(token.text) <= 8
    return kind == "keys" and is_generated(token.text)


# -- what a value of each kind looks like -----------------------------------------------------------------------------


class Place(Struct, frozen=True):
    """A word that may be the value, and where it stands behind the name."""

    token: Token
    following: str
    number: int  # how many words stand between
    is_linked: bool
    is_short: bool  # in a note of a few words

    @property
    def value(self) -> str:
        return self.token.text

    @property
    def ends(self) -> bool:
        return self.token.ends or not self.following


def _is_value(kind: str, place: Place) -> bool:
    if any(part in vocabulary().not_values for part in place.value.lower().split(":")):
        return False
    return _VALUES[kind](place, shape_of(place.value))


def _is_password(at: Place, shape: Shape) -> bool:
    if shape is Shape.MIXED:
        return at.is_linked or (at.is_short and len(at.value) >= 6 and not at.value.isupper())
    if shape is not Shape.DIGITS or _digits(at.value) < 3 or at.number > 4 or is_counted(at.value, at.following):
        return False
    is_given = at.number == 0 or (at.token.is_told and at.ends) or is_wide(at.following[:1])
    return is_given or (at.is_short and _is_jotted(at))


def _is_short_password(at: Place, shape: Shape) -> bool:
    if shape is Shape.MIXED:
        return (at.is_linked or at.is_short) and at.number <= 6 and len(at.value) >= 5 and not at.value.isupper()
    return shape is Shape.DIGITS and at.token.linked and _digits(at.value) >= 4 and at.ends


def _is_pin(at: Place, _: Shape) -> bool:
    if not at.is_linked:
        return at.is_short and at.number <= 4 and _is_jotted(at)
    is_keypad = at.token.linked and _is_keypad_code(at.value)
    return at.number <= 9 and (is_keypad or _is_code(at.value, at.following, least=3))


def _is_one_time_code(at: Place, shape: Shape) -> bool:
    is_letters = shape is Shape.MIXED and at.value.upper() == at.value and 5 <= len(at.value) <= 14
    return at.is_linked and (is_letters or _is_code(at.value, at.following, least=4))


def _is_key(at: Place, shape: Shape) -> bool:
    is_short_key = shape is Shape.MIXED and at.token.linked and _is_short_key(at.value)
    return at.is_linked and (is_short_key or is_generated(at.value))


def _is_plain_key(at: Place, _: Shape) -> bool:
    return at.token.linked and at.number <= 6 and is_generated(at.value)


_VALUES: Mapping[str, Callable[[Place, Shape], bool]] = {
    "passwords": _is_password,
    "short_passwords": _is_short_password,
    "pins": _is_pin,
    "codes": _is_pin,
    "one_time_codes": _is_one_time_code,
    "keys": _is_key,
    "plain_keys": _is_plain_key,
}


def _is_jotted(at: Place) -> bool:
    """A number at the end of a note, and not a year: "PIN telephone 1470"."""
    return at.ends and _is_code(at.value, at.following, least=4) and not at.value.startswith(("19", "20"))


def _is_keypad_code(value: str) -> bool:
    """`45B12`: some keypads have a few letters."""
    return 4 <= len(value) <= 7 and value.isalnum() and value.upper() == value and _digits(value) >= 3


def _is_short_key(value: str) -> bool:
    """A key of a few letters: digits among letters, not only at the ends of words."""
    return len(value) >= 8 and sum(letter.isdigit() for letter in value) >= 2 and not _is_wordlike(value)


def _is_wordlike(value: str) -> bool:
    """`legend2_blue5`: words with a number behind each."""
    return all(part.rstrip("0123456789").isalpha() for part in value.replace("-", "_").split("_") if part)


def _is_code(value: str, following: str, *, least: int) -> bool:
    """Digits, perhaps in groups (`48 21`, `7-22-31`) or with the keys of a keypad (`4821#`)."""
    plain = value.strip("#*").removeprefix("G-")
    if len(plain) >= 5 and plain[0].isupper() != plain[-1].isupper():  # `B4719`
        plain = plain[1:] if plain[0].isupper() else plain[:-1]
    if shape_of(plain) is not Shape.DIGITS:
        return False
    count = _digits(plain)
    goes_on = following.strip("#*.,").isdigit()
    if goes_on and count < 4:
        return 4 <= count + _digits(following) <= 10
    return max(least, 3) <= count <= 10 and not is_counted(plain, following)


def _digits(value: str) -> int:
    return sum(letter.isdigit() for letter in value)


def _is_secret_code(name: Name, lower: str) -> bool:
    """Whether a code opens something or came by message, and is not a postal code or the like."""
    words = vocabulary()
    before, after = lower[max(0, name.start - 60) : name.start], lower[name.end : name.end + 60]
    near = [RUNS.findall(before), RUNS.findall(after)]
    beside = {*_pairs(near[0][-3:]), *_pairs(near[1][:2])}
    if beside & words.harmless or before.endswith(words.harmless_before):
        return False
    around = {*_pairs(near[0]), *_pairs(near[1])}
    if around & words.places or any(place in before or place in after for place in words.wide_places):
        return True
    return _SIX.search(after) is not None


def _is_harmless_key(name: Name, lower: str) -> bool:
    """A primary key, the key of a map, a public key."""
    beside = [
        *RUNS.findall(lower[max(0, name.start - 30) : name.start])[-1:],
        *RUNS.findall(lower[name.end : name.end + 30])[:1],
    ]
    return not vocabulary().harmless_keys.isdisjoint(beside)


def _pairs(words: Sequence[str]) -> Iterator[str]:
    """Each word, and each two and three of them."""
    for place, word in enumerate(words):
        yield word
        yield f"{word} {' '.join(words[place + 1 : place + 2])}"
        yield f"{word} {' '.join(words[place + 1 : place + 3])}"


_SIX = re2.compile(r"^[^.?!\n]{0,24}?\b[0-9]{3}[ -]?[0-9]{3}(?:[^0-9]|$)")


def _is_plain_word(name: Name, after: Sequence[Token], place: int) -> bool:
    """ "la contraseña es girasol", "Kennwort: mondschein": a plain word that ends its clause, behind a colon or a form
    of "to be" in the same language."""
    token, before = after[place], after[place - 1].raw.lower().strip(",") if place else ""
    follows = after[place + 1].raw if place + 1 < len(after) else ""
    low = normal(token.text)
    if not (token.ends or not follows or follows.startswith(_CLAUSE_ENDS)) or low in vocabulary().not_values:
        return False
    if place > 6 or not is_said_alone(low) or any(word in low for word in _NAMES_OF_FIELDS):
        return False
    if before.endswith(":") or token.raw.startswith(":"):
        return not low.endswith(_endings(name))
    if any(before.rstrip(_QUOTES) in vocabulary().being[code] for code in name.languages):
        return not low.endswith(_endings(name))
    return False


_CLAUSE_ENDS = ("」", "』", "です", "だ", "。", "、", "，", "吧", "哦", "”", "》")
_NAMES_OF_FIELDS = ("pass", "pwd", "secret", "token", "key", "field", "input", "string", "config")


def _endings(name: Name) -> tuple[str, ...]:
    return tuple(ending for code in name.languages for ending in vocabulary().endings[code])


def _is_login(after: Sequence[Token]) -> bool:
    """`bob:Popcorn99`, `bob / Popcorn99` behind a word for a login."""
    for place, token in enumerate(after[:7]):
        if parts_of_pair(token.raw.strip("\"'`()<>[],.")):
            return True
        if token.raw in ("/", "|", "//") and 0 < place < len(after) - 1:
            value = after[place + 1].text
            if shape_of(value) is Shape.MIXED and len(value) >= 6 and not value.isupper():
                return True
    return False


def _is_wallet_phrase(after: Sequence[Token]) -> bool:
    """Ten plain words of a wallet's list in a row, perhaps numbered; not a sentence."""
    run = 0
    for token in after:
        word = token.text.lower()
        if word.rstrip(".").isdigit() or not word:
            continue
        is_listed = word.isascii() and word.isalpha() and 3 <= len(word) <= 8 and word not in _SENTENCE
        run = run + 1 if is_listed else 0
        if run >= _PHRASE_WORDS:
            return True
    return False


_SENTENCE = frozenset(
    {
        "the",
        "and",
        "for",
        "with",
        "your",
        "you",
        "are",
        "was",
        "that",
        "this",
        "they",
        "them",
        "has",
        "have",
        "not",
        "but",
        "his",
        "her",
    }
)


def _is_seed(after: Sequence[Token]) -> bool:
    """Sixteen signs of base 32, perhaps in groups of four."""
    run = ""
    for token in after[:16]:
        is_part = len(token.text) >= 4 and not token.text.upper().strip("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        run = run + token.text if is_part and (token.text.isupper() or _digits(token.text)) else ""
        if len(run) >= 16:
            return True
    return False


_LISTS: Mapping[str, Callable[[Sequence[Token]], bool]] = {
    "phrases": _is_wallet_phrase,
    "seeds": _is_seed,
    "logins": _is_login,
}


def hints_for(*sections: str) -> tuple[str, ...]:
    """The naming words of these sections, without those that have another one in them."""
    kept: list[str] = []
    for word in sorted(words_for(*sections), key=len):
        if not any(f" {one} " in f" {spaced(word)} " or (is_wide(one) and one in word) for one in kept):
            kept.append(word)
    return tuple(kept)


def _said(id: str, *sections: str, needs_digit: bool = True) -> Rule:
    check = gives_away(*sections, needs_digit=needs_digit)
    return Rule(id, hints_for(*sections), "(?s).+", check, in_prose=True, whole_words="passwords" not in sections)


SAID: tuple[Rule, ...] = (
    _said("said_password", "passwords", needs_digit=False),
    _said("said_short_password", "short_passwords", needs_digit=False),
    _said("said_code", "pins", "codes"),
    _said("said_one_time_code", "one_time_codes"),
    _said("said_key", "keys", "plain_keys"),
    _said("said_login", "logins", needs_digit=False),
    _said("authenticator_seed", "seeds", needs_digit=False),
    _said("recovery_phrase", "phrases", needs_digit=False),
)
