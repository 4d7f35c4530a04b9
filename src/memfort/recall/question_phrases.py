"""Phrases that a question to a memory begins with: "Tell me about the boiler" asks for the boiler.

The phrase is cut off before words and meaning are taken, because short statements hardly ever say "about" or "tell":
in one that does, these would be the rarest words of the query, and it would rank above the boiler. They are not stop
words, since "What is the book about?" asks for them. "Can you tell me about free will?" is kept whole: it asks the
assistant, and an instruction such as "be brief when I ask about philosophy" is meant for it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

from memfort.language.language import english


def strip_question_phrase(query: str) -> str:
    """The query without an introductory phrase such as "Tell me about"."""
    found = _phrase().match(query)
    return query if found is None else query[found.end() :]


@cache
def _phrase() -> Any:
    query = english().query
    return re2.compile(rf"(?i)\s*(?:{query.greetings}[,!.]? )*{query.opening_phrases} ".replace(" ", r"\s+"))
