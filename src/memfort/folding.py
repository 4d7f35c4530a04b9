"""The forms of Unicode in which texts are compared: composed, without case, without what nobody sees, without accents.

Each is named for what it forgets. Which one a rule reads is decided where the rule is; no other module asks Unicode,
but for tables that fold one character at a time.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

category = lru_cache(maxsize=4096)(unicodedata.category)


def compose(text: str) -> str:
    """Accents as part of their letters."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def compose_compatible(text: str) -> str:
    """The same, and letters that only look otherwise (wide, raised, joined) as the plain ones."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def without_case(text: str) -> str:
    """Compatible, and whatever the case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def without_case_or_invisible(text: str) -> str:
    """The same for names and words: composed again, and without signs that nobody sees."""
    return text.lower() if text.isascii() else without_invisible(unicodedata.normalize("NFKC", without_case(text)))


def without_invisible(text: str) -> str:
    """Without signs that only direct, join or hide."""
    return text if text.isascii() else "".join(one for one in text if category(one) != "Cf")


def without_accents(text: str) -> str:
    """Letters without what stands above, below or through them, compatible and whatever the case."""
    return "".join(one for one in apart(text) if not unicodedata.combining(one))


def apart(text: str) -> str:
    """Accents apart from their letters, compatible and whatever the case."""
    return unicodedata.normalize("NFKD", text).casefold()


def base_letter(letter: str) -> str:
    """A letter without its accents, in its own case and form."""
    return unicodedata.normalize("NFD", letter)[0]


def is_mark(character: str) -> bool:
    """Whether it belongs to the letter before it."""
    return category(character)[0] == "M"


def is_latin(letter: str) -> bool:
    return "LATIN" in unicodedata.name(letter, "")
