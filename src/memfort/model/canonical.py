"""One way to write a value as bytes, so that equal values have equal digests."""

from __future__ import annotations

import json
from typing import Any

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical_json(value: Any) -> bytes:
    """Sorted keys, no spaces, UTF-8, no NaN: the same value always gives the same bytes."""
    return _encode(value).encode()
