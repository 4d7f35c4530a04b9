"""Identifiers in one form, however they are written: phone numbers, and addresses of mail, of machines and of streets.

`+1 (415) 555-0100` and `415.555.0100` are one number, `Carol+news@Acme.example` and `carol@acme.example` one mailbox,
`12 Main St.` and `12 Main Street` one house. A text has the canonical form as a term besides its words, and a query for
one form finds the others. What may be a date, an amount or a time is left alone; days, codes and versions are read
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PHONE_DIGITS = 9  # the last ones, which are the same with and without the code of the country
_LEAST_DIGITS, _MOST_DIGITS = 7, 15
_MAX_IP_PART = 255
_MAX_CHARS = 20_000


class Identifier(NamedTuple):
    begin: int
    end: int
    term: str
    is_one: bool = True  # its words are not asked for one by one


def canonical_terms(lower: str) -> list[str]:
    """The terms of the identifiers in a text that is composed and in lower case."""
    return [one.term for one in find_canonical(lower)]


def find_canonical(lower: str) -> list[Identifier]:
    """The identifiers in it, in order."""
    if len(lower) > _MAX_CHARS or not _HINT.search(lower):
        return []
    found = [*_emails(lower), *_ip_addresses(lower), *_streets(lower), *_phones(lower)]
    kept: list[Identifier] = []
    for one in sorted(found, key=lambda one: (one.begin, -one.end)):
        if not kept or one.begin >= kept[-1].end:
            kept.append(one)
    return kept


def _emails(lower: str) -> Iterator[Identifier]:
    for match in _EMAIL.finditer(lower) if "@" in lower else ():
        yield Identifier(match.start(), match.end(), f"#mail:{match[1]}@{match[2]}")


def _ip_addresses(lower: str) -> Iterator[Identifier]:
    for match in _DOTTED.finditer(lower):
        parts = [int(part) for part in match[0].split(".")]
        if all(part <= _MAX_IP_PART for part in parts):
            yield Identifier(match.start(), match.end(), "#ip:" + ".".join(map(str, parts)))


def _streets(lower: str) -> Iterator[Identifier]:
    for match in _STREET.finditer(lower):
        name, kind = "-".join(match[2].split()), _STREET_KINDS.get(match[3], match[3])
        yield Identifier(match.start(), match.end(), f"#street:{match[1]}-{name}-{kind}", is_one=False)
    for match in _GERMAN_STREET.finditer(lower):
        yield Identifier(match.start(), match.end(), f"#street:{match[1]}str-{match[2]}", is_one=False)


def _phones(lower: str) -> Iterator[Identifier]:
    for match in _PHONE.finditer(lower):
        if _is_phone(written := match[0]):
            digits = "".join(filter(str.isdigit, written))
            yield Identifier(match.start(), match.end(), f"#phone:{digits[-_PHONE_DIGITS:]}")


def _is_phone(written: str) -> bool:
    groups = re.findall("[0-9]+", written)
    if not _LEAST_DIGITS <= sum(map(len, groups)) <= _MOST_DIGITS or _DATE.search(written):
        return False
    if written[0] in "+(0":
        return True
    if len(groups) == 1:
        return len(groups[0]) > _PHONE_DIGITS
    return len(groups[0]) == len(groups[1]) == _AREA_DIGITS and len(groups[-1]) == _LINE_DIGITS  # 415-555-0100


_AREA_DIGITS, _LINE_DIGITS = 3, 4
_HINT = re.compile(r"@|[0-9]")
_EMAIL = re.compile(r"(?<![\w.+-])([\w.-]+)(?:\+[\w.-]*)?@([\w-]+(?:\.[\w-]+)+)")
_DOTTED = re.compile(r"(?<![\w.,/+-])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w,-]|\.[0-9])")
_PHONE = re.compile(r"(?<![\w.,:/#$€£-])(?:\+ ?)?\(?[0-9](?:[ ().\-/]{0,2}[0-9]){6,14}(?![\w:/]|[.,][0-9]|-\w)")
_DATE = re.compile(
    r"(?<![0-9])(?:(?:19|20)[0-9]{2}[-./][0-9]{1,2}[-./][0-9]{1,2}|[0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{2,4})(?![0-9])"
)
_STREET_KINDS = {
    "st": "street",
    "ave": "avenue",
    "av": "avenue",
    "rd": "road",
    "blvd": "boulevard",
    "dr": "drive",
    "ln": "lane",
    "ct": "court",
    "sq": "square",
    "pl": "place",
    "hwy": "highway",
}
_STREET = re.compile(
    r"\b([0-9]{1,5}[a-z]?),? ((?:[^\W\d_]+ ){0,2}[^\W\d_]+) "
    rf"({'|'.join(sorted({*_STREET_KINDS, *_STREET_KINDS.values()}, key=len, reverse=True))})\b"
)
_GERMAN_STREET = re.compile(r"\b([^\W\d_]+?)[ -]?str(?:\.|asse|aße)? ?([0-9]{1,4}[a-z]?)\b")
