"""Finds questions that ask for an overview and for nothing in particular: "What do you know about me?".

Such a question has no content word to search for. The whole of it has to fit a form, so that "What do you know about
me and the boiler?" is searched for as any other.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Any

import re2

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


def find_person_asked_about(query: str) -> str | None:
    """Whom a query asks about and for nothing in particular: `@bob` in "What do you know about @bob?"."""
    asked = " ".join(query.strip(_SIGNS).split())
    if not 0 < len(asked) <= _MAX_CHARS:
        return None
    found = _openings().match(asked.lower())
    name = "" if found is None else asked[len(asked.lower()[: found.end()]) :].strip(_SIGNS)
    return name if name and len(name.split()) <= _MOST_WORDS else None


_KINDS = tuple(Overview)
_MOST_WORDS = 3  # of a name


@cache
def _openings() -> Any:
    forms = [one.overview.somebody for one in languages() if one.overview.somebody != NEVER]
    return re2.compile(rf"^(?:{'|'.join(forms)}) ")


@cache
def _forms() -> Any:
    """The forms of all languages, a pattern for each kind: most queries fit none, and one search says so."""
    forms = [[getattr(one.overview, kind.value) for one in languages()] for kind in _KINDS]
    return compile_set(rf"^(?:{'|'.join(form for form in some if form != NEVER)})$" for some in forms)
