"""Normal form of a statement: what two wordings must share to count as the same value."""

from __future__ import annotations

from functools import lru_cache

from memfort.folding import category, without_case


def normal_text(text: str) -> str:
    """Compatibility-folded, case-folded, with every run of punctuation and space as one space.

    Symbols stay, because some carry the meaning ("C" and "C++"); a text of nothing but punctuation stays as it is.
    """
    if text.isascii():
        kept = text.encode().translate(_ASCII_FORMS).decode()
        return " ".join(kept.split()) or " ".join(text.lower().split())
    folded = without_case(text)
    kept = "".join(character if _carries_meaning(character) else " " for character in folded)
    return " ".join(kept.split()) or " ".join(folded.split())


@lru_cache(maxsize=4096)
def _carries_meaning(character: str) -> bool:
    return category(character)[0] in "LNMS"


# As bytes: a table of texts is asked for every letter, and costs five times as much.
_ASCII_FORMS = bytes(ord(chr(code).lower() if _carries_meaning(chr(code)) else " ") for code in range(128)).ljust(256)
