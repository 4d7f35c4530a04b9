"""Normal form of a statement: what two wordings must share to count as the same value."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def normal_text(text: str) -> str:
    """Compatibility-folded, case-folded, with every run of punctuation and space as one space.

    Symbols stay, because some carry the meaning ("C" and "C++"); a text of nothing but punctuation stays as it is.
    """
    if text.isascii():
        folded = text.lower()
        kept = folded.translate(_ASCII_BREAKS)
    else:
        folded = unicodedata.normalize("NFKC", text).casefold()
        kept = "".join(character if _carries_meaning(character) else " " for character in folded)
    return " ".join(kept.split()) or " ".join(folded.split())


@lru_cache(maxsize=4096)
def _carries_meaning(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNMS"


_ASCII_BREAKS = {code: " " for code in range(128) if not _carries_meaning(chr(code))}
