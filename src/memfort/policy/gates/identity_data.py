"""Recognise what identifies a person without being structured like an address of the network: numbers of papers and
accounts, postal addresses, dates of birth. `personal_data` finds, and can redact, what has a structure."""

from __future__ import annotations

from typing import Any

import re2

from memfort.language.identifiers import find_identifier
from memfort.language.normalise import plain
from memfort.language.sensitivity import judge_words, sentences

_CATEGORIES = frozenset({"identity_number", "contact"})


def identifies_person(text: str) -> bool:
    """Whether a text has a number, an address or a date that identifies a person."""
    reading = plain(text)
    if find_identifier(reading) is not None or _BIRTH.search(reading):
        return True
    return any(judge_words(one).category in _CATEGORIES for one in (text, *sentences(text)))


_BIRTH: Any = re2.compile(
    r"(?i)\b(?:date of birth|birth ?date|d\.?o\.?b\.?|birthday|born|geburtsdatum|geburtstag|geboren|geb\."
    r"|date de naissance|nee? le|fecha de nacimiento|nacid[oa]|data de nascimento|nascid[oa]|data di nascita|nat[oa])\b"
    r"[^\n.!?]{0,40}[0-9]"
    r"|[0-9][^\n.!?]{0,24}\bgeboren\b"
)
