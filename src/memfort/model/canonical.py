"""One way to write a value as bytes, so that equal values have equal digests."""

from __future__ import annotations

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
