"""Attributes that people ask for in other words than they tell them in: "What do I do for a living?" is answered by
"I'm a potter", and the two share no word.

A statement of such an attribute has a term of it in the index, one of its own where the speaker says it of themselves.
A question for it is rewritten with the noun that it means, and the noun is found by that term too. `attributes.txt` of
each language says how they are asked for and stated.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from memfort.language.language import languages
from memfort.language.normalise import Reading, compile_set, plain, read, wording

_MAX_CHARS = 400  # longer texts say more than that
_OWN, _ANY = "!", ""


def attribute_terms(seen: str) -> list[str]:
    """The terms of the attributes that a text states, as the rules see it."""
    if len(seen) > _MAX_CHARS:
        return []
    together, names = _statements()
    found = together.Match(seen) or ()
    return sorted({term for place in found for term in _terms(*names[place])})


def _terms(name: str, owner: str) -> tuple[str, ...]:
    """A statement of one's own is also one of somebody's."""
    return tuple(dict.fromkeys((attribute_term(name), attribute_term(name, is_own=owner == _OWN))))


def attribute_term(name: str, *, is_own: bool = False) -> str:
    return f"={name}{_OWN if is_own else _ANY}"


def name_attribute(query: str) -> str:
    """The query with the noun that it means, where it asks for an attribute in other words."""
    if len(query) > _MAX_CHARS:
        return query
    together, forms = _questions()
    found = together.Match(plain(query)) or ()
    reading = read(query) if found else _NOTHING_READ
    for place in sorted(found):
        noun, form = forms[place]
        match = form.search(reading.text)
        if match is not None:
            return _replaced(query, reading.places, match, noun)
    return query


def _replaced(query: str, places: Any, match: Any, noun: str) -> str:
    """The query with the noun behind what was matched, without the words that it stands for. Who is asked about stays
    in it."""
    start, end = places[match.start()], places[match.end() - 1] + 1
    kept = [word for word in query[start:end].split() if word.strip("?!.,;:").lower() in _WHO or word[:1].isupper()]
    return f"{query[:start]}{' '.join(kept)} {noun} {query[end:]}".strip()


_WHO = frozenset(
    ["i", "my", "me", "we", "our", "he", "she", "his", "her", "they", "their", "you", "ich", "er", "sie", "je"]
)
_NOTHING_READ = Reading("", ())


@cache
def nouns() -> dict[str, str]:
    """The nouns for attributes, folded, with the attribute that each is for."""
    return {word: name for one in languages() for name, words in one.attributes.nouns.items() for word in words}


@cache
def _statements() -> tuple[Any, list[tuple[str, str]]]:
    rules = [
        (rule.name, owner, form)
        for one in languages()
        for owner, section in ((_OWN, one.attributes.own), (_ANY, one.attributes.others))
        for rule in section
        for form in rule.forms
    ]
    patterns = compile_set(wording(rf"\b(?:{form})").pattern for _, _, form in rules)
    return patterns, [(name, owner) for name, owner, _ in rules]


@cache
def _questions() -> tuple[Any, list[tuple[str, Any]]]:
    rules = [(rule.name, form) for one in languages() for rule in one.attributes.asked for form in rule.forms]
    forms = [(name, wording(rf"\b(?:{form})(?:\b|$)")) for name, form in rules]
    return compile_set(form.pattern for _, form in forms), forms
