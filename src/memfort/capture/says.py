"""Whether a memory says the words of a query."""

from __future__ import annotations

import re

from memfort.language.words import content_words, stem_word
from memfort.model.item import Item

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_CLAUSES = re.compile(r"[,;] |[，；]")
_SMALL_PART = 0.25


def says_all(item: Item, query: str) -> bool:
    """Whether a memory says every content word of the query. A script without spaces shows no words: what stands
    together in the query has to stand in the memory."""
    text, runs = f"{item.text} {item.key or ''}", _HAN.findall(query)
    wanted = {stem for stem in _stems(query) if not _HAN.search(stem)}
    return bool(wanted or runs) and wanted <= _stems(text) and all(run in text for run in runs)


def says_much_more(item: Item, query: str) -> bool:
    """Whether the query is only a small part of what a memory of several clauses says."""
    if _CLAUSES.search(item.text) is None:
        return False
    if _HAN.search(item.text):
        return len(query) < _SMALL_PART * len(item.text)
    return len(_stems(query)) < _SMALL_PART * len(_stems(item.text))


def _stems(text: str) -> set[str]:
    return {stem_word(word) for word in content_words(text)}
