"""Texts to try the language layer with, each made from a number alone: sentences of ten languages, words of the
language data in any order, noise, and all of them mutated."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import memfort.language

LONGEST = 100_000
LANGUAGES = ("en", "de", "fr", "es", "zh", "pt", "it", "nl", "pl", "ja")
MARKS = tuple("?!.,;:-–—…/\\|*_~^%&#@$€=+<>'\"`´‘’“”„«»‹›¿¡。，、；：？！（）「」『』()[]{}·•")
OPENERS = (
    "(",
    "[",
    "{",
    '"',
    "'",
    "“",
    "„",
    "«",
    "‘",
    "「",
    "（",
    "<",
    "`",
    "```",
    "*",
    "**",
    "<!--",
    "http://",
    "@",
    "¿",
)
JOINTS = (
    " ",
    ". ",
    "? ",
    "?: ",
    ": ",
    "; ",
    ", ",
    " and ",
    " – ",
    "—",
    "\n",
    "\n- ",
    "\r\n",
    "\t",
    "",
    "…",
    "?!",
    "。",
    "，",
    " (",
    '" ',
)
INVISIBLE = tuple(
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u061c\u180e\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2069\ufe0f"
)
SPACES = tuple("\u00a0\u2003\u2009\u202f\u3000\u2028\u2029\x0b\x0c\x85\x1c\x00\x07\x1b\x7f")
EMOJI = ("😀", "👍🏽", "👩‍👩‍👧‍👦", "🇫🇷", "❤️", "1️⃣", "🏳️‍🌈", "\U000e0067\U000e0062\U000e007f", "🫠", "©", "™")
COMBINING = tuple("\u0300\u0301\u0308\u0327\u0336\u0345\u0489\u05b0\u064b\u0e31\u0e49\u20dd\u3099")
DIGITS = tuple("0123456789٠٣٩०५๔௧０９²½Ⅳ㊿𝟗")
LETTERS = tuple("aZıİßſĲǆﬁœđłøñçА́яאעبيกคतす漢㐀\U00020000ꙮℵΩſKÅ")


def text_of(seed: int) -> str:
    """The text of a number. The same number always gives the same text."""
    rng = random.Random(f"memfort language {seed}")
    make: Callable[[random.Random], str] = rng.choices(
        (_sentences, _soup, _noise, _one_mark, _long_word, _repeated), weights=(50, 20, 14, 4, 4, 8)
    )[0]
    text = make(rng)
    for _ in range(rng.choices((0, 1, 3, 8), weights=(2, 4, 3, 1))[0]):
        text = rng.choice(MUTATIONS)(rng, text)
    return text[:LONGEST]


def units() -> Iterator[str]:
    """Short texts that are repeated to see how work grows: each mark, each kind of character, each sentence."""
    for one in (*MARKS, *OPENERS, *INVISIBLE, *SPACES, *EMOJI, *COMBINING, *DIGITS, *LETTERS):
        yield one
        yield one + " "
    for before, after in pairwise(MARKS):
        yield before + after
    yield from (
        "a1",
        "1a ",
        "1/",
        "1.",
        "1:",
        "a.",
        "a@",
        "a@b.",
        "A ",
        "Ab ",
        "my ",
        "and ",
        "not ",
        "I ",
        "if ",
        "no, ",
        "?: ",
        "? my ",
    )
    yield from (
        "my sister ",
        "I live in ",
        "on Monday ",
        "2026-01-",
        "1. 2. ",
        "the code is ",
        "my wife's ",
        "who said ",
        "%41",
        "&#65;",
        "\\u0041",
        "=41",
    )
    for of_language in sentences().values():
        for one in of_language:
            yield one + " "


@cache
def sentences() -> dict[str, tuple[str, ...]]:
    """The sentences to begin with, by language; `noise` are those in other scripts."""
    read: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("sentences.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            read[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            read[[*read][-1]].append(line)
    return {name: tuple(lines) for name, lines in read.items()}


@cache
def vocabulary(language: str) -> tuple[str, ...]:
    """The words of a language's data, in the order of its files: those that its rules look for."""
    folder = Path(memfort.language.__file__).parent / language
    words: dict[str, None] = {}
    for file in sorted(folder.glob("*.txt")):
        for line in file.read_text("utf-8").splitlines():
            if not line.startswith(("#", "[")):
                words.update(dict.fromkeys(word.strip("(),:;|?*+{}") for word in line.replace("|", " ").split()))
    return tuple(word for word in words if word)


def _sentences(rng: random.Random) -> str:
    parts = [_sentence(rng) for _ in range(rng.choice((1, 1, 2, 3, 5)))]
    return _join(rng, parts)


def _sentence(rng: random.Random) -> str:
    language = rng.choice((*LANGUAGES, *LANGUAGES, "noise"))
    return rng.choice(sentences()[language])


