"""Whether a statement is knowledge for anybody, or only for the owner of the agent that learned it.

Words only: what is tied to the owner or to other people, what is short-lived, what is not public, and what these rules
cannot read, is for the owner.
"""

from __future__ import annotations

import re
import unicodedata

from memfort.language.mentions import mentions
from memfort.language.sensitivity import classify
from memfort.language.types import infer_type
from memfort.model.item import Sensitivity


def is_for_anybody(text: str, owner: str | None = None) -> bool:
    """Whether `text` says nothing about people, about its owner, or about what is going on just now."""
    if not _is_latin(text) or classify(text)[0] is not Sensitivity.PUBLIC:
        return False
    if infer_type(text) in _OWNERS_TYPES or any(mentions(text)):
        return False
    words = set(_WORD.findall(_folded(text)))
    named = set() if owner is None else set(_WORD.findall(_folded(owner)))
    return words.isdisjoint(_OWNERS_WORDS | named) and not _SHORT_LIVED.search(_folded(text))


def _is_latin(text: str) -> bool:
    """Whether every letter is one that the rules can read, and nothing invisible stands between them."""
    if text.isascii():
        return True
    return text.isprintable() and all("LATIN" in unicodedata.name(one, "") for one in text if one.isalpha())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


_WORD = re.compile(r"\w+")
_OWNERS_TYPES = frozenset(("preference", "identity", "relationship", "context", "task", "observation"))
_OWNERS_WORDS = frozenset(
    (
        "user",
        "users",
        "owner",
        "owners",
        "client",
        "customer",
        "he",
        "she",
        "his",
        "her",
        "him",
        "hers",
        "somebody",
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "we",
        "us",
        "our",
        "ours",
        "you",
        "your",
        "yours",
        "ich",
        "mich",
        "mir",
        "mein",
        "meine",
        "meinen",
        "meinem",
        "meiner",
        "wir",
        "uns",
        "unser",
        "unsere",
        "je",
        "j",
        "moi",
        "mon",
        "ma",
        "mes",
        "nous",
        "notre",
        "nos",
        "yo",
        "mi",
        "mis",
        "nosotros",
        "nuestro",
        "nuestra",
        "soy",
        "estoy",
        "tengo",
        "eu",
        "meu",
        "minha",
        "nosso",
        "nossa",
        "estou",
        "tenho",
        "mio",
        "mia",
        "miei",
        "noi",
        "nostro",
        "nostra",
        "sono",
        "ho",
        "ik",
        "mijn",
        "wij",
        "ons",
        "onze",
    )
)
_SHORT_LIVED = re.compile(
    r"\b(?:currently|now|at the moment|for the moment|today|tonight|tomorrow|yesterday|ongoing|in progress|pending|"
    r"(?:this|next|last) (?:\w+day|morning|afternoon|evening|week|month|sprint|session|task|conversation|chat))\b"
)
