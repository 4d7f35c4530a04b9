"""Find structured personal data: email and IP addresses, telephone, card, account and insurance numbers.

Names and postal addresses have no structure to check and are not searched for. The search runs on the folded text, but
offsets refer to the original, so that a full-width digit or a hidden character neither hides a number nor survives
redaction.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import re2
from msgspec import Struct

from memfort.policy.secrets.cards import card_spans
from memfort.policy.secrets.checksums import is_iban
from memfort.policy.secrets.fold import fold, fold_with_origin


class PersonalFinding(Struct, frozen=True):
    type: str  # email, card, iban, ssn, ip_address, phone, national_id
    start: int  # in the original text
    end: int


def find_personal(text: str) -> tuple[PersonalFinding, ...]:
    """The personal data in `text`, in order and without overlaps; of two readings of one number the more certain
    one."""
    if not _may_be_personal(fold(text)):
        return ()
    folded, origin = _folded(text)
    taken = bytearray(len(folded))
    found: list[PersonalFinding] = []
    for kind, search in _SEARCHES:
        for start, end in search(folded):
            if not any(taken[start:end]):
                taken[start:end] = b"x" * (end - start)
                found.append(PersonalFinding(kind, origin[start], origin[end - 1] + 1))
    return tuple(sorted(found, key=lambda finding: finding.start))


def redact(text: str, findings: Iterable[PersonalFinding]) -> str:
    """`text` with each finding replaced by a marker such as [REDACTED_EMAIL]."""
    ordered = sorted(findings, key=lambda finding: finding.start)
    edges = [0, *(edge for finding in ordered for edge in (finding.start, finding.end)), len(text)]
    kept = [text[start:end] for start, end in list(pairwise(edges))[::2]]
    markers = [f"[REDACTED_{finding.type.upper()}]" for finding in ordered] + [""]
    return "".join(piece + marker for piece, marker in zip(kept, markers, strict=True))


def risk(text: str) -> int:
    """0: nothing personal; 1: only markers of what was redacted; 2: personal data.

    Data is searched for first: a marker beside a real address must not lower the risk.
    """
    if find_personal(text):
        return 2
    folded = fold(text)
    return 1 if "[" in folded and _MARKER.search(folded.encode()) else 0


def _may_be_personal(folded: str) -> bool:
    """Whether the text could contain personal data, a quick check for most texts: an email address has its sign, an IP
    address three dots or colons, and a number seven digits, except account numbers with letters."""
    if "@" in folded or folded.count(".") >= _SEPARATORS or folded.count(":") >= _SEPARATORS:
        return True
    digits = sum(map(folded.count, "0123456789"))
    return digits >= _FEWEST_DIGITS or (digits >= 2 and _IBAN.search(folded.encode(errors="replace")) is not None)


_SEPARATORS, _FEWEST_DIGITS = 3, 7


def _folded(text: str) -> tuple[str, list[int] | range]:
    folded = fold(text)
    return (text, range(len(text))) if folded == text else fold_with_origin(text)


def _spans(pattern: Any, text: str) -> Iterator[tuple[int, int]]:
    """The spans of group 1 of `pattern`. The end of one match may be the beginning of the next."""
    encoded = text.encode(errors="replace")
    place_of = _character_places(text)
    at = 0
    while match := pattern.search(encoded, at):
        yield place_of[match.start(1)], place_of[match.end(1)]
        at = match.end(1)


def _character_places(text: str) -> list[int] | range:
    """For each byte of the encoded text, the index of its character."""
    if text.isascii():
        return range(len(text) + 1)
    places = [place for place, character in enumerate(text) for _ in character.encode(errors="replace")]
    return [*places, len(text)]


def _compile(pattern: str) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.encoding = re2.Options.Encoding.LATIN1  # byte by byte: \x80-\xff is any letter beyond ASCII
    return re2.compile(pattern.encode(), options)


_MARKER = _compile(r"\[REDACTED_[A-Z_]{2,20}\]")
_EMAIL = _compile(r"([A-Z0-9\x80-\xff][A-Z0-9\x80-\xff._%+'-]*@(?:[A-Z0-9\x80-\xff-]+\.)+[A-Z\x80-\xff]{2,})")
_IBAN = _compile(r"(?:^|[^A-Z0-9])([A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]){11,30})")
_SSN = _compile(r"(?:^|[^0-9A-Z.-])([0-9]{3}([ -])[0-9]{2}[ -][0-9]{4})(?:[^0-9A-Z-]|-[^0-9]|$|-$)")
_SSN_NAMED = _compile(r"(?:ssn|social security)[^0-9\n]{0,30}([0-9]{3}[ .-]?[0-9]{2}[ .-]?[0-9]{4})(?:[^0-9]|$)")
_IPV4 = _compile(r"(?:^|[^0-9A-Z.])([0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3})(?:[^0-9A-Z.-]|\.[^0-9]|\.?$|-)")
_IPV6 = _compile(r"(?:^|[^0-9A-Z:.])([0-9A-F]{0,4}(?::[0-9A-F]{0,4}){3,7})(?:[^0-9A-Z:]|$)")
_PHONE = _compile(
    r"(?:^|[^0-9A-Z.,/$#_=-]|[^0-9],)"
    r"(\+?\(?[0-9][0-9]{0,10}\)?(?:[ .()/-]{0,3}[0-9]{1,10}){0,7}(?:\s?(?:x|ext\.?|extension)\s?[0-9]{1,6})?)"
)


def _emails(text: str) -> Iterator[tuple[int, int]]:
    """Email addresses; `git@host` is a repository address and does not count."""
    return (span for span in _spans(_EMAIL, text) if not text.startswith("git@", span[0])) if "@" in text else iter(())


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    for start, end in _spans(_IBAN, text):
        for stop in range(end, start + 14, -1):
            if text[stop - 1].isalnum() and is_iban("".join(filter(str.isalnum, text[start:stop])).upper()):
                yield start, stop
                break


def _ssns(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_SSN, _SSN_NAMED):
        for start, end in _spans(pattern, text):
            if _is_ssn("".join(filter(str.isdigit, text[start:end]))):
                yield start, end


def _is_ssn(digits: str) -> bool:
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _ip_addresses(text: str) -> Iterator[tuple[int, int]]:
    lower = text.lower()
    for pattern in (_IPV4, _IPV6):
        for start, end in _spans(pattern, text):
            if _is_ip(text[start:end]) and not lower[max(0, start - 12) : start].rstrip(" :=").endswith(_VERSION_WORDS):
                yield start, end


_VERSION_WORDS = ("version", "v", "ver", "release", "build", "section", "chapter")


def _is_ip(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.is_loopback or address.is_unspecified or address.is_multicast or address in _WELL_KNOWN:
        return False  # they lead to nobody
    if any(address in network for network in _PRIVATE_NETWORKS):
        return False
    return text.count("::") * 4 < len(text)  # `dead::` is code more often than an address


_PRIVATE_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "fc00::/7", "fe80::/10"),
    )
)
# Name servers that everybody uses: Cloudflare, Google, Quad9, OpenDNS, AdGuard.
_WELL_KNOWN = frozenset(
    map(
        ipaddress.ip_address,
        (
            *("1.1.1.1", "1.0.0.1", "2606:4700:4700::1111", "2606:4700:4700::1001"),
            *("8.8.8.8", "8.8.4.4", "2001:4860:4860::8888", "2001:4860:4860::8844"),
            *("9.9.9.9", "149.112.112.112", "2620:fe::fe"),
            *("208.67.222.222", "208.67.220.220", "94.140.14.14", "94.140.15.15"),
        ),
    )
)


_PHONE_WORDS = (
    "phone",
    "tel:",
    "tel ",
    "tel.",
    "telephone",
    "call",
    "mobile",
    "cell",
    "fax",
    "contact",
    "whatsapp",
    "dial",
    "text me",
    "text him",
    "text her",
    "sms",
    "hotline",
    "ring me",
    "desk:",
    "office:",
    "handy",
    "movil",
    "portable",
    "telefon",
    "telefono",
    "reach me",
    "reach him",
    "reach her",
    "answering at",
    "messages to",
    "message to",
    "registered",
    "voicemail",
    *(fold(word).lower() for word in ("тел", "звон", "电话", "手机", "電話", "携帯", "전화")),
)
_OTHER_NUMBERS = frozenset(
    (
        "serial",
        "order",
        "invoice",
        "tracking",
        "account",
        "id",
        "ids",
        "isbn",
        "version",
        "imei",
        "ticket",
        "case",
        "reference",
        "ref",
        "license",
        "licence",
        "meeting",
        "part",
        "sku",
        "ean",
        "commit",
        "build",
        "zip",
        "policy",
        "flight",
    )
)


def _phones(text: str) -> Iterator[tuple[int, int]]:
    lower = text.lower()
    for found, end in _spans(_PHONE, text):
        shown = text[found:end].rstrip("( .-/")
        start = found + (shown.startswith("(") and ")" not in shown)
        shown = text[start : found + len(shown)]
        if _is_phone(shown, lower[max(0, start - 40) : start], lower[end : end + 12]):
            yield start, start + len(shown)


def _is_phone(shown: str, before: str, after: str) -> bool:
    number = shown.lower().split("x")[0].split("e")[0].strip()
    digits = "".join(filter(str.isdigit, number))
    if not 7 <= len(digits) <= 15 or _is_date(number.split()[0]) or len(set(digits)) < 2:
        return False
    if number.startswith("+"):
        return True
    if not _OTHER_NUMBERS.isdisjoint(_words(before)[-3:]):
        return False
    if _is_grouped_like_a_phone(number, digits):
        return True
    return any(word in before for word in _PHONE_WORDS) or after.strip(" -,(\\").startswith(_AFTER_WORDS)


def _words(text: str) -> list[str]:
    return "".join(character if character.isalnum() else " " for character in text).split()


_AFTER_WORDS = ("office", "fax", "mobile", "cell", "home", "work", "phone", "tel", "desk")


def _is_grouped_like_a_phone(number: str, digits: str) -> bool:
    """Formats that are almost always telephone numbers: (415) 555-0132, 020 7946 0018, 01.84.17.61.18,
    001-253-366-9781."""
    groups = [len(group) for group in _words(number)]
    if len(groups) < 2:
        return False
    if groups[-3:] == [3, 3, 4] and len(digits) in (10, 11, 13) and digits[-10] not in "01":
        return True
    if number.startswith("("):
        return 8 <= len(digits) <= 12 and ")" in number
    if digits.startswith("00"):
        return len(groups) >= 3 and len(digits) >= 10
    is_split = len(groups) >= 3 or groups[1] >= 5
    return digits.startswith("0") and 9 <= len(digits) <= 11 and 2 <= groups[0] <= 5 and is_split


def _is_date(number: str) -> bool:
    parts = number.replace("/", "-").replace(".", "-").split("-")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return False
    sizes = tuple(len(part) for part in parts)
    return sizes in ((4, 2, 2), (2, 2, 4), (1, 2, 4), (2, 1, 4), (4, 1, 2), (4, 2, 1))


# The most certain first: a number with a valid checksum is not offered to the telephone rule.
_SEARCHES: tuple[tuple[str, Callable[[str], Iterable[tuple[int, int]]]], ...] = (
    ("email", _emails),
    ("iban", _ibans),
    ("card", card_spans),
    ("ssn", _ssns),
    ("ip_address", _ip_addresses),
    ("phone", _phones),
)
