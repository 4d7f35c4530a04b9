"""Encode values as bytes and short ids: equal values give equal bytes, digests and names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import msgspec

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical_json(value: Any) -> bytes:
    """Sorted keys, no spaces, UTF-8, no NaN: the same value always gives the same bytes."""
    return _encode(value).encode()


def canonical_list(value: Sequence[str | int | Sequence[str | int]]) -> bytes:
    """The same for texts and whole numbers, which every encoder writes alike, in a tenth of the time."""
    return _encode_list(value)


_encode_list = msgspec.json.Encoder().encode


_SIGNS = "abcdefghijklmnopqrstuvwxyz234567"  # as in base 32
_PAIRS = [first + second for first in _SIGNS for second in _SIGNS]  # of ten bits each
_PLACES = range(110, -1, -10)  # where they begin in 120 bits, the highest first


def short_name(prefix: str, contents: bytes) -> str:
    """`prefix`, then 120 bits of a digest in 24 letters and digits."""
    number = int.from_bytes(hashlib.sha256(contents).digest()[:15], "big")
    return prefix + "".join([_PAIRS[number >> place & 1023] for place in _PLACES])


def is_short_name(prefix: str, name: str) -> bool:
    """Whether this could be a name that `short_name` made."""
    rest = name.removeprefix(prefix)
    return name.startswith(prefix) and len(rest) == 24 and not rest.strip(_SIGNS)


def is_made_name(name: str) -> bool:
    """The same for any of the prefixes, which have three letters."""
    return len(name) == 28 and name[3] == "_" and is_short_name(name[:4], name)
