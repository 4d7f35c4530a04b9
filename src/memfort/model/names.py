"""Short names for things, made from digests: opaque, of one shape, and the same for the same contents."""

from __future__ import annotations

import base64
import hashlib


def short_name(prefix: str, contents: bytes) -> str:
    """`prefix`, then 120 bits of a digest in 24 letters and digits."""
    return prefix + base64.b32encode(hashlib.sha256(contents).digest()[:15]).decode().lower()
