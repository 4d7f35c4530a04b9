"""Find secrets that people give away in ordinary words, in every language with a `secrets.txt`.

`evidence` weighs what speaks for a value that looks like one. Here are the values that do not: a plain word behind a
word for a password ("la contraseña es girasol"), a user's name with a password, the words of a wallet, the key of an
authenticator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.files import SecretsFile
from memfort.policy.secrets import evidence
from memfort.policy.secrets.reading import Mark, Reading, lexicon, read
from memfort.policy.secrets.rules import Rule, is_anything
from memfort.policy.secrets.shapes import parts_of_pair
from memfort.policy.secrets.values import is_said_alone, is_sentence_word
from memfort.policy.secrets.words import files, is_wide, normal, spaced, words_for

_AROUND = "\"'`()[]{}<>.,;:!?|=*「」『』"
_REACH = 8  # words between the name of a password and a plain word that is one
_WALLET_WORDS = 11  # a wallet has twelve at least
_WALLET_REACH = 48


def find_said(text: str) -> set[str]:
    """The rules of `SAID` that a folded text meets."""
    reading = read(text)
    found: set[str] = set(evidence.given_away(reading))
    for mark in reading.marks:
        look = _READERS.get(mark.role)
        if look is not None and look[0] not in found and look[1](reading, mark):
            found.add(look[0])
    if "said_password" not in found and not text.isascii() and _quoted().search(text):
        found.add("said_password")
    return found


_WITHOUT_VALUE = frozenset({"said_password", "said_short_password", "authenticator_seed", "recovery_phrase"})


def may_be_said(encoded: bytes, rules: Set[str]) -> bool:
    """Whether a text is worth reading for these rules."""
    return not _WITHOUT_VALUE.isdisjoint(rules) or _value().search(encoded) is not None


@lru_cache(maxsize=1)
def _value() -> Any:
    """A code, letters with a digit or a sign among them, or the names of three digits in a row."""
    options = re2.Options()
    options.case_sensitive = False
    options.encoding = re2.Options.Encoding.LATIN1
    names = "|".join(sorted(words_for("digits")))
    forms = (
        "[0-9][ -]?[0-9][ -]?[0-9]|[0-9][a-z][a-z0-9]|[a-z_-][0-9]|[a-z][!@$%&?#][a-z0-9]|[0-9] [a-z]{4,8},? [0-9]"
        rf"|\b(?:{names})[ ,.-]{{1,3}}(?:{names})[ ,.-]{{1,3}}(?:{names})\b"
    )
    return re2.compile(forms.encode(), options)


# -- a plain word that is a password ----------------------------------------------------------------------------------


class Grammar(Struct, frozen=True):
    """What a language says between a password's name and a plain word, and how words end that describe it."""

    being: frozenset[str]
    wide_being: tuple[str, ...]
    endings: tuple[str, ...]


def _is_plain_password(reading: Reading, name: Mark) -> bool:
    """A plain word that ends its clause, behind a colon or a form of "to be" in the language of the name."""
    if not _serves_as(reading, name) and not _is_followed(reading, name):
        return False
    return not evidence.is_harmless(reading, name) and not evidence.is_in_program(reading, name.start, name.end)


def _is_followed(reading: Reading, name: Mark) -> bool:
    grammar = _grammar(name.word)
    for place in range(name.end, min(name.end + _REACH, len(reading.raws))):
        is_further = reading.sentences[place] - reading.sentences[name.start]
        if is_further > 1 or (reading.raws[place] == "\n" and not reading.raws[place - 1].endswith((":", "="))):
            return False
        if _is_told(reading, place, name, grammar) and _is_plain_word(reading, place, grammar.endings):
            return True
    return False


def _serves_as(reading: Reading, name: Mark) -> bool:
    """ "it still takes bananabread as its password": a plain word without an article before the name."""
    for place in range(name.start - 1, max(0, name.start - 3), -1):
        if "serving_as" in reading.roles_of(place) and _ends_clause(reading, name.end - 1):
            has_article = place > 1 and (
                reading.keys[place - 2] in _ARTICLES or is_sentence_word(reading.keys[place - 2])
            )
            low = reading.keys[place - 1]
            return not has_article and is_said_alone(low) and low not in lexicon().roles
    return False


