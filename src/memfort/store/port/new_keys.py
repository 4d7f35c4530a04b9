"""The keys of a store that is made. Nothing else makes any, so tests can say which a store gets."""

from __future__ import annotations

from secrets import token_bytes

from memfort.trail.keys import Keys


def make_keys() -> Keys:
    return Keys(secret=token_bytes(32), signing=token_bytes(32))
