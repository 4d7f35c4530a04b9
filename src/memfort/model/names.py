"""Short names for things, made from digests: opaque, of one shape, and the same for the same contents."""

from __future__ import annotations

import base64
import hashlib


def short_name(prefix: str, contents: bytes) -> str:
    """`prefix`, then 120 bits of a digest in 24 letters and digits."""
    return prefix + base64.b32encode(hashlib.sha256(contents).digest()[:15]).decode().lower()


def is_short_name(prefix: str, name: str) -> bool:
    """Whether this could be a name that `short_name` made."""
    rest = name.removeprefix(prefix)
    return name.startswith(prefix) and len(rest) == 24 and not rest.strip("abcdefghijklmnopqrstuvwxyz234567")