def _is_told(reading: Reading, place: int, name: Mark, grammar: Grammar) -> bool:
    """Whether what stands before a word leads to a value and to nothing else."""
    before, key = reading.raws[place - 1], reading.keys[place - 1]
    if before[-1:] in (":", "=") or reading.raws[place][:1] in (":", "="):
        return True
    if is_wide(key):
        is_link = name.word in key and key.endswith(lexicon().wide_linked)
        return place - 1 >= name.start and (is_link or key.endswith((name.word, *grammar.wide_being)))
    if key in grammar.being:
        return place - 1 >= name.end
    is_adverb = "links" in lexicon().roles.get(key, ()) and key not in _ARTICLES
    return is_adverb and place - 2 >= name.end and reading.keys[place - 2] in grammar.being


_ARTICLES = frozenset(
    """
    the a an le la les un une mon ton son votre el una los las mi tu su il lo i gli mio tuo suo o um uma os as meu seu
    minha sua de het een je mijn uw die der das den dem ein eine einen dein deine mein meine ihr ihre sein seine to moje
    twoje swoje
    """.split()  # noqa: SIM905 - a table of words reads better than a list of quotes
)


def _is_plain_word(reading: Reading, place: int, endings: tuple[str, ...]) -> bool:
    raw = reading.raws[place]
    low = normal(raw.strip(_AROUND))
    if not is_said_alone(low) or any(part in low for part in _NAMES_OF_FIELDS) or low.endswith(endings):
        return False
    roles = lexicon().roles.get(low, frozenset())
    return roles.isdisjoint(_NOT_PASSWORDS) and _ends_clause(reading, place)


_NAMES_OF_FIELDS = ("pass", "pwd", "secret", "token", "key", "field", "input", "string", "config")
_NOT_PASSWORDS = frozenset({"not_values", "being", "links", "entering", "units", "locks", "spelling"})


def _ends_clause(reading: Reading, place: int) -> bool:
    if reading.raws[place].rstrip("\"'`*)]}>")[-1:] in tuple(".,;!?"):
        return True
    following = reading.raws[place + 1 : place + 3]
    if not following or following[0] == "\n" or following[0].startswith(_CLAUSE_ENDS):
        return True
    is_last = len(following) == 1 or following[0][-1] in ".!?" or following[1] == "\n"
    return is_last and "links" in lexicon().roles.get(reading.keys[place + 1], ())


_CLAUSE_ENDS = ("」", "』", "です", "た", "。", "、", "，", "吧", "哦", "”", "》", "に", "ね", "-", "(", "&")


def _grammar(word: str) -> Grammar:
    """Of the languages that have a name; of a longer word, those of its end."""
    known = _grammars()
    ends = (word[-length:] for length in lexicon().head_lengths if word[-length:] in known)
    return known.get(word) or known[next(ends, "password")]


@lru_cache(maxsize=1)
def _grammars() -> dict[str, Grammar]:
    spoken: dict[str, list[SecretsFile]] = {}
    for file in files().values():
        for word in map(normal, (*file.passwords, *file.short_passwords)):
            spoken.setdefault(word if is_wide(word) else spaced(word), []).append(file)
    return {word: _grammar_of(found) for word, found in spoken.items()}


def _grammar_of(spoken: Sequence[SecretsFile]) -> Grammar:
    being = frozenset(map(normal, (word for file in spoken for word in file.being)))
    endings = tuple(normal(ending) for file in spoken for ending in file.endings)
    wide = tuple(word for word in being if is_wide(word))
    return Grammar(frozenset(map(spaced, being)), wide or ("\0",), endings or ("\0",))


def _is_plain_short_password(reading: Reading, name: Mark) -> bool:
    """The same behind an abbreviation that means nothing else: `mdp`, `ww`."""
    return lexicon().roles.get(name.word) == _ONLY_SHORT and name.word != "pass" and _is_plain_password(reading, name)


_ONLY_SHORT = frozenset({"short_passwords"})