def _soup(rng: random.Random) -> str:
    words = vocabulary(rng.choice(LANGUAGES))
    if rng.random() < 0.2:
        words += vocabulary(rng.choice(LANGUAGES))
    chosen = [rng.choice(words) for _ in range(rng.choice((1, 3, 8, 20, 60)))]
    return _join(rng, [" ".join(chosen[at : at + 5]) for at in range(0, len(chosen), 5)])


def _noise(rng: random.Random) -> str:
    kinds = (MARKS, OPENERS, INVISIBLE, SPACES, EMOJI, COMBINING, DIGITS, LETTERS, (" ",), sentences()["noise"])
    chosen = rng.sample(kinds, rng.choice((1, 2, 4)))
    return "".join(rng.choice(rng.choice(chosen)) for _ in range(rng.choice((1, 2, 5, 20, 100))))


def _one_mark(rng: random.Random) -> str:
    return rng.choice(("?", "??", "? ", "!", ".", "…", "-", "(", '"', "\n", "？", " ", "\u200b")) * rng.choice(
        (1, 2, 3, 50, 3000)
    )


def _long_word(rng: random.Random) -> str:
    word = "".join(rng.choice(LETTERS + DIGITS + ("a", "e", "n", "-", "_", ".")) for _ in range(rng.choice((30, 300))))
    return f"My code is {word * rng.choice((1, 10, 40))} and {word}"


def _repeated(rng: random.Random) -> str:
    unit = rng.choice((_sentence, _soup, _noise))(rng)[:400] or "?"
    size = rng.choices((500, 4_000, 20_000, LONGEST), weights=(60, 30, 8, 2))[0]
    return (unit + rng.choice(JOINTS)) * (size // (len(unit) + 1) + 1)


def _join(rng: random.Random, parts: list[str]) -> str:
    return "".join(part + rng.choice(JOINTS) for part in parts[:-1]) + parts[-1]


def _insert(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    sign = rng.choice(rng.choice((MARKS, OPENERS, INVISIBLE, SPACES, EMOJI, COMBINING, DIGITS, LETTERS)))
    return text[:at] + sign * rng.choice((1, 1, 1, 2, 5, 40)) + text[at:]


def _cut(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + text[at + rng.choice((1, 2, 10, 40)) :]


def _double(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    part = text[at : at + rng.choice((1, 3, 20))]
    return text[:at] + part * rng.choice((2, 2, 5, 30)) + text[at:]


def _swap_words(rng: random.Random, text: str) -> str:
    words = text.split(" ")
    one, other = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return " ".join(words)


def _repeat_word(rng: random.Random, text: str) -> str:
    words = text.split(" ")
    words[rng.randrange(len(words))] = rng.choice(words)
    return " ".join(words)


def _swap_marks(rng: random.Random, text: str) -> str:
    return text.replace(rng.choice(MARKS), rng.choice(MARKS)).replace(
        " ", rng.choice((" ", " ", "  ", "\u3000", "\n", ""))
    )


def _open(rng: random.Random, text: str) -> str:
    return rng.choice(OPENERS) * rng.choice((1, 1, 3, 200)) + text


def _ask(rng: random.Random, text: str) -> str:
    return rng.choice(("?", "? ", "?: ", "Why? ", "Why?: ", "¿", "??!", "？")) + text


def _recase(rng: random.Random, text: str) -> str:
    return rng.choice((str.upper, str.lower, str.title, str.swapcase, str.casefold))(text)


def _renormalise(rng: random.Random, text: str) -> str:
    form = rng.choice(("NFC", "NFD", "NFKC", "NFKD"))
    return unicodedata.normalize(form, text)  # type: ignore[arg-type]


def _sprinkle(rng: random.Random, text: str) -> str:
    signs = rng.choice((INVISIBLE, COMBINING, (" ",), (".",), MARKS))
    share = rng.choice((0.02, 0.3, 1))
    return (
        "".join(letter + (rng.choice(signs) if rng.random() < share else "") for letter in text[:2_000]) + text[2_000:]
    )


def _digits(rng: random.Random, text: str) -> str:
    return "".join(rng.choice(DIGITS) if letter.isdigit() else letter for letter in text)


def _splice(rng: random.Random, text: str) -> str:
    other = _sentence(rng)
    return text[: rng.randint(0, len(text))] + other[rng.randint(0, len(other)) :]


MUTATIONS = (
    _insert, _insert, _insert, _cut, _double, _swap_words, _repeat_word, _repeat_word, _swap_marks, _open, _ask,
    _recase, _renormalise, _sprinkle, _digits, _splice,
)  # fmt: skip


def with_surrogate(seed: int) -> str:
    """The text of a number, with half of a surrogate pair in it: Python allows it, and no store can keep it."""
    rng = random.Random(f"memfort surrogate {seed}")
    text = text_of(seed)[:200]
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(("\ud800", "\udfff", "\udc80")) + text[at:]
