"""Numbers and addresses that identify a person, by their shape: the same in every language."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import re2

from memfort.language.normalise import any_of, compile_set

_STREETS = (  # with the number before or behind, in a folded reading
    r"\b[0-9]{1,4}[a-z]? (?:[a-z]+ ){1,3}"
    r"(?:street|st|road|rd|avenue|ave|lane|drive|close|court road|boulevard|terrace|way)\b",
    r"\b[a-z]+(?:strasse|str\.|weg|gasse|allee|platz|straat|laan|gracht|plein) ?[0-9]{1,4}\b",
    r"\b[0-9]{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|chemin|impasse|quai) ",
    r"\b(?:calle|avenida|rua|travessa|via|viale|corso|piazza|plaza|paseo|ulic[ay]|ul\.|al\.) "
    r"(?:[a-z']+ ){0,3}[a-z']+,? (?:n\.? ?)?[0-9]{1,4}\b",
    r"[\x{3400}-\x{9fff}](?:路|街|巷|弄|大道|小区) ?[0-9]+ ?号|[0-9]+号楼|[0-9]+单元",
    r"[0-9]+丁目|[区市町村][\x{3040}-\x{9fff}]{1,8}[0-9]+-[0-9]+|[0-9]+番地|[0-9]+号室",
)
_NUMBERS = (  # of papers, accounts and cards
    r"\b[a-z]{2}[0-9]{2}(?: ?[a-z0-9]{4}){3,7}(?: ?[a-z0-9]{1,4})?\b",
    r"\b[0-9]{4}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{1,7}\b|\b[0-9]{15,19}\b",
    r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b",
    r"\b[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}\b",
    r"\b[0-9]{17}x\b|\b[0-9]{8}[a-z]\b|\b[xyz][0-9]{7}[a-z]\b",
    r"\b[a-z]{6}[0-9]{2}[a-z][0-9]{2}[a-z][0-9]{3}[a-z]\b",
    r"\b[a-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]\b",
    r"\b[12] [0-9]{2} [0-9]{2} [0-9]{2} [0-9]{3} [0-9]{3}(?: [0-9]{2})?\b",
    r"(?:passport|passeport|pasaporte|passaporte|passaporto|paspoort|paszport|reisepass|ausweis|护照|身份证|パスポート|マイナンバー|免許証"
    r"|ssn|social security|national insurance|licen[cs]e|fuhrerschein|securite sociale|seguridad social"
    r"|steuer-?id|codice fiscale"
    r"|iban|\bcpf|\brg|\bnif|\bdni|\bnie|\bpesel|\bbsn|\bnip|kontonummer|account|compte|cuenta|conto|konta)"
    r"[^0-9\n]{0,24}[0-9](?:[ -]?[a-z]{0,3}[0-9]){4,}",  # digits, with no word between them
)
_EMAIL = r"\b[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+\b"
_PHONES = (
    r"\+[0-9][0-9 ().-]{6,16}[0-9]",
    r"\(?\b0[0-9]{1,4}\)?[ /-]?[0-9]{2,8}(?:[ -][0-9]{2,8}){0,4}\b",
    r"\(?\b[0-9]{2,4}\)?[ .-][0-9]{3}[ .-][0-9]{3,4}\b|\([0-9]{2,4}\) ?[0-9]{3,5}-[0-9]{4}",
    r"\b[0-9]{3}[ -][0-9]{4}\b|\b[0-9]{3} [0-9]{6,7}\b|\b[0-9]{2}(?: [0-9]{2}){4}\b",
    r"\b1[3-9][0-9]{9}\b|\b[69][0-9]{8}\b",
)
# A day, a version, an address of a machine or an amount is none of these.
_NO_NUMBER = (
    r"\b[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t ][0-9:.]+)?"
    r"|\b[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}\b|\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b"
    r"|\b[0-9]{1,3}(?:[., ][0-9]{3})+ "
    r"?(?:euros?|eur|usd|dollars|zl|zlotych|tokens|requests|rows|ms|px|views|users|km|words)\b|v[0-9.]+"
)


def find_identifier(reading: str) -> str | None:
    """The category of what identifies a person in a folded reading: `identity_number`, `contact` or none."""
    if not _SIGN.search(reading) or not _HINT.search(reading):
        return None
    found = _patterns().Match(reading) or ()
    if _EMPTY in found and found != [_EMPTY]:
        found = _patterns().Match(_no_number().sub(" ", reading)) or ()
    if 0 in found:
        return "identity_number"
    return "contact" if 1 in found else None


_EMPTY = 2
_SIGN = re.compile("[@0-9]")  # which every hint has
_HINT = re2.compile(  # most texts have nothing of it, and are done
    r"@|[0-9](?:[^0-9]?[0-9]){5}|[0-9][^.!?]{0,40}[0-9]{2}|[a-z] [0-9]|[0-9],? ?[a-z号丁番]|\p{Han}[0-9]"
)


@cache
def _patterns() -> Any:
    return compile_set([any_of(*_NUMBERS), any_of(_EMAIL, *_PHONES, *_STREETS), ""])


@cache
def _no_number() -> Any:
    return re2.compile(_NO_NUMBER)