def _is_passphrase(reading: Reading, name: Mark) -> bool:
    """Three to eight words, none of them one that sentences are made of."""
    for place in range(name.end, min(name.end + _REACH, len(reading.raws) - 2)):
        is_told = "being" in lexicon().roles.get(reading.keys[place - 1], ()) or reading.raws[place - 1][-1:] in (
            ":",
            "=",
        )
        if not is_told or place <= name.end - 1:
            continue
        words = []
        for at in range(place, min(place + 9, len(reading.raws))):
            words.append(reading.keys[at])
            if reading.raws[at][-1] in ".,;!?\n":
                break
        plain = [word for word in words if word.strip()]
        return 3 <= len(plain) <= 8 and not any(map(_is_function_word, plain))
    return False


def _is_function_word(key: str) -> bool:
    return is_sentence_word(key) or not lexicon().roles.get(key, frozenset()).isdisjoint(_FUNCTION_ROLES)


_FUNCTION_ROLES = frozenset({"being", "links", "before_amounts", "not_values"})


@lru_cache(maxsize=1)
def _quoted() -> Any:
    """A word for a password and a text in quotes, in a script without spaces: 密码是“芝麻开门”."""
    names = "|".join(str(re2.escape(word)) for word in words_for("passwords") if is_wide(word))
    return re2.compile(f'(?:{names})[^「『"\'\\n.,、]{{0,6}}(?:[「『][^」』\\n]{{2,24}}[」』]|"[^"\\n]{{2,24}}")')


# -- lists of words, names with passwords -----------------------------------------------------------------------------


def _is_login(reading: Reading, name: Mark) -> bool:
    """`bob:Popcorn99` behind a word for a login."""
    return any(parts_of_pair(raw.strip("\"'`()<>[],.")) for raw in reading.raws[name.end : name.end + 7])


def _is_wallet_phrase(reading: Reading, name: Mark) -> bool:
    """Plain words in a row, perhaps numbered; not a sentence, where every third word or more says nothing by itself."""
    run: list[bool] = []
    for place in range(name.end, min(name.end + _WALLET_REACH, len(reading.raws))):
        key, raw = reading.keys[place], reading.raws[place]
        if key.isdigit() or not key.strip():
            continue
        is_listed = (key.isalpha() and 3 <= len(key) <= 10) or (is_wide(key) and len(key) <= 5)
        run = [*run, _is_function_word(key)] if is_listed else []
        if len(run) >= _WALLET_WORDS and sum(run[-_WALLET_WORDS:]) <= 2:
            return True
        if raw[-1] in ".?!:" and not raw[:-1].isdigit():
            run = []
    return False


def _is_seed(reading: Reading, name: Mark) -> bool:
    """Sixteen signs of base 32, perhaps in groups of four."""
    run = ""
    for raw in reading.raws[name.end : name.end + 16]:
        part = raw.strip(_AROUND)
        is_part = len(part) >= 4 and not part.upper().strip("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        run = run + part if is_part and (part.isupper() or any(map(str.isdigit, part))) else ""
        if len(run) >= 16:
            return True
    return False


_READERS: Mapping[str, tuple[str, Callable[[Reading, Mark], bool]]] = {
    "passwords": ("said_password", _is_plain_password),
    "short_passwords": ("said_short_password", _is_plain_short_password),
    "passphrases": ("said_password", _is_passphrase),
    "logins": ("said_login", _is_login),
    "phrases": ("recovery_phrase", _is_wallet_phrase),
    "seeds": ("authenticator_seed", _is_seed),
}


def hints_for(*sections: str) -> tuple[str, ...]:
    """The words of these sections; a star before those that may be the end of a longer word."""
    heads = lexicon().heads
    words = (word.removeprefix("*") for word in words_for(*sections))
    return tuple(dict.fromkeys(f"*{word}" if word in heads else word for word in words))


def _said(id: str, *sections: str) -> Rule:
    return Rule(id, hints_for(*sections), "", is_anything, in_prose=True, whole_words=True, by_words=True)


SAID: tuple[Rule, ...] = (
    _said("said_password", "passwords", "passphrases"),
    _said("said_short_password", "short_passwords"),
    _said("said_code", "pins", "codes", "locks", "figures"),
    _said("said_one_time_code", "one_time_codes", "arrivals"),
    _said("said_key", "keys", "plain_keys"),
    _said("said_login", "logins", "networks", "services"),
    _said("authenticator_seed", "seeds"),
    _said("recovery_phrase", "phrases"),
)
