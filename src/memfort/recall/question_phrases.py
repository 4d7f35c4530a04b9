"""Phrases that a question to a memory begins with: "Tell me about the boiler" asks for the boiler.

The phrase is cut off before words and meaning are taken, because short statements hardly ever say "about" or "tell":
where one does, these would be the rarest words of the query, and it would rank above the boiler. They are no stop
words, since "What is the book about?" asks for them. "Can you tell me about free will?" is kept whole: it asks the
assistant, and an instruction such as "be brief when I ask about philosophy" is meant for it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2


def strip_question_phrase(query: str) -> str:
    """The query without the phrase at its beginning that only asks to be told."""
    found = _phrase().match(query)
    return query if found is None else query[found.end() :]


@lru_cache(maxsize=1)
def _phrase() -> Any:
    politely = r"(?:(?:so|and|ok|okay|hey|hi|hello|well|please)[,!.]?\s+)*"
    you = r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?)?"
    much = r"(?:(?:again|more|something|anything|everything|all|a\s+bit|a\s+little)\s+)?"
    known = r"(?:(?:that\s+)?you\s+(?:know|remember)\s+)?"
    said = "say|said|tell|told|mention|mentioned|write|written"
    forms = (
        rf"(?:tell|{you}remind)\s+(?:me|us)(?:\s+{much}{known}(?:about|of))?",
        r"(?:what|how)\s+about",
        rf"(?:what\s+)?do\s+you\s+(?:still\s+)?(?:know|remember|recall)(?:\s+{much}(?:about|of))?",
        rf"(?:give\s+(?:me|us)\s+)?(?:everything|all)\s+{known}about",
        rf"what\s+(?:did|have)\s+(?:i|we)\s+(?:{said})\s+(?:(?:to\s+)?you\s+)?{much}about",
    )
    return re2.compile(rf"(?i)\s*{politely}(?:{'|'.join(forms)})\s+")
