"""Finds questions that ask for an overview and for nothing in particular: "What do you know about me?".

Such a question has no content word to search for. The whole of it has to fit a form, so that "What do you know about
me and the boiler?" is searched for as any other.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Any

from memfort.language.data import NEVER
from memfort.language.language import languages
from memfort.language.normalise import compile_set

_MAX_CHARS = 120
_SIGNS = " \t\r\n.,;:!?¿¡。，！？…"


class Overview(StrEnum):
    """What an overview is of."""

    ME = "about_me"  # the asker
    EVERYTHING = "everything"
    PEOPLE = "people"  # those whom the asker knows


def find_overview(query: str) -> Overview | None:
    """The overview that a query asks for. An empty query asks for everything."""
    if not query.strip():
        return Overview.EVERYTHING
    asked = " ".join(query.lower().strip(_SIGNS).split())
    if not 0 < len(asked) <= _MAX_CHARS:
        return None
    found = _forms().Match(asked) or ()
    return None if not found else _KINDS[min(found)]


_KINDS = tuple(Overview)


@cache
def _forms() -> Any:
    """The forms of all languages, a pattern for each kind: most queries fit none, and one search says so."""
    forms = [[getattr(one.overview, kind.value) for one in languages()] for kind in _KINDS]
    return compile_set(rf"^(?:{'|'.join(form for form in some if form != NEVER)})$" for some in forms)
