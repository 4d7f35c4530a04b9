"""Normal form of a statement: what two wordings must share to count as the same value."""

from __future__ import annotations

import unicodedata


def normal_text(text: str) -> str:
    """Compatibility-folded, case-folded, with every run of other characters as one space.

    Symbols that carry meaning between words ("C" and "C++") would be lost by keeping letters and digits alone, so
    symbols stay; punctuation and space do not.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(character if _carries_meaning(character) else " " for character in folded)
    return " ".join(kept.split()) or " ".join(folded.split())


def _carries_meaning(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNMS"
